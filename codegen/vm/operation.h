#pragma once

#include <cstdint>
#include <string_view>

namespace gnomon::codegen::vm {

/// The bytecode. a is the destination slot (of stores: the value), b and c are source slots; a, b, c index 64-bit slots
/// of the frame, an i128 takes two. `imm` is a 64-bit constant, or `lo` and `hi` are two 32-bit ones.
///
/// GNOMON_VM_WIDTHS makes one operation per integer type, in the order of ir::Type; ..._PREDICATES one per predicate in
/// the order of ir::IntPredicate.
// clang-format off
#define GNOMON_VM_WIDTHS(X, name) X(name##I8) X(name##I16) X(name##I32) X(name##I64) X(name##I128)
#define GNOMON_VM_TRAP_WIDTHS(X, name) X(name##I16) X(name##I32) X(name##I64) X(name##I128)
#define GNOMON_VM_PREDICATES(X, name) X(name##Eq) X(name##Ne) X(name##Slt) X(name##Sle) X(name##Sgt) X(name##Sge) \
  X(name##Ult) X(name##Ule) X(name##Ugt) X(name##Uge)

#define GNOMON_VM_OPS(X)                                                                            \
  X(Move) X(Move128) X(Swap)                                                                        \
  GNOMON_VM_WIDTHS(X, Add) GNOMON_VM_WIDTHS(X, Sub) GNOMON_VM_WIDTHS(X, Mul)                        \
  GNOMON_VM_WIDTHS(X, SDiv) GNOMON_VM_WIDTHS(X, SRem) GNOMON_VM_WIDTHS(X, UDiv)                     \
  GNOMON_VM_WIDTHS(X, URem) GNOMON_VM_WIDTHS(X, And) GNOMON_VM_WIDTHS(X, Or)                        \
  GNOMON_VM_WIDTHS(X, Xor) GNOMON_VM_WIDTHS(X, Shl) GNOMON_VM_WIDTHS(X, LShr)                       \
  GNOMON_VM_WIDTHS(X, AShr) GNOMON_VM_WIDTHS(X, RotL)                                               \
  GNOMON_VM_WIDTHS(X, PopCount) GNOMON_VM_WIDTHS(X, CountTrailingZeros)                             \
  /* a = b op imm */                                                                                \
  X(AddImmediateI32) X(AddImmediateI64) X(MulImmediateI32) X(MulImmediateI64)                       \
  X(ShlImmediateI32) X(ShlImmediateI64) X(LShrImmediateI32) X(LShrImmediateI64)                     \
  X(AShrImmediateI32) X(AShrImmediateI64)                                                           \
  X(AndImmediateI64) X(OrImmediateI64) X(XorImmediateI64)                                           \
  /* imm = TrapCode */                                                                              \
  GNOMON_VM_TRAP_WIDTHS(X, AddTrap) GNOMON_VM_TRAP_WIDTHS(X, SubTrap)                               \
  GNOMON_VM_TRAP_WIDTHS(X, MulTrap) GNOMON_VM_TRAP_WIDTHS(X, SDivTrap)                              \
  GNOMON_VM_TRAP_WIDTHS(X, SRemTrap)                                                                \
  /* a = b op imm, c = TrapCode */                                                                  \
  X(AddTrapImmediateI32) X(AddTrapImmediateI64) X(SubTrapImmediateI32) X(SubTrapImmediateI64)       \
  X(MulTrapImmediateI32) X(MulTrapImmediateI64)                                                     \
  GNOMON_VM_PREDICATES(X, Compare) GNOMON_VM_PREDICATES(X, Compare128)                              \
  GNOMON_VM_PREDICATES(X, CompareImmediate)                                                         \
  X(FloatOeq) X(FloatOne) X(FloatOlt) X(FloatOle) X(FloatOgt) X(FloatOge) X(FloatUno)               \
  X(FAdd) X(FSub) X(FMul) X(FDiv) X(FNeg) X(RoundToFloat)                                           \
  /* a = b ? c : imm (a slot) */                                                                    \
  X(Select) X(Select128)                                                                            \
  X(SExtI8) X(SExtI16) X(SExtI32) X(TruncI1) X(Negate)                                              \
  X(SExt128) X(ZExt128)                                                                             \
  X(SIToFP) X(SIToFP128) GNOMON_VM_WIDTHS(X, FPToSI)                                                \
  X(MulWide) X(Pack128) X(Crc32) X(Hash64) X(Hash64Seed)                                            \
  /* address b + imm */                                                                             \
  X(LoadI1) X(LoadI8) X(LoadI16) X(LoadI32) X(LoadI64) X(LoadI128) X(LoadF32)                       \
  X(StoreI8) X(StoreI16) X(StoreI32) X(StoreI64) X(StoreI128) X(StoreF32)                           \
  /* address b + c * lo + hi, in the order of those above */                                        \
  X(LoadIndexI1) X(LoadIndexI8) X(LoadIndexI16) X(LoadIndexI32) X(LoadIndexI64) X(LoadIndexI128)    \
  X(LoadIndexF32)                                                                                   \
  X(StoreIndexI8) X(StoreIndexI16) X(StoreIndexI32) X(StoreIndexI64) X(StoreIndexI128)              \
  X(StoreIndexF32)                                                                                  \
  /* address b + imm */                                                                             \
  X(LoadAtomicI8)                                                                                   \
  X(PtrIndex) X(FrameAddress)                                                                       \
  /* lo = target */                                                                                 \
  X(Jump) X(JumpIf) X(JumpIfNot)                                                                    \
  /* if a op b goto lo; if a op lo goto hi */                                                       \
  GNOMON_VM_PREDICATES(X, Jump) GNOMON_VM_PREDICATES(X, JumpImmediate)                              \
  /* b = b + lo (i64), then if b op c goto hi */                                                    \
  X(AddJumpSlt) X(AddJumpUlt) X(AddJumpNe)                                                          \
  /* lo = index of a table of the code */                                                           \
  X(Switch) X(CallRuntime) X(CallFunction)                                                          \
  X(ReturnVoid) X(Return) X(Return128) X(Unreachable)
// clang-format on

enum class Op : uint16_t {
#define GNOMON_VM_ENUM(name) name,
  GNOMON_VM_OPS(GNOMON_VM_ENUM)
#undef GNOMON_VM_ENUM
      Count
};

[[nodiscard]] constexpr std::string_view nameOf(Op op) {
  constexpr std::string_view names[] = {
#define GNOMON_VM_NAME(name) #name,
      GNOMON_VM_OPS(GNOMON_VM_NAME)
#undef GNOMON_VM_NAME
  };
  return names[static_cast<unsigned>(op)];
}

/// One bytecode operation.
struct Operation {
  Op op;
  uint16_t a = 0;
  uint16_t b = 0;
  uint16_t c = 0;
  union {
    int64_t imm = 0;
    struct {
      int32_t lo;
      int32_t hi;
    };
  };
};
static_assert(sizeof(Operation) == 16);

}  // namespace gnomon::codegen::vm
