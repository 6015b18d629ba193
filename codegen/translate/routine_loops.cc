#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_translator.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/routine_emitter.h"

/// Loops, and what leaves them.
namespace gnomon::codegen::routine {

using namespace sql::plpgsql;

/// The function of a loop. `emit_round(exit)` emits a round, which may go to `exit`, and returns what emits the step to
/// the next one, for behind CONTINUE; null: there is none.
template <typename Emit>
Made RoutineEmitter::makeLoop(ScopeId label, Emit&& emit_round) {
  return makeFunction("loop", [&] {
    ir::Builder& b = code();
    const ir::Block head = b.createBlock("head");
    const ir::Block next = b.createBlock("next");
    const ir::Block exit = b.createBlock("exit");
    const ir::Value rounds = b.allocaBytes(8);
    b.store(b.constI64(0), rounds);
    b.br(head);
    b.setBlock(head);
    b.call(RUNTIME_FUNCTION(rt::emptyRoutineScratch), {f_->frame});
    f_->labels.push_back({label, exit, next});
    const std::function<void()> step = emit_round(exit);
    f_->labels.pop_back();
    if (!b.isTerminated()) b.br(next);
    b.setBlock(next);
    if (step) step();
    const ir::Value count = b.add(b.load(ir::Type::I64, rounds), b.constI64(1));
    b.store(count, rounds);
    const ir::Block again = b.createBlock("again");
    b.condBr(b.slt(count, b.constI64(kLoopRounds)), head, again);
    b.setBlock(again);
    b.ret(b.constI32(codeOf(RoutineOutcome::Again)));
    b.setBlock(exit);
  });
}

ir::Value RoutineEmitter::callLoop(const Made& loop) {
  return code().call(RUNTIME_FUNCTION(rt::runRoutineLoop),
                     {f_->frame, code().constI32(static_cast<int32_t>(loop.function))});
}

template <typename Emit>
void RoutineEmitter::emitLoop(ScopeId label, Emit&& emit_round) {
  const Made made = makeLoop(label, emit_round);
  follow(callLoop(made), made.outcomes);
}

void RoutineEmitter::emit(const Statement& /*statement*/, const Loop& loop) {
  emitLoop(loop.label, [&](ir::Block /*exit*/) -> std::function<void()> {
    emitStatements(loop.body);
    return nullptr;
  });
}

void RoutineEmitter::emit(const Statement& statement, const While& loop) {
  emitLoop(loop.label, [&](ir::Block exit) -> std::function<void()> {
    place(statement);
    const ir::Block round = code().createBlock("round");
    code().condBr(emitTruth(loop.condition), round, exit);
    code().setBlock(round);
    emitStatements(loop.body);
    return nullptr;
  });
}

/// I64, of an integer that is not NULL.
ir::Value RoutineEmitter::emitBoundOf(const Fragment& fragment, const char* which) {
  ir::Builder& b = code();
  const SqlValue value = emitValue(fragment, {sql::Type::of(sql::TypeKind::Integer)});
  if (value.isNullable()) {
    const ir::Block refuse = b.createBlock();
    const ir::Block accept = b.createBlock();
    b.condBr(value.is_null, refuse, accept);
    b.setBlock(refuse);
    b.call(RUNTIME_FUNCTION(rt::refuseNullBound), {b.constPtr(which)});
    b.unreachable();
    b.setBlock(accept);
  }
  return b.sext(value.lo, ir::Type::I64);
}

void RoutineEmitter::emit(const Statement& /*statement*/, const ForRange& loop) {
  ir::Builder& outer = code();
  const sql::Type bigint = sql::Type::of(sql::TypeKind::Bigint);
  const uint32_t at = layout_.addSlot(bigint), end = layout_.addSlot(bigint), step = layout_.addSlot(bigint);
  const uint32_t found = layout_.addSlot(bigint);
  const uint32_t variable = layout_.slotOf(loop.variable);
  storeWord(at, emitBoundOf(loop.first, "lower bound"));
  storeWord(end, emitBoundOf(loop.last, "upper bound"));
  if (loop.step) {
    const ir::Value by = emitBoundOf(*loop.step, "BY value");
    const ir::Block refuse = outer.createBlock();
    const ir::Block accept = outer.createBlock();
    outer.condBr(outer.slt(by, outer.constI64(1)), refuse, accept);
    outer.setBlock(refuse);
    outer.call(RUNTIME_FUNCTION(rt::refuseStep), {});
    outer.unreachable();
    outer.setBlock(accept);
    storeWord(step, by);
  } else {
    storeWord(step, outer.constI64(1));
  }
  storeWord(found, outer.constI64(0));
  const auto word = [&](uint32_t slot) { return code().load(ir::Type::I64, slotAddress(slot)); };
  const Made made = makeLoop(loop.label, [&](ir::Block exit) -> std::function<void()> {
    ir::Builder& b = code();
    const ir::Block round = b.createBlock("round");
    const ir::Value now = word(at);
    b.condBr(loop.is_reverse ? b.slt(now, word(end)) : b.sgt(now, word(end)), exit, round);
    b.setBlock(round);
    storeWord(variable, now);
    storeWord(found, b.constI64(1));
    emitStatements(loop.body);
    return [this, &loop, at, step, exit, word] {
      ir::Builder& b = code();
      // The end of what an integer can hold ends the loop.
      const ir::Value next = loop.is_reverse ? b.sub(word(at), word(step)) : b.add(word(at), word(step));
      storeWord(at, next);
      const ir::Block inside = b.createBlock();
      const ir::Value is_outside =
          loop.is_reverse ? b.slt(next, b.constI64(INT32_MIN)) : b.sgt(next, b.constI64(INT32_MAX));
      b.condBr(is_outside, exit, inside);
      b.setBlock(inside);
    };
  });
  // FOUND is set behind the loop, however it ends, unless by an error.
  const ir::Value outcome = callLoop(made);
  if (made.outcomes.contains(codeOf(RoutineOutcome::Failed))) leaveIfFailed(outcome);
  setFound(outer.ne(outer.load(ir::Type::I64, slotAddress(found)), outer.constI64(0)));
  follow(outcome, made.outcomes);
}

/// The host goes over the rows, and calls a function for each.
template <typename Emit>
void RoutineEmitter::emitRowLoop(const Statement& statement, ScopeId label, Emit&& emit_body) {
  Made made = makeFunction("rows", [&] {
    ir::Builder& b = code();
    const ir::Block exit = b.createBlock("exit");
    const ir::Block next = b.createBlock("next");
    b.call(RUNTIME_FUNCTION(rt::emptyRoutineScratch), {f_->frame});
    f_->labels.push_back({label, exit, next});
    emit_body();
    f_->labels.pop_back();
    if (!b.isTerminated()) b.br(next);
    b.setBlock(exit);
    b.ret(b.constI32(codeOf(RoutineOutcome::LeftLoop)));
    b.setBlock(next);
  });
  ir::Builder& b = code();
  const ir::Value outcome =
      b.call(RUNTIME_FUNCTION(rt::loopOverRows),
             {f_->frame, b.constPtr(&statement), b.constI32(static_cast<int32_t>(made.function))});
  follow(outcome, made.outcomes);
}

void RoutineEmitter::emit(const Statement& statement, const ForQuery& loop) {
  predict(loop.target, std::get_if<Fragment>(&loop.query));
  emitRowLoop(statement, loop.label, [&] { emitStatements(loop.body); });
}

void RoutineEmitter::emit(const Statement& statement, const ForCursor& loop) {
  const auto& cursor = routine_.datum(loop.cursor).cursor;
  predict(loop.record, cursor ? &cursor->query : nullptr);
  emitRowLoop(statement, loop.label, [&] { emitStatements(loop.body); });
}

void RoutineEmitter::emit(const Statement& statement, const ForEach& loop) {
  predict(loop.target, nullptr);
  emitRowLoop(statement, loop.label, [&] { emitStatements(loop.body); });
}

void RoutineEmitter::emit(const Statement& /*statement*/, const Leave& leave_of) {
  ir::Builder& b = code();
  const ir::Block next = b.createBlock();
  if (leave_of.condition) {
    const ir::Block go = b.createBlock();
    b.condBr(emitTruth(*leave_of.condition), go, next);
    b.setBlock(go);
  }
  bool is_here = false;
  for (const Label& label : f_->labels) {
    if (label.scope != leave_of.target) continue;
    b.br(leave_of.is_continue ? *label.next_round : label.exit);
    is_here = true;
    break;
  }
  if (!is_here) leave(leaveCode(leave_of.target, leave_of.is_continue));
  if (leave_of.condition) b.setBlock(next);
}

}  // namespace gnomon::codegen::routine
