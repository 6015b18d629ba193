#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_value.h"
#include "storage/relation/scan.h"
#include "txn/table.h"
#include "txn/write_statement.h"

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

/// Removes the rows whose first column is one of the oids. The ids are gathered first: a cursor holds a leaf, which a
/// writer must not find held by its own thread.
inline void removeRows(txn::Table& relation, txn::WriteStatement& statement, const std::vector<uint32_t>& oids) {
  std::vector<txn::TupleId> ids;
  {
    storage::RowCursor row(relation.relation(), relation.readBound());
    while (row.next())
      if (std::ranges::find(oids, static_cast<uint32_t>(readNumber(row, 0))) != oids.end())
        ids.push_back(row.tupleId());
  }
  for (const txn::TupleId id : ids) statement.remove(id);
}

}  // namespace gnomon::sql
