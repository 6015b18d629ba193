#pragma once

#include <cstdint>

#include "sql/catalog/table_entry.h"
#include "sql/catalog/virtual_relation.h"

namespace gnomon::sql {

/// What a statement wants a table for, where no view will do.
enum class TableUse : uint8_t { Insert, Update, Delete, Merge, Truncate, Index, Alter, CopyFrom, CopyTo, Reference };

/// Throws what PostgreSQL says when the table that is named is a view: 55000 where another view could have been
/// changed, else 42809.
[[noreturn]] void refuseView(const std::string& view, TableUse use);
/// The same when it is a materialized view: 42809, of MERGE 0A000. Index and Alter it takes.
void refuseMaterialized(const std::string& view, TableUse use);
/// The same when it is a sequence: 42809.
[[noreturn]] void refuseSequence(const TableEntry& sequence, TableUse use);

}  // namespace gnomon::sql
