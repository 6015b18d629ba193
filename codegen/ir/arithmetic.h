#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/int128.h"

namespace gnomon::codegen::ir {

/// The parts of the instruction set's semantics that C++ has no operator for, shared by the folder and both back ends.

/// Towards zero; saturates; NaN gives 0.
template <typename T>
[[nodiscard]] inline T saturatingFromDouble(double value) {
  constexpr T minimum = static_cast<T>(T{1} << (sizeof(T) * 8 - 2)) * -2;
  constexpr T maximum = ~minimum;
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(minimum)) return minimum;
  // The maximum of a wide type rounds up to a power of two, the first double out of range.
  if (value >= static_cast<double>(maximum)) return maximum;
  return static_cast<T>(value);
}

/// 128-bit division, quick when both sides fit 64 bits (`divisor` is not zero, not MIN / -1).
[[nodiscard]] inline int128 divide(int128 dividend, int128 divisor) {
  const auto a = static_cast<int64_t>(dividend);
  const auto b = static_cast<int64_t>(divisor);
  if (dividend == a && divisor == b && a != std::numeric_limits<int64_t>::min()) [[likely]]
    return a / b;
  return dividend / divisor;
}
[[nodiscard]] inline int128 remainder(int128 dividend, int128 divisor) {
  const auto a = static_cast<int64_t>(dividend);
  const auto b = static_cast<int64_t>(divisor);
  if (dividend == a && divisor == b && a != std::numeric_limits<int64_t>::min()) [[likely]]
    return a % b;
  return dividend % divisor;
}

}  // namespace gnomon::codegen::ir
