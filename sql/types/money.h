#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sql/types/big_numeric.h"

/// A money is a number of cents, as it is read and shown in locale C: $1,234.50.
namespace gnomon::sql {

/// Digits behind the second round the cents. Failure: 22P02; 22003 out of 64 bits.
int64_t parseMoney(std::string_view text);
void appendMoneyText(int64_t cents, std::string& out);

/// The nearest number of cents, halves away from zero. Failure: 22003; 0A000 for what is not finite.
int64_t moneyOf(const BigNumeric& amount);

/// 22003.
[[noreturn]] void raiseMoneyRange();

}  // namespace gnomon::sql
