#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sql/functions/picture.h"

namespace gnomon::sql {

/// The patterns of numbers.
enum class NumberPattern : uint8_t {
  Comma,
  Point,
  Zero,
  Nine,
  Blank,
  CurrencyCode,  ///< C, without meaning
  LocalePoint,
  Exponent,
  FillMode,
  Group,
  Currency,
  Minus,
  Plus,
  Brackets,
  Roman,
  SignOrPlus,
  Spelled,  ///< SP, without meaning
  Sign,
  Ordinal,
  Shift,
};

/// A picture of numbers and what follows from its patterns.
struct NumberPicture {
  enum class SignPlace : uint8_t { None, Before, Behind };

  std::vector<PictureNode> nodes;
  int before_point = 0;  ///< digits
  int after_point = 0;
  int shift = 0;       ///< digits behind V
  int zero_start = 0;  ///< digits before the first 0, and one
  int zero_end = 0;
  int before_sign = 0;  ///< digits before S
  SignPlace sign_place = SignPlace::None;
  bool has_point = false, has_zero = false, is_blank = false, is_filled = false, has_sign = false;
  bool has_brackets = false, has_minus = false, has_plus = false, is_roman = false, has_shift = false;
  bool has_exponent = false;
};
/// Failure: 42601 for patterns that do not go together.
const NumberPicture& numberPicture(std::string_view picture);

/// A number as digits, which the picture is going to show.
struct NumberDigits {
  std::string text;  ///< digits, perhaps with a point
  char sign = 0;     ///< '+' or '-', or none
  int blanks = 0;    ///< digits of the picture before those of the number
};
/// The picture with the digits; its own counts may have been changed for them.
std::string showNumber(NumberPicture picture, const NumberDigits& digits);

/// The text's number, as numeric's input takes it; `picture.after_point` becomes what was read behind the point.
/// Failure: 0A000 for Roman numerals and exponents.
std::string readNumber(std::string_view text, NumberPicture& picture);

}  // namespace gnomon::sql
