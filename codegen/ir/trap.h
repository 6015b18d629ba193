#pragma once

#include <cstdint>
#include <exception>
#include <string_view>

namespace gnomon::codegen {

/// Why a trapping instruction gave up. The text form of the IR names them by trapName().
enum class TrapCode : uint8_t {
  SmallintOutOfRange,
  IntegerOutOfRange,
  BigintOutOfRange,
  MoneyOutOfRange,
  DecimalOverflow,
  DivisionByZero,
  NumericFieldOverflow,
  RealOutOfRange,
  DoubleOutOfRange,
  DateOutOfRange,
  TimestampOutOfRange,
  IntervalOutOfRange,
  SeveralRows,
  Count
};

/// A scaled decimal left 38 digits, or would be Infinity. The session catches it and plans the statement again with
/// numerics of unlimited size; a client never sees it.
class DecimalOverflow : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "decimal overflow"; }
};

/// Called by generated code when a trapping instruction fails. Throws SqlError with PostgreSQL's SQLSTATE and message
/// ("integer out of range", 22003; "division by zero", 22012), or DecimalOverflow.
[[noreturn]] void raiseTrap(TrapCode code);

/// "IntegerOutOfRange".
[[nodiscard]] std::string_view trapName(TrapCode code);

}  // namespace gnomon::codegen
