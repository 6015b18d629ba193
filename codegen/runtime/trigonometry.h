#pragma once

namespace gnomon::codegen::rt {

/// Of double precision, with PostgreSQL's digits (float.c) and its errors: 22003 "input is out of range", "value out of
/// range: overflow" or "underflow". NaN gives NaN.
double cubeRootDouble(double number);
double degreesDouble(double radians);
double radiansDouble(double degrees);
double sineDouble(double radians);
double cosineDouble(double radians);
double tangentDouble(double radians);
double cotangentDouble(double radians);
double arcSineDouble(double number);
double arcCosineDouble(double number);
double arcTangentDouble(double number);
double arcTangentOfQuotient(double y, double x);
/// In degrees, exact where the result is.
double sineOfDegrees(double degrees);
double cosineOfDegrees(double degrees);
double tangentOfDegrees(double degrees);
double cotangentOfDegrees(double degrees);
double arcSineInDegrees(double number);
double arcCosineInDegrees(double number);
double arcTangentInDegrees(double number);
double arcTangentOfQuotientInDegrees(double y, double x);
double hyperbolicSine(double number);
double hyperbolicCosine(double number);
double hyperbolicTangent(double number);
double inverseHyperbolicSine(double number);
double inverseHyperbolicCosine(double number);
double inverseHyperbolicTangent(double number);

}  // namespace gnomon::codegen::rt
