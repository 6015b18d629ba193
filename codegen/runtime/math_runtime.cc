#include "codegen/runtime/math_runtime.h"

#include <bit>
#include <cerrno>
#include <cmath>

#include "base/sql_error.h"
#include "sql/types/floating.h"
#include "sql/types/hash.h"

namespace gnomon::codegen::rt {
namespace {

[[noreturn]] void throwOverflow() {
  throw SqlError(sqlstate::kNumericValueOutOfRange, "value out of range: overflow");
}

[[noreturn]] void throwUnderflow() {
  throw SqlError(sqlstate::kNumericValueOutOfRange, "value out of range: underflow");
}

[[noreturn]] void throwDivisionByZero() {
  throw SqlError(sqlstate::kDivisionByZero, "division by zero");
}

template <typename Float>
Float checkedSum(Float result, Float left, Float right) {
  if (std::isinf(result) && !std::isinf(left) && !std::isinf(right)) [[unlikely]]
    throwOverflow();
  return result;
}

template <typename Float>
Float checkedProduct(Float left, Float right) {
  const Float result = left * right;
  if (std::isinf(result) && !std::isinf(left) && !std::isinf(right)) [[unlikely]]
    throwOverflow();
  if (result == 0 && left != 0 && right != 0) [[unlikely]]
    throwUnderflow();
  return result;
}

template <typename Float>
Float checkedQuotient(Float left, Float right) {
  if (right == 0 && !std::isnan(left)) [[unlikely]]
    throwDivisionByZero();
  const Float result = left / right;
  if (std::isinf(result) && !std::isinf(left)) [[unlikely]]
    throwOverflow();
  if (result == 0 && left != 0 && !std::isinf(right)) [[unlikely]]
    throwUnderflow();
  return result;
}

void checkLogarithmArgument(double number) {
  if (number == 0) throw SqlError(sqlstate::kInvalidArgumentForLogarithm, "cannot take logarithm of zero");
  if (number < 0) throw SqlError(sqlstate::kInvalidArgumentForLogarithm, "cannot take logarithm of a negative number");
}

[[noreturn]] void throwPower(const char* message) {
  throw SqlError(sqlstate::kInvalidArgumentForPowerFunction, message);
}

}  // namespace

double addDouble(double left, double right) {
  return checkedSum(left + right, left, right);
}

double subtractDouble(double left, double right) {
  return checkedSum(left - right, left, right);
}

double multiplyDouble(double left, double right) {
  return checkedProduct(left, right);
}

double divideDouble(double left, double right) {
  return checkedQuotient(left, right);
}

double addReal(double left, double right) {
  const auto first = static_cast<float>(left);
  const auto second = static_cast<float>(right);
  return static_cast<double>(checkedSum(first + second, first, second));
}

double subtractReal(double left, double right) {
  return addReal(left, -right);
}

double multiplyReal(double left, double right) {
  return static_cast<double>(checkedProduct(static_cast<float>(left), static_cast<float>(right)));
}

double divideReal(double left, double right) {
  return static_cast<double>(checkedQuotient(static_cast<float>(left), static_cast<float>(right)));
}

double powerDouble(double base, double exponent) {
  if (std::isnan(base)) return exponent == 0 ? 1.0 : base;
  if (std::isnan(exponent)) return base == 1 ? 1.0 : exponent;
  if (base == 0 && exponent < 0) throwPower("zero raised to a negative power is undefined");
  if (base < 0 && std::floor(exponent) != exponent)
    throwPower("a negative number raised to a non-integer power yields a complex result");
  const double result = std::pow(base, exponent);
  if (std::isinf(base) || std::isinf(exponent)) return result;
  if (std::isinf(result)) throwOverflow();
  if (result == 0 && base != 0) throwUnderflow();
  return result;
}

double squareRootDouble(double number) {
  if (number < 0) throwPower("cannot take square root of a negative number");
  return std::sqrt(number);
}

double exponentialDouble(double number) {
  if (std::isnan(number)) return number;
  if (std::isinf(number)) return number > 0 ? number : 0;
  const double result = std::exp(number);
  if (std::isinf(result)) throwOverflow();
  if (result == 0) throwUnderflow();
  return result;
}

double naturalLogarithmDouble(double number) {
  checkLogarithmArgument(number);
  return std::log(number);
}

double logarithmDouble(double number) {
  checkLogarithmArgument(number);
  return std::log10(number);
}

double ceilingDouble(double number) {
  return std::ceil(number);
}

double floorDouble(double number) {
  return std::floor(number);
}

double roundDouble(double number) {
  return std::rint(number);
}

double truncateDouble(double number) {
  return std::trunc(number);
}

double signDouble(double number) {
  return number > 0 ? 1 : number < 0 ? -1 : 0;
}

int32_t compareDoubles(double left, double right) {
  return sql::compareDouble(left, right);
}

uint64_t hashDouble(double number) {
  if (std::isnan(number)) return sql::mixHash(1);
  return sql::mixHash(std::bit_cast<uint64_t>(number == 0 ? 0.0 : number));
}

int64_t moduloInteger(int64_t left, int64_t right) {
  if (right == 0) throwDivisionByZero();
  return right == -1 ? 0 : left % right;
}

}  // namespace gnomon::codegen::rt
