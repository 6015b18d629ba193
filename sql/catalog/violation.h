#pragma once

#include <cstdint>

#include "base/sql_error.h"
#include "sql/catalog/table_entry.h"
#include "sql/types/bytea.h"
#include "storage/relation/schema.h"

namespace gnomon::sql {

/// 23502 for a row of the table, given as stored: one value and one null flag (non-zero: null) per column. `target`:
/// that the statement names, in whose order the row is shown; null: the table; here and below.
SqlError notNullViolation(const TableEntry& table, uint32_t column, const storage::Datum* values,
                          const uint8_t* null_flags, ByteaOutput bytea_output, const TableEntry* target = nullptr);

/// 23514 for a new row of the table, given as stored, that breaks a check. `check`: in TableEntry::checks.
SqlError checkViolation(const TableEntry& table, uint32_t check, const storage::Datum* values,
                        const uint8_t* null_flags, ByteaOutput bytea_output, const TableEntry* target = nullptr);

/// 44000 for a new row of the table, given as stored, that is none of the view through which it is written.
SqlError viewViolation(const TableEntry& table, const std::string& view, const storage::Datum* values,
                       const uint8_t* null_flags, ByteaOutput bytea_output);

/// 23514 for a row that does not belong into a partition.
SqlError partitionViolation(const TableEntry& partition, const storage::Datum* values, const uint8_t* null_flags,
                            ByteaOutput bytea_output);

/// 23505 for a key of the index; values and null flags of its parts. `expressions`: null when it has none. `is_new`:
/// while the index is built.
SqlError uniqueViolation(const ObjectPath& table, const std::vector<ColumnEntry>& columns,
                         const IndexSpecification& index, const IndexExpressions* expressions,
                         const storage::Datum* values, const uint8_t* null_flags, bool is_new);

}  // namespace gnomon::sql
