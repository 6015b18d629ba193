#pragma once

#include <span>
#include <vector>

#include "codegen/ir/control_flow.h"
#include "codegen/ir/function.h"

namespace gnomon::codegen::vm {

/// Which instructions of a function get an operation of their own, and the frame slot of every value.
///
/// Source: Kohn, Leis, Neumann: "Adaptive Execution of Compiled Queries", section IV: a value's lifetime is one range
/// of the block order, stretched to the end of every loop that it is live into; slots are handed out in one walk.
/// Departure: the next value of a loop variable takes the variable's slot when their real ranges are disjoint, so that
/// a loop's back edge usually moves nothing.
/// Invariants:  R1  a fused instruction has one use, in its own block, and is emitted with it
///              R2  an alias (sign extension, bitcast, half of an i128) has no operation: it is its root's slot
///              R3  two values whose ranges overlap share no slot
class Allocation {
 public:
  explicit Allocation(const ir::Function& function);

  [[nodiscard]] const ir::ControlFlow& flow() const { return flow_; }
  [[nodiscard]] bool isFused(uint32_t value) const { return is_fused_[value] != 0; }
  /// Whether the value has no operation because it is (a part of) another value.
  [[nodiscard]] bool isAlias(uint32_t value) const { return root_[value] != value; }
  /// The value whose slot it uses: itself unless it is an alias.
  [[nodiscard]] uint32_t rootOf(uint32_t value) const { return root_[value]; }
  [[nodiscard]] uint32_t aliasOffset(uint32_t value) const { return alias_offset_[value]; }
  /// Of a value that is not a constant, nor an alias of one.
  [[nodiscard]] uint32_t slotOf(uint32_t value) const { return slot_[root_[value]] + alias_offset_[value]; }
  /// Slots of arguments, scratch and values; constants and alloca areas come after.
  [[nodiscard]] uint32_t slotCount() const { return slot_count_; }
  [[nodiscard]] uint32_t argumentSlots() const { return argument_slots_; }
  /// Two slots that hold nothing for longer than an operation.
  [[nodiscard]] uint32_t scratchSlot() const { return argument_slots_; }

  struct EdgeCopy {
    uint32_t phi;
    uint32_t value;
  };
  /// What the edges out of a block write to phis (of all successors).
  [[nodiscard]] std::span<const EdgeCopy> copiesFrom(uint32_t block) const {
    return {copies_.data() + copy_first_[block], copy_first_[block + 1] - copy_first_[block]};
  }
  [[nodiscard]] uint32_t blockOf(uint32_t value) const { return block_of_[value]; }

 private:
  struct Loop {
    uint32_t head, last, parent;
  };

  void selectInstructions();
  void collectCopies();
  void findLoops();
  void findLifetimes();
  void use(uint32_t value, uint32_t position, uint32_t block_position);
  void assignSlots();
  void placeArguments();
  void place(uint32_t value, uint32_t position);
  void placePhis(uint32_t block, uint32_t position);
  void releaseUntil(uint32_t position);
  void scheduleRelease(uint32_t value);
  [[nodiscard]] bool isWide(uint32_t value) const { return function_.at(value).type == ir::Type::I128; }
  uint32_t takeSlot(bool is_wide);
  bool takesSlotOfPhi(uint32_t value);

  const ir::Function& function_;
  ir::ControlFlow flow_;
  std::vector<uint8_t> is_fused_;
  std::vector<uint32_t> root_, alias_offset_, block_of_, slot_;
  std::vector<EdgeCopy> copies_;
  std::vector<uint32_t> copy_first_;
  std::vector<Loop> loops_;
  std::vector<uint32_t> innermost_loop_;           // by block position
  std::vector<uint32_t> block_begin_, block_end_;  // instruction positions, by block position
  std::vector<uint32_t> begin_, end_, last_use_;   // by value; last_use_ leaves out a phi's own writes
  std::vector<uint32_t> wanted_phi_, leader_;      // by value
  std::vector<uint32_t> release_first_, release_next_;
  uint32_t released_until_ = 0;
  std::vector<uint32_t> free_single_, free_wide_;
  std::vector<uint8_t> is_slot_free_;
  uint32_t slot_count_ = 0;
  uint32_t argument_slots_ = 0;
};

}  // namespace gnomon::codegen::vm
