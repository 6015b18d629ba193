#include "codegen/ir/control_flow.h"

#include <algorithm>

namespace gnomon::codegen::ir {

ControlFlow::ControlFlow(const Function& function) : block_count_(function.blockCount()) {
  loop_depth_.assign(block_count_, 0);
  collectSuccessors(function);
  walk(false);
  findPredecessors();
  findDominators();
  numberTree();
  findLoops();
  // Dominance and predecessors do not depend on the order, so only the order is made anew.
  if (std::ranges::any_of(loop_depth_, [](uint32_t depth) { return depth > 0; })) walk(true);
}

/// Successors in the order they are to be visited: what is visited last comes first in the reverse postorder.
void ControlFlow::collectSuccessors(const Function& function) {
  successor_first_.resize(block_count_ + 1);
  for (uint32_t block = 0; block < block_count_; ++block) {
    successor_first_[block] = static_cast<uint32_t>(successors_.size());
    function.forEachSuccessor(block, [&](uint32_t target) { successors_.push_back(target); });
    const uint32_t last = function.block(block).last;
    const bool is_branch = last != Value::kNone && function.at(last).opcode == Opcode::CondBr;
    if (is_branch && static_cast<BranchWeight>(function.at(last).detail) != BranchWeight::Unlikely)
      std::swap(successors_[successors_.size() - 1], successors_[successors_.size() - 2]);
  }
  successor_first_[block_count_] = static_cast<uint32_t>(successors_.size());
}

void ControlFlow::walk(bool by_loop_depth) {
  if (by_loop_depth) {
    const auto is_shallower = [&](uint32_t a, uint32_t b) { return loop_depth_[a] < loop_depth_[b]; };
    for (uint32_t block = 0; block < block_count_; ++block) {
      const auto first = successors_.begin() + successor_first_[block];
      const auto end = successors_.begin() + successor_first_[block + 1];
      // A branch whose sides are equally deep keeps the order its weight gave it.
      if (end - first > 2)
        std::sort(first, end, is_shallower);
      else if (end - first == 2 && is_shallower(first[1], first[0]))
        std::iter_swap(first, first + 1);
    }
  }
  position_.assign(block_count_, Block::kNone);
  order_.clear();
  if (block_count_ == 0) return;
  struct Frame {
    uint32_t block, next;
  };
  std::vector<Frame> stack{{0, successor_first_[0]}};
  position_[0] = 0;
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == successor_first_[top.block + 1]) {
      order_.push_back(top.block);
      stack.pop_back();
      continue;
    }
    const uint32_t target = successors_[top.next++];
    if (position_[target] != Block::kNone) continue;
    position_[target] = 0;
    stack.push_back({target, successor_first_[target]});
  }
  std::ranges::reverse(order_);
  for (uint32_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
}

void ControlFlow::findPredecessors() {
  predecessor_first_.assign(block_count_ + 2, 0);
  for (const uint32_t block : order_)
    for (uint32_t i = successor_first_[block]; i < successor_first_[block + 1]; ++i)
      ++predecessor_first_[successors_[i] + 2];
  for (uint32_t i = 2; i < block_count_ + 2; ++i) predecessor_first_[i] += predecessor_first_[i - 1];
  predecessors_.resize(predecessor_first_[block_count_ + 1]);
  for (const uint32_t block : order_)
    for (uint32_t i = successor_first_[block]; i < successor_first_[block + 1]; ++i)
      predecessors_[predecessor_first_[successors_[i] + 1]++] = block;
}

/// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm".
void ControlFlow::findDominators() {
  dominator_.assign(block_count_, Block::kNone);
  if (order_.empty()) return;
  dominator_[order_[0]] = order_[0];
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (size_t i = 1; i < order_.size(); ++i) {
      const uint32_t block = order_[i];
      uint32_t found = Block::kNone;
      for (uint32_t other : predecessors(block)) {
        if (dominator_[other] == Block::kNone) continue;
        if (found == Block::kNone) {
          found = other;
          continue;
        }
        while (found != other) {
          if (position_[found] > position_[other])
            found = dominator_[found];
          else
            other = dominator_[other];
        }
      }
      if (dominator_[block] != found) {
        dominator_[block] = found;
        has_changed = true;
      }
    }
  }
}

/// Numbers the dominator tree so that a subtree is a range.
void ControlFlow::numberTree() {
  tree_number_.assign(block_count_, 0);
  tree_size_.assign(block_count_, 1);
  std::vector<uint32_t> next(block_count_, 1);
  for (size_t i = order_.size(); i-- > 1;) tree_size_[dominator_[order_[i]]] += tree_size_[order_[i]];
  for (size_t i = 1; i < order_.size(); ++i) {
    const uint32_t block = order_[i];
    const uint32_t parent = dominator_[block];
    tree_number_[block] = next[parent];
    next[parent] += tree_size_[block];
    next[block] = tree_number_[block] + 1;
  }
}

/// Natural loops, inner ones first: a header's loop is what reaches its latches backwards. A finished inner loop is
/// crossed in one step through `outermost`.
void ControlFlow::findLoops() {
  std::vector<uint32_t> parent(block_count_, Block::kNone);     // header of the loop around a block
  std::vector<uint32_t> outermost(block_count_, Block::kNone);  // for path compression, over headers
  std::vector<uint32_t> work;
  const auto representative = [&](uint32_t block) {
    while (outermost[block] != Block::kNone) {
      if (outermost[outermost[block]] != Block::kNone) outermost[block] = outermost[outermost[block]];
      block = outermost[block];
    }
    return block;
  };
  std::vector<bool> is_header(block_count_, false);
  for (size_t i = order_.size(); i-- > 0;) {
    const uint32_t header = order_[i];
    for (const uint32_t latch : predecessors(header)) {
      if (!dominates(header, latch)) continue;
      is_header[header] = true;
      if (const uint32_t inner = representative(latch); inner != header) work.push_back(inner);
    }
    while (!work.empty()) {
      const uint32_t block = work.back();
      work.pop_back();
      if (block == header || outermost[block] != Block::kNone) continue;
      parent[block] = header;
      outermost[block] = header;
      for (const uint32_t before : predecessors(block)) {
        const uint32_t inner = representative(before);
        if (inner != header && dominates(header, inner)) work.push_back(inner);
      }
    }
  }
  for (const uint32_t block : order_) {
    const uint32_t around = parent[block];
    loop_depth_[block] = (around == Block::kNone ? 0 : loop_depth_[around]) + (is_header[block] ? 1 : 0);
  }
}

}  // namespace gnomon::codegen::ir
