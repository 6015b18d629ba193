#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/arena.h"
#include "codegen/runtime/foreign_keys.h"
#include "codegen/runtime/write_target.h"
#include "sql/catalog/table_entry.h"
#include "txn/write_statement.h"

namespace gnomon::codegen {

/// The rows that one worker found for an UPDATE or DELETE, with their new values: they are kept until all are found, so
/// that the statement does not see its own effects.
///
/// Layout of a row, filled by generated code, for n changed columns:
///   0          tuple id
///   8          n values (txn::Datum, 16 bytes each), strings in the execution's arena
///   8 + 16 n   n null flags (1 byte each)
class ChangeList final : public RuntimeObject {
 public:
  ChangeList(const sql::TableEntry& table, size_t column_count, MemoryAccount& memory)
      : table_(table), row_bytes_(valuesOffset(column_count) + column_count), rows_memory_(&memory) {}

  static constexpr size_t valuesOffset(size_t column) { return 8 + sizeof(txn::Datum) * column; }

  /// Memory for the next row.
  char* nextRow() {
    auto* row = static_cast<char*>(rows_memory_.allocate(row_bytes_));
    rows_.push_back(row);
    return row;
  }
  /// Memory for a whole row of the table: its values, then its null flags.
  char* failingRow() {
    const size_t columns = table_.columns.size();
    return static_cast<char*>(rows_memory_.allocate(columns * (sizeof(txn::Datum) + 1)));
  }
  [[nodiscard]] const std::vector<char*>& rows() const { return rows_; }
  [[nodiscard]] const sql::TableEntry& table() const { return table_; }

 private:
  const sql::TableEntry& table_;
  const size_t row_bytes_;
  Arena rows_memory_;
  std::vector<char*> rows_;
};

/// The table an UPDATE or DELETE changes.
class ChangeTarget final : public WriteTarget {
 public:
  /// `columns`: those that change, ascending; empty: rows are deleted. `list_slot`: local, the workers' ChangeLists.
  ChangeTarget(sql::TablePtr table, const txn::WriteContext& context, std::vector<uint32_t> columns, size_t list_slot)
      : table_(std::move(table)),
        columns_(std::move(columns)),
        list_slot_(list_slot),
        statement_(*table_->storage, context) {}
  /// Foreign keys ask something of the changes.
  void setKeys(std::shared_ptr<const sql::KeyWork> work, const txn::WriteContext& context,
               const ForeignKeySettings& settings, MemoryAccount& memory) {
    keys_.emplace(std::move(work), context, statement_, settings, memory);
  }

  /// Changes the rows in the order of their ids, each once.
  uint64_t finish(ExecutionState& state) override;

 private:
  void takeOutRepeated(ExecutionState& state, std::vector<char*>& rows) const;
  void apply(const char* row);

  const sql::TablePtr table_;
  const std::vector<uint32_t> columns_;
  const size_t list_slot_;
  txn::WriteStatement statement_;
  std::optional<ForeignKeys> keys_;  ///< none: nothing is asked
};

namespace rt {
char* changeNextRow(ChangeList* list);
char* changeFailingRow(ChangeList* list);
/// Raises 23502 with the row in the memory that changeFailingRow() gave. `is_escape` says how bytea is shown.
[[noreturn]] void changeNullViolation(ChangeList* list, uint32_t column, const char* row, bool is_escape);
/// Raises 23514 likewise.
[[noreturn]] void changeCheckViolation(ChangeList* list, uint32_t check, const char* row, bool is_escape);
}  // namespace rt

}  // namespace gnomon::codegen
