#pragma once

#include "base/cancel.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::sql {

/// Whether all rows of the child satisfy the key, in one pass. Nobody else writes to the two tables. Failure: 23503;
/// 57014; when a page must be read, as BufferManager::resolve.
void requireReferences(const TableEntry& child, const ForeignKeyEntry& key, const TableEntry& parent,
                       const CancelToken& cancel);

}  // namespace gnomon::sql
