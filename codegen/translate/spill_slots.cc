#include "codegen/translate/spill_slots.h"

#include "codegen/executor/execution_state.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/tuple_layout.h"

namespace gnomon::codegen {

SpillSlots SpillSlots::add(PlanTranslator& translator, TupleLayout& layout, bool may_spill) {
  QueryProgram& program = translator.program();
  SpillSlots slots;
  const auto format = std::make_shared<const RowFormat>(layout.format());
  slots.can_spill = may_spill && format->is_movable && !translator.isInLoop();
  if (!slots.can_spill) {
    slots.arena_slot = program.addLocal([](ExecutionState& state, unsigned worker) {
      return QueryProgram::Made{nullptr, &state.workers[worker]->arena};
    });
    return slots;
  }
  layout.setPassing();
  ++program.spilling_operators;
  slots.memory_slot = program.addGlobal([](ExecutionState& state) {
    auto made = std::make_unique<OperatorMemory>(state.context.memory, state.spillLimits());
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  slots.arena_slot = program.addLocal([slot = slots.memory_slot, format](ExecutionState& state, unsigned) {
    auto made = std::make_unique<SpillArea>(state.globalObject<OperatorMemory>(slot), *format);
    void* address = &made->arena;
    return QueryProgram::Made{std::move(made), address};
  });
  return slots;
}

SpillArea* SpillSlots::area(ExecutionState& state, unsigned worker) const {
  return can_spill ? &state.localObject<SpillArea>(worker, arena_slot) : nullptr;
}

Arena& SpillSlots::arena(ExecutionState& state, unsigned worker) const {
  return can_spill ? area(state, worker)->arena : state.workers[worker]->arena;
}

}  // namespace gnomon::codegen
