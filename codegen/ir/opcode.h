#pragma once

#include <cstdint>
#include <string_view>

namespace gnomon::codegen::ir {

/// Where the operands of an opcode lie and how its text reads; README.md has the semantics.
enum class Shape : uint8_t {
  Leaf,      ///< argument, constant
  Phi,       ///< %r = phi T [b1: x], [b2: y]
  Unary,     ///< %r = op T x                operand of the result's type
  Binary,    ///< %r = op T x, y             operands of the result's type
  Shift,     ///< %r = op T x, y             as Binary; amount modulo the width
  Trap,      ///< %r = op T x, y, TrapCode
  Compare,   ///< %r = op predicate T x, y
  Select,    ///< %r = select T c, x, y
  Convert,   ///< %r = op S x to T
  Load,      ///< %r = op T p, offset
  Store,     ///< op T x, p, offset
  PtrAdd,    ///< %r = ptradd p, i
  PtrIndex,  ///< %r = ptrindex p, i, scale, offset
  Alloca,    ///< %r = alloca bytes
  Call,      ///< %r = op T @name(x, y)
  Br,        ///< br b
  CondBr,    ///< condbr c, b1, b2 [likely|unlikely]
  Switch,    ///< switch T x, b [1: b1, 2: b2]
  Ret,       ///< ret T x | ret void
  Unreachable
};

[[nodiscard]] constexpr uint8_t operandMask(Shape shape) {
  switch (shape) {
    case Shape::Unary:
    case Shape::Convert:
    case Shape::Load:
    case Shape::CondBr:
    case Shape::Switch:
    case Shape::Ret:
      return 1;
    case Shape::Binary:
    case Shape::Shift:
    case Shape::Trap:
    case Shape::Compare:
    case Shape::Store:
    case Shape::PtrAdd:
    case Shape::PtrIndex:
      return 3;
    case Shape::Select:
      return 7;
    default:
      return 0;
  }
}

// clang-format off
#define GNOMON_IR_OPCODES(X)                \
  X(Argument, "argument", Leaf)             \
  X(Constant, "constant", Leaf)             \
  X(Phi, "phi", Phi)                        \
  X(Add, "add", Binary)                     \
  X(Sub, "sub", Binary)                     \
  X(Mul, "mul", Binary)                     \
  X(SDiv, "sdiv", Binary)                   \
  X(SRem, "srem", Binary)                   \
  X(UDiv, "udiv", Binary)                   \
  X(URem, "urem", Binary)                   \
  X(And, "and", Binary)                     \
  X(Or, "or", Binary)                       \
  X(Xor, "xor", Binary)                     \
  X(Shl, "shl", Shift)                      \
  X(LShr, "lshr", Shift)                    \
  X(AShr, "ashr", Shift)                    \
  X(RotL, "rotl", Shift)                    \
  X(FAdd, "fadd", Binary)                   \
  X(FSub, "fsub", Binary)                   \
  X(FMul, "fmul", Binary)                   \
  X(FDiv, "fdiv", Binary)                   \
  X(FNeg, "fneg", Unary)                    \
  X(RoundToFloat, "roundtofloat", Unary)    \
  X(PopCount, "popcount", Unary)            \
  X(CountTrailingZeros, "ctz", Unary)       \
  X(AddTrap, "addtrap", Trap)               \
  X(SubTrap, "subtrap", Trap)               \
  X(MulTrap, "multrap", Trap)               \
  X(SDivTrap, "sdivtrap", Trap)             \
  X(SRemTrap, "sremtrap", Trap)             \
  X(Crc32, "crc32", Binary)                 \
  X(Hash64, "hash64", Binary)               \
  X(MulWide, "mulwide", Binary)             \
  X(Pack128, "pack128", Binary)             \
  X(Lo64, "lo64", Unary)                    \
  X(Hi64, "hi64", Unary)                    \
  X(ICmp, "icmp", Compare)                  \
  X(FCmp, "fcmp", Compare)                  \
  X(Select, "select", Select)               \
  X(SExt, "sext", Convert)                  \
  X(ZExt, "zext", Convert)                  \
  X(Trunc, "trunc", Convert)                \
  X(SIToFP, "sitofp", Convert)              \
  X(FPToSI, "fptosi", Convert)              \
  X(Bitcast, "bitcast", Convert)            \
  X(Load, "load", Load)                     \
  X(LoadF32, "loadf32", Load)               \
  X(LoadAtomic, "loadatomic", Load)         \
  X(Store, "store", Store)                  \
  X(StoreF32, "storef32", Store)            \
  X(PtrAdd, "ptradd", PtrAdd)               \
  X(PtrIndex, "ptrindex", PtrIndex)         \
  X(Alloca, "alloca", Alloca)               \
  X(Call, "call", Call)                     \
  X(CallRuntime, "callrt", Call)            \
  X(Br, "br", Br)                           \
  X(CondBr, "condbr", CondBr)               \
  X(Switch, "switch", Switch)               \
  X(Ret, "ret", Ret)                        \
  X(Unreachable, "unreachable", Unreachable)
// clang-format on

enum class Opcode : uint8_t {
#define GNOMON_IR_ENUM(name, text, shape) name,
  GNOMON_IR_OPCODES(GNOMON_IR_ENUM)
#undef GNOMON_IR_ENUM
      Count
};

[[nodiscard]] constexpr std::string_view nameOf(Opcode opcode) {
  constexpr std::string_view names[] = {
#define GNOMON_IR_NAME(name, text, shape) text,
      GNOMON_IR_OPCODES(GNOMON_IR_NAME)
#undef GNOMON_IR_NAME
  };
  return names[static_cast<unsigned>(opcode)];
}

[[nodiscard]] constexpr Shape shapeOf(Opcode opcode) {
  constexpr Shape shapes[] = {
#define GNOMON_IR_SHAPE(name, text, shape) Shape::shape,
      GNOMON_IR_OPCODES(GNOMON_IR_SHAPE)
#undef GNOMON_IR_SHAPE
  };
  return shapes[static_cast<unsigned>(opcode)];
}

/// Which of an instruction's fields a, b, c are value operands (bits 0 to 2); phis and calls have lists instead. A
/// table, since passes ask it of every instruction.
[[nodiscard]] constexpr uint8_t operandMask(Opcode opcode) {
  constexpr uint8_t masks[] = {
#define GNOMON_IR_MASK(name, text, shape) operandMask(Shape::shape),
      GNOMON_IR_OPCODES(GNOMON_IR_MASK)
#undef GNOMON_IR_MASK
  };
  return masks[static_cast<unsigned>(opcode)];
}

[[nodiscard]] constexpr bool isTerminator(Opcode opcode) {
  return opcode >= Opcode::Br;
}

/// Integer and pointer comparison.
enum class IntPredicate : uint8_t { Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge };
/// Comparison of f64: ordered ones are false when a side is NaN; Uno is true exactly then.
enum class FloatPredicate : uint8_t { Oeq, One, Olt, Ole, Ogt, Oge, Uno };

/// Which way a conditional branch usually goes.
enum class BranchWeight : uint8_t { None, Likely, Unlikely };

}  // namespace gnomon::codegen::ir
