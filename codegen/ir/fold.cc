#include "codegen/ir/fold.h"

#include <bit>

#include "codegen/ir/arithmetic.h"
#include "codegen/ir/hash.h"

namespace gnomon::codegen::ir {
namespace {

int128 signedOf(Type type, uint128 bits) {
  if (type == Type::I128) return static_cast<int128>(bits);
  if (type == Type::I1) return static_cast<int128>(bits & 1);
  return static_cast<int64_t>(bits);
}

/// The value's own bits, zero-extended.
uint128 unsignedOf(Type type, uint128 bits) {
  const unsigned width = bitsOf(type);
  return width == 128 ? bits : bits & ((uint128{1} << width) - 1);
}

double doubleOf(uint128 bits) {
  return std::bit_cast<double>(static_cast<uint64_t>(bits));
}
uint128 bitsOfDouble(double value) {
  return std::bit_cast<uint64_t>(value);
}

uint128 minimumOf(Type type) {
  return canonical(type, uint128{1} << (bitsOf(type) - 1));
}

std::optional<uint128> foldDivision(Opcode opcode, Type type, uint128 a, uint128 b) {
  if (b == 0) return std::nullopt;
  const bool is_overflow = a == minimumOf(type) && signedOf(type, b) == -1;
  switch (opcode) {
    case Opcode::UDiv:
      return canonical(type, unsignedOf(type, a) / unsignedOf(type, b));
    case Opcode::URem:
      return canonical(type, unsignedOf(type, a) % unsignedOf(type, b));
    case Opcode::SRemTrap:
      if (is_overflow) return uint128{0};
      break;
    default:
      if (is_overflow) return std::nullopt;
  }
  const int128 dividend = signedOf(type, a);
  const int128 divisor = signedOf(type, b);
  const bool is_quotient = opcode == Opcode::SDiv || opcode == Opcode::SDivTrap;
  return canonical(type, static_cast<uint128>(is_quotient ? divide(dividend, divisor) : remainder(dividend, divisor)));
}

std::optional<uint128> foldTrap(Opcode opcode, Type type, uint128 a, uint128 b) {
  const int128 left = signedOf(type, a);
  const int128 right = signedOf(type, b);
  int128 result = 0;
  bool is_overflow = false;
  if (opcode == Opcode::AddTrap)
    is_overflow = __builtin_add_overflow(left, right, &result);
  else if (opcode == Opcode::SubTrap)
    is_overflow = __builtin_sub_overflow(left, right, &result);
  else
    is_overflow = __builtin_mul_overflow(left, right, &result);
  const uint128 bits = canonical(type, static_cast<uint128>(result));
  if (is_overflow || signedOf(type, bits) != result) return std::nullopt;
  return bits;
}

uint128 foldShift(Opcode opcode, Type type, uint128 a, uint128 b) {
  const unsigned width = bitsOf(type);
  const auto amount = static_cast<unsigned>(b & (width - 1));
  const uint128 bits = unsignedOf(type, a);
  switch (opcode) {
    case Opcode::Shl:
      return canonical(type, bits << amount);
    case Opcode::LShr:
      return canonical(type, bits >> amount);
    case Opcode::AShr:
      return canonical(type, static_cast<uint128>(signedOf(type, a) >> amount));
    default:
      return canonical(type, amount == 0 ? bits : (bits << amount) | (bits >> (width - amount)));
  }
}

}  // namespace

uint128 canonical(Type type, uint128 bits) {
  switch (type) {
    case Type::I1:
      return bits & 1;
    case Type::I8:
      return static_cast<uint64_t>(int64_t{static_cast<int8_t>(bits)});
    case Type::I16:
      return static_cast<uint64_t>(int64_t{static_cast<int16_t>(bits)});
    case Type::I32:
      return static_cast<uint64_t>(int64_t{static_cast<int32_t>(bits)});
    case Type::I128:
      return bits;
    default:
      return static_cast<uint64_t>(bits);
  }
}

std::optional<uint128> foldBinary(Opcode opcode, Type type, uint128 a, uint128 b) {
  switch (opcode) {
    case Opcode::Add:
      return canonical(type, a + b);
    case Opcode::Sub:
      return canonical(type, a - b);
    case Opcode::Mul:
      return canonical(type, a * b);
    case Opcode::And:
      return a & b;
    case Opcode::Or:
      return a | b;
    case Opcode::Xor:
      return canonical(type, a ^ b);
    case Opcode::Shl:
    case Opcode::LShr:
    case Opcode::AShr:
    case Opcode::RotL:
      return foldShift(opcode, type, a, b);
    case Opcode::SDiv:
    case Opcode::SRem:
    case Opcode::UDiv:
    case Opcode::URem:
    case Opcode::SDivTrap:
    case Opcode::SRemTrap:
      return foldDivision(opcode, type, a, b);
    case Opcode::AddTrap:
    case Opcode::SubTrap:
    case Opcode::MulTrap:
      return foldTrap(opcode, type, a, b);
    case Opcode::FAdd:
      return bitsOfDouble(doubleOf(a) + doubleOf(b));
    case Opcode::FSub:
      return bitsOfDouble(doubleOf(a) - doubleOf(b));
    case Opcode::FMul:
      return bitsOfDouble(doubleOf(a) * doubleOf(b));
    case Opcode::FDiv:
      return bitsOfDouble(doubleOf(a) / doubleOf(b));
    case Opcode::Crc32:
      return crc32(static_cast<uint64_t>(a), static_cast<uint64_t>(b));
    case Opcode::Hash64:
      return hash64(static_cast<uint64_t>(a), static_cast<uint64_t>(b));
    case Opcode::MulWide:
      return static_cast<uint128>(int128{static_cast<int64_t>(a)} * static_cast<int64_t>(b));
    case Opcode::Pack128:
      return static_cast<uint64_t>(a) | (b << 64);
    default:
      return std::nullopt;
  }
}

uint128 foldUnary(Opcode opcode, Type type, uint128 a) {
  switch (opcode) {
    case Opcode::FNeg:
      return bitsOfDouble(-doubleOf(a));
    case Opcode::RoundToFloat:
      return bitsOfDouble(static_cast<double>(static_cast<float>(doubleOf(a))));
    case Opcode::PopCount: {
      const uint128 bits = unsignedOf(type, a);
      return static_cast<uint128>(std::popcount(static_cast<uint64_t>(bits)));
    }
    case Opcode::CountTrailingZeros: {
      const auto bits = static_cast<uint64_t>(unsignedOf(type, a));
      return bits == 0 ? bitsOf(type) : static_cast<uint128>(std::countr_zero(bits));
    }
    case Opcode::Lo64:
      return static_cast<uint64_t>(a);
    default:
      return a >> 64;
  }
}

uint128 foldConvert(Opcode opcode, Type from, Type to, uint128 a) {
  switch (opcode) {
    case Opcode::SExt: {
      const uint128 wide = from == Type::I1 ? uint128{0} - (a & 1) : static_cast<uint128>(signedOf(from, a));
      return canonical(to, wide);
    }
    case Opcode::ZExt:
      return canonical(to, unsignedOf(from, a));
    case Opcode::Trunc:
      return canonical(to, a);
    case Opcode::SIToFP:
      return bitsOfDouble(static_cast<double>(signedOf(from, a)));
    case Opcode::FPToSI: {
      const double value = doubleOf(a);
      switch (to) {
        case Type::I8:
          return canonical(to, static_cast<uint128>(int128{saturatingFromDouble<int8_t>(value)}));
        case Type::I16:
          return canonical(to, static_cast<uint128>(int128{saturatingFromDouble<int16_t>(value)}));
        case Type::I32:
          return canonical(to, static_cast<uint128>(int128{saturatingFromDouble<int32_t>(value)}));
        case Type::I64:
          return canonical(to, static_cast<uint128>(int128{saturatingFromDouble<int64_t>(value)}));
        default:
          return static_cast<uint128>(saturatingFromDouble<int128>(value));
      }
    }
    default:
      return a;
  }
}

bool foldCompare(IntPredicate predicate, Type type, uint128 a, uint128 b) {
  const bool is_pointer = type == Type::Ptr;
  const int128 left = is_pointer ? static_cast<int64_t>(a) : signedOf(type, a);
  const int128 right = is_pointer ? static_cast<int64_t>(b) : signedOf(type, b);
  const uint128 low = is_pointer ? a : unsignedOf(type, a);
  const uint128 high = is_pointer ? b : unsignedOf(type, b);
  switch (predicate) {
    case IntPredicate::Eq:
      return low == high;
    case IntPredicate::Ne:
      return low != high;
    case IntPredicate::Slt:
      return left < right;
    case IntPredicate::Sle:
      return left <= right;
    case IntPredicate::Sgt:
      return left > right;
    case IntPredicate::Sge:
      return left >= right;
    case IntPredicate::Ult:
      return low < high;
    case IntPredicate::Ule:
      return low <= high;
    case IntPredicate::Ugt:
      return low > high;
    case IntPredicate::Uge:
      return low >= high;
  }
  return false;
}

bool foldCompare(FloatPredicate predicate, uint128 a, uint128 b) {
  const double left = doubleOf(a);
  const double right = doubleOf(b);
  switch (predicate) {
    case FloatPredicate::Oeq:
      return left == right;
    case FloatPredicate::One:
      return left < right || left > right;
    case FloatPredicate::Olt:
      return left < right;
    case FloatPredicate::Ole:
      return left <= right;
    case FloatPredicate::Ogt:
      return left > right;
    case FloatPredicate::Oge:
      return left >= right;
    case FloatPredicate::Uno:
      return left != left || right != right;
  }
  return false;
}

}  // namespace gnomon::codegen::ir
