#include "codegen/translate/row_lock_emitter.h"

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/row_locks.h"

namespace gnomon::codegen {

RowLockEmitter::RowLockEmitter(PlanTranslator& translator, const sql::Output& output) : output_(output) {
  if (output.locks.empty()) return;
  QueryProgram& program = translator.program();
  list_slot_ = program.addLocal([](ExecutionState&, unsigned) {
    auto made = std::make_unique<RowLockList>();
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  size_t limit_slot = RowLocks::kNoSlot;
  if (output.limit || output.offset) limit_slot = addLimitCounter(translator, output.limit.get(), output.offset.get());
  locks_slot_ = program.addGlobal([&output, list_slot = list_slot_, limit_slot](ExecutionState& state) {
    auto made = std::make_unique<RowLocks>(output.locks, *state.context.write, list_slot, limit_slot);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
}

void RowLockEmitter::require(UnitSet& required) const {
  for (const sql::Output::RowLock& lock : output_.locks) required.insert(lock.tuple_id);
}

void RowLockEmitter::emit(Pipeline& pipeline) const {
  if (output_.locks.empty()) return;
  const ir::Value list = pipeline.hoist([&] { return pipeline.context.localSlot(list_slot_); });
  for (const sql::Output::RowLock& lock : output_.locks)
    pipeline.builder.call(RUNTIME_FUNCTION(rt::lockNote), {list, pipeline.scope.get(lock.tuple_id).lo});
}

}  // namespace gnomon::codegen
