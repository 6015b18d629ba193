#include <fmt/format.h>

#include <algorithm>

#include "server/call_inputs.h"
#include "server/planner.h"
#include "server/plpgsql/routine_call.h"
#include "server/portal.h"
#include "server/query_run.h"
#include "sql/bind/binder.h"
#include "sql/parse/ast.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/parser.h"
#include "sql/plpgsql/fragment_binder.h"
#include "sql/types/record_value.h"
#include "sql/types/text_io.h"

/// The SQL in a routine.
namespace gnomon::server {

using namespace sql::plpgsql;

namespace {

/// What EXECUTE does not take, whatever it says.
class DynamicRefusal final : public SqlError {
 public:
  explicit DynamicRefusal(const char* message) : SqlError(sqlstate::kFeatureNotSupported, message) {}
};

/// Whether the statement there, which makes a table of a query, is SELECT ... INTO.
bool isSelect(const std::string& text, size_t offset) {
  constexpr std::string_view kCreate = "create";
  const auto isSame = [](char left, char right) { return std::tolower(static_cast<unsigned char>(left)) == right; };
  return !std::ranges::equal(std::string_view(text).substr(offset, kCreate.size()), kCreate, isSame);
}

/// The arguments of EXECUTE, by their numbers alone.
class ArgumentNames final : public sql::VariableNames {
 public:
  explicit ArgumentNames(std::vector<sql::Type> types) : types_(std::move(types)) {}
  [[nodiscard]] Conflict conflict() const override { return Conflict::UseColumn; }
  [[nodiscard]] bool knows(std::span<const std::string> /*names*/) const override { return false; }
  sql::ExpressionPtr find(std::span<const std::string> /*names*/, std::vector<sql::Type>& /*types*/) const override {
    return nullptr;
  }
  sql::ExpressionPtr find(uint32_t number, std::vector<sql::Type>& /*types*/) const override {
    if (number == 0 || number > types_.size()) return nullptr;
    auto parameter = std::make_unique<sql::Expression>();
    parameter->kind = sql::Expression::Kind::Parameter;
    parameter->parameter = number - 1;
    parameter->type = types_[number - 1];
    return parameter;
  }

 private:
  const std::vector<sql::Type> types_;
};

}  // namespace

RoutineCall::Shown RoutineCall::shownOf(const Fragment& fragment) const {
  const Statement* const statement = frame_.place.statement;
  const auto* const assignment = statement != nullptr ? std::get_if<Assignment>(&statement->body) : nullptr;
  Shown shown;
  if (assignment != nullptr && &assignment->value == &fragment) {
    shown.text = routine_.body.substr(assignment->offset, fragment.offset + fragment.length - assignment->offset);
    shown.context_line = fmt::format("PL/pgSQL assignment \"{}\"", shown.text);
    shown.fragment_offset = fragment.offset - assignment->offset;
    shown.is_assignment = true;
    return shown;
  }
  shown.text = routine_.textOf(fragment);
  while (!shown.text.empty() && shown.text.back() == ' ') shown.text.pop_back();
  if (fragment.kind == Fragment::Kind::Perform) shown.text.erase(0, 1);
  shown.context_line = fmt::format(
      "SQL {} \"{}\"", fragment.kind == Fragment::Kind::Expression ? "expression" : "statement", shown.text);
  return shown;
}

/// Failure: 0A000.
void RoutineCall::requireMayChange(const Piece& piece) const {
  if (!compiled_->entry() || compiled_->entry()->routine->volatility == sql::Volatility::Volatile) return;
  const sql::BoundStatement& bound = *piece.statement->bound;
  if (piece.is_query && bound.written.empty() && bound.locking.empty()) return;
  if (std::holds_alternative<sql::ShowStatement>(bound.body) ||
      std::holds_alternative<sql::ExplainStatement>(bound.body))
    return;
  throw SqlError(sqlstate::kFeatureNotSupported,
                 fmt::format("{} is not allowed in a non-volatile function",
                             bound.written.empty() && !bound.locking.empty() ? bound.locking : bound.command));
}

/// Who calls a routine has asked something of the transaction already. Failure: 25001.
void RoutineCall::requireMaySet(const sql::SetTransactionStatement& set) const {
  if (has_just_begun_ || set.is_session || !set.modes.isolation) return;
  if (session_.settings.text(SettingId::TransactionIsolation) != sql::isolationName(*set.modes.isolation))
    throw SqlError(sqlstate::kActiveSqlTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query");
}

std::string RoutineCall::runningLine() const {
  return running_fragment_ != nullptr ? shownOf(*running_fragment_).context_line
                                      : fmt::format("SQL statement \"{}\"", *running_text_);
}

PiecePtr RoutineCall::pieceOf(const Fragment& fragment, Piece::Rows rows, DatumId compared, bool is_cursor) {
  if (PiecePtr known = compiled_->knownPiece(session_, fragment, [&](DatumId record) { return shapeOf(record); }))
    return known;
  return makePiece(fragment, rows, compared, is_cursor);
}

PiecePtr RoutineCall::makePiece(const Fragment& fragment, Piece::Rows rows, DatumId compared, bool is_cursor) {
  const std::string text = selectText(routine_, fragment, compared);
  const bool may_have_run = compiled_->mayHaveRun(fragment);
  try {
    PiecePtr piece = compiled_->piece(session_, fragment, text, shapeNow(), rows, compared, is_cursor);
    frame_.grow();
    return piece;
  } catch (SqlError& error) {
    // PostgreSQL looks for the fields of records when it plans, and each time.
    const bool is_of_field =
        error.state() == sqlstate::kUndefinedColumn || error.state() == sqlstate::kObjectNotInPrerequisiteState;
    const bool is_planned = may_have_run && is_of_field && fragment.kind == Fragment::Kind::Expression;
    if (error.position() < 0 && !is_planned) error.addContext(shownOf(fragment).context_line);
    if (error.position() < 0) throw;
    if (compared != kNoDatum) throw error.internalQuery(text);
    // What made a statement of the fragment is not shown, but what stands before it in an assignment is.
    const Shown shown = shownOf(fragment);
    const auto before = static_cast<int32_t>(text.size() - routine_.textOf(fragment).size()) +
                        (fragment.kind == Fragment::Kind::Perform ? 1 : 0);
    const int32_t position = std::max(error.position() - before, 0) + static_cast<int32_t>(shown.fragment_offset);
    throw error.dropPosition().position(position).internalQuery(shown.text);
  }
}

/// An error of a statement of the routine: where it has a position, in its text; else the context says the text.
SqlError RoutineCall::inPiece(SqlError& error, const std::string& text) const {
  if (error.position() >= 0) return error.internalQuery(text);
  return error.addContext(runningLine());
}

std::vector<sql::Value> RoutineCall::parametersOf(const Piece& piece) {
  std::vector<sql::Value> values;
  for (const uint32_t slot : piece.names->slots()) values.push_back(frame_.value(slot));
  return values;
}

std::span<const codegen::ParameterSlot> RoutineCall::parameterSlots(const Piece& piece) {
  const std::vector<uint32_t>& slots = piece.names->slots();
  constexpr size_t kUsual = 16;
  if (parameter_slots_.size() < slots.size()) parameter_slots_.resize(std::max(slots.size(), kUsual));
  codegen::ParameterSlot* parameter = parameter_slots_.data();
  for (const uint32_t slot : slots) *parameter++ = frame_.slot(slot);
  return std::span(parameter_slots_).first(slots.size());
}

std::span<const sql::Type> RoutineCall::parameterTypes(const Piece& piece) {
  parameter_types_.clear();
  for (const uint32_t slot : piece.names->slots()) parameter_types_.push_back(layout_.typeOf(slot));
  return parameter_types_;
}

void RoutineCall::noteColumns(Piece& piece, const std::shared_ptr<const CompiledQuery>& planned) {
  if (piece.planned == planned) return;
  std::vector<ResultColumn> columns = resultColumns(*planned->bound);
  for (ResultColumn& column : columns) column.type = sql::heldInRecord(column.type);
  piece.columns = std::make_shared<const std::vector<ResultColumn>>(std::move(columns));
  piece.planned = planned;
}

/// The same, of one that has left the piece that was executed last.
void RoutineCall::addFailedContext(SqlError& error) {
  has_put_failed_ = false;
  if (!failed_) return;
  if (error.position() >= 0)
    error.internalQuery(failed_->text);
  else
    error.addContext(failed_->context_line);
  failed_.reset();
}

PieceResult RoutineCall::runStatement(Piece& piece, std::span<const sql::Value> parameters, uint64_t rows_max) {
  PieceResult result;
  DescribedStatement& statement = *piece.statement;
  requireMayChange(piece);
  if (const auto* const set = std::get_if<sql::SetTransactionStatement>(&statement.bound->body))
    requireMaySet(*set);
  else
    has_just_begun_ = false;
  result.returns_rows = statement.returns_rows;
  if (!result.returns_rows) result.command = statement.bound->command;
  if (const auto* const block = std::get_if<sql::DoStatement>(&statement.bound->body)) {
    session_.services.routines().runBlock(block->body, true);
    return result;
  }
  if (const auto* const call = std::get_if<sql::CallStatement>(&statement.bound->body)) {
    ValueRow outputs =
        session_.services.routines().callProcedure(call->routine, inputsOf(session_, *call, parameters), true);
    if (!result.returns_rows) return result;
    result.columns = std::make_shared<const std::vector<ResultColumn>>(statement.columns());
    result.rows.push_back(std::move(outputs));
    result.row_count = result.given = 1;
    return result;
  }
  if (!piece.is_query) {
    const PortalSource source{piece.statement, {parameters.begin(), parameters.end()}, piece.format};
    Portal portal(session_, source, nullptr);
    UtilityResult answer = portal.perform();
    // It may have been SET: from here on texts are made as it says.
    session_.transaction.beginStatement();
    result.columns = std::make_shared<const std::vector<ResultColumn>>(statement.columns());
    for (std::vector<std::string>& texts : answer.rows) {
      ValueRow& row = result.rows.emplace_back();
      for (size_t i = 0; i < texts.size(); ++i)
        row.push_back(sql::parseText(
            i < result.columns->size() ? (*result.columns)[i].type : sql::Type::of(sql::TypeKind::Text), texts[i]));
    }
    result.given = result.rows.size();
    result.row_count = answer.row_count != 0 ? answer.row_count : result.given;
    return result;
  }
  PieceRun run;
  result = runQuery(piece, &parameters, rows_max, run);
  if (!statement.returns_rows) {
    result.command = statement.bound->command;
    return result;
  }
  result.columns = piece.columns;
  result.rows = result.held.values(*result.columns);
  held_memory_ = result.held.takeMemory();
  return result;
}

PieceResult RoutineCall::runQuery(Piece& piece, const std::span<const sql::Value>* parameters, uint64_t rows_max,
                                  PieceRun& run) {
  DescribedStatement& statement = *piece.statement;
  has_just_begun_ = false;
  PieceResult result;
  result.returns_rows = statement.returns_rows;
  const bool takes_first = piece.format.framing == codegen::OutputFormat::Framing::FirstRow;
  const auto limitOf = [&](bool is_writing) {
    return result.returns_rows && !is_writing && rows_max != UINT64_MAX ? rows_max : 0;
  };
  const auto take = [&](const auto& done) {
    result.given = done.sentCount();
    result.row_count = done.rowCount();
    if (takes_first && result.given != 0) result.first = done.firstRow();
  };
  codegen::Parameters given;
  if (parameters != nullptr)
    given.values = *parameters;
  else
    given.slots = parameterSlots(piece);
  if (takes_first && parameters == nullptr) {
    PlainRun& plain = run.plain.emplace(session_, statement, piece.format);
    if (plain.begin(given.slots) && plain.run(limitOf(plain.isWriting()))) {
      if (result.returns_rows) noteColumns(piece, plain.query());
      take(plain);
      return result;
    }
    run.plain.reset();
  }
  if (parameters == nullptr) given.slot_types = parameterTypes(piece);
  run.query.emplace(session_, statement, piece.format, given, nullptr);
  if (result.returns_rows) noteColumns(piece, run.query->query());
  const uint64_t limit = limitOf(!run.query->bound().written.empty());
  if (takes_first) {
    NoRows nowhere;
    run.query->run(limit, nowhere);
  } else {
    result.held = HeldRows(std::exchange(held_memory_, {}));
    HeldRowsSink sink(result.held);
    run.query->run(limit, sink);
  }
  take(*run.query);
  return result;
}

PieceResult RoutineCall::runPiece(Piece& piece, const Fragment& fragment, uint64_t rows_max, PieceRun& query) {
  const auto run = [&] {
    if (!piece.is_query) return runStatement(piece, parametersOf(piece), rows_max);
    requireMayChange(piece);
    return runQuery(piece, nullptr, rows_max, query);
  };
  // What reads no rows is not executed by a statement, as far as contexts are concerned.
  if (fragment.kind == Fragment::Kind::Expression && piece.is_plain) return run();
  if (gathered_) put();
  RunningPiece running(*this, fragment, piece);
  PieceResult result = run();
  running.setDone();
  return result;
}

PieceResult RoutineCall::runFragment(const Fragment& fragment, uint64_t rows_max) {
  const PiecePtr piece = pieceOf(fragment, Piece::Rows::All);
  PieceRun run;
  PieceResult result = runPiece(*piece, fragment, rows_max, run);
  if (!result.returns_rows) result.command = piece->statement->bound->command;
  if (piece->is_query && result.returns_rows) {
    result.columns = piece->columns;
    result.rows = result.held.values(*result.columns);
    held_memory_ = result.held.takeMemory();
  }
  return result;
}

sql::Value RoutineCall::valueOf(const Fragment& fragment, DatumId compared) {
  const PiecePtr piece = pieceOf(fragment, Piece::Rows::First, compared);
  if (const size_t columns = piece->statement->columns().size(); columns != 1) {
    const Shown shown = shownOf(fragment);
    throw SqlError(sqlstate::kSyntaxError,
                   fmt::format("{} returned {} column{}", shown.is_assignment ? "assignment source" : "query", columns,
                               columns == 1 ? "" : "s"))
        .context(shown.is_assignment ? shown.context_line : "query: " + shown.text);
  }
  PieceRun run;
  PieceResult result = runPiece(*piece, fragment, 2, run);
  if (result.given > 1)
    throw SqlError(sqlstate::kCardinalityViolation, "query returned more than one row")
        .context("query: " + shownOf(fragment).text);
  const sql::Type type = (result.columns ? result.columns : piece->columns)->front().type;
  if (result.given == 0) return sql::Value::null(type);
  if (!result.rows.empty()) return std::move(result.rows[0][0]);
  if (!result.first.empty()) return valueOf(type, result.first.front());
  sql::Value value = HeldFields::valueOf(type, HeldFields(result.held.first()).next());
  held_memory_ = result.held.takeMemory();
  return value;
}

std::optional<std::string> RoutineCall::textOf(const Fragment& fragment) {
  const sql::Value value = valueOf(fragment);
  if (value.is_null) return std::nullopt;
  return textValue(value).bytes;
}

void RoutineCall::evaluate(Frame& frame, const Fragment& fragment, sql::Type type, uint32_t domain, DatumId compared,
                           codegen::ParameterSlot& result) {
  const sql::Value found = valueOf(fragment, type.kind == sql::TypeKind::Unknown ? kNoDatum : compared);
  if (type.kind == sql::TypeKind::Unknown) {
    // The test of a CASE: what it is compared with is bound to its type from now on.
    layout_.setType(compared, found.type);
    frame_.set(layout_.slotOf(compared), found);
    return;
  }
  // PostgreSQL reads a literal when it parses the assignment.
  const auto withPlace = [&](SqlError& error) {
    const Shown shown = shownOf(fragment);
    if (!shown.is_assignment) return error;
    const StatementSource none{.text = std::make_shared<const std::string>(), .parsed = {}, .parameter_types = {}};
    FragmentBinder binder(layout_, Planner(session_).bindContext(none, {.unlimited_numerics = true}));
    std::optional<SqlError> failure;
    binder.bind(fragment, {type}, shapeNow(), kNoDatum, &failure);
    if (!failure || failure->position() < 0 || failure->message() != error.message()) return error;
    const auto before = static_cast<int32_t>(selectText(routine_, fragment).size() - fragment.length);
    return error.position(failure->position() - before + static_cast<int32_t>(shown.fragment_offset))
        .internalQuery(shown.text);
  };
  const sql::Value value = [&] {
    try {
      return convert(found, type, domain);
    } catch (SqlError& error) {
      throw withPlace(error);
    }
  }();
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
                                                             std::span<const sql::Value> arguments, bool is_cursor) {
  std::vector<sql::ParsedStatement> statements = sql::parse(text);
  if (statements.size() != 1)
    throw SqlError(sqlstate::kSyntaxError,
                   statements.empty() ? "query does not return data" : "cannot open multi-query plan as cursor");
  return bindDynamic(text, std::move(statements[0]), arguments, is_cursor);
}

std::shared_ptr<DescribedStatement> RoutineCall::bindDynamic(const std::string& text, sql::ParsedStatement statement,
                                                             std::span<const sql::Value> arguments, bool is_cursor) {
  if (statement.rejection) throw SqlError(*statement.rejection);
  if (std::holds_alternative<sql::ast::Transaction>(statement.tree->body))
    throw DynamicRefusal("EXECUTE of transaction commands is not implemented");
  if (const auto* const copy = std::get_if<sql::ast::Copy>(&statement.tree->body);
      copy != nullptr && copy->file.empty())
    throw DynamicRefusal("cannot COPY to/from client in PL/pgSQL");
  if (std::holds_alternative<sql::ast::CreateTableAs>(statement.tree->body) && isSelect(text, statement.offset)) {
    DynamicRefusal refusal("EXECUTE of SELECT ... INTO is not implemented");
    refusal.hint("You might want to use EXECUTE ... INTO or EXECUTE CREATE TABLE ... AS instead.");
    throw refusal;
  }
  StatementSource source{.text = std::make_shared<const std::string>(text),
                         .parsed = std::move(statement),
                         .parameter_types = {},
                         .is_whole_text = false,
                         .transitions = compiled_->transitions()};
  source.is_positioned = is_cursor;
  for (const sql::Value& argument : arguments) source.parameter_types.push_back(argument.type);
  source.variables = std::make_shared<const ArgumentNames>(source.parameter_types);
  const auto bound = Planner(session_).bind(source);
  return std::make_shared<DescribedStatement>(std::move(source), bound);
}

PieceResult RoutineCall::runDynamic(const DynamicQuery& query, uint64_t rows_max, std::string* line) {
  const std::string text = dynamicText(query);
  const std::vector<sql::Value> arguments = valuesOf(query.arguments);
  const Running running(*this, text);
  if (line != nullptr) *line = runningLine();
  try {
    PieceResult result;
    for (sql::ParsedStatement& statement : sql::parse(text)) {
      Piece piece;
      piece.text = text;
      piece.statement = bindDynamic(text, std::move(statement), arguments);
      piece.is_query = std::holds_alternative<sql::QueryStatement>(piece.statement->bound->body);
      piece.format = valueFormat(piece.statement->columns());
      result = runStatement(piece, arguments, rows_max);
    }
    return result;
  } catch (const DynamicRefusal&) {
    throw;
  } catch (SqlError& error) {
    throw inPiece(error, text);
  }
}

}  // namespace gnomon::server
