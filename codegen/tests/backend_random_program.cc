#include "codegen/tests/backend_random_program.h"

#include <map>
#include <random>
#include <vector>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "codegen/ir/builder.h"

namespace gnomon::codegen {
namespace {

using ir::Block;
using ir::Builder;
using ir::Type;
using ir::Value;

int64_t mixNarrow(bool a, int8_t b, uint8_t c, int16_t d, uint16_t e, int32_t f, uint32_t g) {
  return (a ? 1 : 0) + b * int64_t{3} + c * int64_t{5} + d * int64_t{7} + e * int64_t{11} + f * int64_t{13} +
         g * int64_t{17};
}
/// The last i128 no longer fits the argument registers.
int128 mixWide(int64_t a, int128 b, int64_t c, int128 d, int128 e) {
  return static_cast<int128>(static_cast<uint128>(b) * 3 + static_cast<uint128>(d) * 5 + static_cast<uint128>(e) * 7 +
                             static_cast<uint128>(int128{a} - c));
}
StringValue makePair(uint64_t a, uint64_t b) {
  return {a ^ 0x55, b + 1};
}
double half(double value) {
  return value / 2;
}
int32_t throwOnMultipleOfSeven(int64_t value) {
  if (value % 7 == 0) throw SqlError(sqlstate::kInternalError, "multiple of seven");
  return static_cast<int32_t>(value);
}
bool isOdd(int64_t value) {
  return (value & 1) != 0;
}
int16_t narrowResult(int64_t value) {
  return static_cast<int16_t>(value);
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  ir::Module run() {
    const ir::FunctionId main =
        module_.addFunction("main", Type::I64, {Type::Ptr, Type::I64, Type::I64, Type::I128, Type::F64});
    helper_ = module_.addFunction("helper", Type::I128, {Type::Ptr, Type::I32, Type::I128, Type::I1});
    fill(helper_, 6);
    helper_is_ready_ = true;
    fill(main, 10 + below(25));
    return std::move(module_);
  }

 private:
  using Scope = std::map<Type, std::vector<Value>>;

  uint64_t below(uint64_t limit) { return random_() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }

  void fill(ir::FunctionId id, uint64_t statement_count) {
    Builder builder(module_, id);
    b_ = &builder;
    scope_.clear();
    const auto types = builder.function().parameters();
    for (unsigned i = 0; i < types.size(); ++i) scope_[types[i]].push_back(builder.parameter(i));
    memory_ = builder.parameter(0);
    scratch_ = builder.allocaBytes(64);
    for (int i = 0; i < 4; ++i) builder.store(builder.constI128(i * 77), scratch_, i * 16);
    statements(statement_count, 0);
    finish(builder.function().result());
  }

  /// Everything in scope goes into the result.
  void finish(Type result) {
    Value hash = b_->constU64(kHashSeed);
    for (auto& [type, values] : scope_) {
      if (type == Type::Ptr) continue;
      for (const Value value : values) hash = b_->hashCombine(hash, observable(value));
    }
    b_->ret(result == Type::I128 ? b_->pack128(hash, b_->rotl(hash, b_->constI64(17))) : hash);
  }

  /// A NaN's sign is nobody's business.
  Value observable(Value value) {
    if (b_->typeOf(value) != Type::F64) return value;
    return b_->select(b_->isNan(value), b_->constF64(0.5), value);
  }

  Value constantOf(Type type) {
    if (type == Type::F64) return b_->constF64(static_cast<double>(static_cast<int64_t>(random_())) / 1024.0);
    switch (below(4)) {
      case 0:
        return b_->constant(type, below(10));
      case 1:
        return b_->constant(type, uint128{0} - below(4));
      case 2:
        return b_->constant(type, uint128{1} << (ir::bitsOf(type) - 1));
      default:
        return b_->constant(type, (uint128{random_()} << 64) | random_());
    }
  }
  Value pick(Type type) {
    auto& values = scope_[type];
    if (values.empty() || chance(20)) return constantOf(type);
    // Recent values more often, so that most intervals are short.
    if (chance(60)) return values[values.size() - 1 - below(std::min<size_t>(values.size(), 4))];
    return values[below(values.size())];
  }
  Type integerType() {
    constexpr Type types[] = {Type::I8, Type::I16, Type::I32, Type::I64, Type::I64, Type::I128};
    return types[below(6)];
  }
  Type anyType() { return chance(15) ? Type::F64 : chance(20) ? Type::I1 : integerType(); }
  void keep(Value value) {
    if (value.isValid()) scope_[b_->typeOf(value)].push_back(value);
  }

  void statements(uint64_t count, int depth) {
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t kind = below(100);
      if (kind < 10 && depth < 3)
        branch(depth);
      else if (kind < 17 && depth < 3)
        loop(depth);
      else if (kind < 20 && depth < 2)
        switchOver(depth);
      else if (kind < 30)
        memory();
      else if (kind < 36)
        call();
      else
        arithmetic();
    }
  }

  Value smaller(Value value) {
    const Type type = b_->typeOf(value);
    return chance(85) ? b_->ashr(value, b_->constant(type, ir::bitsOf(type) / 2 + 1)) : value;
  }

  void arithmetic() {
    const Type type = integerType();
    const Value x = pick(type);
    const Value y = pick(type);
    switch (below(14)) {
      case 0:
        return keep(b_->add(x, y));
      case 1:
        return keep(b_->sub(x, y));
      case 2:
        return keep(b_->mul(x, y));
      case 3:
        return keep(chance(50) ? b_->bitAnd(x, y) : chance(50) ? b_->bitOr(x, y) : b_->bitXor(x, y));
      case 4:
        return keep(chance(40) ? b_->shl(x, y) : chance(50) ? b_->lshr(x, y) : b_->ashr(x, y));
      case 5:
        return division(type, x, y);
      case 6:
        return trapping(type, x, y);
      case 7:
        return keep(b_->icmp(static_cast<ir::IntPredicate>(below(10)), x, y));
      case 8:
        return convert(x);
      case 9:
        return floating();
      case 10: {
        const Type picked = anyType();
        return keep(b_->select(pick(Type::I1), pick(picked), pick(picked)));
      }
      case 11:
        return wide();
      case 12:
        if (type == Type::I128) return wide();
        return keep(chance(40) ? b_->rotl(x, y) : chance(50) ? b_->popcount(x) : b_->ctz(x));
      default:
        return keep(chance(50) ? b_->bitXor(pick(Type::I1), pick(Type::I1)) : b_->bitNot(pick(Type::I1)));
    }
  }

  void division(Type type, Value x, Value y) {
    const Value divisor = b_->bitOr(b_->bitAnd(y, b_->constant(type, 0x7e)), b_->constant(type, 1));
    switch (below(4)) {
      case 0:
        return keep(b_->sdiv(x, divisor));
      case 1:
        return keep(b_->srem(x, divisor));
      case 2:
        return keep(b_->udiv(x, divisor));
      default:
        return keep(b_->urem(x, divisor));
    }
  }

  void trapping(Type type, Value x, Value y) {
    if (type == Type::I8) return;
    const TrapCode code = type == Type::I16   ? TrapCode::SmallintOutOfRange
                          : type == Type::I32 ? TrapCode::IntegerOutOfRange
                          : type == Type::I64 ? TrapCode::BigintOutOfRange
                                              : TrapCode::DecimalOverflow;
    x = smaller(x);
    y = smaller(y);
    switch (below(5)) {
      case 0:
        return keep(b_->addTrap(x, y, code));
      case 1:
        return keep(b_->subTrap(x, y, code));
      case 2:
        return keep(b_->mulTrap(x, y, code));
      case 3:
        return keep(b_->sdivTrap(x, chance(80) ? b_->bitOr(y, b_->constant(type, 1)) : y, code));
      default:
        return keep(b_->sremTrap(x, chance(80) ? b_->bitOr(y, b_->constant(type, 1)) : y));
    }
  }

  void convert(Value x) {
    const Type from = b_->typeOf(x);
    const Type to = integerType();
    if (ir::bitsOf(from) < ir::bitsOf(to)) return keep(chance(50) ? b_->sext(x, to) : b_->zext(x, to));
    if (ir::bitsOf(from) > ir::bitsOf(to)) return keep(b_->trunc(x, to));
    if (chance(50)) return keep(b_->zext(pick(Type::I1), to));
    if (chance(50)) return keep(b_->sext(pick(Type::I1), to));
    return keep(b_->trunc(x, Type::I1));
  }

  void floating() {
    const Value x = pick(Type::F64);
    const Value y = pick(Type::F64);
    switch (below(10)) {
      case 0:
        return keep(b_->fadd(x, y));
      case 1:
        return keep(b_->fsub(x, y));
      case 2:
        return keep(b_->fmul(x, y));
      case 3:
        return keep(b_->fdiv(x, y));
      case 4:
        return keep(b_->fneg(x));
      case 5:
        return keep(b_->roundToFloat(x));
      case 6:
        return keep(b_->fcmp(static_cast<ir::FloatPredicate>(below(7)), x, y));
      case 7:
        return keep(b_->sitofp(pick(integerType())));
      case 8:
        return keep(b_->fptosi(x, integerType()));
      default:
        return keep(b_->bitcast(observable(x), Type::I64));
    }
  }

  void wide() {
    const Value x = pick(Type::I64);
    const Value y = pick(Type::I64);
    switch (below(6)) {
      case 0:
        return keep(b_->mulWide(x, y));
      case 1:
        return keep(b_->pack128(x, y));
      case 2:
        return keep(b_->lo64(pick(Type::I128)));
      case 3:
        return keep(b_->hi64(pick(Type::I128)));
      case 4:
        return keep(b_->crc32(x, y));
      default:
        return keep(b_->hash64(x, y));
    }
  }

  void memory() {
    const Type type = anyType();
    const bool is_scratch = chance(30);
    const Value base = is_scratch ? scratch_ : memory_;
    const auto offset = static_cast<int64_t>(below(is_scratch ? 48 : 256));
    Value address = base;
    if (!is_scratch && chance(50)) {
      const Value index = b_->bitAnd(pick(Type::I64), b_->constI64(15));
      address = b_->ptrIndex(base, index, uint64_t{1} << below(4), static_cast<int64_t>(below(64)));
      if (chance(30)) keep(b_->load(Type::I8, address, 1));
    }
    switch (below(4)) {
      case 0:
        return keep(b_->load(type == Type::F64 ? Type::I64 : type, address, offset));
      case 1:
        if (chance(30)) return keep(b_->loadF32(address, offset));
        if (chance(20)) return keep(b_->loadAtomic(address, offset));
        return keep(b_->load(type, address, offset));
      case 2:
        if (chance(30)) return b_->storeF32(observable(pick(Type::F64)), address, offset);
        [[fallthrough]];
      default:
        return b_->store(observable(pick(type)), address, offset);
    }
  }

  void call() {
    switch (below(helper_is_ready_ ? 8 : 7)) {
      case 0:
        return keep(
            b_->call(RUNTIME_FUNCTION(mixNarrow), {pick(Type::I1), pick(Type::I8), pick(Type::I8), pick(Type::I16),
                                                   pick(Type::I16), pick(Type::I32), pick(Type::I32)}));
      case 1:
        return keep(b_->call(RUNTIME_FUNCTION(mixWide),
                             {pick(Type::I64), pick(Type::I128), pick(Type::I64), pick(Type::I128), pick(Type::I128)}));
      case 2:
        return keep(b_->call(RUNTIME_FUNCTION(makePair), {pick(Type::I64), pick(Type::I64)}));
      case 3:
        return keep(b_->call(RUNTIME_FUNCTION(half), {pick(Type::F64)}));
      case 4:
        return keep(b_->call(RUNTIME_FUNCTION(throwOnMultipleOfSeven), {pick(Type::I64)}));
      case 5:
        return keep(b_->call(RUNTIME_FUNCTION(isOdd), {pick(Type::I64)}));
      case 6:
        return keep(b_->call(RUNTIME_FUNCTION(narrowResult), {pick(Type::I64)}));
      default:
        return keep(b_->call(helper_, {memory_, pick(Type::I32), pick(Type::I128), pick(Type::I1)}));
    }
  }

  /// Both sides, then phis of what they made.
  void branch(int depth) {
    const Value condition = chance(60)
                                ? b_->icmp(static_cast<ir::IntPredicate>(below(10)), pick(Type::I64), pick(Type::I64))
                                : pick(Type::I1);
    const Block yes = b_->createBlock("yes");
    const bool has_else = chance(60);
    const Block no = has_else ? b_->createBlock("no") : Block{};
    const Block join = b_->createBlock("join");
    const Type type = anyType();
    const Type other = anyType();
    const Block from = b_->currentBlock();
    const Scope outer = scope_;
    const Value before = pick(type);
    const Value before_other = pick(other);
    b_->condBr(condition, yes, has_else ? no : join, static_cast<ir::BranchWeight>(below(3)));
    b_->setBlock(yes);
    statements(1 + below(4), depth + 1);
    const Value in_yes = pick(type);
    const Value in_yes_other = pick(other);
    const Block yes_end = b_->currentBlock();
    b_->br(join);
    scope_ = outer;
    Value in_no = before;
    Value in_no_other = before_other;
    Block no_end = from;
    if (has_else) {
      b_->setBlock(no);
      statements(1 + below(4), depth + 1);
      in_no = pick(type);
      in_no_other = pick(other);
      no_end = b_->currentBlock();
      b_->br(join);
      scope_ = outer;
    }
    b_->setBlock(join);
    keep(b_->phi(type, {{in_yes, yes_end}, {in_no, no_end}}));
    keep(b_->phi(other, {{in_yes_other, yes_end}, {in_no_other, no_end}}));
  }

  /// A counted loop with carried values, sometimes swapped round, with an early exit or a second latch.
  void loop(int depth) {
    const Block head = b_->createBlock("head");
    const Block exit = b_->createBlock("exit");
    const Block from = b_->currentBlock();
    const uint64_t carried_count = 1 + below(4);
    std::vector<Value> initial;
    for (uint64_t i = 0; i < carried_count; ++i) initial.push_back(pick(i == 0 ? Type::I64 : anyType()));
    // Sometimes two of one type, to be exchanged.
    if (chance(50)) initial.push_back(pick(b_->typeOf(initial.back())));
    b_->br(head);
    b_->setBlock(head);
    const Value counter = b_->phi(Type::I64);
    b_->addIncoming(counter, b_->constI64(0), from);
    std::vector<Value> carried;
    for (const Value value : initial) {
      carried.push_back(b_->phi(b_->typeOf(value)));
      b_->addIncoming(carried.back(), value, from);
    }
    const Scope outer = scope_;
    keep(counter);
    for (const Value value : carried) keep(value);
    if (chance(40)) {
      const Block body = b_->createBlock("body");
      const bool is_early = chance(50);
      if (is_early)
        b_->condBr(b_->icmp(ir::IntPredicate::Slt, pick(Type::I64), pick(Type::I64)), exit, body);
      else
        b_->condBr(b_->slt(counter, b_->constI64(static_cast<int64_t>(below(5)))), body, exit);
      b_->setBlock(body);
    }
    statements(1 + below(5), depth + 1);
    std::vector<Value> next;
    const bool is_swapped = chance(40) && carried.size() >= 2 &&
                            b_->typeOf(carried[carried.size() - 1]) == b_->typeOf(carried[carried.size() - 2]);
    for (const Value value : carried)
      next.push_back(chance(30) ? value
                     : chance(50) && isInteger(b_->typeOf(value)) && b_->typeOf(value) != Type::I1
                         ? b_->add(value, pick(b_->typeOf(value)))
                         : pick(b_->typeOf(value)));
    if (is_swapped) {
      next[carried.size() - 1] = carried[carried.size() - 2];
      next[carried.size() - 2] = carried[carried.size() - 1];
    }
    const Value next_counter = b_->add(counter, b_->constI64(1));
    const auto close = [&](Block target_exit, int64_t limit) {
      const Block latch = b_->currentBlock();
      b_->condBr(b_->slt(next_counter, b_->constI64(limit)), head, target_exit);
      b_->addIncoming(counter, next_counter, latch);
      for (size_t i = 0; i < carried.size(); ++i) b_->addIncoming(carried[i], next[i], latch);
    };
    if (chance(25)) {
      // A second latch that may carry on a little differently.
      const Block other = b_->createBlock("other");
      const Block last = b_->createBlock("last");
      b_->condBr(pick(Type::I1), other, last);
      b_->setBlock(other);
      close(exit, static_cast<int64_t>(below(4)));
      b_->setBlock(last);
      next[0] = b_->add(next[0], b_->constI64(5));
    }
    close(exit, static_cast<int64_t>(below(6)));
    b_->setBlock(exit);
    scope_ = outer;
    keep(counter);
    for (const Value value : carried) keep(value);
  }

  void switchOver(int depth) {
    const Type type = chance(50) ? Type::I64 : Type::I16;
    const Value value = b_->bitAnd(pick(type), b_->constant(type, 7));
    const Block join = b_->createBlock("join");
    const Block first = b_->createBlock("case");
    const Block second = b_->createBlock("case");
    const Block from = b_->currentBlock();
    const Type result = anyType();
    const Value before = pick(result);
    const int64_t far = chance(50) ? 100 : 7;
    b_->switchTo(value, join, {{0, first}, {3, first}, {1, second}, {4, join}, {far, second}});
    const Scope outer = scope_;
    std::vector<std::pair<Value, Block>> incoming{{before, from}};
    for (const Block one : {first, second}) {
      b_->setBlock(one);
      statements(1 + below(3), depth + 1);
      incoming.emplace_back(pick(result), b_->currentBlock());
      b_->br(join);
      scope_ = outer;
    }
    b_->setBlock(join);
    const Value phi = b_->phi(result);
    for (const auto& [each, block] : incoming) b_->addIncoming(phi, each, block);
    keep(phi);
  }

  std::mt19937_64 random_;
  ir::Module module_{"random"};
  ir::FunctionId helper_;
  bool helper_is_ready_ = false;
  Builder* b_ = nullptr;
  Scope scope_;
  Value memory_, scratch_;
};

}  // namespace

ir::Module randomModule(uint64_t seed) {
  return Generator(seed).run();
}

}  // namespace gnomon::codegen
