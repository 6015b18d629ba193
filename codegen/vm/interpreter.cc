#include <alloca.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "base/int128.h"
#include "codegen/ir/arithmetic.h"
#include "codegen/ir/hash.h"
#include "codegen/ir/trap.h"
#include "codegen/vm/code.h"

namespace gnomon::codegen::vm {
namespace {

template <typename T>
[[gnu::always_inline]] inline T get(const uint64_t* frame, uint32_t slot) {
  if constexpr (sizeof(T) == 16 || std::is_same_v<T, double>) {
    T value;
    std::memcpy(&value, frame + slot, sizeof(T));
    return value;
  } else {
    return static_cast<T>(frame[slot]);
  }
}

template <typename T>
[[gnu::always_inline]] inline void set(uint64_t* frame, uint32_t slot, T value) {
  if constexpr (sizeof(T) == 16 || std::is_same_v<T, double>)
    std::memcpy(frame + slot, &value, sizeof(T));
  else
    frame[slot] = static_cast<uint64_t>(static_cast<int64_t>(value));
}

template <typename T>
struct UnsignedOf {
  using Type = std::make_unsigned_t<T>;
};
template <>
struct UnsignedOf<int128> {
  using Type = uint128;
};
template <typename T>
using Unsigned = typename UnsignedOf<T>::Type;

/// Arithmetic that wraps: in the unsigned type, at least as wide as int so that no promotion overflows.
template <typename T>
using Wrapping = std::conditional_t<(sizeof(T) < 8), uint64_t, Unsigned<T>>;

template <typename T>
inline T opAdd(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <typename T>
inline T opSub(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <typename T>
inline T opMul(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}
template <typename T>
inline T opSDiv(T a, T b) {
  if constexpr (sizeof(T) == 16)
    return ir::divide(a, b);
  else
    return static_cast<T>(a / b);
}
template <typename T>
inline T opSRem(T a, T b) {
  if constexpr (sizeof(T) == 16)
    return ir::remainder(a, b);
  else
    return static_cast<T>(a % b);
}
template <typename T>
inline T opUDiv(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) / static_cast<Unsigned<T>>(b));
}
template <typename T>
inline T opURem(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) % static_cast<Unsigned<T>>(b));
}
template <typename T>
inline T opAnd(T a, T b) {
  return static_cast<T>(a & b);
}
template <typename T>
inline T opOr(T a, T b) {
  return static_cast<T>(a | b);
}
template <typename T>
inline T opXor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <typename T>
inline unsigned shiftAmount(T b) {
  return static_cast<unsigned>(b) & (sizeof(T) * 8 - 1);
}
template <typename T>
inline T opShl(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) << shiftAmount(b));
}
template <typename T>
inline T opLShr(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) >> shiftAmount(b));
}
template <typename T>
inline T opAShr(T a, T b) {
  return static_cast<T>(a >> shiftAmount(b));
}
template <typename T>
inline T opRotL(T a, T b) {
  const unsigned amount = shiftAmount(b);
  const auto bits = static_cast<Unsigned<T>>(a);
  const unsigned back = static_cast<unsigned>(sizeof(T) * 8 - amount) & (sizeof(T) * 8 - 1);
  return static_cast<T>(static_cast<Unsigned<T>>(static_cast<Wrapping<T>>(bits) << amount) | (bits >> back));
}
template <typename T>
inline T opPopCount(T a) {
  const auto bits = static_cast<Unsigned<T>>(a);
  if constexpr (sizeof(T) == 16)
    return std::popcount(static_cast<uint64_t>(bits)) + std::popcount(static_cast<uint64_t>(bits >> 64));
  else
    return static_cast<T>(std::popcount(bits));
}
template <typename T>
inline T opCountTrailingZeros(T a) {
  const auto bits = static_cast<Unsigned<T>>(a);
  if constexpr (sizeof(T) == 16) {
    const auto low = static_cast<uint64_t>(bits);
    return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<uint64_t>(bits >> 64));
  } else
    return static_cast<T>(std::countr_zero(bits));
}

template <typename T>
inline bool mulOverflows(T a, T b, T* result) {
  if constexpr (sizeof(T) == 16) {
    const auto low_a = static_cast<int64_t>(a);
    const auto low_b = static_cast<int64_t>(b);
    if (a == low_a && b == low_b) [[likely]] {
      *result = int128{low_a} * low_b;
      return false;
    }
  }
  return __builtin_mul_overflow(a, b, result);
}

template <typename T>
inline T opAddTrap(T a, T b, TrapCode code) {
  T result;
  if (__builtin_add_overflow(a, b, &result)) [[unlikely]]
    raiseTrap(code);
  return result;
}
template <typename T>
inline T opSubTrap(T a, T b, TrapCode code) {
  T result;
  if (__builtin_sub_overflow(a, b, &result)) [[unlikely]]
    raiseTrap(code);
  return result;
}
template <typename T>
inline T opMulTrap(T a, T b, TrapCode code) {
  T result;
  if (mulOverflows(a, b, &result)) [[unlikely]]
    raiseTrap(code);
  return result;
}
template <typename T>
inline T opSDivTrap(T a, T b, TrapCode code) {
  if (b == 0) [[unlikely]]
    raiseTrap(TrapCode::DivisionByZero);
  if (b == -1) [[unlikely]]
    return opSubTrap<T>(0, a, code);
  return opSDiv(a, b);
}
template <typename T>
inline T opSRemTrap(T a, T b, TrapCode) {
  if (b == 0) [[unlikely]]
    raiseTrap(TrapCode::DivisionByZero);
  if (b == -1) [[unlikely]]
    return 0;
  return opSRem(a, b);
}

template <typename T>
inline bool isEq(T a, T b) {
  return a == b;
}
template <typename T>
inline bool isNe(T a, T b) {
  return a != b;
}
template <typename T>
inline bool isSlt(T a, T b) {
  return a < b;
}
template <typename T>
inline bool isSle(T a, T b) {
  return a <= b;
}
template <typename T>
inline bool isSgt(T a, T b) {
  return a > b;
}
template <typename T>
inline bool isSge(T a, T b) {
  return a >= b;
}
template <typename T>
inline bool isUlt(T a, T b) {
  return static_cast<Unsigned<T>>(a) < static_cast<Unsigned<T>>(b);
}
template <typename T>
inline bool isUle(T a, T b) {
  return static_cast<Unsigned<T>>(a) <= static_cast<Unsigned<T>>(b);
}
template <typename T>
inline bool isUgt(T a, T b) {
  return static_cast<Unsigned<T>>(a) > static_cast<Unsigned<T>>(b);
}
template <typename T>
inline bool isUge(T a, T b) {
  return static_cast<Unsigned<T>>(a) >= static_cast<Unsigned<T>>(b);
}

template <typename T>
[[gnu::always_inline]] inline T loadFrom(uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(T));
  return value;
}
[[gnu::always_inline]] inline int8_t loadAtomically(uint64_t address) {
  return std::atomic_ref(*reinterpret_cast<int8_t*>(address)).load(std::memory_order_relaxed);
}
template <typename T>
[[gnu::always_inline]] inline void storeTo(uint64_t address, T value) {
  std::memcpy(reinterpret_cast<void*>(address), &value, sizeof(T));
}

uint32_t switchTarget(const Code::SwitchTable& table, int64_t value) {
  if (!table.targets.empty()) {
    const uint64_t index = static_cast<uint64_t>(value) - static_cast<uint64_t>(table.base);
    return index < table.targets.size() ? table.targets[index] : table.otherwise;
  }
  const auto found = std::ranges::lower_bound(table.cases, value, {}, &std::pair<int64_t, uint32_t>::first);
  return found != table.cases.end() && found->first == value ? found->second : table.otherwise;
}

/// Out of run(), whose frame must not grow with every call.
[[gnu::noinline]] void callFunction(const Code& code, const Code::CallSite& site, uint64_t* frame) {
  auto* arguments = static_cast<uint64_t*>(alloca((site.callee->argument_slots + 1) * sizeof(uint64_t)));
  uint64_t* next = arguments;
  const uint32_t* slots = code.call_slots.data() + site.slots_first;
  for (size_t i = 1; i <= site.argument_count; ++i) {
    *next++ = frame[slots[i]];
    if (code.is_call_slot_wide[site.slots_first + i] != 0) *next++ = frame[slots[i] + 1];
  }
  uint64_t result[2] = {0, 0};
  run(*site.callee, arguments, result);
  frame[slots[0]] = result[0];
  if (site.is_result_wide) frame[slots[0] + 1] = result[1];
}

}  // namespace

#define VM_CASE(name) L_##name:
#define VM_NEXT()  \
  do {             \
    ++pc;          \
    VM_DISPATCH(); \
  } while (0)
#define VM_DISPATCH() goto* kLabels[static_cast<uint16_t>(pc->op)]
#define VM_GOTO(target)    \
  do {                     \
    pc = first + (target); \
    VM_DISPATCH();         \
  } while (0)

#define VM_BINARY_ONE(name, type, suffix)                                                                          \
  VM_CASE(name##suffix) set<type>(frame, pc->a, op##name<type>(get<type>(frame, pc->b), get<type>(frame, pc->c))); \
  VM_NEXT();
#define VM_BINARY(name)             \
  VM_BINARY_ONE(name, int8_t, I8)   \
  VM_BINARY_ONE(name, int16_t, I16) \
  VM_BINARY_ONE(name, int32_t, I32) \
  VM_BINARY_ONE(name, int64_t, I64) \
  VM_BINARY_ONE(name, int128, I128)
#define VM_UNARY_ONE(name, type, suffix)                                                  \
  VM_CASE(name##suffix) set<type>(frame, pc->a, op##name<type>(get<type>(frame, pc->b))); \
  VM_NEXT();
#define VM_UNARY(name)             \
  VM_UNARY_ONE(name, int8_t, I8)   \
  VM_UNARY_ONE(name, int16_t, I16) \
  VM_UNARY_ONE(name, int32_t, I32) \
  VM_UNARY_ONE(name, int64_t, I64) \
  VM_UNARY_ONE(name, int128, I128)
#define VM_IMMEDIATE(name, type, suffix)                                                        \
  VM_CASE(name##Immediate##suffix)                                                              \
  set<type>(frame, pc->a, op##name<type>(get<type>(frame, pc->b), static_cast<type>(pc->imm))); \
  VM_NEXT();
#define VM_TRAP_ONE(name, type, suffix)                                                                        \
  VM_CASE(name##suffix)                                                                                        \
  set<type>(frame, pc->a,                                                                                      \
            op##name<type>(get<type>(frame, pc->b), get<type>(frame, pc->c), static_cast<TrapCode>(pc->imm))); \
  VM_NEXT();
#define VM_TRAP(name)             \
  VM_TRAP_ONE(name, int16_t, I16) \
  VM_TRAP_ONE(name, int32_t, I32) \
  VM_TRAP_ONE(name, int64_t, I64) \
  VM_TRAP_ONE(name, int128, I128)
#define VM_TRAP_IMMEDIATE(name, type, suffix)                                                                   \
  VM_CASE(name##Immediate##suffix)                                                                              \
  set<type>(frame, pc->a,                                                                                       \
            op##name<type>(get<type>(frame, pc->b), static_cast<type>(pc->imm), static_cast<TrapCode>(pc->c))); \
  VM_NEXT();
#define VM_PREDICATE(name)                                                                                            \
  VM_CASE(Compare##name) frame[pc->a] = is##name<int64_t>(get<int64_t>(frame, pc->b), get<int64_t>(frame, pc->c));    \
  VM_NEXT();                                                                                                          \
  VM_CASE(Compare128##name) frame[pc->a] = is##name<int128>(get<int128>(frame, pc->b), get<int128>(frame, pc->c));    \
  VM_NEXT();                                                                                                          \
  VM_CASE(CompareImmediate##name) frame[pc->a] = is##name<int64_t>(get<int64_t>(frame, pc->b), pc->imm);              \
  VM_NEXT();                                                                                                          \
  VM_CASE(Jump##name) if (is##name<int64_t>(get<int64_t>(frame, pc->a), get<int64_t>(frame, pc->b))) VM_GOTO(pc->lo); \
  VM_NEXT();                                                                                                          \
  VM_CASE(JumpImmediate##name) if (is##name<int64_t>(get<int64_t>(frame, pc->a), pc->lo)) VM_GOTO(pc->hi);            \
  VM_NEXT();
#define VM_FLOAT(name, operation)                                                                         \
  VM_CASE(name) set<double>(frame, pc->a, get<double>(frame, pc->b) operation get<double>(frame, pc->c)); \
  VM_NEXT();
#define VM_FLOAT_COMPARE(name, expression)      \
  VM_CASE(Float##name) {                        \
    const double x = get<double>(frame, pc->b); \
    const double y = get<double>(frame, pc->c); \
    frame[pc->a] = (expression);                \
  }                                             \
  VM_NEXT();
#define VM_ADDRESS (frame[pc->b] + static_cast<uint64_t>(pc->imm))
#define VM_INDEX_ADDRESS                                                               \
  (frame[pc->b] + frame[pc->c] * static_cast<uint64_t>(static_cast<int64_t>(pc->lo)) + \
   static_cast<uint64_t>(static_cast<int64_t>(pc->hi)))
#define VM_LOAD(suffix, type)                                                           \
  VM_CASE(Load##suffix) set<type>(frame, pc->a, loadFrom<type>(VM_ADDRESS));            \
  VM_NEXT();                                                                            \
  VM_CASE(LoadIndex##suffix) set<type>(frame, pc->a, loadFrom<type>(VM_INDEX_ADDRESS)); \
  VM_NEXT();
#define VM_STORE(suffix, type)                                                          \
  VM_CASE(Store##suffix) storeTo<type>(VM_ADDRESS, get<type>(frame, pc->a));            \
  VM_NEXT();                                                                            \
  VM_CASE(StoreIndex##suffix) storeTo<type>(VM_INDEX_ADDRESS, get<type>(frame, pc->a)); \
  VM_NEXT();
#define VM_ADD_JUMP(name)                                                                          \
  VM_CASE(AddJump##name) {                                                                         \
    const auto next = static_cast<int64_t>(frame[pc->b] + static_cast<uint64_t>(int64_t{pc->lo})); \
    frame[pc->b] = static_cast<uint64_t>(next);                                                    \
    if (is##name<int64_t>(next, get<int64_t>(frame, pc->c))) VM_GOTO(pc->hi);                      \
  }                                                                                                \
  VM_NEXT();

void run(const Code& code, const uint64_t* arguments, uint64_t* result) {
  static const void* const kLabels[] = {
#define VM_LABEL(name) &&L_##name,
      GNOMON_VM_OPS(VM_LABEL)
#undef VM_LABEL
  };
  auto* frame = static_cast<uint64_t*>(__builtin_alloca_with_align(code.frame_bytes, 128));
  std::memcpy(frame, arguments, code.argument_slots * sizeof(uint64_t));
  if (!code.constants.empty())
    std::memcpy(frame + code.constant_first, code.constants.data(), code.constants.size() * sizeof(uint64_t));
  const Operation* const first = code.operations.data();
  const Operation* pc = first;
  VM_DISPATCH();

  VM_CASE(Move) frame[pc->a] = frame[pc->b];
  VM_NEXT();
  VM_CASE(Move128) set<int128>(frame, pc->a, get<int128>(frame, pc->b));
  VM_NEXT();
  VM_CASE(Swap) std::swap(frame[pc->a], frame[pc->b]);
  VM_NEXT();

  VM_BINARY(Add)
  VM_BINARY(Sub)
  VM_BINARY(Mul)
  VM_BINARY(SDiv)
  VM_BINARY(SRem)
  VM_BINARY(UDiv)
  VM_BINARY(URem)
  VM_BINARY(And)
  VM_BINARY(Or)
  VM_BINARY(Xor)
  VM_BINARY(Shl)
  VM_BINARY(LShr)
  VM_BINARY(AShr)
  VM_BINARY(RotL)
  VM_UNARY(PopCount)
  VM_UNARY(CountTrailingZeros)

  VM_IMMEDIATE(Add, int32_t, I32)
  VM_IMMEDIATE(Add, int64_t, I64)
  VM_IMMEDIATE(Mul, int32_t, I32)
  VM_IMMEDIATE(Mul, int64_t, I64)
  VM_IMMEDIATE(Shl, int32_t, I32)
  VM_IMMEDIATE(Shl, int64_t, I64)
  VM_IMMEDIATE(LShr, int32_t, I32)
  VM_IMMEDIATE(LShr, int64_t, I64)
  VM_IMMEDIATE(AShr, int32_t, I32)
  VM_IMMEDIATE(AShr, int64_t, I64)
  VM_IMMEDIATE(And, int64_t, I64)
  VM_IMMEDIATE(Or, int64_t, I64)
  VM_IMMEDIATE(Xor, int64_t, I64)

  VM_TRAP(AddTrap)
  VM_TRAP(SubTrap)
  VM_TRAP(MulTrap)
  VM_TRAP(SDivTrap)
  VM_TRAP(SRemTrap)
  VM_TRAP_IMMEDIATE(AddTrap, int32_t, I32)
  VM_TRAP_IMMEDIATE(AddTrap, int64_t, I64)
  VM_TRAP_IMMEDIATE(SubTrap, int32_t, I32)
  VM_TRAP_IMMEDIATE(SubTrap, int64_t, I64)
  VM_TRAP_IMMEDIATE(MulTrap, int32_t, I32)
  VM_TRAP_IMMEDIATE(MulTrap, int64_t, I64)

  VM_PREDICATE(Eq)
  VM_PREDICATE(Ne)
  VM_PREDICATE(Slt)
  VM_PREDICATE(Sle)
  VM_PREDICATE(Sgt)
  VM_PREDICATE(Sge)
  VM_PREDICATE(Ult)
  VM_PREDICATE(Ule)
  VM_PREDICATE(Ugt)
  VM_PREDICATE(Uge)

  VM_FLOAT_COMPARE(Oeq, x == y)
  VM_FLOAT_COMPARE(One, x < y || x > y)
  VM_FLOAT_COMPARE(Olt, x < y)
  VM_FLOAT_COMPARE(Ole, x <= y)
  VM_FLOAT_COMPARE(Ogt, x > y)
  VM_FLOAT_COMPARE(Oge, x >= y)
  VM_FLOAT_COMPARE(Uno, x != x || y != y)
  VM_FLOAT(FAdd, +)
  VM_FLOAT(FSub, -)
  VM_FLOAT(FMul, *)
  VM_FLOAT(FDiv, /)
  VM_CASE(FNeg) frame[pc->a] = frame[pc->b] ^ (uint64_t{1} << 63);
  VM_NEXT();
  VM_CASE(RoundToFloat) set<double>(frame, pc->a, static_cast<double>(static_cast<float>(get<double>(frame, pc->b))));
  VM_NEXT();

  VM_CASE(Select) frame[pc->a] = frame[pc->b] != 0 ? frame[pc->c] : frame[pc->lo];
  VM_NEXT();
  VM_CASE(Select128)
  set<int128>(frame, pc->a, get<int128>(frame, frame[pc->b] != 0 ? pc->c : static_cast<uint32_t>(pc->lo)));
  VM_NEXT();

  VM_CASE(SExtI8) set<int64_t>(frame, pc->a, get<int8_t>(frame, pc->b));
  VM_NEXT();
  VM_CASE(SExtI16) set<int64_t>(frame, pc->a, get<int16_t>(frame, pc->b));
  VM_NEXT();
  VM_CASE(SExtI32) set<int64_t>(frame, pc->a, get<int32_t>(frame, pc->b));
  VM_NEXT();
  VM_CASE(TruncI1) frame[pc->a] = frame[pc->b] & 1;
  VM_NEXT();
  VM_CASE(Negate) frame[pc->a] = 0 - frame[pc->b];
  VM_NEXT();
  VM_CASE(SExt128) set<int128>(frame, pc->a, get<int64_t>(frame, pc->b));
  VM_NEXT();
  VM_CASE(ZExt128) set<uint128>(frame, pc->a, frame[pc->b] & static_cast<uint64_t>(pc->imm));
  VM_NEXT();
  VM_CASE(SIToFP) set<double>(frame, pc->a, static_cast<double>(get<int64_t>(frame, pc->b)));
  VM_NEXT();
  VM_CASE(SIToFP128) set<double>(frame, pc->a, static_cast<double>(get<int128>(frame, pc->b)));
  VM_NEXT();
  VM_CASE(FPToSII8) set<int8_t>(frame, pc->a, ir::saturatingFromDouble<int8_t>(get<double>(frame, pc->b)));
  VM_NEXT();
  VM_CASE(FPToSII16) set<int16_t>(frame, pc->a, ir::saturatingFromDouble<int16_t>(get<double>(frame, pc->b)));
  VM_NEXT();
  VM_CASE(FPToSII32) set<int32_t>(frame, pc->a, ir::saturatingFromDouble<int32_t>(get<double>(frame, pc->b)));
  VM_NEXT();
  VM_CASE(FPToSII64) set<int64_t>(frame, pc->a, ir::saturatingFromDouble<int64_t>(get<double>(frame, pc->b)));
  VM_NEXT();
  VM_CASE(FPToSII128) set<int128>(frame, pc->a, ir::saturatingFromDouble<int128>(get<double>(frame, pc->b)));
  VM_NEXT();
  VM_CASE(MulWide) set<int128>(frame, pc->a, int128{get<int64_t>(frame, pc->b)} * get<int64_t>(frame, pc->c));
  VM_NEXT();
  VM_CASE(Pack128) set<uint128>(frame, pc->a, (uint128{frame[pc->c]} << 64) | frame[pc->b]);
  VM_NEXT();
  VM_CASE(Crc32) frame[pc->a] = crc32(frame[pc->b], frame[pc->c]);
  VM_NEXT();
  VM_CASE(Hash64) frame[pc->a] = hash64(frame[pc->b], frame[pc->c]);
  VM_NEXT();
  VM_CASE(Hash64Seed) frame[pc->a] = hash64(static_cast<uint64_t>(pc->imm), frame[pc->b]);
  VM_NEXT();

  VM_CASE(LoadI1) frame[pc->a] = loadFrom<uint8_t>(VM_ADDRESS) & 1;
  VM_NEXT();
  VM_CASE(LoadIndexI1) frame[pc->a] = loadFrom<uint8_t>(VM_INDEX_ADDRESS) & 1;
  VM_NEXT();
  VM_LOAD(I8, int8_t)
  VM_LOAD(I16, int16_t)
  VM_LOAD(I32, int32_t)
  VM_LOAD(I64, int64_t)
  VM_LOAD(I128, int128)
  VM_CASE(LoadF32) set<double>(frame, pc->a, static_cast<double>(loadFrom<float>(VM_ADDRESS)));
  VM_NEXT();
  VM_CASE(LoadIndexF32) set<double>(frame, pc->a, static_cast<double>(loadFrom<float>(VM_INDEX_ADDRESS)));
  VM_NEXT();
  VM_CASE(LoadAtomicI8) set<int8_t>(frame, pc->a, loadAtomically(VM_ADDRESS));
  VM_NEXT();
  VM_STORE(I8, int8_t)
  VM_STORE(I16, int16_t)
  VM_STORE(I32, int32_t)
  VM_STORE(I64, int64_t)
  VM_STORE(I128, int128)
  VM_CASE(StoreF32) storeTo<float>(VM_ADDRESS, static_cast<float>(get<double>(frame, pc->a)));
  VM_NEXT();
  VM_CASE(StoreIndexF32) storeTo<float>(VM_INDEX_ADDRESS, static_cast<float>(get<double>(frame, pc->a)));
  VM_NEXT();
  VM_CASE(PtrIndex) frame[pc->a] = VM_INDEX_ADDRESS;
  VM_NEXT();
  VM_CASE(FrameAddress) frame[pc->a] = reinterpret_cast<uint64_t>(frame) + static_cast<uint64_t>(pc->imm);
  VM_NEXT();

  VM_CASE(Jump) VM_GOTO(pc->lo);
  VM_CASE(JumpIf) if (frame[pc->a] != 0) VM_GOTO(pc->lo);
  VM_NEXT();
  VM_CASE(JumpIfNot) if (frame[pc->a] == 0) VM_GOTO(pc->lo);
  VM_NEXT();
  VM_ADD_JUMP(Slt)
  VM_ADD_JUMP(Ult)
  VM_ADD_JUMP(Ne)
  VM_CASE(Switch) VM_GOTO(switchTarget(code.switches[static_cast<uint32_t>(pc->lo)], get<int64_t>(frame, pc->a)));
  VM_CASE(CallRuntime) {
    const Code::CallSite& site = code.calls[static_cast<uint32_t>(pc->lo)];
    site.function->thunk(site.function->address, frame, code.call_slots.data() + site.slots_first);
  }
  VM_NEXT();
  VM_CASE(CallFunction) callFunction(code, code.calls[static_cast<uint32_t>(pc->lo)], frame);
  VM_NEXT();
  VM_CASE(ReturnVoid) return;
  VM_CASE(Return) result[0] = frame[pc->a];
  return;
  VM_CASE(Return128) result[0] = frame[pc->a];
  result[1] = frame[pc->a + 1];
  return;
  VM_CASE(Unreachable) CHECK(false, "unreachable code is not reached");
}

}  // namespace gnomon::codegen::vm
