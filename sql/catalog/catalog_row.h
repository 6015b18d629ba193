#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/string_value.h"
#include "storage/relation/scan.h"

/// Values of rows of the catalog's relations.
namespace gnomon::sql {

inline storage::Datum number(int64_t value) {
  return {static_cast<uint64_t>(value), 0};
}
/// Refers to `value`.
inline storage::Datum text(std::string_view value) {
  const StringValue header = StringValue::refer(value, StringValue::Storage::Temporary);
  return {header.lo(), header.hi()};
}

inline int32_t readNumber(const storage::RowCursor& row, uint32_t column) {
  return static_cast<int32_t>(row.value(column).lo);
}
/// Empty: NULL.
inline std::string readText(const storage::RowCursor& row, uint32_t column) {
  if (row.isNull(column)) return {};
  const storage::Datum datum = row.value(column);
  return std::string(StringValue(datum.lo, datum.hi).view());
}

}  // namespace gnomon::sql
