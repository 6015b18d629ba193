#include <fmt/format.h>

#include "server/plpgsql/routine_call.h"
#include "sql/plpgsql/conditions.h"

/// RAISE, ASSERT and GET DIAGNOSTICS.
namespace gnomon::server {

using namespace sql::plpgsql;

namespace {

constexpr SqlState kRaised("P0001");
constexpr SqlState kAssertFailure("P0004");

Severity severityOf(Raise::Level level) {
  switch (level) {
    case Raise::Level::Debug:
      return Severity::Debug;
    case Raise::Level::Log:
      return Severity::Log;
    case Raise::Level::Info:
      return Severity::Info;
    case Raise::Level::Notice:
      return Severity::Notice;
    case Raise::Level::Warning:
      return Severity::Warning;
    case Raise::Level::Exception:
      break;
  }
  return Severity::Error;
}

SqlState defaultState(Severity severity) {
  if (severity == Severity::Error) return kRaised;
  return severity == Severity::Warning ? SqlState("01000") : SqlState("00000");
}

const char* nameOf(RaiseOption::Kind kind) {
  switch (kind) {
    case RaiseOption::Kind::Errcode:
      return "ERRCODE";
    case RaiseOption::Kind::Message:
      return "MESSAGE";
    case RaiseOption::Kind::Detail:
      return "DETAIL";
    case RaiseOption::Kind::Hint:
      return "HINT";
    case RaiseOption::Kind::Column:
      return "COLUMN";
    case RaiseOption::Kind::Constraint:
      return "CONSTRAINT";
    case RaiseOption::Kind::Datatype:
      return "DATATYPE";
    case RaiseOption::Kind::Table:
      return "TABLE";
    case RaiseOption::Kind::Schema:
      return "SCHEMA";
  }
  return "";
}

/// A code, or the name of a condition. Failure: 42704.
SqlState stateNamed(const std::string& name) {
  if (const auto code = sqlStateOf(name)) return *code;
  if (const auto state = findCondition(name)) return *state;
  throw SqlError(sqlstate::kUndefinedObject, fmt::format("unrecognized exception condition \"{}\"", name));
}

}  // namespace

void RoutineCall::executeKind(const Raise& raise) {
  if (raise.isRethrow()) {
    if (errors_.empty())
      throw SqlError(SqlState("0Z002"), "RAISE without parameters cannot be used outside an exception handler");
    // Its context begins where it came from.
    frame_.place = errors_.back().place;
    failure_ = errors_.back().error;
    return;
  }
  const Severity severity = severityOf(raise.level);
  SqlState state = raise.state ? *raise.state : defaultState(severity);
  std::string condition = raise.condition;
  std::optional<std::string> message, detail, hint, column, constraint, datatype, table, schema;
  if (raise.format) {
    message.emplace();
    size_t argument = 0;
    const std::string& format = *raise.format;
    for (size_t i = 0; i < format.size(); ++i) {
      if (format[i] != '%') {
        message->push_back(format[i]);
      } else if (i + 1 < format.size() && format[i + 1] == '%') {
        message->push_back('%');
        ++i;
      } else {
        *message += textOf(raise.arguments[argument++]).value_or("<NULL>");
      }
    }
  }
  for (const RaiseOption& option : raise.options) {
    std::optional<std::string> value = textOf(option.value);
    if (!value) throw SqlError(sqlstate::kNullValueNotAllowed, "RAISE statement option cannot be null");
    const auto set = [&](std::optional<std::string>& place) {
      if (place)
        throw SqlError(sqlstate::kSyntaxError, fmt::format("RAISE option already specified: {}", nameOf(option.kind)));
      place = std::move(value);
    };
    switch (option.kind) {
      case RaiseOption::Kind::Errcode:
        if (raise.state || !condition.empty())
          throw SqlError(sqlstate::kSyntaxError, "RAISE option already specified: ERRCODE");
        state = stateNamed(*value);
        if (severity == Severity::Error && state == SqlState("00000")) state = kRaised;
        condition = *value;
        break;
      case RaiseOption::Kind::Message:
        set(message);
        break;
      case RaiseOption::Kind::Detail:
        set(detail);
        break;
      case RaiseOption::Kind::Hint:
        set(hint);
        break;
      case RaiseOption::Kind::Column:
        set(column);
        break;
      case RaiseOption::Kind::Constraint:
        set(constraint);
        break;
      case RaiseOption::Kind::Datatype:
        set(datatype);
        break;
      case RaiseOption::Kind::Table:
        set(table);
        break;
      case RaiseOption::Kind::Schema:
        set(schema);
        break;
    }
  }
  if (!message) message = condition.empty() ? std::string(state.text()) : condition;
  SqlError said(state, *message);
  if (detail) said.detail(*detail);
  if (hint) said.hint(*hint);
  if (column) said.column(*column);
  if (constraint) said.constraint(*constraint);
  if (table || schema) said.table(schema.value_or(""), table.value_or(""));
  if (datatype) said.datatype(*datatype);
  if (severity == Severity::Error) {
    failure_ = std::move(said);
    return;
  }
  said.context(contextLines());
  session_.notice(said, severity);
}

void RoutineCall::executeKind(const Assert& assertion) {
  if (!compiled_->checks(session_.settings).asserts) return;
  const sql::Value holds = convert(valueOf(assertion.condition), sql::Type::of(sql::TypeKind::Boolean), 0);
  if (!holds.is_null && holds.lo != 0) return;
  std::optional<std::string> message;
  if (assertion.message) message = textOf(*assertion.message);
  throw SqlError(kAssertFailure, message.value_or("assertion failed"));
}

void RoutineCall::executeKind(const GetDiagnostics& get) {
  using Kind = DiagnosticsItem::Kind;
  if (get.is_stacked && errors_.empty())
    throw SqlError(SqlState("0Z002"), "GET STACKED DIAGNOSTICS cannot be used outside an exception handler");
  const auto text = [](const std::string& of) {
    return sql::Value::fromString(sql::Type::of(sql::TypeKind::Text), of);
  };
  for (const DiagnosticsItem& item : get.items) {
    const SqlError* const error = get.is_stacked ? &errors_.back().error : nullptr;
    switch (item.kind) {
      case Kind::RowCount:
        assignScalar(item.target,
                     sql::Value::fromInt(sql::Type::of(sql::TypeKind::Bigint), static_cast<int64_t>(row_count_)));
        break;
      case Kind::Context:
        assignScalar(item.target, text(contextLines()));
        break;
      case Kind::ExceptionContext:
        assignScalar(item.target, text(errors_.back().context));
        break;
      case Kind::ExceptionDetail:
        assignScalar(item.target, text(error->detail()));
        break;
      case Kind::ExceptionHint:
        assignScalar(item.target, text(error->hint()));
        break;
      case Kind::ReturnedSqlstate:
        assignScalar(item.target, text(error->state().text()));
        break;
      case Kind::ColumnName:
        assignScalar(item.target, text(error->column()));
        break;
      case Kind::ConstraintName:
        assignScalar(item.target, text(error->constraint()));
        break;
      case Kind::DatatypeName:
        assignScalar(item.target, text(error->datatype()));
        break;
      case Kind::MessageText:
        assignScalar(item.target, text(error->message()));
        break;
      case Kind::TableName:
        assignScalar(item.target, text(error->table()));
        break;
      case Kind::SchemaName:
        assignScalar(item.target, text(error->schema()));
        break;
    }
  }
}

}  // namespace gnomon::server
