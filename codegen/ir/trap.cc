#include "codegen/ir/trap.h"

#include "base/assert.h"
#include "base/sql_error.h"

namespace gnomon::codegen {
namespace {

struct TrapRow {
  std::string_view name;
  SqlState state;
  const char* message;
};

constexpr TrapRow kTraps[] = {
    {"SmallintOutOfRange", sqlstate::kNumericValueOutOfRange, "smallint out of range"},
    {"IntegerOutOfRange", sqlstate::kNumericValueOutOfRange, "integer out of range"},
    {"BigintOutOfRange", sqlstate::kNumericValueOutOfRange, "bigint out of range"},
    {"MoneyOutOfRange", sqlstate::kNumericValueOutOfRange, "money out of range"},
    {"DecimalOverflow", sqlstate::kInternalError, "decimal overflow"},
    {"DivisionByZero", sqlstate::kDivisionByZero, "division by zero"},
    {"NumericFieldOverflow", sqlstate::kNumericValueOutOfRange, "numeric field overflow"},
    {"RealOutOfRange", sqlstate::kNumericValueOutOfRange, "value out of range: overflow"},
    {"DoubleOutOfRange", sqlstate::kNumericValueOutOfRange, "value out of range: overflow"},
    {"DateOutOfRange", sqlstate::kDatetimeFieldOverflow, "date out of range"},
    {"TimestampOutOfRange", sqlstate::kDatetimeFieldOverflow, "timestamp out of range"},
    {"IntervalOutOfRange", sqlstate::kDatetimeFieldOverflow, "interval out of range"},
    {"SeveralRows", sqlstate::kCardinalityViolation, "more than one row returned by a subquery used as an expression"},
};
static_assert(std::size(kTraps) == static_cast<size_t>(TrapCode::Count));

}  // namespace

void raiseTrap(TrapCode code) {
  if (code == TrapCode::DecimalOverflow) throw DecimalOverflow();
  CHECK(code < TrapCode::Count, "trap code known");
  const TrapRow& row = kTraps[static_cast<size_t>(code)];
  throw SqlError(row.state, row.message);
}

std::string_view trapName(TrapCode code) {
  CHECK(code < TrapCode::Count, "trap code known");
  return kTraps[static_cast<size_t>(code)].name;
}

}  // namespace gnomon::codegen
