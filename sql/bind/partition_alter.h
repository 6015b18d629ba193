#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

/// What ALTER TABLE means for partitioned tables and partitions.
namespace gnomon::sql {

/// Failure: 42809, 42P16 for what is said of a partition alone, or would take away what a partition key is made of;
/// 0A000.
void requireAlterable(const BindState& state, const TableEntry& table, const ast::AlterCommand& command);
/// For ONLY of a table that has partitions. Failure: 42P16, 42809 for what partitions would have to share.
void requireAlterableAlone(const TableEntry& table, const ast::AlterCommand& command);
void requireRenamable(const BindState& state, const TableEntry& table, const ast::Rename& rename);
/// Whether the table, or a partition of it, has had rows.
bool hasHadRows(const TableEntry& table);
/// Of a partitioned table. `verb`: what is to be done to the column. Failure: 42P16 where the partition key reads it.
void requireOutsideKey(const TableEntry& table, uint32_t column, std::string_view verb);
/// The tables below one in PostgreSQL's order, siblings in that of their oids: one level after the other, or else each
/// with those below it. Rows are written anew in it, so values of sequences and errors tell of it.
std::vector<TablePtr> tablesBelow(const TableEntry& table, bool is_by_level);
/// Adds the same changes of the table's partitions: they have its columns at the same places. `is_by_level`: as
/// tablesBelow(), which is their order where rows are written.
void alterPartitions(AlterTableStatement& statement, bool is_by_level);

/// ALTER INDEX ... ATTACH PARTITION. Failure: 42P01, 42809; 55000, 42P17 for what is no part of the index.
AttachIndexStatement bindAttachIndex(BindState& state, const ast::AlterTable& alter);

}  // namespace gnomon::sql
