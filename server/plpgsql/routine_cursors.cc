#include <fmt/format.h>

#include "server/call_inputs.h"
#include "server/planner.h"
#include "server/plpgsql/routine_call.h"
#include "server/portals.h"
#include "server/routine_calls.h"
#include "sql/types/cast.h"

/// Cursors, CALL and DO, and what ends transactions.
namespace gnomon::server {

using namespace sql::plpgsql;

namespace {

constexpr SqlState kErrorInAssignment("22005");
constexpr SqlState kInvalidTransactionTermination("2D000");

uint64_t memoryForRows(const SessionContext& session) {
  return static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory));
}

}  // namespace

/// The portal that a variable names. Failure: 22004.
std::string RoutineCall::cursorName(DatumId cursor) {
  const sql::Value name = frame_.value(layout_.slotOf(cursor));
  if (name.is_null)
    throw SqlError(sqlstate::kNullValueNotAllowed, fmt::format("cursor variable \"{}\" is null", datum(cursor).name));
  return name.bytes;
}

/// Makes a portal of the query, with the name that the variable has, or gets.
std::string RoutineCall::openCursor(DatumId cursor, Scrolling scrolling, PiecePtr piece,
                                    std::vector<sql::Value> parameters) {
  if (!piece->is_query || !piece->statement->returns_rows)
    throw SqlError(SqlState("42P11"), fmt::format("cannot open {} query as cursor", piece->statement->bound->command));
  requireMayChange(*piece);
  const sql::Value wanted = frame_.value(layout_.slotOf(cursor));
  std::string name = wanted.bytes;
  if (wanted.is_null) {
    if (datum(cursor).is_constant)
      throw SqlError(kErrorInAssignment, fmt::format("variable \"{}\" is declared CONSTANT", datum(cursor).name));
    do {
      name = fmt::format("<unnamed portal {}>", session_.portals.numberUnnamed());
    } while (session_.portals.find(name) != nullptr);
  }
  if (session_.portals.find(name) != nullptr)
    throw SqlError(sqlstate::kDuplicateCursor, fmt::format("cursor \"{}\" already in use", name));
  BoundPortal& place = session_.portals.make(name);
  try {
    place.source.statement = piece->statement;
    place.source.parameters = std::move(parameters);
    beginCursor(session_, place, nullptr,
                {.is_scrollable = scrolling != Scrolling::NoScroll,
                 .may_stop_scrolling = scrolling == Scrolling::Unsaid,
                 .text = piece->statement->source.text,
                 .created_us = session_.status.queryBegunUs()},
                0);
  } catch (...) {
    session_.portals.erase(name);
    throw;
  }
  if (wanted.is_null) setText(cursor, name);
  return name;
}

/// A bound cursor, with its arguments.
std::string RoutineCall::openBound(DatumId cursor, const std::vector<Fragment>& arguments) {
  const BoundCursor& bound = *datum(cursor).cursor;
  for (size_t i = 0; i < arguments.size(); ++i) {
    sql::Value value;
    try {
      value = valueOf(arguments[i]);
    } catch (SqlError& error) {
      std::string text;
      for (const Fragment& each : arguments)
        text.append(text.empty() ? "" : ", ").append(routine_.body.substr(each.offset, each.length));
      addFailedContext(error);
      throw error.addContext(fmt::format("SQL expression \"{}\"", text));
    }
    assignScalar(bound.arguments[i], value);
  }
  const PiecePtr piece = pieceOf(bound.query, Piece::Rows::All, sql::plpgsql::kNoDatum, true);
  return openCursor(cursor, bound.scrolling, piece, parametersOf(*piece));
}

void RoutineCall::executeKind(const Open& open) {
  if (std::holds_alternative<std::monostate>(open.query)) {
    openBound(open.cursor, open.arguments);
    return;
  }
  if (const auto* const query = std::get_if<Fragment>(&open.query)) {
    const PiecePtr piece = pieceOf(*query, Piece::Rows::All, sql::plpgsql::kNoDatum, true);
    openCursor(open.cursor, open.scrolling, piece, parametersOf(*piece));
    return;
  }
  const DynamicQuery& query = std::get<DynamicQuery>(open.query);
  const PiecePtr piece(std::make_unique<Piece>());
  piece->text = dynamicText(query);
  std::vector<sql::Value> arguments = valuesOf(query.arguments);
  piece->statement = bindDynamic(piece->text, arguments, true);
  piece->is_query = std::holds_alternative<sql::QueryStatement>(piece->statement->bound->body);
  openCursor(open.cursor, open.scrolling, piece, std::move(arguments));
}

void RoutineCall::executeKind(const Fetch& fetch) {
  const std::string name = cursorName(fetch.cursor);
  BoundPortal& place = session_.portals.findCursor(name, memoryForRows(session_));
  sql::FetchStatement statement;
  statement.cursor = name;
  switch (fetch.direction) {
    case Fetch::Direction::Forward:
      statement.direction = sql::FetchStatement::Direction::Forward;
      break;
    case Fetch::Direction::Backward:
      statement.direction = sql::FetchStatement::Direction::Backward;
      break;
    case Fetch::Direction::Absolute:
      statement.direction = sql::FetchStatement::Direction::Absolute;
      break;
    case Fetch::Direction::Relative:
      statement.direction = sql::FetchStatement::Direction::Relative;
      break;
  }
  statement.count = fetch.is_all ? sql::FetchStatement::kAll : fetch.count;
  statement.is_move = fetch.is_move;
  if (fetch.count_expression) {
    const sql::Value count = convert(valueOf(*fetch.count_expression), sql::Type::of(sql::TypeKind::Integer), 0);
    if (count.is_null) throw SqlError(sqlstate::kNullValueNotAllowed, "relative or absolute cursor position is null");
    statement.count = count.asInt();
  }
  ValueRows sink(fetch.is_move ? 0 : 1, true);
  const uint64_t rows = place.cursor->fetch(statement, sink);
  row_count_ = rows;
  setFound(rows != 0);
  if (fetch.is_move) return;
  const std::vector<ResultColumn>& columns = place.source.statement->columns();
  const std::vector<ValueRow> fetched = sink.take(columns);
  if (fetched.empty())
    assignNoRow(fetch.into, columns);
  else
    assignRow(fetch.into, fetched[0], columns);
}

void RoutineCall::executeKind(const Close& close) {
  session_.portals.close(cursorName(close.cursor));
}

int32_t RoutineCall::loopOverCursor(const ForCursor& loop, uint32_t body) {
  const sql::Value before = frame_.value(layout_.slotOf(loop.cursor));
  const std::string name = openBound(loop.cursor, loop.arguments);
  struct Closing {
    Portals& portals;
    const std::string& name;
    ~Closing() { portals.erase(name); }
  } closing{session_.portals, name};
  session_.portals.find(name)->is_pinned = true;
  const sql::FetchStatement next{.cursor = name};
  uint64_t rounds = 0;
  int32_t outcome = 0;
  for (;;) {
    BoundPortal& place = session_.portals.findCursor(name, memoryForRows(session_));
    const std::vector<ResultColumn>& columns = place.source.statement->columns();
    ValueRows sink(1, true);
    place.cursor->fetch(next, sink);
    const std::vector<ValueRow> rows = sink.take(columns);
    if (rows.empty()) {
      if (rounds == 0) assignNoRow(loop.record, columns);
      break;
    }
    assignRow(loop.record, rows[0], columns);
    ++rounds;
    if (!round(body, outcome)) break;
  }
  if (hasFailed(outcome)) return outcome;
  frame_.set(layout_.slotOf(loop.cursor), before);
  setFound(rounds != 0);
  return outcome;
}

/// Failure: 2D000.
void RoutineCall::requireMayEndTransaction(bool is_rollback) const {
  if (is_atomic_) throw SqlError(kInvalidTransactionTermination, "invalid transaction termination");
  for (const RoutineCall* call = this; call != nullptr; call = call->caller_)
    if (call->guarded_ > 0)
      throw SqlError(kInvalidTransactionTermination, is_rollback ? "cannot roll back while a subtransaction is active"
                                                                 : "cannot commit while a subtransaction is active");
}

void RoutineCall::executeKind(const EndTransaction& end) {
  requireMayEndTransaction(end.is_rollback);
  for (RoutineCall* call = this; call != nullptr; call = call->caller_) call->holdLoops();
  // The next one begins now.
  session_.status.readClock();
  session_.portals.holdPinned();
  session_.transaction.turn(end.is_rollback, end.is_chain);
  session_.portals.endCursors();
  has_just_begun_ = true;
}

void RoutineCall::executeKind(const Call& call) {
  const PiecePtr piece = pieceOf(call.statement, Piece::Rows::All);
  const std::vector<sql::Value> parameters = parametersOf(*piece);
  const sql::BoundStatement& bound = *piece->statement->bound;
  RoutineCalls& routines = session_.services.routines();
  const std::string text = routine_.textOf(call.statement);
  const auto running = [&](const auto& act) {
    const Running now(*this, text);
    try {
      act();
    } catch (SqlError& error) {
      throw inPiece(error, text);
    }
  };
  running([&] { requireMayChange(*piece); });
  if (const auto* const block = std::get_if<sql::DoStatement>(&bound.body))
    return running([&] { routines.runBlock(block->body, is_atomic_); });
  const auto& called = std::get<sql::CallStatement>(bound.body);
  const sql::RoutineEntry& routine = *called.routine->routine;
  const auto isOf = [&](const Datum& each, Datum::Kind kind, uint32_t slot) {
    return each.kind == kind && layout_.slotOf(DatumId{static_cast<uint32_t>(&each - routine_.datums.data())}) == slot;
  };
  // Of a row it is that of a field, or the one that says what a record is.
  const auto takesRow = [&](uint32_t slot) {
    return layout_.typeOf(slot).isRecord() || std::ranges::any_of(routine_.datums, [&](const Datum& each) {
             return isOf(each, Datum::Kind::Record, slot);
           });
  };
  size_t number = 0;
  for (const sql::RoutineEntry::Parameter& parameter : routine.parameters) {
    if (!parameter.isOutput()) continue;
    const std::optional<uint32_t> output = called.outputs[number++];
    if (!output || (parameter.type.isRecord() && !takesRow(piece->names->slots()[*output])))
      throw SqlError(
          sqlstate::kSyntaxError,
          parameter.name.empty()
              ? fmt::format("procedure parameter {} is an output parameter but corresponding argument is not "
                            "writable",
                            number)
              : fmt::format("procedure parameter \"{}\" is an output parameter but corresponding argument is "
                            "not writable",
                            parameter.name));
  }
  for (const auto& output : called.outputs)
    for (const Datum& each : routine_.datums)
      if (each.is_constant && (isOf(each, Datum::Kind::Variable, piece->names->slots()[*output]) ||
                               isOf(each, Datum::Kind::Record, piece->names->slots()[*output])))
        throw SqlError(kErrorInAssignment, fmt::format("variable \"{}\" is declared CONSTANT", each.name));
  ValueRow outputs;
  running(
      [&] { outputs = routines.callProcedure(called.routine, inputsOf(session_, called, parameters), is_atomic_); });
  for (size_t i = 0; i < outputs.size(); ++i) {
    const uint32_t slot = piece->names->slots()[*called.outputs[i]];
    assignFieldAt(slot, outputs[i]);
    for (const Datum& each : routine_.datums)
      if (isOf(each, Datum::Kind::Variable, slot) || isOf(each, Datum::Kind::Record, slot))
        assignScalar(DatumId{static_cast<uint32_t>(&each - routine_.datums.data())}, outputs[i]);
  }
}

}  // namespace gnomon::server
