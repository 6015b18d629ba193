#include "codegen/runtime/trigonometry.h"

#include <cmath>
#include <limits>

#include "base/sql_error.h"
#include "codegen/runtime/math_runtime.h"

namespace gnomon::codegen::rt {
namespace {

constexpr double kRadiansPerDegree = 0.0174532925199432957692;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

[[noreturn]] void throwInput() {
  throw SqlError(sqlstate::kNumericValueOutOfRange, "input is out of range");
}

[[noreturn]] void throwOverflow() {
  throw SqlError(sqlstate::kNumericValueOutOfRange, "value out of range: overflow");
}

[[noreturn]] void throwUnderflow() {
  throw SqlError(sqlstate::kNumericValueOutOfRange, "value out of range: underflow");
}

double finite(double result) {
  if (std::isinf(result)) throwOverflow();
  return result;
}

void requireFinite(double number) {
  if (std::isinf(number)) throwInput();
}

/// What the functions of degrees are scaled by, computed by the library that computes them: so the results at these
/// angles are exact. Volatile inputs keep the compiler from computing them in its own way.
struct Scales {
  double sine_thirty;
  double one_minus_cosine_sixty;
  double arc_sine_half;
  double arc_cosine_half;
  double arc_tangent_one;

  Scales() {
    const volatile double thirty = 30;
    const volatile double sixty = 60;
    const volatile double half = 0.5;
    const volatile double one = 1;
    sine_thirty = std::sin(thirty * kRadiansPerDegree);
    one_minus_cosine_sixty = 1.0 - std::cos(sixty * kRadiansPerDegree);
    arc_sine_half = std::asin(half);
    arc_cosine_half = std::acos(half);
    arc_tangent_one = std::atan(one);
  }
};

const Scales& scales() {
  static const Scales made;
  return made;
}

/// The first quadrant: of numbers from 0 to 1.
double arcSineQuadrant(double number) {
  if (number <= 0.5) return std::asin(number) / scales().arc_sine_half * 30.0;
  return 90.0 - std::acos(number) / scales().arc_cosine_half * 60.0;
}

double arcCosineQuadrant(double number) {
  if (number <= 0.5) return 90.0 - std::asin(number) / scales().arc_sine_half * 30.0;
  return std::acos(number) / scales().arc_cosine_half * 60.0;
}

double sineUpToThirty(double degrees) {
  return std::sin(degrees * kRadiansPerDegree) / scales().sine_thirty / 2.0;
}

double cosineUpToSixty(double degrees) {
  return 1.0 - (1.0 - std::cos(degrees * kRadiansPerDegree)) / scales().one_minus_cosine_sixty / 2.0;
}

/// Of 0 to 90 degrees.
double sineQuadrant(double degrees) {
  return degrees <= 30 ? sineUpToThirty(degrees) : cosineUpToSixty(90 - degrees);
}

double cosineQuadrant(double degrees) {
  return degrees <= 60 ? cosineUpToSixty(degrees) : sineUpToThirty(90 - degrees);
}

/// The angle brought into the first quadrant, and the sign of a function there: `flips` at 0, 180 and 90 degrees.
struct Folded {
  double degrees;
  int sign = 1;

  Folded(double angle, bool flips_at_zero, bool flips_at_half, bool flips_at_quarter)
      : degrees(std::fmod(angle, 360.0)) {
    if (degrees < 0) fold(-degrees, flips_at_zero);
    if (degrees > 180) fold(360.0 - degrees, flips_at_half);
    if (degrees > 90) fold(180.0 - degrees, flips_at_quarter);
  }

 private:
  void fold(double angle, bool flips) {
    degrees = angle;
    if (flips) sign = -sign;
  }
};

/// Without the sign of zero.
double withoutMinusZero(double number) {
  return number == 0 ? 0 : number;
}

}  // namespace

double cubeRootDouble(double number) {
  const double result = std::cbrt(number);
  if (std::isinf(result) && !std::isinf(number)) throwOverflow();
  if (result == 0 && number != 0) throwUnderflow();
  return result;
}

double degreesDouble(double radians) {
  return divideDouble(radians, kRadiansPerDegree);
}

double radiansDouble(double degrees) {
  return multiplyDouble(degrees, kRadiansPerDegree);
}

double sineDouble(double radians) {
  requireFinite(radians);
  return std::sin(radians);
}

double cosineDouble(double radians) {
  requireFinite(radians);
  return std::cos(radians);
}

double tangentDouble(double radians) {
  requireFinite(radians);
  return std::tan(radians);
}

double cotangentDouble(double radians) {
  requireFinite(radians);
  return 1.0 / std::tan(radians);
}

double arcSineDouble(double number) {
  if (number < -1 || number > 1) throwInput();
  return std::asin(number);
}

double arcCosineDouble(double number) {
  if (number < -1 || number > 1) throwInput();
  return std::acos(number);
}

double arcTangentDouble(double number) {
  return std::atan(number);
}

double arcTangentOfQuotient(double y, double x) {
  return std::atan2(y, x);
}

double sineOfDegrees(double degrees) {
  if (std::isnan(degrees)) return degrees;
  requireFinite(degrees);
  const Folded folded(degrees, true, true, false);
  return folded.sign * sineQuadrant(folded.degrees);
}

double cosineOfDegrees(double degrees) {
  if (std::isnan(degrees)) return degrees;
  requireFinite(degrees);
  const Folded folded(degrees, false, false, true);
  return folded.sign * cosineQuadrant(folded.degrees);
}

double tangentOfDegrees(double degrees) {
  if (std::isnan(degrees)) return degrees;
  requireFinite(degrees);
  static const double tangent_of_45 = sineQuadrant(45) / cosineQuadrant(45);
  const Folded folded(degrees, true, true, true);
  const double tangent = sineQuadrant(folded.degrees) / cosineQuadrant(folded.degrees);
  return withoutMinusZero(folded.sign * (tangent / tangent_of_45));
}

double cotangentOfDegrees(double degrees) {
  if (std::isnan(degrees)) return degrees;
  requireFinite(degrees);
  static const double cotangent_of_45 = cosineQuadrant(45) / sineQuadrant(45);
  const Folded folded(degrees, true, true, true);
  const double cotangent = cosineQuadrant(folded.degrees) / sineQuadrant(folded.degrees);
  return withoutMinusZero(folded.sign * (cotangent / cotangent_of_45));
}

double arcSineInDegrees(double number) {
  if (std::isnan(number)) return number;
  if (number < -1 || number > 1) throwInput();
  return number >= 0 ? arcSineQuadrant(number) : -arcSineQuadrant(-number);
}

double arcCosineInDegrees(double number) {
  if (std::isnan(number)) return number;
  if (number < -1 || number > 1) throwInput();
  return number >= 0 ? arcCosineQuadrant(number) : 90.0 + arcSineQuadrant(-number);
}

double arcTangentInDegrees(double number) {
  return finite(std::atan(number) / scales().arc_tangent_one * 45.0);
}

double arcTangentOfQuotientInDegrees(double y, double x) {
  return finite(std::atan2(y, x) / scales().arc_tangent_one * 45.0);
}

double hyperbolicSine(double number) {
  return std::sinh(number);
}

double hyperbolicCosine(double number) {
  return std::cosh(number);
}

double hyperbolicTangent(double number) {
  return std::tanh(number);
}

double inverseHyperbolicSine(double number) {
  return std::asinh(number);
}

double inverseHyperbolicCosine(double number) {
  if (number < 1) throwInput();
  return std::acosh(number);
}

double inverseHyperbolicTangent(double number) {
  if (number < -1 || number > 1) throwInput();
  if (number == -1) return -kInfinity;
  return number == 1 ? kInfinity : std::atanh(number);
}

}  // namespace gnomon::codegen::rt
