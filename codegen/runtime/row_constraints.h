#pragma once

#include <memory>
#include <vector>

#include "base/arena.h"
#include "codegen/runtime/foreign_keys.h"
#include "sql/algebra/check_expressions.h"
#include "sql/catalog/row_checker.h"
#include "sql/catalog/table_entry.h"
#include "txn/key_expressions.h"

namespace gnomon::codegen {

/// What rows of a table have to satisfy, for rows that are made one by one: NOT NULL and CHECK, WITH CHECK OPTION of
/// the view through which they are written.
///
/// Threads: one. Failure: 23502, 23514, 44000; what the conditions raise; 53200.
class RowConstraints {
 public:
  /// `target`: the table that the statement names, of which the other may be a partition; `checks` are its.
  /// `memory`: outlives this.
  RowConstraints(sql::TablePtr table, sql::TablePtr target, const sql::CheckForms& checks,
                 const ForeignKeySettings& settings, MemoryAccount& memory);

  void require(const storage::Datum* values, const uint8_t* null_flags);
  /// Gives the row its generated columns, with bytes in `bytes`.
  void computeGenerated(storage::Datum* values, uint8_t* null_flags, Arena& bytes);

 private:
  const sql::TablePtr table_, target_;
  const sql::CheckForms checks_;
  const ForeignKeySettings settings_;
  MemoryAccount& memory_;
  std::unique_ptr<sql::RowChecker> checker_;  ///< null: no checks, or none yet
  const std::vector<uint32_t> generated_columns_;
  std::shared_ptr<const txn::KeyExpressions> generated_;  ///< null: no generated columns, or none yet
  std::vector<storage::Datum> generated_values_;
  std::vector<uint8_t> generated_nulls_;
};

}  // namespace gnomon::codegen
