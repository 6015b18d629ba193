#include "sql/functions/number_format_functions.h"

#include <fmt/format.h>

#include <bit>
#include <cfloat>
#include <cmath>

#include "base/sql_error.h"
#include "sql/functions/number_picture.h"
#include "sql/types/numeric_functions.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

double doubleOf(const Value& value) {
  return std::bit_cast<double>(value.lo);
}

std::string textOf(const BigNumeric& number) {
  std::string text;
  number.appendText(text);
  return text;
}

std::string romanNumeral(int64_t number) {
  if (number < 1 || number > 3999) return std::string(15, '#');
  struct Letter {
    int value;
    std::string_view text;
  };
  static constexpr Letter kLetters[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"},
                                        {90, "XC"},  {50, "L"},   {40, "XL"}, {10, "X"},   {9, "IX"},
                                        {5, "V"},    {4, "IV"},   {1, "I"}};
  std::string text;
  for (const Letter& letter : kLetters)
    for (; number >= letter.value; number -= letter.value) text += letter.text;
  return text;
}

int64_t asInteger(int64_t number) {
  if (number != static_cast<int32_t>(number)) throw SqlError(sqlstate::kNumericValueOutOfRange, "integer out of range");
  return number;
}

/// The digits of a number's text, or marks when they are more than the picture has room for.
NumberDigits digitsOf(std::string text, const NumberPicture& picture) {
  NumberDigits digits{std::move(text), '+', 0};
  if (digits.text.starts_with('-')) {
    digits.sign = '-';
    digits.text.erase(0, 1);
  }
  const auto before_point = static_cast<int>(std::min(digits.text.find('.'), digits.text.size()));
  if (before_point < picture.before_point) {
    digits.blanks = picture.before_point - before_point;
  } else if (before_point > picture.before_point) {
    digits.text.assign(static_cast<size_t>(picture.before_point + picture.after_point + 1), '#');
    digits.text[static_cast<size_t>(picture.before_point)] = '.';
  }
  return digits;
}

/// What cannot have an exponent.
std::string exponentMarks(const NumberPicture& picture) {
  std::string marks(static_cast<size_t>(picture.before_point + picture.after_point + 6), '#');
  marks[0] = ' ';
  marks[static_cast<size_t>(picture.before_point + 1)] = '.';
  return marks;
}

/// 1.25e+03, a blank for the sign of what is not negative.
std::string withExponent(const BigNumeric& number, int digits) {
  const int64_t exponent = number.sign() == 0 ? 0 : number.integerDigits() - 1;
  const BigNumeric ten(10);
  BigNumeric power_of_ten(1);
  for (int64_t i = 0; i < std::abs(exponent); ++i) power_of_ten = power_of_ten * ten;
  const auto scale = static_cast<unsigned>(digits);
  const BigNumeric significand =
      exponent >= 0 ? BigNumeric::divide(number, power_of_ten, scale) : (number * power_of_ten).rounded(digits);
  std::string text = textOf(significand);
  if (!text.starts_with('-')) text.insert(0, 1, ' ');
  return fmt::format("{}e{:+03d}", text, exponent);
}

Value formatNumeric(const BigNumeric& number, std::string_view written, Type result) {
  NumberPicture picture = numberPicture(written);
  if (picture.is_roman) {
    const BigNumeric whole = number.rounded(0);
    int64_t integer = 0;
    if (!number.isFinite())
      throw SqlError(sqlstate::kFeatureNotSupported,
                     fmt::format("cannot convert {} to integer", number.isNaN() ? "NaN" : "infinity"));
    if (!whole.toInt64(integer)) throw SqlError(sqlstate::kNumericValueOutOfRange, "integer out of range");
    return Value::fromString(result, showNumber(std::move(picture), {romanNumeral(asInteger(integer)), 0, 0}));
  }
  if (picture.has_exponent) {
    std::string text = number.isFinite() ? withExponent(number, picture.after_point) : exponentMarks(picture);
    return Value::fromString(result, showNumber(std::move(picture), {std::move(text), 0, 0}));
  }
  BigNumeric shown = number;
  if (picture.has_shift) {
    shown = number * power(BigNumeric(10), BigNumeric(picture.shift));
    picture.before_point += picture.shift;
  }
  NumberDigits digits = digitsOf(textOf(shown.rounded(picture.after_point)), picture);
  return Value::fromString(result, showNumber(std::move(picture), digits));
}

Value numericToChar(Arguments arguments, Type result) {
  if (arguments[1].bytes.empty()) return Value::fromString(result, "");
  return formatNumeric(BigNumeric::decode(arguments[0].bytes), arguments[1].bytes, result);
}

/// `is_wide`: a bigint, whose exponent has all digits, and whose shift is checked.
Value formatInteger(int64_t number, std::string_view written, bool is_wide, Type result) {
  NumberPicture picture = numberPicture(written);
  if (picture.is_roman)
    return Value::fromString(result, showNumber(std::move(picture), {romanNumeral(asInteger(number)), 0, 0}));
  if (picture.has_exponent) {
    std::string text = withExponent(BigNumeric(number), picture.after_point);
    return Value::fromString(result, showNumber(std::move(picture), {std::move(text), 0, 0}));
  }
  int64_t shown = number;
  if (picture.has_shift) {
    const double factor = std::pow(10.0, picture.shift);
    if (is_wide) {
      if (!(factor < 0x1p63) || __builtin_mul_overflow(number, static_cast<int64_t>(factor), &shown))
        throw SqlError(sqlstate::kNumericValueOutOfRange, "bigint out of range");
    } else {
      const int64_t narrow = factor < 0x1p31 ? static_cast<int32_t>(factor) : INT32_MIN;
      shown = static_cast<int32_t>(static_cast<uint32_t>(number) * static_cast<uint32_t>(narrow));
    }
    picture.before_point += picture.shift;
  }
  std::string text = std::to_string(shown);
  if (picture.after_point > 0) text.append(".").append(static_cast<size_t>(picture.after_point), '0');
  NumberDigits digits = digitsOf(std::move(text), picture);
  return Value::fromString(result, showNumber(std::move(picture), digits));
}

Value integerToChar(Arguments arguments, Type result) {
  if (arguments[1].bytes.empty()) return Value::fromString(result, "");
  return formatInteger(arguments[0].asInt(), arguments[1].bytes, false, result);
}

Value bigintToChar(Arguments arguments, Type result) {
  if (arguments[1].bytes.empty()) return Value::fromString(result, "");
  return formatInteger(arguments[0].asInt(), arguments[1].bytes, true, result);
}

std::string fixedText(double number, int digits) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{:.{}f}", number, digits);
}

/// `digits_max`: that a number of the type has for sure.
Value formatDouble(double number, std::string_view written, int digits_max, Type result) {
  NumberPicture picture = numberPicture(written);
  if (picture.is_roman) {
    const double whole = std::rint(number);
    // What is no int becomes the least one.
    const bool is_integer = whole > -0x1p31 - 1 && whole < 0x1p31;
    const int64_t integer = is_integer ? static_cast<int64_t>(whole) : INT32_MIN;
    return Value::fromString(result, showNumber(std::move(picture), {romanNumeral(integer), 0, 0}));
  }
  if (picture.has_exponent) {
    std::string text = exponentMarks(picture);
    if (std::isfinite(number)) {
      text = fmt::format("{:+.{}e}", number, picture.after_point);
      if (text[0] == '+') text[0] = ' ';
    }
    return Value::fromString(result, showNumber(std::move(picture), {std::move(text), 0, 0}));
  }
  if (picture.has_shift) {
    number *= std::pow(10.0, picture.shift);
    if (digits_max == FLT_DIG) number = static_cast<double>(static_cast<float>(number));
    picture.before_point += picture.shift;
  }
  const auto whole_digits = static_cast<int>(fixedText(std::fabs(number), 0).size());
  if (whole_digits >= digits_max)
    picture.after_point = 0;
  else if (whole_digits + picture.after_point > digits_max)
    picture.after_point = digits_max - whole_digits;
  NumberDigits digits = digitsOf(fixedText(number, picture.after_point), picture);
  return Value::fromString(result, showNumber(std::move(picture), digits));
}

Value realToChar(Arguments arguments, Type result) {
  if (arguments[1].bytes.empty()) return Value::fromString(result, "");
  return formatDouble(doubleOf(arguments[0]), arguments[1].bytes, FLT_DIG, result);
}

Value doubleToChar(Arguments arguments, Type result) {
  if (arguments[1].bytes.empty()) return Value::fromString(result, "");
  return formatDouble(doubleOf(arguments[0]), arguments[1].bytes, DBL_DIG, result);
}

Value toNumber(Arguments arguments, Type result) {
  if (arguments[1].bytes.empty()) return Value::null(result);
  NumberPicture picture = numberPicture(arguments[1].bytes);
  const std::string text = readNumber(arguments[0].bytes, picture);
  const int precision = picture.before_point + picture.shift + picture.after_point;
  constexpr int kModifierOffset = 4;
  BigNumeric number = BigNumeric::parse(text).withModifier(((precision << 16) | picture.after_point) + kModifierOffset);
  if (picture.has_shift) number = number * power(BigNumeric(10), BigNumeric(-picture.shift));
  return Value::fromString(result, number.encoded());
}

}  // namespace

void addNumberFormatFunctions(std::vector<ValueFunction>& functions) {
  const auto add = [&](std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
                       Value (*answer)(Arguments, Type)) {
    functions.push_back({name, std::move(arguments), result, answer, Volatility::Stable});
  };
  add("to_char", {Integer, Text}, Text, integerToChar);
  add("to_char", {Bigint, Text}, Text, bigintToChar);
  add("to_char", {Numeric, Text}, Text, numericToChar);
  add("to_char", {Real, Text}, Text, realToChar);
  add("to_char", {Double, Text}, Text, doubleToChar);
  add("to_number", {Text, Text}, Numeric, toNumber);
}

}  // namespace gnomon::sql
