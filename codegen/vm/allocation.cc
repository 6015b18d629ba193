#include "codegen/vm/allocation.h"

#include <algorithm>

#include "base/assert.h"

namespace gnomon::codegen::vm {

using ir::Block;
using ir::Function;
using ir::Instruction;
using ir::Opcode;
using ir::Type;
using ir::Value;

namespace {
constexpr uint32_t kNone = Value::kNone;

bool fitsInt32(int64_t value) {
  return value == static_cast<int32_t>(value);
}
}  // namespace

Allocation::Allocation(const Function& function)
    : function_(function),
      flow_(function),
      is_fused_(function.valueCount(), 0),
      root_(function.valueCount()),
      alias_offset_(function.valueCount(), 0),
      block_of_(function.valueCount(), kNone),
      slot_(function.valueCount(), kNone),
      begin_(function.valueCount(), kNone),
      end_(function.valueCount(), 0),
      last_use_(function.valueCount(), 0),
      wanted_phi_(function.valueCount(), kNone),
      leader_(function.valueCount(), kNone) {
  for (uint32_t i = 0; i < function.valueCount(); ++i) root_[i] = i;
  selectInstructions();
  collectCopies();
  findLoops();
  findLifetimes();
  assignSlots();
}

void Allocation::selectInstructions() {
  std::vector<uint32_t> uses(function_.valueCount(), 0);
  for (const uint32_t block : flow_.order()) {
    const auto visit = [&](uint32_t at) {
      for (; at != kNone; at = function_.at(at).next) {
        block_of_[at] = block;
        Function::forEachOperand(function_, at, [&](uint32_t value) { ++uses[value]; });
      }
    };
    visit(function_.block(block).first_phi);
    visit(function_.block(block).first);
  }
  const auto aliasTo = [&](uint32_t value, uint32_t of, uint32_t offset) {
    root_[value] = root_[of];
    alias_offset_[value] = alias_offset_[of] + offset;
  };
  for (const uint32_t block : flow_.order()) {
    for (uint32_t at = function_.block(block).first; at != kNone; at = function_.at(at).next) {
      const Instruction& i = function_.at(at);
      const auto isFusable = [&](uint32_t value, Opcode opcode) {
        return function_.at(value).opcode == opcode && uses[value] == 1 && block_of_[value] == block;
      };
      switch (i.opcode) {
        case Opcode::SExt:
          if (i.operand_type != Type::I1 && i.type != Type::I128) aliasTo(at, i.a, 0);
          break;
        case Opcode::ZExt:
          if (i.operand_type == Type::I1 && i.type != Type::I128) aliasTo(at, i.a, 0);
          break;
        case Opcode::Trunc:
          if (i.operand_type == Type::I128 && i.type == Type::I64) aliasTo(at, i.a, 0);
          break;
        case Opcode::Bitcast:
        case Opcode::Lo64:
          aliasTo(at, i.a, 0);
          break;
        case Opcode::Hi64:
          aliasTo(at, i.a, 1);
          break;
        case Opcode::CondBr:
          if (isFusable(i.a, Opcode::ICmp) && function_.at(i.a).operand_type != Type::I128) is_fused_[i.a] = 1;
          break;
        case Opcode::Load:
        case Opcode::LoadF32:
        case Opcode::Store:
        case Opcode::StoreF32: {
          const bool is_store = i.opcode == Opcode::Store || i.opcode == Opcode::StoreF32;
          const uint32_t address = is_store ? i.b : i.a;
          if (!isFusable(address, Opcode::PtrIndex)) break;
          const Instruction& index = function_.at(address);
          int64_t offset = 0;
          if (__builtin_add_overflow(index.offset(), i.offset(), &offset)) break;
          if (fitsInt32(offset) && fitsInt32(static_cast<int64_t>(index.high))) is_fused_[address] = 1;
          break;
        }
        default:
          break;
      }
    }
  }
}

void Allocation::collectCopies() {
  copy_first_.assign(function_.blockCount() + 2, 0);
  const auto forEachEdge = [&](auto&& visit) {
    for (const uint32_t block : flow_.order())
      for (uint32_t phi = function_.block(block).first_phi; phi != kNone; phi = function_.at(phi).next)
        for (uint32_t i = function_.at(phi).list_first; i != kNone; i = function_.incoming(i).next)
          visit(phi, function_.incoming(i));
  };
  forEachEdge([&](uint32_t, const ir::Incoming& edge) { ++copy_first_[edge.block + 2]; });
  for (size_t i = 2; i < copy_first_.size(); ++i) copy_first_[i] += copy_first_[i - 1];
  copies_.resize(copy_first_.back());
  forEachEdge(
      [&](uint32_t phi, const ir::Incoming& edge) { copies_[copy_first_[edge.block + 1]++] = {phi, edge.value}; });
}

/// Loops as ranges of the block order, properly nested: a range that overlaps another one's end is stretched over it.
void Allocation::findLoops() {
  const auto order = flow_.order();
  innermost_loop_.assign(order.size(), kNone);
  std::vector<uint32_t> stack;
  for (uint32_t position = 0; position < order.size(); ++position) {
    uint32_t last = 0;
    bool is_head = false;
    for (const uint32_t from : flow_.predecessors(order[position])) {
      if (flow_.positionOf(from) < position) continue;
      is_head = true;
      last = std::max(last, flow_.positionOf(from));
    }
    while (!stack.empty() && loops_[stack.back()].last < position) stack.pop_back();
    if (is_head) {
      for (size_t i = stack.size(); i > 0 && loops_[stack[i - 1]].last < last; --i) loops_[stack[i - 1]].last = last;
      loops_.push_back({position, last, stack.empty() ? kNone : stack.back()});
      stack.push_back(static_cast<uint32_t>(loops_.size() - 1));
    }
    innermost_loop_[position] = stack.empty() ? kNone : stack.back();
  }
}

/// Notes a use at an instruction position; a value from outside a loop lives until the loop's end.
void Allocation::use(uint32_t value, uint32_t position, uint32_t block_position) {
  value = root_[value];
  const Opcode opcode = function_.at(value).opcode;
  if (opcode == Opcode::Constant) return;
  const uint32_t defined = opcode == Opcode::Argument ? 0 : flow_.positionOf(block_of_[value]);
  uint32_t end = position;
  for (uint32_t loop = innermost_loop_[block_position]; loop != kNone; loop = loops_[loop].parent) {
    if (loops_[loop].head <= defined) break;
    end = std::max(end, block_end_[loops_[loop].last]);
  }
  end_[value] = std::max(end_[value], end);
  last_use_[value] = std::max(last_use_[value], end);
}

void Allocation::findLifetimes() {
  const auto order = flow_.order();
  block_begin_.resize(order.size());
  block_end_.resize(order.size());
  uint32_t position = 1;  // 0 is before the entry
  for (uint32_t i = 0; i < order.size(); ++i) {
    block_begin_[i] = position++;
    for (uint32_t at = function_.block(order[i]).first; at != kNone; at = function_.at(at).next)
      begin_[at] = position++;
    block_end_[i] = position - 1;
  }
  for (uint32_t i = 0; i < order.size(); ++i) {
    for (uint32_t at = function_.block(order[i]).first; at != kNone; at = function_.at(at).next) {
      if (isFused(at) || isAlias(at)) continue;
      Function::forEachOperand(function_, at, [&](uint32_t value) {
        if (!isFused(value)) return use(value, begin_[at], i);
        Function::forEachOperand(function_, value, [&](uint32_t inner) { use(inner, begin_[at], i); });
      });
    }
    for (const EdgeCopy& copy : copiesFrom(order[i])) {
      use(copy.value, block_end_[i], i);
      // The phi is written at the end of every predecessor, which may be a latch behind it.
      begin_[copy.phi] = std::min(begin_[copy.phi], block_end_[i]);
      end_[copy.phi] = std::max(end_[copy.phi], block_end_[i]);
      const bool is_back_edge = i >= flow_.positionOf(block_of_[copy.phi]);
      if (is_back_edge && root_[copy.value] == copy.value && wanted_phi_[copy.value] == kNone)
        wanted_phi_[copy.value] = copy.phi;
    }
  }
  release_first_.assign(position + 1, kNone);
  release_next_.assign(function_.valueCount(), kNone);
}

void Allocation::scheduleRelease(uint32_t value) {
  const uint32_t end = std::max(end_[value], released_until_);
  release_next_[value] = release_first_[end];
  release_first_[end] = value;
}

void Allocation::releaseUntil(uint32_t position) {
  for (; released_until_ <= position; ++released_until_) {
    uint32_t value = release_first_[released_until_];
    while (value != kNone) {
      const uint32_t next = release_next_[value];
      if (end_[value] > released_until_) {
        // Stretched since by a value that took over the slot.
        release_next_[value] = release_first_[end_[value]];
        release_first_[end_[value]] = value;
      } else {
        const uint32_t slot = slot_[value];
        is_slot_free_[slot] = 1;
        (isWide(value) ? free_wide_ : free_single_).push_back(slot);
      }
      value = next;
    }
  }
}

uint32_t Allocation::takeSlot(bool is_wide) {
  auto& free = is_wide ? free_wide_ : free_single_;
  while (!free.empty()) {
    const uint32_t slot = free.back();
    free.pop_back();
    if (is_slot_free_[slot] == 0) continue;
    is_slot_free_[slot] = 0;
    return slot;
  }
  const uint32_t slot = slot_count_;
  slot_count_ += is_wide ? 2 : 1;
  is_slot_free_.resize(slot_count_, 0);
  return slot;
}

/// A loop variable's next value in the variable's slot: allowed when the variable is not read any more where the value
/// begins. Then the value is dead whenever the loop's head is entered, since the head dominates its definition.
bool Allocation::takesSlotOfPhi(uint32_t value) {
  const uint32_t phi = wanted_phi_[value];
  if (phi == kNone || phi == value || slot_[phi] == kNone || isWide(phi) != isWide(value)) return false;
  if (function_.at(value).opcode == Opcode::Argument) return false;
  if (!flow_.dominates(block_of_[phi], block_of_[value])) return false;
  if (block_of_[phi] == block_of_[value] && function_.at(value).opcode == Opcode::Phi) return false;
  const uint32_t leader = leader_[phi];
  if (last_use_[leader] > begin_[value] || end_[leader] < released_until_) return false;
  slot_[value] = slot_[leader];
  leader_[value] = leader;
  end_[leader] = std::max(end_[leader], end_[value]);
  last_use_[leader] = std::max(last_use_[leader], last_use_[value]);
  if (function_.at(value).opcode == Opcode::Phi) last_use_[leader] = std::max(last_use_[leader], end_[value]);
  return true;
}

void Allocation::place(uint32_t value, uint32_t position) {
  end_[value] = std::max(end_[value], position);
  if (takesSlotOfPhi(value)) return;
  slot_[value] = takeSlot(isWide(value));
  leader_[value] = value;
  scheduleRelease(value);
}

/// Phis are written by their predecessors: they get their slots at the end of the first one.
void Allocation::placePhis(uint32_t block, uint32_t position) {
  for (const EdgeCopy& copy : copiesFrom(block)) {
    if (slot_[copy.phi] != kNone) continue;
    // A source that dies on this edge leaves its slot, which saves the move.
    const uint32_t source = root_[copy.value];
    const bool has_slot = source == copy.value && slot_[source] != kNone && isWide(source) == isWide(copy.phi) &&
                          function_.at(source).opcode != Opcode::Constant;
    if (has_slot && is_slot_free_[slot_[source]] != 0 && last_use_[source] == position) {
      end_[copy.phi] = std::max(end_[copy.phi], position);
      slot_[copy.phi] = slot_[source];
      is_slot_free_[slot_[source]] = 0;
      leader_[copy.phi] = copy.phi;
      scheduleRelease(copy.phi);
      continue;
    }
    place(copy.phi, position);
  }
}

void Allocation::placeArguments() {
  for (uint32_t i = 0; i < function_.parameters().size(); ++i) {
    slot_[i] = slot_count_;
    leader_[i] = i;
    slot_count_ += isWide(i) ? 2 : 1;
  }
  argument_slots_ = slot_count_;
  slot_count_ += 2;
  is_slot_free_.assign(slot_count_, 0);
  for (uint32_t i = 0; i < function_.parameters().size(); ++i) scheduleRelease(i);
}

void Allocation::assignSlots() {
  placeArguments();
  const auto order = flow_.order();
  for (uint32_t i = 0; i < order.size(); ++i) {
    for (uint32_t at = function_.block(order[i]).first; at != kNone; at = function_.at(at).next) {
      releaseUntil(begin_[at]);
      const bool has_slot = function_.at(at).type != Type::Void && !isFused(at) && !isAlias(at);
      if (has_slot) place(at, begin_[at]);
    }
    placePhis(order[i], block_end_[i]);
  }
}

}  // namespace gnomon::codegen::vm
