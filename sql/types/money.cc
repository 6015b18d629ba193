#include "sql/types/money.h"

#include <fmt/format.h>

#include "base/sql_error.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

constexpr int kFractionDigits = 2;

/// Reads the text from the left. Source: what PostgreSQL's cash_in takes.
class MoneyReader {
 public:
  explicit MoneyReader(std::string_view text) : text_(text), rest_(text) {}

  int64_t read() {
    skipSpace();
    take('$');
    readSign();
    skipSpace();
    take('$');
    readAmount();
    readEnd();
    if (is_negative_) return amount_;
    if (amount_ == INT64_MIN) refuseRange();
    return -amount_;
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skipSpace() {
    while (!rest_.empty() && isSpace(rest_.front())) rest_.remove_prefix(1);
  }
  void readSign() {
    if (take('-') || take('('))
      is_negative_ = true;
    else
      take('+');
  }

  /// Counted downwards: the least number has no counterpart.
  void append(int digit) {
    if (__builtin_mul_overflow(amount_, 10, &amount_) || __builtin_sub_overflow(amount_, digit, &amount_))
      refuseRange();
  }

  void readAmount() {
    bool has_point = false;
    int decimals = 0;
    for (; !rest_.empty(); rest_.remove_prefix(1)) {
      const char c = rest_.front();
      if (isDigit(c) && (!has_point || decimals < kFractionDigits)) {
        append(c - '0');
        decimals += has_point ? 1 : 0;
      } else if (c == '.' && !has_point) {
        has_point = true;
      } else if (c != ',') {
        break;
      }
    }
    const bool is_rounded = !rest_.empty() && isDigit(rest_.front()) && rest_.front() >= '5';
    if (is_rounded && __builtin_sub_overflow(amount_, 1, &amount_)) refuseRange();
    for (; decimals < kFractionDigits; ++decimals) append(0);
  }

  void readEnd() {
    while (!rest_.empty() && isDigit(rest_.front())) rest_.remove_prefix(1);
    for (; !rest_.empty(); rest_.remove_prefix(1)) {
      const char c = rest_.front();
      if (c == '-')
        is_negative_ = true;
      else if (!isSpace(c) && c != ')' && c != '+' && c != '$')
        throw SqlError(sqlstate::kInvalidTextRepresentation,
                       fmt::format("invalid input syntax for type money: \"{}\"", text_));
    }
  }

  [[noreturn]] void refuseRange() const {
    throw SqlError(sqlstate::kNumericValueOutOfRange,
                   fmt::format("value \"{}\" is out of range for type money", text_));
  }

  std::string_view text_, rest_;
  bool is_negative_ = false;
  int64_t amount_ = 0;
};

}  // namespace

int64_t parseMoney(std::string_view text) {
  return MoneyReader(text).read();
}

void appendMoneyText(int64_t cents, std::string& out) {
  const uint64_t magnitude = cents < 0 ? -static_cast<uint64_t>(cents) : static_cast<uint64_t>(cents);
  const std::string digits = std::to_string(magnitude / 100);
  out += cents < 0 ? "-$" : "$";
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  out += fmt::format(".{:02}", magnitude % 100);
}

int64_t moneyOf(const BigNumeric& amount) {
  if (!amount.isFinite())
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("cannot convert {} to bigint", amount.isNaN() ? "NaN" : "infinity"));
  int64_t cents = 0;
  if (!(amount * BigNumeric(100)).toInt64(cents))
    throw SqlError(sqlstate::kNumericValueOutOfRange, "bigint out of range");
  return cents;
}

void raiseMoneyRange() {
  throw SqlError(sqlstate::kNumericValueOutOfRange, "money out of range");
}

}  // namespace gnomon::sql
