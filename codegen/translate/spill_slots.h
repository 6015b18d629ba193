#pragma once

#include <cstddef>

#include "codegen/executor/query_program.h"
#include "codegen/runtime/spill_area.h"

namespace gnomon::codegen {

class PlanTranslator;
class TupleLayout;

/// The runtime structures of an operator that can spill: its memory, and each worker's part of it.
struct SpillSlots {
  /// After the layout is finished. Rows that cannot be moved, and those of a recursion's steps, which are executed
  /// again and again, lie in the execution's arenas as if `may_spill` were false. Otherwise the layout's rows pass.
  static SpillSlots add(PlanTranslator& translator, TupleLayout& layout, bool may_spill);

  bool can_spill = false;
  size_t memory_slot = 0;  ///< global: OperatorMemory
  size_t arena_slot = 0;   ///< local: its address for generated code is the Arena of the rows' strings

  [[nodiscard]] SpillArea* area(ExecutionState& state, unsigned worker) const;  ///< null: nothing is spilled
  [[nodiscard]] Arena& arena(ExecutionState& state, unsigned worker) const;
};

}  // namespace gnomon::codegen
