#include "server/function_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "server/pgwire/message_body.h"
#include "server/query_run.h"
#include "server/session_context.h"
#include "sql/parse/identifier.h"
#include "sql/parse/parser.h"
#include "sql/pg_catalog/facts.h"
#include "sql/types/text.h"
#include "sql/types/text_io.h"

namespace gnomon::server {
namespace {

constexpr size_t kPreparedMax = 200;

/// Takes the only field of the only row.
class FieldSink final : public RowSink {
 public:
  void begin() override { message_.clear(); }
  void write(std::span<const char> messages) override { message_.append(messages.data(), messages.size()); }
  bool takeBack() override {
    message_.clear();
    return true;
  }
  /// With its length in front, as the protocol has it.
  [[nodiscard]] std::string_view field() const {
    constexpr size_t kHeaderBytes = 7;  // the type, the length, the number of fields
    return std::string_view(message_).substr(kHeaderBytes);
  }

 private:
  std::string message_;
};

[[noreturn]] void raiseUncallable(std::string_view name) {
  throw SqlError(sqlstate::kFeatureNotSupported,
                 fmt::format("cannot call function \"{}\" via fastpath interface", name));
}

std::string callText(const std::string& schema, const std::string& name, size_t count, bool is_variadic) {
  std::string text = fmt::format("SELECT {}.{}(", sql::quotedIdentifier(schema), sql::quotedIdentifier(name));
  for (size_t i = 1; i <= count; ++i)
    text += fmt::format("{}{}${}", i > 1 ? ", " : "", is_variadic && i == count ? "VARIADIC " : "", i);
  return text + ")";
}

sql::Value takeArgument(MessageBody& body, sql::Type type, int16_t format, unsigned number) {
  const auto bytes = body.takeNumber<int32_t>();
  if (bytes == -1) return sql::Value::null(type);
  if (bytes < 0)
    throw SqlError(sqlstate::kProtocolViolation,
                   fmt::format("invalid argument size {} in function call message", bytes));
  const std::string_view value = body.takeBytes(static_cast<size_t>(bytes));
  if (format != 0 && format != 1)
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unsupported format code: {}", format));
  if (format == 0 || (type.isString() && type.kind != sql::TypeKind::Bytea)) sql::checkUtf8(value);
  if (format == 0) return sql::parseText(type, value);
  try {
    return sql::parseBinary(type, value, number);
  } catch (const SqlError& error) {
    if (!(error.state() == sqlstate::kInvalidBinaryRepresentation)) throw;
    throw SqlError(sqlstate::kInvalidBinaryRepresentation,
                   fmt::format("incorrect binary data format in function argument {}", number));
  }
}

}  // namespace

FunctionCalls::Called FunctionCalls::findOfUsers(uint32_t oid) const {
  const sql::TablePtr entry = session_.transaction.catalog().findEntry(oid);
  if (!entry || !entry->routine)
    throw SqlError(sqlstate::kUndefinedFunction, fmt::format("function with OID {} does not exist", oid));
  const sql::RoutineEntry& routine = *entry->routine;
  if (routine.form != sql::RoutineEntry::Form::Function || routine.returns_set) raiseUncallable(routine.name);
  Called called{.text = {}, .name = routine.name, .parameters = {}};
  bool is_variadic = false;
  for (const sql::RoutineEntry::Parameter* input : routine.inputs()) {
    if (input->type.isPolymorphic()) throwNotSupported("a polymorphic function in a function call message");
    called.parameters.push_back(input->type);
    is_variadic = input->mode == sql::RoutineEntry::Parameter::Mode::Variadic;
  }
  called.text = callText(entry->schema, routine.name, called.parameters.size(), is_variadic);
  return called;
}

FunctionCalls::Called FunctionCalls::find(uint32_t oid) const {
  const sql::pg_catalog::ProcedureFacts* const facts = sql::pg_catalog::findProcedureFacts(oid);
  if (facts == nullptr) return findOfUsers(oid);
  if (facts->kind != 'f' || facts->returns_set) raiseUncallable(facts->name);
  Called called{.text = {}, .name = std::string(facts->name), .parameters = {}, .is_system = true};
  for (const uint32_t argument : facts->arguments) {
    sql::Type type;
    if (!sql::typeFromOid(argument, type) || type.isPolymorphic())
      throwNotSupported(fmt::format("function \"{}\" in a function call message", facts->name));
    called.parameters.push_back(type);
  }
  called.text = callText("pg_catalog", called.name, called.parameters.size(), false);
  return called;
}

std::vector<sql::Value> FunctionCalls::takeArguments(MessageBody& body, const Called& called) {
  std::vector<int16_t> formats(body.takeNumber<uint16_t>());
  for (int16_t& format : formats) format = body.takeNumber<int16_t>();
  const size_t count = body.takeNumber<uint16_t>();
  if (count != called.parameters.size())
    throw SqlError(sqlstate::kProtocolViolation,
                   fmt::format("function call message contains {} arguments but function requires {}", count,
                               called.parameters.size()));
  if (formats.size() > 1 && formats.size() != count)
    throw SqlError(
        sqlstate::kProtocolViolation,
        fmt::format("function call message contains {} argument formats but {} arguments", formats.size(), count));
  std::vector<sql::Value> arguments;
  for (size_t i = 0; i < count; ++i) {
    const int16_t format = formats.empty() ? int16_t{0} : formats.size() == 1 ? formats[0] : formats[i];
    arguments.push_back(takeArgument(body, called.parameters[i], format, static_cast<unsigned>(i + 1)));
  }
  return arguments;
}

DescribedStatement& FunctionCalls::prepare(uint32_t oid, int16_t format, const Called& called) {
  std::unique_ptr<DescribedStatement>& known = prepared_[{oid, format}];
  if (known && *known->source.text == called.text) return *known;
  const auto text = std::make_shared<const std::string>(called.text);
  StatementSource source{
      .text = text, .parsed = sql::parse(*text).at(0), .parameter_types = called.parameters, .is_whole_text = true};
  const auto bound = Planner(session_).bind(source);
  known = std::make_unique<DescribedStatement>(std::move(source), bound);
  known->has_name = true;
  return *known;
}

void FunctionCalls::run(uint32_t oid, int16_t format, const Called& called, const std::vector<sql::Value>& arguments) {
  DescribedStatement& statement = prepare(oid, format, called);
  codegen::OutputFormat output;
  output.column_formats = {format};
  FieldSink field;
  QueryRun run(session_, statement, output, arguments, nullptr);
  run.run(0, field);
  session_.writer.begin('V');
  session_.writer.putBytes(field.field());
  session_.writer.end();
}

void FunctionCalls::call(std::string_view message) {
  static const auto kShown = std::make_shared<const std::string>("<FASTPATH> function call");
  session_.status.beginQuery(kShown);
  session_.transaction.requireUsable();
  session_.transaction.beginStatement();
  session_.transaction.setPlace(true, false);
  MessageBody body(message);
  const auto oid = body.takeNumber<uint32_t>();
  const Called called = find(oid);
  const std::vector<sql::Value> arguments = takeArguments(body, called);
  const auto format = body.takeNumber<int16_t>();
  body.finish();
  if (format != 0 && format != 1)
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unsupported format code: {}", format));
  if (prepared_.size() >= kPreparedMax) prepared_.clear();
  try {
    run(oid, format, called, arguments);
  } catch (SqlError& error) {
    if (called.is_system && error.state() == sqlstate::kUndefinedFunction)
      throwNotSupported(fmt::format("function \"{}\" in a function call message", called.name));
    throw error.dropPosition();
  }
  session_.transaction.endImplicit();
}

}  // namespace gnomon::server
