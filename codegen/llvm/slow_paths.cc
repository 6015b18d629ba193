#include "codegen/llvm/slow_paths.h"

#include "codegen/ir/arithmetic.h"
#include "codegen/ir/trap.h"

namespace gnomon::codegen::jit {

int128 divideSigned(int128 dividend, int128 divisor) noexcept {
  return ir::divide(dividend, divisor);
}
int128 remainderSigned(int128 dividend, int128 divisor) noexcept {
  return ir::remainder(dividend, divisor);
}
uint128 divideUnsigned(uint128 dividend, uint128 divisor) noexcept {
  return dividend / divisor;
}
uint128 remainderUnsigned(uint128 dividend, uint128 divisor) noexcept {
  return dividend % divisor;
}
double toDouble(int128 value) noexcept {
  return static_cast<double>(value);
}
int128 fromDouble(double value) noexcept {
  return ir::saturatingFromDouble<int128>(value);
}

int128 multiplyOrTrap(int128 a, int128 b, uint8_t code) {
  int128 result;
  if (__builtin_mul_overflow(a, b, &result)) raiseTrap(static_cast<TrapCode>(code));
  return result;
}

}  // namespace gnomon::codegen::jit
