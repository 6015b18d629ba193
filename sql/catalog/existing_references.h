#pragma once

#include "base/cancel.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::sql {

/// Whether all rows of the child satisfy the key, in one pass. Nobody else writes to the two tables. Failure: 23503;
/// 57014; when a page must be read, as BufferManager::resolve.
void requireReferences(const TableEntry& child, const ForeignKeyEntry& key, const TableEntry& parent,
                       const CancelToken& cancel);

/// Whether no row of the child refers to a row of the partition by the key, a part for the partition. `declaring`: the
/// table that has the key, the child or one above it. Nobody else writes to the tables. Failure: 23503; as before.
void requireNoReferences(const TableEntry& child, const TableEntry& declaring, const ForeignKeyEntry& key,
                         const TableEntry& partition, const CancelToken& cancel);

}  // namespace gnomon::sql
