#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sql/catalog/table_entry.h"

/// The tables of a partitioned table's tree have the same columns at the same places (partition_rows.h, P2). A
/// transaction that adds columns and is rolled back leaves them with those tables alone to which it has written (R2).
namespace gnomon::sql {

/// The columns of the tables of a tree lie alike again where transactions that were rolled back have left some of them
/// columns behind the others: all have these then, dropped. Nobody uses the tables. Failure: as Table::changeSchema.
void alignColumns(const std::vector<TableEntry*>& tree);
/// The same for what the catalog has: what comes in the place of what. `root`: as it is; `find`: finds the others.
std::vector<std::pair<TablePtr, TablePtr>> alignedTree(const TablePtr& root,
                                                       const std::function<TablePtr(uint32_t)>& find);

}  // namespace gnomon::sql
