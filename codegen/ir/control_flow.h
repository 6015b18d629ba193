#pragma once

#include <span>
#include <vector>

#include "codegen/ir/function.h"

namespace gnomon::codegen::ir {

/// Order, dominance and loops of the blocks that the entry reaches. Linear-time but for pathological flow graphs;
/// no recursion.
///
/// The order is a reverse postorder that keeps a loop's blocks together, its exits after them, and the likelier
/// successor of a branch next to it.
class ControlFlow {
 public:
  explicit ControlFlow(const Function& function);

  [[nodiscard]] std::span<const uint32_t> order() const { return order_; }
  [[nodiscard]] bool isReachable(uint32_t block) const { return position_[block] != Block::kNone; }
  /// Index in order().
  [[nodiscard]] uint32_t positionOf(uint32_t block) const { return position_[block]; }
  /// Predecessor blocks, one entry per edge, reachable ones only.
  [[nodiscard]] std::span<const uint32_t> predecessors(uint32_t block) const {
    return {predecessors_.data() + predecessor_first_[block],
            predecessor_first_[block + 1] - predecessor_first_[block]};
  }
  [[nodiscard]] uint32_t immediateDominator(uint32_t block) const { return dominator_[block]; }
  /// Whether every path from the entry to `inner` passes `outer` (a block dominates itself). Both are reachable.
  [[nodiscard]] bool dominates(uint32_t outer, uint32_t inner) const {
    return tree_number_[inner] - tree_number_[outer] < tree_size_[outer];
  }
  /// Number of natural loops around the block.
  [[nodiscard]] uint32_t loopDepth(uint32_t block) const { return loop_depth_[block]; }

 private:
  void collectSuccessors(const Function& function);
  void walk(bool by_loop_depth);
  void findPredecessors();
  void findDominators();
  void numberTree();
  void findLoops();

  uint32_t block_count_;
  std::vector<uint32_t> successor_first_, successors_;
  std::vector<uint32_t> order_, position_;
  std::vector<uint32_t> predecessor_first_, predecessors_;
  std::vector<uint32_t> dominator_, tree_number_, tree_size_;
  std::vector<uint32_t> loop_depth_;
};

}  // namespace gnomon::codegen::ir
