#include <fmt/format.h>

#include "server/plpgsql/error_context.h"
#include "server/plpgsql/routine_call.h"
#include "server/portal.h"
#include "server/query_run.h"
#include "sql/bind/binder.h"
#include "sql/parse/parser.h"
#include "sql/plpgsql/fragment_binder.h"
#include "sql/types/text_io.h"

/// The SQL in a routine.
namespace gnomon::server {

using namespace sql::plpgsql;

class RoutineCall::Running {
 public:
  Running(RoutineCall& call, std::string_view text, bool is_expression) : call_(call) {
    call.running_ = fmt::format("SQL {} \"{}\"", is_expression ? "expression" : "statement", text);
  }
  ~Running() { call_.running_.clear(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  RoutineCall& call_;
};

std::shared_ptr<Piece> RoutineCall::pieceOf(const Fragment& fragment, DatumId compared) {
  std::shared_ptr<Piece> piece =
      compiled_->piece(session_, &fragment, fragment.scope, selectText(routine_, fragment, compared), shapeNow(), compared);
  frame_.grow();
  return piece;
}

std::vector<sql::Value> RoutineCall::parametersOf(const Piece& piece) {
  std::vector<sql::Value> values;
  for (const uint32_t slot : piece.names->slots()) values.push_back(frame_.value(slot));
  return values;
}

PieceResult RoutineCall::runStatement(const Piece& piece, std::span<const sql::Value> parameters, uint64_t rows_max) {
  PieceResult result;
  DescribedStatement& statement = *piece.statement;
  result.returns_rows = statement.returns_rows;
  if (!piece.is_query) {
    const PortalSource source{piece.statement, {}, piece.format};
    Portal portal(session_, source, nullptr);
    UtilityResult answer = portal.perform();
    result.columns = statement.columns();
    for (std::vector<std::string>& texts : answer.rows) {
      ValueRow& row = result.rows.emplace_back();
      for (size_t i = 0; i < texts.size(); ++i)
        row.push_back(sql::parseText(i < result.columns.size() ? result.columns[i].type
                                                               : sql::Type::of(sql::TypeKind::Text),
                                     texts[i]));
    }
    result.row_count = answer.row_count != 0 ? answer.row_count : result.rows.size();
    return result;
  }
  ValueRows sink(statement.returns_rows ? rows_max : 0);
  QueryRun run(session_, statement, piece.format, parameters, nullptr);
  const uint64_t limit = statement.returns_rows && run.bound().written.empty() && rows_max != UINT64_MAX ? rows_max : 0;
  run.run(limit, sink);
  result.row_count = run.rowCount();
  if (!statement.returns_rows) return result;
  result.columns = resultColumns(run.bound());
  result.rows = sink.take(result.columns);
  return result;
}

PieceResult RoutineCall::runPiece(const Piece& piece, std::string_view shown, bool is_expression, uint64_t rows_max) {
  const Running running(*this, shown, is_expression);
  const std::vector<sql::Value> parameters = parametersOf(piece);
  try {
    return runStatement(piece, parameters, rows_max);
  } catch (SqlError& error) {
    addContext(error, running_);
    throw error.dropPosition();
  }
}

namespace {

/// As contexts show a fragment.
std::string shownText(const Routine& routine, const Fragment& fragment) {
  std::string text = routine.textOf(fragment);
  if (fragment.kind == Fragment::Kind::Perform) text.erase(0, 1);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

PieceResult RoutineCall::runFragment(const Fragment& fragment, uint64_t rows_max) {
  const std::shared_ptr<Piece> piece = pieceOf(fragment);
  return runPiece(*piece, shownText(routine_, fragment), fragment.kind == Fragment::Kind::Expression, rows_max);
}

sql::Value RoutineCall::valueOf(const Fragment& fragment, DatumId compared) {
  const std::shared_ptr<Piece> piece = pieceOf(fragment, compared);
  const std::string shown = shownText(routine_, fragment);
  PieceResult result = runPiece(*piece, shown, true, 2);
  if (result.columns.size() != 1)
    throw SqlError(sqlstate::kSyntaxError, fmt::format("query \"{}\" returned {} column{}", shown, result.columns.size(),
                                                       result.columns.size() == 1 ? "" : "s"));
  if (result.rows.size() > 1)
    throw SqlError(sqlstate::kCardinalityViolation, fmt::format("query \"{}\" returned more than one row", shown));
  if (result.rows.empty()) return sql::Value::null(result.columns[0].type);
  return std::move(result.rows[0][0]);
}

std::optional<std::string> RoutineCall::textOf(const Fragment& fragment) {
  const sql::Value value = valueOf(fragment);
  if (value.is_null) return std::nullopt;
  return sql::castValue(value, sql::Type::of(sql::TypeKind::Text), true).bytes;
}

void RoutineCall::evaluate(Frame& frame, const Fragment& fragment, sql::Type type, uint32_t domain, DatumId compared,
                           codegen::ParameterSlot& result) {
  const sql::Value found = valueOf(fragment, compared);
  const sql::Value value = type.kind == sql::TypeKind::Unknown ? found : convert(found, type, domain);
  result = {value.lo, value.hi, value.is_null ? uint64_t{1} : 0, 0};
  if (value.is_null || value.type.physical() != sql::Physical::String) return;
  const StringValue text = StringValue::refer(frame.scratch.copy(value.bytes), StringValue::Storage::Transient);
  result.lo = text.lo();
  result.hi = text.hi();
}

std::string RoutineCall::dynamicText(const DynamicQuery& query) {
  std::optional<std::string> text = textOf(query.text);
  if (!text) throw SqlError(sqlstate::kNullValueNotAllowed, "query string argument of EXECUTE is null");
  return std::move(*text);
}

std::vector<sql::Value> RoutineCall::valuesOf(const std::vector<Fragment>& fragments) {
  std::vector<sql::Value> values;
  for (const Fragment& fragment : fragments) values.push_back(valueOf(fragment));
  return values;
}

std::shared_ptr<DescribedStatement> RoutineCall::bindDynamic(const std::string& text,
                                                             std::span<const sql::Value> arguments) {
  std::vector<sql::ParsedStatement> statements = sql::parse(text);
  if (statements.size() != 1)
    throwNotSupported(statements.empty() ? "EXECUTE of nothing" : "EXECUTE of several statements");
  if (statements[0].rejection) throw SqlError(*statements[0].rejection);
  StatementSource source{.text = std::make_shared<const std::string>(text),
                         .parsed = std::move(statements[0]),
                         .parameter_types = {},
                         .is_whole_text = true};
  for (const sql::Value& argument : arguments) source.parameter_types.push_back(argument.type);
  const auto bound = Planner(session_).bind(source);
  if (std::holds_alternative<sql::TransactionStatement>(bound->body))
    throw SqlError(sqlstate::kFeatureNotSupported, "EXECUTE of transaction commands is not implemented");
  return std::make_shared<DescribedStatement>(std::move(source), bound);
}

PieceResult RoutineCall::runDynamic(const DynamicQuery& query, uint64_t rows_max) {
  const std::string text = dynamicText(query);
  const std::vector<sql::Value> arguments = valuesOf(query.arguments);
  const Running running(*this, text, false);
  try {
    Piece piece;
    piece.text = text;
    piece.statement = bindDynamic(text, arguments);
    piece.is_query = std::holds_alternative<sql::QueryStatement>(piece.statement->bound->body);
    piece.format.column_formats.assign(piece.statement->columns().size(), 1);
    return runStatement(piece, arguments, rows_max);
  } catch (SqlError& error) {
    if (error.position() < 0) addContext(error, running_);
    throw error.dropPosition();
  }
}

}  // namespace gnomon::server
