#pragma once

#include <map>
#include <memory>

#include "sql/catalog/table_entry.h"
#include "txn/table.h"
#include "txn/write_statement.h"

/// Rows of sequences in the catalog.
///
/// Relation 8: oid (int32; relation 1 has its name and relation, 2 its columns), oid of its type (int32), flags (int16:
///             1 cycles, 2 of an identity column), start, increment, minimum, maximum, cache (int64), oid of the table
///             that owns it (int32, 0: none), number of the column (int16, 0: none)
/// Invariants:  Q1  a sequence's owner is a table and has the column
///              Q2  its relation has one row, within the limits of its type
///              Q3  an identity column owns a sequence that is its own
namespace gnomon::sql {

txn::RelationSchema sequencesSchema();
/// Nothing for a table.
void appendSequence(const TableEntry& sequence, txn::WriteStatement& rows);
/// Makes those of the tables, by oid, with their columns and storage, sequences that are some. Failure: XX001.
void loadSequences(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);

}  // namespace gnomon::sql
