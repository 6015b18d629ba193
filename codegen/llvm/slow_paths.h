#pragma once

#include <cstdint>

#include "base/int128.h"

namespace gnomon::codegen::jit {

/// 128-bit arithmetic too long to be emitted in line; called by machine code.
int128 divideSigned(int128 dividend, int128 divisor) noexcept;
int128 remainderSigned(int128 dividend, int128 divisor) noexcept;
uint128 divideUnsigned(uint128 dividend, uint128 divisor) noexcept;
uint128 remainderUnsigned(uint128 dividend, uint128 divisor) noexcept;
double toDouble(int128 value) noexcept;
int128 fromDouble(double value) noexcept;
/// Calls raiseTrap(code) on overflow.
int128 multiplyOrTrap(int128 a, int128 b, uint8_t code);

}  // namespace gnomon::codegen::jit
