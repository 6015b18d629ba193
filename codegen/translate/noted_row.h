#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/runtime/change_target.h"
#include "codegen/translate/pipeline.h"
#include "sql/algebra/change_operators.h"

namespace gnomon::codegen {

/// A row as a change of a table is going to write it.
struct RowChange {
  const sql::TableEntry& table;
  const std::vector<uint32_t>& columns;        ///< those that change, ascending
  const std::vector<sql::ExpressionPtr>& row;  ///< one per table column; as of sql::Update
  const sql::RowChecks& checks;
  std::span<const sql::Iu> beside = {};  ///< noted behind the values
  bool is_tested = true;                 ///< otherwise what rows have to satisfy is tested later
};

/// The workers' lists of rows with so many changed columns; the local slot.
size_t addChangeList(QueryProgram& program, const sql::TablePtr& table, size_t column_count, bool is_insert = false);
/// Emits what tests a row and notes it, with its new values. `tuple_id`: i64.
void emitRowChange(Pipeline& pipeline, const RowChange& change, ir::Value tuple_id, size_t list_slot);
/// Emits the noting of a row that is deleted.
void emitRowDeletion(Pipeline& pipeline, ir::Value tuple_id, size_t list_slot);

}  // namespace gnomon::codegen
