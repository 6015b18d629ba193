#include "server/plpgsql/routine_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "server/planner.h"
#include "server/portals.h"
#include "sql/plpgsql/conditions.h"
#include "sql/plpgsql/context_name.h"

namespace gnomon::server {

using namespace sql::plpgsql;
using codegen::RoutineOutcome;

namespace {

constexpr SqlState kNoReturn("2F005");
/// What INTO asks for: one more than it takes, so that a query that has no more comes to its end and can begin again.
constexpr uint64_t kRowsOfInto = 2;
constexpr SqlState kAssertFailure("P0004");

bool catches(const Handler& handler, const SqlError& error) {
  if (handler.catches_others && error.state() != sqlstate::kQueryCanceled && error.state() != kAssertFailure)
    return true;
  return std::ranges::any_of(handler.states, [&](const SqlState& state) {
    const std::string_view code = state.text();
    const bool is_class = code.ends_with("000");
    return is_class ? std::string_view(error.state().text()).starts_with(code.substr(0, 2)) : state == error.state();
  });
}

}  // namespace

RoutineCall::RoutineCall(SessionContext& session, std::shared_ptr<CompiledRoutine> compiled, Caller caller,
                         bool is_atomic, const codegen::TriggerCall* trigger)
    : session_(session),
      compiled_(std::move(compiled)),
      routine_(compiled_->routine()),
      layout_(compiled_->layout()),
      caller_(caller.call),
      sql_caller_(caller.sql),
      is_atomic_(is_atomic),
      trigger_(trigger),
      memory_(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory))),
      frame_(*this, layout_, compiled_->code(), memory_, session.interrupts.cancelToken(), &session.services,
             std::exchange(compiled_->frameMemory(), {})),
      parameter_slots_(std::exchange(compiled_->parameterMemory(), {})) {}

RoutineCall::~RoutineCall() {
  if (gathered_) session_.transaction.setPending(nullptr);
  compiled_->frameMemory() = frame_.takeMemory();
  compiled_->parameterMemory() = std::move(parameter_slots_);
}

std::string RoutineCall::placeLine() const {
  const codegen::RoutinePlace& place = frame_.place;
  std::string line = fmt::format("PL/pgSQL function {}", compiled_->name());
  if (place.phase != nullptr) {
    if (place.phase_line != 0) line += fmt::format(" line {}", place.phase_line);
    return line + " " + place.phase;
  }
  if (place.statement == nullptr) return line;
  return line + fmt::format(" line {} at {}", place.statement->line, contextName(*place.statement));
}

std::string RoutineCall::contextLines() const {
  std::string lines;
  for (const RoutineCall* call = this; call != nullptr; call = call->caller_) {
    if (call != this && call->isRunning())
      lines += "\n" + call->runningLine();
    else if (const auto line = call == this ? std::nullopt : call->nestedLine())
      lines += "\n" + *line;
    lines += (call == this ? "" : "\n") + call->placeLine();
    for (const RoutineCalls::SqlCall* sql = call->sql_caller_; sql != nullptr && sql->within == call->caller_;
         sql = sql->around)
      lines += fmt::format("\nSQL function \"{}\" statement {}", sql->routine, sql->statement);
  }
  return lines;
}

/// PostgreSQL computes an expression that a call around this one is in the middle of as a statement.
std::string RoutineCall::allContextLines() const {
  return isRunning() ? runningLine() + "\n" + contextLines() : contextLines();
}

std::optional<std::string> RoutineCall::nestedLine() const {
  const codegen::RoutinePlace& place = frame_.place;
  if (place.phase != nullptr || place.statement == nullptr) return std::nullopt;
  const auto isInside = [&](const RoutineCall& around) {
    return around.compiled_ == compiled_ && !around.isRunning() && around.frame_.place.phase == nullptr &&
           around.frame_.place.statement == place.statement;
  };
  const RoutineCall* around = caller_;
  while (around != nullptr && !isInside(*around)) around = around->caller_;
  if (around == nullptr) return std::nullopt;
  if (const auto* const assignment = std::get_if<Assignment>(&place.statement->body))
    return shownOf(assignment->value).context_line;
  const auto* const result = std::get_if<Return>(&place.statement->body);
  return result != nullptr && result->value ? std::optional(shownOf(*result->value).context_line) : std::nullopt;
}

FrameLayout::ShapeId RoutineCall::shapeOf(DatumId record) {
  const FrameLayout::ShapeId declared = layout_.declaredShape(record);
  return declared != FrameLayout::kNoShape ? declared
                                           : static_cast<FrameLayout::ShapeId>(frame_.slot(layout_.slotOf(record)).lo);
}

void RoutineCall::run(std::span<const sql::Value> inputs) {
  if (std::optional<SqlError> error = tryRun(inputs)) throw SqlError(std::move(*error));
}

std::optional<SqlError> RoutineCall::tryRun(std::span<const sql::Value> inputs) {
  try {
    if (runInside(inputs)) return std::nullopt;
  } catch (SqlError& error) {
    addFailedContext(error);
    failure_ = std::move(error);
  }
  putBehindFailure();
  SqlError error = *std::exchange(failure_, std::nullopt);
  const bool is_of_value =
      std::string_view(error.state().text()).starts_with("22") && error.state() != sqlstate::kNullValueNotAllowed;
  if (!error.context().empty() || error.internalPosition() < 0)
    if (const auto line = nestedLine(); line && !error.context().ends_with(*line)) error.addContext(*line);
  if (error.context().empty() && is_of_value)
    if (const auto line = plannedLine()) error.addContext(*line);
  error.addContext(placeLine());
  return std::move(error.dropPosition());
}

bool RoutineCall::runInside(std::span<const sql::Value> inputs) {
  frame_.place.phase = "during function entry";
  for (uint32_t i = 0; i < routine_.datums.size(); ++i) {
    const Datum& datum = routine_.datums[i];
    if (datum.kind == Datum::Kind::Record)
      frame_.slot(layout_.slotOf(DatumId{i})).lo = layout_.declaredShape(DatumId{i});
  }
  setFound(false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DatumId input = routine_.inputs[i];
    if (datum(input).kind == Datum::Kind::Record) {
      assignRecord(input, inputs[i]);
      continue;
    }
    const uint32_t slot = layout_.slotOf(input);
    if (const sql::Type type = layout_.typeOf(slot); inputs[i].type == type)
      frame_.set(slot, inputs[i]);
    else
      frame_.set(slot, convert(inputs[i], type, 0));
  }
  if (trigger_ != nullptr) beginTrigger();
  frame_.place.phase = nullptr;
  compiled_->code().noteRounds(1);
  const int32_t outcome = frame_.call(0);
  if (hasFailed(outcome)) return false;
  session_.transaction.putPending();
  const bool has_returned = outcome == static_cast<int32_t>(RoutineOutcome::Returned);
  const bool is_left = !has_returned && outcome != static_cast<int32_t>(RoutineOutcome::Done);
  if (is_left && trigger_ == nullptr) throwNoReturn();
  if (trigger_ != nullptr)
    endTrigger(has_returned);
  else
    giveResult(has_returned);
  return true;
}

/// It has come to its end, or left the routine by EXIT.
void RoutineCall::throwNoReturn() {
  frame_.place.statement = nullptr;
  throw SqlError(kNoReturn, "control reached end of function without RETURN");
}

/// Of a routine that is no trigger's.
void RoutineCall::giveResult(bool has_returned) {
  const bool is_set = compiled_->entry() && compiled_->entry()->routine->returns_set;
  const bool returns_nothing =
      compiled_->isProcedure() || compiled_->entry()->routine->result.kind == sql::TypeKind::Void;
  if (is_set) requireListed();
  if (is_set || compiled_->isProcedure()) return;
  if (routine_.output != kNoDatum) {
    rows_.assign(1, outputs());
    return;
  }
  if (!has_returned && !returns_nothing) throwNoReturn();
  if (compiled_->result().value) value_ = frame_.value(compiled_->result().slot);
}

ValueRow RoutineCall::outputs() {
  ValueRow row;
  if (routine_.output == kNoDatum) return row;
  const Datum& output = datum(routine_.output);
  const auto add = [&](DatumId id) {
    row.push_back(datum(id).kind == Datum::Kind::Record ? rowOf(id) : frame_.value(layout_.slotOf(id)));
  };
  if (output.kind == Datum::Kind::List)
    for (const DatumId member : output.members) add(member);
  else
    add(routine_.output);
  return row;
}

RoutineOutcome RoutineCall::execute(Frame& /*frame*/, const Statement& statement) {
  try {
    if (gathered_ && !std::holds_alternative<ExecuteSql>(statement.body)) put();
    std::visit([&](const auto& body) { executeKind(body); }, statement.body);
  } catch (SqlError& error) {
    addFailedContext(error);
    failure_ = std::move(error);
  }
  return failure_ ? RoutineOutcome::Failed : RoutineOutcome::Done;
}

int32_t RoutineCall::guard(Frame& frame, const codegen::GuardedBlock& block) {
  SessionTransaction& transaction = session_.transaction;
  transaction.putPending();
  const size_t part = transaction.beginPart();
  struct Count {
    uint32_t& count;
    explicit Count(uint32_t& of) : count(of) { ++count; }
    ~Count() { --count; }
  };
  try {
    const Count guarded(guarded_);
    const int32_t outcome = frame.call(block.body);
    if (!hasFailed(outcome)) {
      transaction.putPending();
      transaction.endPart(part);
      return outcome;
    }
  } catch (SqlError& error) {
    addFailedContext(error);
    failure_ = std::move(error);
  } catch (...) {
    transaction.endPart(part);
    throw;
  }
  putBehindFailure();
  return handleFailure(frame, block, part);
}

void RoutineCall::put() {
  GatheredInsert rows = std::move(*gathered_);
  gathered_.reset();
  session_.transaction.setPending(nullptr);
  try {
    rows.put();
  } catch (const SqlError&) {
    // It is the statement's error, and not that of what is executed now.
    frame_.place = {.statement = rows.statement()};
    failed_ = {shownOf(rows.fragment()).context_line, rows.piece().text};
    has_put_failed_ = true;
    throw;
  }
}

void RoutineCall::beforeLock() {
  if (gathered_) put();
}

void RoutineCall::beforeRow() {
  if (!gathered_) return;
  gathered_->endWaiting();
  throw txn::StatementRestart();
}

void RoutineCall::poll() {
  // Loops that only compute may go on for long.
  if (gathered_ && gathered_->isOld()) put();
  session_.interrupts.poll();
}

/// An error of an earlier row takes the place of failure_.
void RoutineCall::putBehindFailure() {
  if (!gathered_) return;
  if (failure_->state() == sqlstate::kQueryCanceled || session_.interrupts.isTerminating()) {
    gathered_.reset();
    session_.transaction.setPending(nullptr);
    return;
  }
  try {
    put();
  } catch (SqlError& error) {
    addFailedContext(error);
    failure_ = std::move(error);
  }
}

bool RoutineCall::tryGather(const ExecuteSql& execute, const PiecePtr& piece) {
  // Who handles an error finds the variables as they were when it came.
  const bool is_seen_later = guarded_ > 0 || execute.into != kNoDatum;
  if (!execute.is_in_loop || is_seen_later || !GatheredInsert::isPossible(*piece)) return false;
  if (!gathered_ || !gathered_->isOf(*piece)) {
    session_.transaction.putPending();
    gathered_.emplace(session_, piece, frame_.place.statement, execute.statement);
  }
  {
    RunningPiece running(*this, execute.statement, *piece);
    requireMayChange(*piece);
    has_just_begun_ = false;
    const bool is_added = gathered_->add(parameterSlots(*piece));
    running.setDone();
    if (!is_added) return false;
  }
  session_.transaction.setPending(this);
  row_count_ = 1;
  setFound(true);
  if (gathered_->isFull()) put();
  return true;
}

int32_t RoutineCall::handleFailure(Frame& frame, const codegen::GuardedBlock& block, size_t part) {
  SessionTransaction& transaction = session_.transaction;
  // A lost connection, or an end that was asked for, is nobody's to handle.
  const bool is_fatal = session_.interrupts.isTerminating();
  const auto& handlers = block.block->exceptions->handlers;
  const auto handler = std::ranges::find_if(handlers, [&](const Handler& each) { return catches(each, *failure_); });
  if (is_fatal || handler == handlers.end()) {
    transaction.endPart(part);
    return static_cast<int32_t>(RoutineOutcome::Failed);
  }
  const SqlError error = *std::exchange(failure_, std::nullopt);
  SqlError with_context = error;
  with_context.addContext(contextLines());
  const codegen::RoutinePlace place = frame.place;
  transaction.undoPart(part);
  session_.portals.eraseAfter(transaction.lastPortalKept());
  transaction.forgetPortals();
  // Who handles that he was to stop goes on.
  if (error.state() == sqlstate::kQueryCanceled) session_.interrupts.goOn();
  frame.place.phase = nullptr;
  setText(block.block->exceptions->sqlstate, error.state().text());
  setText(block.block->exceptions->sqlerrm, error.message());
  errors_.push_back({error, with_context.context(), place});
  struct Last {
    std::vector<HandledError>& errors;
    ~Last() { errors.pop_back(); }
  } const last{errors_};
  return frame.call(block.handlers[static_cast<size_t>(handler - handlers.begin())]);
}

bool RoutineCall::round(uint32_t body, int32_t& outcome) {
  const Statement* const loop = frame_.place.statement;
  outcome = frame_.call(body);
  if (hasFailed(outcome)) return false;
  frame_.place.statement = loop;
  if (outcome == static_cast<int32_t>(RoutineOutcome::Done)) return true;
  if (outcome == static_cast<int32_t>(RoutineOutcome::LeftLoop)) outcome = static_cast<int32_t>(RoutineOutcome::Done);
  return false;
}

int32_t RoutineCall::loop(Frame& /*frame*/, const Statement& statement, uint32_t body) {
  if (const auto* const query = std::get_if<ForQuery>(&statement.body)) return loopOverQuery(*query, body);
  if (const auto* const cursor = std::get_if<ForCursor>(&statement.body)) return loopOverCursor(*cursor, body);
  return loopOverArray(std::get<ForEach>(statement.body), body);
}

void RoutineCall::executeKind(const Perform& perform) {
  const PiecePtr piece = pieceOf(perform.query, Piece::Rows::First);
  if (runPlain(*piece, perform.query, nullptr)) return;
  PieceRun run;
  const PieceResult result = runPiece(*piece, perform.query, UINT64_MAX, run);
  row_count_ = result.row_count;
  setFound(result.row_count != 0);
}

/// name = 'value'
std::string RoutineCall::shownParameter(const std::string& name, const sql::Value& value) const {
  if (value.is_null) return name + " = NULL";
  std::string quoted = "'";
  for (const char c : textValue(value).bytes) quoted.append(c == '\'' ? 2 : 1, c);
  return fmt::format("{} = {}'", name, quoted);
}

/// Where the value of a variable, or of a field that its record has, is.
std::optional<uint32_t> RoutineCall::slotOf(DatumId id) {
  const Datum& of = datum(id);
  if (of.kind == Datum::Kind::Variable) return layout_.slotOf(id);
  if (of.kind != Datum::Kind::Field) return std::nullopt;
  const FrameLayout::ShapeId shape_id = shapeOf(of.record);
  if (shape_id == FrameLayout::kNoShape) return std::nullopt;
  const FrameLayout::Shape& shape = layout_.shape(shape_id);
  const auto field = std::ranges::find(shape.fields, of.name, &sql::RecordField::name);
  if (field == shape.fields.end()) return std::nullopt;
  return shape.first_slot + static_cast<uint32_t>(field - shape.fields.begin());
}

/// The variables that the piece reads, in the order of their declarations.
std::string RoutineCall::shownParameters(const Piece& piece) {
  std::vector<uint32_t> slots = piece.names->slots();
  std::ranges::sort(slots);
  std::string text;
  for (uint32_t id = 0; id < routine_.datums.size(); ++id) {
    const Datum& of = routine_.datums[id];
    const std::optional<uint32_t> slot = slotOf(DatumId{id});
    if (!slot || !std::ranges::binary_search(slots, *slot)) continue;
    text.append(text.empty() ? "" : ", ").append(shownParameter(of.name, frame_.value(*slot)));
  }
  return text;
}

template <typename Shown>
void RoutineCall::noteRows(Piece* piece, PieceResult& result, DatumId into, bool is_strict, bool is_change,
                           bool sets_found, const Shown& parameters) {
  const auto withParameters = [&](SqlError error) {
    if (!routine_.prints_strict_parameters.value_or(compiled_->first()->prints_strict_parameters)) return error;
    if (const std::string shown = parameters(); !shown.empty()) error.detail("parameters: " + shown);
    return error;
  };
  row_count_ = result.row_count;
  if (into != kNoDatum) {
    if (!result.returns_rows)
      throw SqlError(sqlstate::kSyntaxError, "INTO used with a command that cannot return data");
    const bool is_empty = result.given == 0;
    const auto& columns = result.columns ? result.columns : piece->columns;
    const LanguageChecks& checks = compiled_->checks(session_.settings);
    const bool is_refused = is_strict || is_change || (sets_found && checks.errors.too_many_rows);
    if (result.given > 1 && (is_refused || (sets_found && checks.warnings.too_many_rows))) {
      SqlError error(SqlState("P0003"), "query returned more than one row");
      if (sets_found) error.hint("Make sure the query returns a single row, or use LIMIT 1.");
      error = withParameters(std::move(error));
      if (is_refused) throw error;
      session_.notice(error, Severity::Warning);
    }
    if (is_empty && is_strict) throw withParameters(SqlError(SqlState("P0002"), "query returned no rows"));
    if (!is_change) row_count_ = std::min<uint64_t>(row_count_, 1);
    if (sets_found) setFound(is_change ? result.row_count != 0 : !is_empty);
    if (is_empty)
      assignNoRow(into, *columns);
    else if (!result.rows.empty())
      assignRow(into, result.rows[0], *columns);
    else if (!result.held.empty())
      assignHeld(*piece, into, result.held.first(), columns);
    else
      assignFirst(*piece, into, result.first, columns);
    return;
  }
  if (sets_found) setFound(result.row_count != 0);
}

/// What the rounds to come of the loop will look for. `counter`: of the loop.
void RoutineCall::lookAhead(PlainRun& plain, const Piece& piece, DatumId counter) {
  const std::vector<uint32_t>& slots = piece.names->slots();
  const auto found = std::ranges::find(slots, layout_.slotOf(counter));
  if (found == slots.end()) return;
  plain.lookAhead(std::span(parameter_slots_).first(slots.size()), static_cast<size_t>(found - slots.begin()));
}

bool RoutineCall::runPlain(Piece& piece, const Fragment& fragment, const ExecuteSql* execute) {
  DescribedStatement& statement = *piece.statement;
  const DatumId into = execute != nullptr ? execute->into : kNoDatum;
  const bool takes_row = into != kNoDatum;
  if (!piece.is_query || piece.format.framing != codegen::OutputFormat::Framing::FirstRow ||
      (statement.returns_rows != takes_row && execute != nullptr))
    return false;
  PlainRun plain(session_, statement, piece.format);
  {
    RunningPiece running(*this, fragment, piece);
    requireMayChange(piece);
    has_just_begun_ = false;
    const bool has_begun = plain.begin(parameterSlots(piece));
    if (has_begun && execute != nullptr && execute->counter != kNoDatum && plain.looksAhead())
      lookAhead(plain, piece, execute->counter);
    const bool is_done = has_begun && plain.run(takes_row && !piece.is_change ? kRowsOfInto : 0);
    if (is_done && plain.refusal())
      failure_ = std::move(plain.refusal());
    else
      running.setDone();
    if (!is_done) return false;
  }
  if (failure_) {
    addFailedContext(*failure_);
    return true;
  }
  if (!takes_row) {
    row_count_ = plain.rowCount();
    setFound(row_count_ != 0);
    return true;
  }
  noteColumns(piece, plain.query());
  if (plain.sentCount() == 1) {
    row_count_ = plain.rowCount();
    setFound(true);
    assignFirst(piece, into, plain.firstRow(), piece.columns);
    return true;
  }
  PieceResult result;
  result.given = plain.sentCount();
  result.row_count = plain.rowCount();
  result.returns_rows = true;
  if (result.given != 0) result.first = plain.firstRow();
  noteRows(&piece, result, into, execute->is_strict, piece.is_change, true, [&] { return shownParameters(piece); });
  return true;
}

void RoutineCall::executeKind(const ExecuteSql& execute) {
  const PiecePtr piece = pieceOf(execute.statement, Piece::Rows::First);
  if (piece->refusal != nullptr) throw SqlError(sqlstate::kFeatureNotSupported, piece->refusal);
  if (tryGather(execute, piece)) return;
  if (runPlain(*piece, execute.statement, &execute)) return;
  if (gathered_) put();
  const bool is_change = piece->is_change;
  const bool may_stop = execute.into != kNoDatum && !is_change;
  PieceRun run;
  PieceResult result = runPiece(*piece, execute.statement, may_stop ? kRowsOfInto : UINT64_MAX, run);
  if (execute.into == kNoDatum && result.returns_rows) {
    SqlError error(sqlstate::kSyntaxError, "query has no destination for result data");
    if (!is_change) error.hint("If you want to discard the results of a SELECT, use PERFORM instead.");
    throw error;
  }
  noteRows(&*piece, result, execute.into, execute.is_strict, is_change, piece->is_query,
           [&] { return shownParameters(*piece); });
  if (!result.held.empty()) held_memory_ = result.held.takeMemory();
}

void RoutineCall::executeKind(const ExecuteDynamic& execute) {
  PieceResult result = runDynamic(execute.query, execute.into == kNoDatum ? UINT64_MAX : kRowsOfInto);
  noteRows(nullptr, result, execute.into, execute.is_strict, false, false, [&] {
    std::string text;
    for (size_t i = 0; i < execute.query.arguments.size(); ++i)
      text.append(text.empty() ? "" : ", ")
          .append(shownParameter(fmt::format("${}", i + 1), valueOf(execute.query.arguments[i])));
    return text;
  });
}

void RoutineCall::executeKind(const ReturnQuery& query) {
  const auto* const fragment = std::get_if<Fragment>(&query.query);
  requireListed();
  std::string line;  // of the context
  PieceResult result;
  if (fragment != nullptr) {
    result = runFragment(*fragment, UINT64_MAX);
    line = shownOf(*fragment).context_line;
  } else {
    result = runDynamic(std::get<DynamicQuery>(query.query), UINT64_MAX, &line);
  }
  try {
    if (!result.returns_rows)
      throw SqlError(sqlstate::kSyntaxError, fmt::format("{} query does not return tuples", result.command));
    addRows(result);
  } catch (SqlError& error) {
    throw error.addContext(line);
  }
  row_count_ = result.row_count;
  setFound(row_count_ != 0);
}

}  // namespace gnomon::server
