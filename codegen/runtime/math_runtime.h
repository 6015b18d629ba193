#pragma once

#include <cstdint>

namespace gnomon::codegen::rt {

/// double precision arithmetic with PostgreSQL's errors: 22003 "value out of range: overflow" or "underflow", 22012.
double addDouble(double left, double right);
double subtractDouble(double left, double right);
double multiplyDouble(double left, double right);
double divideDouble(double left, double right);
/// The same for real: arguments and results are doubles that hold a float.
double addReal(double left, double right);
double subtractReal(double left, double right);
double multiplyReal(double left, double right);
double divideReal(double left, double right);

/// Failure: 2201F (power, square root of a negative), 2201E (logarithm of zero or less), 22003.
double powerDouble(double base, double exponent);
double squareRootDouble(double number);
double exponentialDouble(double number);
double naturalLogarithmDouble(double number);
double logarithmDouble(double number);
double ceilingDouble(double number);
double floorDouble(double number);
/// Half to even.
double roundDouble(double number);
double truncateDouble(double number);
double signDouble(double number);

/// NaN equals NaN and is the greatest. -1, 0, 1.
int32_t compareDoubles(double left, double right);
/// 0.0 and -0.0 are equal, all NaN are.
uint64_t hashDouble(double number);

/// Remainders: INT_MIN % -1 is 0. Failure: 22012.
int64_t moduloInteger(int64_t left, int64_t right);

}  // namespace gnomon::codegen::rt
