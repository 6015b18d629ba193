#pragma once

#include <cstdint>
#include <vector>

#include "sql/catalog/table_entry.h"

/// The order in which a table has its columns, which need not be that in which they lie (TableEntry::order).
///
/// Columns are known by their places in TableEntry::columns everywhere; a partition has each at the place that the
/// table has it at, so that one code reads and writes both. Where columns are told one after the other, or by number,
/// it is in the table's own order.
namespace gnomon::sql {

/// In TableEntry::order: a column that was dropped before.
inline constexpr uint32_t kNoColumn = UINT32_MAX;

/// The columns that are there, as the table has them.
std::vector<uint32_t> columnsInOrder(const TableEntry& table);
/// How many columns the table has had.
size_t columnNumberCount(const TableEntry& table);
/// The column with the number, from 1, which may be a dropped one; kNoColumn: nothing is known of such a one.
uint32_t columnOfNumber(const TableEntry& table, size_t number);
/// The number of a column, as pg_attribute has it; 0: only the table has it as a partition of which this is.
uint32_t numberOfColumn(const TableEntry& table, uint32_t column);
std::vector<int64_t> numbersOfColumns(const TableEntry& table, const std::vector<uint32_t>& columns);

/// Whether the columns of a table lie so that it can be a partition of the other: those with one name at one place, and
/// none that is not in leaves which it has.
bool liesAs(const TableEntry& table, const TableEntry& as);
/// The columns of the table, without places of storage, in the places of those of the other, which have the same names;
/// what else tells columns by their places is told anew, but for expressions, which are to be bound again. Storage is
/// still that of before. Returns the places by those that columns had; kNoColumn: dropped.
std::vector<uint32_t> layColumns(TableEntry& table, const TableEntry& as);
/// Of a table that is to be a partition of the other, and of those below it: whose columns do not lie so.
std::vector<TablePtr> tablesToLay(const TablePtr& table, const TableEntry& as);
/// The order of a partition that is made with the columns of a table; empty: as they lie.
std::vector<uint32_t> orderOfPartition(const TableEntry& table);

}  // namespace gnomon::sql
