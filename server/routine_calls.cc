#include "server/routine_calls.h"

#include <fmt/format.h>

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "server/described_statement.h"
#include "server/planner.h"
#include "server/query_run.h"
#include "server/session_context.h"
#include "sql/bind/routine_body.h"
#include "sql/types/array_value.h"
#include "sql/types/cast.h"
#include "sql/types/record_value.h"
#include "sql/types/text_io.h"

namespace gnomon::server {
namespace {

/// Whether a call may begin another one: half of the thread's stack is left for what that needs.
bool hasStack() {
  struct Stack {
    Stack() {
      pthread_attr_t attributes;
      void* end = nullptr;
      size_t bytes = 0;
      if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
      pthread_attr_getstack(&attributes, &end, &bytes);
      pthread_attr_destroy(&attributes);
      least = static_cast<const char*>(end) + bytes / 2;
    }
    const char* least = nullptr;
  };
  thread_local const Stack stack;
  return static_cast<const char*>(__builtin_frame_address(0)) > stack.least;
}

using Row = std::vector<sql::Value>;

/// Takes rows of binary DataRow messages as values.
class ValueRows final : public RowSink {
 public:
  /// At most `rows_max` of them are kept.
  explicit ValueRows(size_t rows_max) : rows_max_(rows_max) {}

  void begin() override { messages_.clear(); }
  void write(std::span<const char> messages) override {
    if (rows_max_ > 0) messages_.append(messages.data(), messages.size());
  }
  bool takeBack() override {
    messages_.clear();
    return true;
  }
  /// After the run, whose output is of these types.
  [[nodiscard]] std::vector<Row> take(const std::vector<ResultColumn>& columns) const {
    std::vector<Row> rows;
    for (std::string_view rest = messages_; !rest.empty() && rows.size() < rows_max_;) {
      constexpr size_t kHeaderBytes = 5;
      const size_t length = readNumber<uint32_t>(rest.substr(1)) + 1;
      rows.push_back(rowOf(rest.substr(kHeaderBytes, length - kHeaderBytes), columns));
      rest.remove_prefix(length);
    }
    return rows;
  }

 private:
  template <typename Number>
  static Number readNumber(std::string_view bytes) {
    Number number = 0;
    std::memcpy(&number, bytes.data(), sizeof(number));
    return std::byteswap(number);
  }
  static Row rowOf(std::string_view bytes, const std::vector<ResultColumn>& columns) {
    Row row;
    bytes.remove_prefix(sizeof(uint16_t));
    for (const ResultColumn& column : columns) {
      const auto length = static_cast<int32_t>(readNumber<uint32_t>(bytes));
      bytes.remove_prefix(sizeof(uint32_t));
      if (length < 0) {
        row.push_back(sql::Value::null(column.type));
        continue;
      }
      row.push_back(sql::parseBinary(column.type, bytes.substr(0, static_cast<size_t>(length)), 0));
      bytes.remove_prefix(static_cast<size_t>(length));
    }
    return row;
  }

  const size_t rows_max_;
  std::string messages_;
};

sql::Value converted(const sql::Value& value, sql::Type type) {
  if (value.is_null) return sql::Value::null(type);
  return value.type == type ? value : sql::castValue(value, type, false);
}

/// The arguments as the statements were described with them.
std::vector<sql::Value> inputsOf(const sql::RoutineEntry& routine, std::span<const sql::Value> arguments) {
  const auto parameters = routine.inputs();
  std::vector<sql::Value> inputs;
  for (size_t i = 0; i < arguments.size(); ++i) inputs.push_back(converted(arguments[i], parameters[i]->type));
  return inputs;
}

/// A row as the value that the routine returns.
sql::Value valueOf(const sql::RoutineEntry& routine, Row row, sql::Type type) {
  if (!type.isRecord()) return converted(row.at(0), type);
  const std::vector<sql::RoutineColumn> columns = sql::routineColumns(routine);
  const bool is_whole = row.size() == 1 && row[0].type.isRecord() && columns.size() != 1;
  if (is_whole) return row[0];
  std::string names;
  if (type.definition() == 0)
    for (const sql::RoutineColumn& column : columns) names.append(column.name).push_back('\0');
  sql::RecordBuilder record(type.definition(), names);
  for (size_t i = 0; i < row.size(); ++i)
    record.add(converted(row[i], sql::heldInRecord(i < columns.size() ? columns[i].type : row[i].type)));
  return sql::Value::fromString(type, record.finish());
}

}  // namespace

struct RoutineCalls::Prepared {
  sql::TablePtr entry;
  uint64_t catalog_version = 0;
  std::vector<std::unique_ptr<DescribedStatement>> statements;
  std::vector<codegen::OutputFormat> formats;
};

RoutineCalls::RoutineCalls(SessionContext& session) : session_(session) {}
RoutineCalls::~RoutineCalls() = default;

std::shared_ptr<RoutineCalls::Prepared> RoutineCalls::prepare(const sql::TablePtr& entry) {
  std::shared_ptr<Prepared>& known = prepared_[entry->oid];
  const uint64_t version = session_.server.catalog.version();
  const bool is_current =
      known && known->entry == entry && known->catalog_version == version && session_.transaction.catalog().isEmpty();
  if (is_current) return known;
  auto prepared = std::make_shared<Prepared>();
  prepared->entry = entry;
  prepared->catalog_version = version;
  const sql::RoutineBody body(*entry);
  const auto text = std::make_shared<const std::string>(entry->routine->body);
  std::vector<sql::Type> inputs;
  for (const sql::RoutineEntry::Parameter* input : entry->routine->inputs()) inputs.push_back(input->type);
  for (const sql::ParsedStatement& parsed : body.statements()) {
    StatementSource source{.text = text,
                           .parsed = parsed,
                           .parameter_types = inputs,
                           .is_whole_text = true,
                           .routine = entry,
                           .number = static_cast<uint32_t>(prepared->statements.size())};
    const auto bound = Planner(session_).bind(source);
    if (!std::holds_alternative<sql::QueryStatement>(bound->body))
      throwNotSupported(fmt::format("{} in a function in LANGUAGE sql", bound->command));
    if (!bound->written.empty() && entry->routine->volatility != sql::Volatility::Volatile)
      throw SqlError(sqlstate::kFeatureNotSupported,
                     fmt::format("{} is not allowed in a non-volatile function", bound->command));
    auto described = std::make_unique<DescribedStatement>(std::move(source), bound);
    described->has_name = true;
    codegen::OutputFormat& format = prepared->formats.emplace_back();
    format.column_formats.assign(described->columns().size(), 1);
    prepared->statements.push_back(std::move(described));
  }
  known = prepared;
  return prepared;
}

sql::Value RoutineCalls::call(uint32_t routine_oid, std::span<const sql::Value> arguments, sql::Type result) {
  const sql::TablePtr entry = session_.transaction.catalog().findEntry(routine_oid);
  if (!entry || !entry->routine)
    throw SqlError(sqlstate::kUndefinedFunction, fmt::format("function with OID {} does not exist", routine_oid));
  const sql::RoutineEntry& routine = *entry->routine;
  if (routine.is_strict && std::ranges::any_of(arguments, &sql::Value::is_null)) return sql::Value::null(result);
  if (!hasStack()) throw SqlError(sqlstate::kStatementTooComplex, "stack depth limit exceeded");
  const std::shared_ptr<Prepared> prepared = prepare(entry);
  const std::vector<sql::Value> inputs = inputsOf(routine, arguments);
  std::vector<Row> rows;
  for (size_t i = 0; i < prepared->statements.size(); ++i) {
    DescribedStatement& statement = *prepared->statements[i];
    const bool is_last = i + 1 == prepared->statements.size();
    const bool is_result = is_last && statement.returns_rows && routine.result.kind != sql::TypeKind::Void;
    ValueRows sink(!is_result ? 0 : routine.returns_set ? SIZE_MAX : 1);
    try {
      QueryRun run(session_, statement, prepared->formats[i], inputs, nullptr);
      if (!run.bound().written.empty()) ++change_count_;
      run.run(0, sink);
    } catch (SqlError& error) {
      throw error.dropPosition();
    }
    if (is_result) rows = sink.take(statement.columns());
  }
  if (routine.result.kind == sql::TypeKind::Void) return sql::Value::null(result);
  if (!routine.returns_set)
    return rows.empty() ? sql::Value::null(result) : valueOf(routine, std::move(rows[0]), result);
  sql::ArrayBuilder array(result.element());
  for (Row& row : rows) array.add(valueOf(routine, std::move(row), result.element()));
  return sql::Value::fromString(result, array.finish());
}

}  // namespace gnomon::server
