#pragma once

#include <cstddef>
#include <string_view>

namespace gnomon::sql {

/// real and double precision from text: what strtod takes, and inf, infinity, nan in any case.
/// Failure: 22P02; 22003 when the number overflows or vanishes to zero.
float parseReal(std::string_view text);
double parseDouble(std::string_view text);

/// Writes the shortest decimal that reads back as the same number, as PostgreSQL with extra_float_digits = 1, at `out`
/// (room for kFloatTextBytesMax bytes) and returns the end.
char* printReal(float number, char* out);
char* printDouble(double number, char* out);
inline constexpr size_t kFloatTextBytesMax = 32;

/// Comparison as PostgreSQL's: NaN equals NaN and is greater than any other number. -1, 0, 1.
int compareDouble(double left, double right);

}  // namespace gnomon::sql
