#include "sql/functions/money_functions.h"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <cmath>

#include "base/sql_error.h"
#include "sql/types/money.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

double fractionAt(Arguments arguments, size_t index) {
  return std::bit_cast<double>(arguments[index].lo);
}

[[noreturn]] void raiseDivision() {
  throw SqlError(sqlstate::kDivisionByZero, "division by zero");
}

/// The nearest number of cents, halves to the even one.
Value nearest(double cents, Type result) {
  const double rounded = std::nearbyint(cents);
  if (!(rounded >= -0x1p63 && rounded < 0x1p63)) raiseMoneyRange();
  return Value::fromInt(result, static_cast<int64_t>(rounded));
}

Value sum(Arguments arguments, Type result) {
  int64_t cents = 0;
  if (__builtin_add_overflow(arguments[0].asInt(), arguments[1].asInt(), &cents)) raiseMoneyRange();
  return Value::fromInt(result, cents);
}
Value difference(Arguments arguments, Type result) {
  int64_t cents = 0;
  if (__builtin_sub_overflow(arguments[0].asInt(), arguments[1].asInt(), &cents)) raiseMoneyRange();
  return Value::fromInt(result, cents);
}

/// Of a money and an integer, in any order.
Value product(Arguments arguments, Type result) {
  int64_t cents = 0;
  if (__builtin_mul_overflow(arguments[0].asInt(), arguments[1].asInt(), &cents)) raiseMoneyRange();
  return Value::fromInt(result, cents);
}
Value timesFraction(Arguments arguments, Type result) {
  return nearest(static_cast<double>(arguments[0].asInt()) * fractionAt(arguments, 1), result);
}
Value fractionTimes(Arguments arguments, Type result) {
  return nearest(fractionAt(arguments, 0) * static_cast<double>(arguments[1].asInt()), result);
}

/// What is left of a cent falls away.
Value quotient(Arguments arguments, Type result) {
  const int64_t cents = arguments[0].asInt(), divisor = arguments[1].asInt();
  if (divisor == 0) raiseDivision();
  if (cents == INT64_MIN && divisor == -1)
    throw SqlError(SqlState("22P01"), "floating-point exception")
        .detail(
            "An invalid floating-point operation was signaled. This probably means an out-of-range result or an "
            "invalid operation, such as division by zero.");
  return Value::fromInt(result, cents / divisor);
}
Value byFraction(Arguments arguments, Type result) {
  const double divisor = fractionAt(arguments, 1);
  if (divisor == 0) raiseDivision();
  return nearest(static_cast<double>(arguments[0].asInt()) / divisor, result);
}
Value ratio(Arguments arguments, Type result) {
  if (arguments[1].lo == 0) raiseDivision();
  const double value = static_cast<double>(arguments[0].asInt()) / static_cast<double>(arguments[1].asInt());
  return {result, false, std::bit_cast<uint64_t>(value), 0, {}};
}

/// A number below a thousand.
std::string numberWords(uint64_t number) {
  static constexpr std::string_view kSmall[] = {
      "zero", "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",
      "ten",  "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  static constexpr std::string_view kTens[] = {"",      "",      "twenty",  "thirty", "forty",
                                               "fifty", "sixty", "seventy", "eighty", "ninety"};
  const uint64_t rest = number % 100;
  std::string words;
  if (number >= 100) words = fmt::format("{} hundred", kSmall[number / 100]);
  if (number >= 100 && rest == 0) return words;
  if (rest < 20) return words + (words.empty() ? "" : " and ") + std::string(kSmall[rest]);
  words += (words.empty() ? "" : " ") + std::string(kTens[rest / 10]);
  if (rest % 10 != 0) words += " " + std::string(kSmall[rest % 10]);
  return words;
}

Value inWords(Arguments arguments, Type result) {
  static constexpr std::string_view kUnits[] = {"quadrillion", "trillion", "billion", "million", "thousand"};
  const int64_t cents = arguments[0].asInt();
  const uint64_t magnitude = cents < 0 ? -static_cast<uint64_t>(cents) : static_cast<uint64_t>(cents);
  std::string amount;
  uint64_t unit = 100'000'000'000'000'000;
  for (const std::string_view name : kUnits) {
    if (const uint64_t count = magnitude / unit % 1000; count != 0)
      amount += fmt::format("{} {} ", numberWords(count), name);
    unit /= 1000;
  }
  if (const uint64_t count = magnitude / unit % 1000; count != 0) amount += numberWords(count);
  if (amount.empty()) amount = "zero";
  const bool is_one = static_cast<int32_t>(magnitude / 100) == 1;
  const uint64_t rest = magnitude % 100;
  std::string words = fmt::format("{}{} {} and {} {}", cents < 0 ? "minus " : "", amount, is_one ? "dollar" : "dollars",
                                  numberWords(rest), rest == 1 ? "cent" : "cents");
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return Value::fromString(result, words);
}

}  // namespace

void addMoneyFunctions(std::vector<ValueFunction>& functions) {
  const auto add = [&](std::string_view name, TypeKind left, TypeKind right, TypeKind result,
                       Value (*answer)(Arguments, Type)) {
    functions.push_back({name, {left, right}, result, answer, Volatility::Immutable, true, true});
  };
  add("+", Money, Money, Money, sum);
  add("-", Money, Money, Money, difference);
  for (const TypeKind kind : {Smallint, Integer, Bigint}) {
    add("*", Money, kind, Money, product);
    add("*", kind, Money, Money, product);
    add("/", Money, kind, Money, quotient);
  }
  for (const TypeKind kind : {Real, Double}) {
    add("*", Money, kind, Money, timesFraction);
    add("*", kind, Money, Money, fractionTimes);
    add("/", Money, kind, Money, byFraction);
  }
  add("/", Money, Money, Double, ratio);
  functions.push_back({"cash_words", {Money}, Text, inWords});
}

}  // namespace gnomon::sql
