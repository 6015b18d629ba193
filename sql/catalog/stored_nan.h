#pragma once

#include <memory>
#include <vector>

#include "sql/catalog/table_entry.h"

/// Scaled decimals whose column may be NaN (Type::may_be_nan) are computed with as if none was, until one is written to
/// the table (storage::Relation::holdsNan). A plan is made for what is so when it is bound, and used as long as it is.
namespace gnomon::sql {

/// The tables that hold the rows: its own, or those of the partitions below it.
std::vector<std::shared_ptr<txn::Table>> storagesOf(const TableEntry& table);
/// Whether NaN has been written to one of these.
bool holdsNan(const TableEntry& table);

}  // namespace gnomon::sql
