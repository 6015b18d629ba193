#include <algorithm>
#include <span>

#include "base/sql_error.h"
#include "codegen/vm/allocation.h"
#include "codegen/vm/code.h"

namespace gnomon::codegen::vm {
namespace {

using ir::Function;
using ir::Instruction;
using ir::IntPredicate;
using ir::Opcode;
using ir::Type;

constexpr uint32_t kNone = ir::Value::kNone;
/// Slots are named by 16 bits; a frame lies on the caller's stack.
constexpr uint32_t kSlotsMax = 1 << 15;

bool fitsInt32(int64_t value) {
  return value == static_cast<int32_t>(value);
}

Op offsetOp(Op base, unsigned by) {
  return static_cast<Op>(static_cast<unsigned>(base) + by);
}
/// The operation for a type, of a family that begins with I8 (or with I16 for traps).
Op widthOp(Op first, Type type, Type first_type = Type::I8) {
  return offsetOp(first, static_cast<unsigned>(type) - static_cast<unsigned>(first_type));
}
Op predicateOp(Op first, uint8_t predicate) {
  return offsetOp(first, predicate);
}

IntPredicate inverted(IntPredicate predicate) {
  constexpr IntPredicate table[] = {IntPredicate::Ne,  IntPredicate::Eq,  IntPredicate::Sge, IntPredicate::Sgt,
                                    IntPredicate::Sle, IntPredicate::Slt, IntPredicate::Uge, IntPredicate::Ugt,
                                    IntPredicate::Ule, IntPredicate::Ult};
  return table[static_cast<unsigned>(predicate)];
}

class Translator {
 public:
  Translator(const ir::Module& module, const Function& function, std::span<const std::unique_ptr<Code>> codes,
             Code& code)
      : module_(module),
        function_(function),
        codes_(codes),
        code_(code),
        allocation_(function),
        constant_slot_(function.valueCount(), kNone),
        block_start_(function.blockCount(), kNone) {}

  void run() {
    code_.argument_slots = allocation_.argumentSlots();
    code_.constant_first = allocation_.slotCount();
    code_.operations.reserve(function_.valueCount());
    move_of_slot_.assign(allocation_.slotCount(), kNone);
    readers_.assign(allocation_.slotCount(), 0);
    const auto order = allocation_.flow().order();
    for (size_t i = 0; i < order.size(); ++i) {
      next_block_ = i + 1 < order.size() ? order[i + 1] : kNone;
      block_ = order[i];
      block_start_[block_] = here();
      for (uint32_t at = function_.block(block_).first; at != kNone; at = function_.at(at).next)
        if (!allocation_.isFused(at) && !allocation_.isAlias(at)) instruction(at);
    }
    emitStubs();
    patch();
    finishFrame();
  }

 private:
  [[nodiscard]] uint32_t here() const { return static_cast<uint32_t>(code_.operations.size()); }

  Operation& emit(Op op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, int64_t imm = 0) {
    Operation operation{};
    operation.op = op;
    operation.a = static_cast<uint16_t>(a);
    operation.b = static_cast<uint16_t>(b);
    operation.c = static_cast<uint16_t>(c);
    operation.imm = imm;
    code_.operations.push_back(operation);
    return code_.operations.back();
  }
  Operation& emitPair(Op op, uint32_t a, uint32_t b, uint32_t c, int64_t lo, int64_t hi) {
    Operation& operation = emit(op, a, b, c);
    operation.lo = static_cast<int32_t>(lo);
    operation.hi = static_cast<int32_t>(hi);
    return operation;
  }

  [[nodiscard]] bool isConstant(uint32_t value) const { return function_.at(value).opcode == Opcode::Constant; }
  [[nodiscard]] int64_t constantOf(uint32_t value) const { return function_.at(value).offset(); }

  uint32_t slot(uint32_t value) {
    const uint32_t root = allocation_.rootOf(value);
    if (!isConstant(root)) return checked(allocation_.slotOf(value));
    uint32_t& first = constant_slot_[root];
    if (first == kNone) {
      first = code_.constant_first + static_cast<uint32_t>(code_.constants.size());
      code_.constants.push_back(function_.at(root).immediate);
      if (function_.at(root).type == Type::I128) code_.constants.push_back(function_.at(root).high);
    }
    return checked(first + allocation_.aliasOffset(value));
  }
  static uint32_t checked(uint32_t slot) {
    if (slot + 1 >= kSlotsMax)
      throw SqlError(sqlstate::kStatementTooComplex, "statement too complex")
          .detail("A step of the plan needs more than " + std::to_string(kSlotsMax) + " values at once.");
    return slot;
  }

  void instruction(uint32_t at) {
    const Instruction& i = function_.at(at);
    switch (ir::shapeOf(i.opcode)) {
      case ir::Shape::Unary:
        return unary(at, i);
      case ir::Shape::Binary:
      case ir::Shape::Shift:
        return binary(at, i);
      case ir::Shape::Trap:
        return trap(at, i);
      case ir::Shape::Compare:
        return compare(at, i);
      case ir::Shape::Select:
        emitPair(i.type == Type::I128 ? Op::Select128 : Op::Select, slot(at), slot(i.a), slot(i.b), slot(i.c), 0);
        return;
      case ir::Shape::Convert:
        return convert(at, i);
      case ir::Shape::Load:
        return load(at, i);
      case ir::Shape::Store:
        return store(i);
      case ir::Shape::PtrAdd:
        if (isConstant(i.b))
          emit(Op::AddImmediateI64, slot(at), slot(i.a), 0, constantOf(i.b));
        else
          emit(Op::AddI64, slot(at), slot(i.a), slot(i.b));
        return;
      case ir::Shape::PtrIndex:
        return ptrIndex(at, i);
      case ir::Shape::Alloca:
        frame_addresses_.push_back(here());
        emit(Op::FrameAddress, slot(at), 0, 0, static_cast<int64_t>(alloca_bytes_));
        alloca_bytes_ += (i.immediate + 15) & ~uint64_t{15};
        return;
      case ir::Shape::Call:
        return call(at, i);
      default:
        return terminator(i);
    }
  }

  void unary(uint32_t at, const Instruction& i) {
    switch (i.opcode) {
      case Opcode::FNeg:
        emit(Op::FNeg, slot(at), slot(i.a));
        return;
      case Opcode::RoundToFloat:
        emit(Op::RoundToFloat, slot(at), slot(i.a));
        return;
      case Opcode::PopCount:
        emit(widthOp(Op::PopCountI8, i.type), slot(at), slot(i.a));
        return;
      default:
        emit(widthOp(Op::CountTrailingZerosI8, i.type), slot(at), slot(i.a));
        return;
    }
  }

  static Op arithmeticOp(Opcode opcode, Type type) {
    // Bitwise operations on i1 keep 0 and 1 as such.
    if (type == Type::I1) type = Type::I64;
    switch (opcode) {
      case Opcode::Add:
        return widthOp(Op::AddI8, type);
      case Opcode::Sub:
        return widthOp(Op::SubI8, type);
      case Opcode::Mul:
        return widthOp(Op::MulI8, type);
      case Opcode::SDiv:
        return widthOp(Op::SDivI8, type);
      case Opcode::SRem:
        return widthOp(Op::SRemI8, type);
      case Opcode::UDiv:
        return widthOp(Op::UDivI8, type);
      case Opcode::URem:
        return widthOp(Op::URemI8, type);
      case Opcode::And:
        return widthOp(Op::AndI8, type);
      case Opcode::Or:
        return widthOp(Op::OrI8, type);
      case Opcode::Xor:
        return widthOp(Op::XorI8, type);
      case Opcode::Shl:
        return widthOp(Op::ShlI8, type);
      case Opcode::LShr:
        return widthOp(Op::LShrI8, type);
      case Opcode::AShr:
        return widthOp(Op::AShrI8, type);
      case Opcode::RotL:
        return widthOp(Op::RotLI8, type);
      case Opcode::FAdd:
        return Op::FAdd;
      case Opcode::FSub:
        return Op::FSub;
      case Opcode::FMul:
        return Op::FMul;
      case Opcode::FDiv:
        return Op::FDiv;
      case Opcode::Crc32:
        return Op::Crc32;
      case Opcode::Hash64:
        return Op::Hash64;
      case Opcode::MulWide:
        return Op::MulWide;
      default:
        return Op::Pack128;
    }
  }

  /// The form with a constant right operand, or Op::Count.
  static Op immediateOp(Opcode opcode, Type type) {
    const bool is_narrow = type == Type::I32;
    switch (opcode) {
      case Opcode::And:
        return type == Type::I128 ? Op::Count : Op::AndImmediateI64;
      case Opcode::Or:
        return type == Type::I128 ? Op::Count : Op::OrImmediateI64;
      case Opcode::Xor:
        return type == Type::I128 ? Op::Count : Op::XorImmediateI64;
      default:
        break;
    }
    if (type != Type::I32 && type != Type::I64) return Op::Count;
    switch (opcode) {
      case Opcode::Add:
      case Opcode::Sub:
        return is_narrow ? Op::AddImmediateI32 : Op::AddImmediateI64;
      case Opcode::Mul:
        return is_narrow ? Op::MulImmediateI32 : Op::MulImmediateI64;
      case Opcode::Shl:
        return is_narrow ? Op::ShlImmediateI32 : Op::ShlImmediateI64;
      case Opcode::LShr:
        return is_narrow ? Op::LShrImmediateI32 : Op::LShrImmediateI64;
      case Opcode::AShr:
        return is_narrow ? Op::AShrImmediateI32 : Op::AShrImmediateI64;
      default:
        return Op::Count;
    }
  }

  void binary(uint32_t at, const Instruction& i) {
    if (i.opcode == Opcode::Hash64 && isConstant(i.a)) {
      emit(Op::Hash64Seed, slot(at), slot(i.b), 0, constantOf(i.a));
      return;
    }
    if (isConstant(i.b)) {
      if (const Op op = immediateOp(i.opcode, i.type); op != Op::Count) {
        const auto value = static_cast<uint64_t>(constantOf(i.b));
        emit(op, slot(at), slot(i.a), 0, static_cast<int64_t>(i.opcode == Opcode::Sub ? 0 - value : value));
        return;
      }
    }
    emit(arithmeticOp(i.opcode, i.type), slot(at), slot(i.a), slot(i.b));
  }

  void trap(uint32_t at, const Instruction& i) {
    if (isConstant(i.b) && (i.type == Type::I32 || i.type == Type::I64)) {
      Op op = Op::Count;
      if (i.opcode == Opcode::AddTrap) op = Op::AddTrapImmediateI32;
      if (i.opcode == Opcode::SubTrap) op = Op::SubTrapImmediateI32;
      if (i.opcode == Opcode::MulTrap) op = Op::MulTrapImmediateI32;
      if (op != Op::Count) {
        emit(widthOp(op, i.type, Type::I32), slot(at), slot(i.a), i.detail, constantOf(i.b));
        return;
      }
    }
    Op first = Op::SRemTrapI16;
    if (i.opcode == Opcode::AddTrap) first = Op::AddTrapI16;
    if (i.opcode == Opcode::SubTrap) first = Op::SubTrapI16;
    if (i.opcode == Opcode::MulTrap) first = Op::MulTrapI16;
    if (i.opcode == Opcode::SDivTrap) first = Op::SDivTrapI16;
    emit(widthOp(first, i.type, Type::I16), slot(at), slot(i.a), slot(i.b), i.detail);
  }

  void compare(uint32_t at, const Instruction& i) {
    if (i.opcode == Opcode::FCmp)
      emit(predicateOp(Op::FloatOeq, i.detail), slot(at), slot(i.a), slot(i.b));
    else if (i.operand_type == Type::I128)
      emit(predicateOp(Op::Compare128Eq, i.detail), slot(at), slot(i.a), slot(i.b));
    else if (isConstant(i.b))
      emit(predicateOp(Op::CompareImmediateEq, i.detail), slot(at), slot(i.a), 0, constantOf(i.b));
    else
      emit(predicateOp(Op::CompareEq, i.detail), slot(at), slot(i.a), slot(i.b));
  }

  void convert(uint32_t at, const Instruction& i) {
    const unsigned from_bits = ir::bitsOf(i.operand_type);
    switch (i.opcode) {
      case Opcode::SExt:
        if (i.operand_type != Type::I1) {
          emit(Op::SExt128, slot(at), slot(i.a));
          return;
        }
        emit(Op::Negate, slot(at), slot(i.a));
        if (i.type == Type::I128) emit(Op::SExt128, slot(at), slot(at));
        return;
      case Opcode::ZExt: {
        const uint64_t mask = from_bits == 64 ? ~uint64_t{0} : (uint64_t{1} << from_bits) - 1;
        emit(i.type == Type::I128 ? Op::ZExt128 : Op::AndImmediateI64, slot(at), slot(i.a), 0,
             static_cast<int64_t>(mask));
        return;
      }
      case Opcode::Trunc:
        if (i.type == Type::I1)
          emit(Op::TruncI1, slot(at), slot(i.a));
        else
          emit(widthOp(Op::SExtI8, i.type), slot(at), slot(i.a));
        return;
      case Opcode::SIToFP:
        emit(i.operand_type == Type::I128 ? Op::SIToFP128 : Op::SIToFP, slot(at), slot(i.a));
        return;
      default:
        emit(widthOp(Op::FPToSII8, i.type), slot(at), slot(i.a));
        return;
    }
  }

  static Op loadOp(const Instruction& i) {
    if (i.opcode == Opcode::LoadF32) return Op::LoadF32;
    if (i.opcode == Opcode::LoadAtomic) return Op::LoadAtomicI8;
    return i.type > Type::I128 ? Op::LoadI64 : widthOp(Op::LoadI1, i.type, Type::I1);
  }
  static Op storeOp(const Instruction& i) {
    if (i.opcode == Opcode::StoreF32) return Op::StoreF32;
    if (i.operand_type == Type::I1) return Op::StoreI8;
    return i.operand_type > Type::I128 ? Op::StoreI64 : widthOp(Op::StoreI8, i.operand_type);
  }

  void load(uint32_t at, const Instruction& i) {
    if (!allocation_.isFused(i.a)) {
      emit(loadOp(i), slot(at), slot(i.a), 0, i.offset());
      return;
    }
    const Instruction& index = function_.at(i.a);
    const auto distance = static_cast<unsigned>(Op::LoadIndexI1) - static_cast<unsigned>(Op::LoadI1);
    emitPair(offsetOp(loadOp(i), distance), slot(at), slot(index.a), slot(index.b), static_cast<int64_t>(index.high),
             index.offset() + i.offset());
  }

  void store(const Instruction& i) {
    if (!allocation_.isFused(i.b)) {
      emit(storeOp(i), slot(i.a), slot(i.b), 0, i.offset());
      return;
    }
    const Instruction& index = function_.at(i.b);
    const auto distance = static_cast<unsigned>(Op::StoreIndexI8) - static_cast<unsigned>(Op::StoreI8);
    emitPair(offsetOp(storeOp(i), distance), slot(i.a), slot(index.a), slot(index.b), static_cast<int64_t>(index.high),
             index.offset() + i.offset());
  }

  void ptrIndex(uint32_t at, const Instruction& i) {
    if (fitsInt32(i.offset()) && fitsInt32(static_cast<int64_t>(i.high))) {
      emitPair(Op::PtrIndex, slot(at), slot(i.a), slot(i.b), static_cast<int64_t>(i.high), i.offset());
      return;
    }
    const uint32_t scratch = allocation_.scratchSlot();
    emit(Op::MulImmediateI64, scratch, slot(i.b), 0, static_cast<int64_t>(i.high));
    emit(Op::AddImmediateI64, scratch, scratch, 0, i.offset());
    emit(Op::AddI64, slot(at), slot(i.a), scratch);
  }

  void call(uint32_t at, const Instruction& i) {
    Code::CallSite site;
    site.slots_first = static_cast<uint32_t>(code_.call_slots.size());
    site.argument_count = i.list_count;
    site.is_result_wide = i.type == Type::I128;
    code_.call_slots.push_back(i.type == Type::Void ? allocation_.scratchSlot() : slot(at));
    for (const uint32_t argument : function_.arguments(i)) code_.call_slots.push_back(slot(argument));
    if (i.opcode == Opcode::Call) {
      code_.is_call_slot_wide.resize(code_.call_slots.size(), 0);
      for (uint32_t k = 0; k < i.list_count; ++k)
        code_.is_call_slot_wide[site.slots_first + 1 + k] =
            function_.at(function_.arguments(i)[k]).type == Type::I128 ? 1 : 0;
    }
    if (i.opcode == Opcode::CallRuntime)
      site.function = &i.runtimeFunction();
    else
      site.callee = codes_[i.immediate].get();
    code_.calls.push_back(site);
    emitPair(i.opcode == Opcode::CallRuntime ? Op::CallRuntime : Op::CallFunction, 0, 0, 0,
             static_cast<int64_t>(code_.calls.size() - 1), 0);
  }

  void terminator(const Instruction& i) {
    switch (i.opcode) {
      case Opcode::Br:
        copyPhis(block_, i.a);
        return jumpTo(i.a);
      case Opcode::CondBr:
        return condBr(i);
      case Opcode::Switch:
        return switchTo(i);
      case Opcode::Ret:
        if (i.a == kNone)
          emit(Op::ReturnVoid);
        else
          emit(function_.at(i.a).type == Type::I128 ? Op::Return128 : Op::Return, slot(i.a));
        return;
      default:
        emit(Op::Unreachable);
        return;
    }
  }

  void jumpTo(uint32_t block) {
    if (block == next_block_) return;
    branches_.push_back({here(), false, block_, block, false});
    emit(Op::Jump);
  }

  void condBr(const Instruction& i) {
    // The taken side is the one that does not come next; its phis are written in a stub.
    const bool is_inverted = i.b == next_block_;
    const uint32_t taken = is_inverted ? i.c : i.b;
    const uint32_t other = is_inverted ? i.b : i.c;
    const bool uses_high_target = emitCondition(i.a, is_inverted);
    branches_.push_back({here() - 1, uses_high_target, block_, taken, needsCopies(block_, taken)});
    copyPhis(block_, other);
    jumpTo(other);
  }

  /// Emits a jump on the condition; returns whether its target is `hi` rather than `lo`.
  bool emitCondition(uint32_t condition, bool is_inverted) {
    if (!allocation_.isFused(condition)) {
      emit(is_inverted ? Op::JumpIfNot : Op::JumpIf, slot(condition));
      return false;
    }
    const Instruction& compare = function_.at(condition);
    auto predicate = static_cast<IntPredicate>(compare.detail);
    if (is_inverted) predicate = inverted(predicate);
    if (isConstant(compare.b) && fitsInt32(constantOf(compare.b))) {
      emitPair(predicateOp(Op::JumpImmediateEq, static_cast<uint8_t>(predicate)), slot(compare.a), 0, 0,
               constantOf(compare.b), 0);
      return true;
    }
    const uint32_t left = slot(compare.a);
    const uint32_t right = slot(compare.b);
    if (here() > block_start_[block_]) {
      Operation& last = code_.operations.back();
      const bool is_increment =
          last.op == Op::AddImmediateI64 && last.a == last.b && last.a == left && left != right && fitsInt32(last.imm);
      Op op = Op::Count;
      if (predicate == IntPredicate::Slt) op = Op::AddJumpSlt;
      if (predicate == IntPredicate::Ult) op = Op::AddJumpUlt;
      if (predicate == IntPredicate::Ne) op = Op::AddJumpNe;
      if (is_increment && op != Op::Count) {
        const int64_t step = last.imm;
        code_.operations.pop_back();
        emitPair(op, 0, left, right, step, 0);
        return true;
      }
    }
    emit(predicateOp(Op::JumpEq, static_cast<uint8_t>(predicate)), left, right);
    return false;
  }

  void switchTo(const Instruction& i) {
    Code::SwitchTable table;
    const auto cases = function_.cases(i);
    const auto index = static_cast<uint32_t>(code_.switches.size());
    emitPair(Op::Switch, slot(i.a), 0, 0, index, 0);
    for (const ir::SwitchCase& one : cases) table.cases.emplace_back(one.value, one.block);
    std::ranges::sort(table.cases);
    table.otherwise = i.b;
    code_.switches.push_back(std::move(table));
    switch_blocks_.push_back(block_);
  }

  [[nodiscard]] bool needsCopies(uint32_t from, uint32_t to) {
    for (const auto& copy : allocation_.copiesFrom(from))
      if (allocation_.blockOf(copy.phi) == to && slot(copy.phi) != slot(copy.value)) return true;
    return false;
  }

  /// The phis of one edge as a parallel assignment of single slots: first what nobody reads any more, then cycles.
  void copyPhis(uint32_t from, uint32_t to) {
    moves_.clear();
    for (const auto& copy : allocation_.copiesFrom(from)) {
      if (allocation_.blockOf(copy.phi) != to) continue;
      const uint32_t target = slot(copy.phi);
      const uint32_t source = slot(copy.value);
      if (target == source) continue;
      moves_.push_back({target, source, false});
      if (function_.at(copy.phi).type == Type::I128) moves_.push_back({target + 1, source + 1, false});
    }
    const auto isShared = [&](uint32_t slot_number) { return slot_number < move_of_slot_.size(); };
    for (uint32_t i = 0; i < moves_.size(); ++i) {
      move_of_slot_[moves_[i].target] = i;
      if (isShared(moves_[i].source)) ++readers_[moves_[i].source];
    }
    for (uint32_t i = 0; i < moves_.size(); ++i) {
      // Follows the chain of moves that this one sets free.
      for (uint32_t at = i; at != kNone && !moves_[at].is_done && readers_[moves_[at].target] == 0;) {
        const auto [target, source, is_done] = moves_[at];
        emit(Op::Move, target, source);
        moves_[at].is_done = true;
        if (!isShared(source)) break;
        --readers_[source];
        at = move_of_slot_[source];
      }
    }
    for (Move& move : moves_) {
      // What is left are cycles: rotate by swaps.
      for (uint32_t target = move.target; !moves_[move_of_slot_[target]].is_done;) {
        Move& step = moves_[move_of_slot_[target]];
        step.is_done = true;
        readers_[step.source] = 0;
        if (step.source == move.target) break;
        emit(Op::Swap, target, step.source);
        target = step.source;
      }
    }
    for (const Move& move : moves_) move_of_slot_[move.target] = kNone;
  }

  /// Edges that write phis and come from a block with several successors get a block of their own at the end.
  void emitStubs() {
    next_block_ = kNone;
    const size_t count = branches_.size();
    for (size_t i = 0; i < count; ++i) {
      if (!branches_[i].needs_stub) continue;
      branches_[i].stub = here();
      const Branch branch = branches_[i];
      copyPhis(branch.from, branch.to);
      block_ = branch.from;
      jumpTo(branch.to);
    }
    for (size_t i = 0; i < code_.switches.size(); ++i) finishSwitch(code_.switches[i], switch_blocks_[i]);
  }

  void finishSwitch(Code::SwitchTable& table, uint32_t from) {
    block_ = from;
    const auto targetOf = [&](uint32_t to) {
      if (!needsCopies(from, to)) return block_start_[to];
      const uint32_t stub = here();
      copyPhis(from, to);
      jumpTo(to);
      return stub;
    };
    table.otherwise = targetOf(table.otherwise);
    for (auto& [value, target] : table.cases) target = targetOf(target);
    if (table.cases.empty()) return;
    table.base = table.cases.front().first;
    const uint64_t range = static_cast<uint64_t>(table.cases.back().first) - static_cast<uint64_t>(table.base);
    if (range >= 4 * table.cases.size() + 8) return;
    table.targets.assign(range + 1, table.otherwise);
    for (const auto& [value, target] : table.cases)
      table.targets[static_cast<uint64_t>(value) - static_cast<uint64_t>(table.base)] = target;
  }

  void patch() {
    for (const Branch& branch : branches_) {
      const uint32_t target = branch.needs_stub ? branch.stub : block_start_[branch.to];
      Operation& operation = code_.operations[branch.at];
      (branch.uses_high_target ? operation.hi : operation.lo) = static_cast<int32_t>(target);
    }
  }

  void finishFrame() {
    const uint64_t slots = code_.constant_first + code_.constants.size();
    const uint64_t base = (slots * sizeof(uint64_t) + 15) & ~uint64_t{15};
    for (const uint32_t at : frame_addresses_) code_.operations[at].imm += static_cast<int64_t>(base);
    code_.frame_bytes = static_cast<uint32_t>(base + alloca_bytes_);
  }

  struct Branch {
    uint32_t at;
    bool uses_high_target;
    uint32_t from, to;
    bool needs_stub;
    uint32_t stub = kNone;
  };
  struct Move {
    uint32_t target, source;
    bool is_done;
  };

  [[maybe_unused]] const ir::Module& module_;
  const Function& function_;
  std::span<const std::unique_ptr<Code>> codes_;
  Code& code_;
  Allocation allocation_;
  std::vector<uint32_t> constant_slot_;
  std::vector<uint32_t> block_start_;
  std::vector<Branch> branches_;
  std::vector<uint32_t> switch_blocks_;
  std::vector<uint32_t> frame_addresses_;
  std::vector<Move> moves_;
  std::vector<uint32_t> move_of_slot_;
  std::vector<uint32_t> readers_;
  uint64_t alloca_bytes_ = 0;
  uint32_t block_ = 0;
  uint32_t next_block_ = kNone;
};

}  // namespace

void translate(const ir::Module& module, const std::vector<std::unique_ptr<Code>>& codes) {
  for (uint32_t i = 0; i < module.functionCount(); ++i)
    Translator(module, module.function(ir::FunctionId{i}), codes, *codes[i]).run();
}

}  // namespace gnomon::codegen::vm
