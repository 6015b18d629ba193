#pragma once

#include <optional>

#include "base/int128.h"
#include "codegen/ir/opcode.h"
#include "codegen/ir/type.h"

namespace gnomon::codegen::ir {

/// The instruction set's semantics on constants. A constant's bits are canonical: i1 is 0 or 1, i8 to i64 are
/// sign-extended to 64 bits, above them zeroes; f64 and ptr are their bits.
[[nodiscard]] uint128 canonical(Type type, uint128 bits);

/// Nothing when the instruction would trap or is undefined for the operands.
[[nodiscard]] std::optional<uint128> foldBinary(Opcode opcode, Type type, uint128 a, uint128 b);
[[nodiscard]] uint128 foldUnary(Opcode opcode, Type type, uint128 a);
[[nodiscard]] uint128 foldConvert(Opcode opcode, Type from, Type to, uint128 a);
[[nodiscard]] bool foldCompare(IntPredicate predicate, Type type, uint128 a, uint128 b);
[[nodiscard]] bool foldCompare(FloatPredicate predicate, uint128 a, uint128 b);

}  // namespace gnomon::codegen::ir
