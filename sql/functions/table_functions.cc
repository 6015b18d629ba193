#include "sql/functions/table_functions.h"

#include <array>

namespace gnomon::sql {
namespace {

constexpr Signature series(TypeKind point, TypeKind step, uint8_t arguments) {
  Signature signature;
  signature.name = "generate_series";
  signature.argument_count = arguments;
  signature.arguments = {point, point, step};
  signature.result = point;
  signature.volatility = point == TypeKind::TimestampTz ? Volatility::Stable : Volatility::Immutable;
  return signature;
}

constexpr std::array kSeries{
    series(TypeKind::Integer, TypeKind::Integer, 3),    series(TypeKind::Integer, TypeKind::Integer, 2),
    series(TypeKind::Bigint, TypeKind::Bigint, 3),      series(TypeKind::Bigint, TypeKind::Bigint, 2),
    series(TypeKind::Numeric, TypeKind::Numeric, 3),    series(TypeKind::Numeric, TypeKind::Numeric, 2),
    series(TypeKind::Timestamp, TypeKind::Interval, 3), series(TypeKind::TimestampTz, TypeKind::Interval, 3),
};

}  // namespace

std::span<const Signature> tableFunctionSignatures(std::string_view name) {
  if (name == "generate_series") return kSeries;
  return {};
}

}  // namespace gnomon::sql
