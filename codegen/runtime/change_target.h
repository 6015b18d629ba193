#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/arena.h"
#include "codegen/runtime/foreign_keys.h"
#include "codegen/runtime/partition_writer.h"
#include "codegen/runtime/row_triggers.h"
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
  /// `is_insert`: the rows are new ones.
  ChangeList(const sql::TableEntry& table, size_t column_count, bool is_insert, MemoryAccount& memory)
      : table_(table),
        row_bytes_(valuesOffset(column_count) + column_count),
        is_insert_(is_insert),
        rows_memory_(&memory) {}

  static constexpr size_t valuesOffset(size_t column) { return 8 + sizeof(txn::Datum) * column; }

  static txn::TupleId tupleIdOf(const char* row) {
    uint64_t id;
    std::memcpy(&id, row, sizeof(id));
    return txn::TupleId{id};
  }
  /// What a row says of `columns`, which it has values of.
  static storage::TupleChange changeOf(const char* row, const std::vector<uint32_t>& columns) {
    return {columns, reinterpret_cast<const txn::Datum*>(row + valuesOffset(0)),
            reinterpret_cast<const uint8_t*>(row + valuesOffset(columns.size()))};
  }

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
  [[nodiscard]] bool isInsert() const { return is_insert_; }
  bool park() override {
    rows_.clear();
    rows_memory_.clear();
    return true;
  }

 private:
  const sql::TableEntry& table_;
  const size_t row_bytes_;
  const bool is_insert_;
  Arena rows_memory_;
  std::vector<char*> rows_;
};

/// The table an UPDATE or DELETE changes.
class ChangeTarget final : public WriteTarget {
 public:
  /// `columns`: those that change, ascending; empty: rows are deleted. `list_slot`: local, the workers' ChangeLists.
  ChangeTarget(sql::TablePtr table, const txn::WriteContext& context, std::vector<uint32_t> columns, size_t list_slot)
      : table_(std::move(table)), columns_(std::move(columns)), list_slot_(list_slot) {
    statement_.emplace(*table_->storage, context);
  }
  /// Foreign keys ask something of the changes.
  void setKeys(std::shared_ptr<const sql::KeyWork> work, const txn::WriteContext& context,
               const ForeignKeySettings& settings, MemoryAccount& memory) {
    keys_.emplace(std::move(work), context, *statement_, settings, memory);
  }

  /// The table is partitioned, or a partition whose rows must not leave it. `moving`: the columns that change where
  /// those of the target are all of the table. In the place of setKeys().
  void setPartitions(PartitionWriter::Settings settings, std::vector<uint32_t> moving) {
    partitions_.emplace(std::move(settings));
    moving_ = std::move(moving);
  }

  /// Triggers fire. Rows that concern them are noted whole: the values of an UPDATE are those of all columns, and
  /// `moving` as for partitions. `values_beside`: of each noted row, behind the others. `is_returned`: somebody reads
  /// writtenRows().
  void setTriggers(std::shared_ptr<const sql::TriggerWork> work, const ForeignKeySettings& settings,
                   MemoryAccount& memory, std::vector<uint32_t> moving, size_t values_beside, bool is_returned) {
    triggers_.emplace(std::move(work), settings, memory);
    moving_ = std::move(moving);
    values_beside_ = values_beside;
    is_returned_ = is_returned;
  }
  /// After apply(): of those that were changed, the addresses of their values.
  [[nodiscard]] const std::vector<char*>& writtenRows() const { return written_; }

  void begin() override {
    if (triggers_) triggers_->begin();
  }
  /// Nothing is asked of its rows, which lie in one table.
  [[nodiscard]] bool isPlain() const { return !keys_ && !partitions_ && !triggers_; }
  [[nodiscard]] size_t listSlot() const { return list_slot_; }
  /// Where isPlain(): the row that was noted last lies in this leaf, which the caller holds.
  void expect(storage::Frame& leaf, const ChangeList& list) {
    if (!list.rows().empty()) statement_->expect(leaf, ChangeList::tupleIdOf(list.rows().back()));
  }
  /// Changes the rows in the order of their ids, each once.
  void apply(ExecutionState& state) override;
  /// The same, where isPlain(), and the only rows are these, each once and in that order.
  void applyAlone(const std::vector<char*>& rows) {
    is_applied_ = true;
    for (const char* const row : rows) applyToTable(row);
    row_count_ = rows.size();
  }
  [[nodiscard]] txn::WriteStatement& statement() override { return *statement_; }
  void finish(std::optional<SqlError>* refusal) override {
    if (partitions_) partitions_->finish();
    keys_ ? keys_->finish(refusal) : statement_->finish();
  }
  [[nodiscard]] uint64_t rowCount() const override { return row_count_; }
  [[nodiscard]] bool hasLeftOut() const override { return has_left_out_; }
  [[nodiscard]] bool isLeftOut(ExecutionState& state, unsigned worker, uint64_t row) const override;
  /// What asks nothing of its rows can be used again.
  bool park() override {
    if (!isPlain()) return false;
    statement_.reset();
    return true;
  }
  void restart(ExecutionState& state) override;

 private:
  bool applyRow(char* row);
  struct Place {
    const sql::TablePtr& table;
    txn::WriteStatement& statement;
    ForeignKeys* keys;
    txn::TupleId id;
    uint32_t leaf;
  };
  Place placeOf(txn::TupleId known);
  bool applyFired(char* row);
  bool applyInstead(char* row);
  /// `moved`: the row goes to another partition, as this; null: it goes.
  bool removeFired(const Place& place, RowImage before, const WritableRow* moved = nullptr);
  bool updateFired(const Place& place, RowImage before, WritableRow row);
  void change(txn::WriteStatement& statement, ForeignKeys* keys, txn::TupleId id, const storage::TupleChange& change);
  void applyToTable(const char* row);
  size_t applyRun(std::span<char* const> rows);
  void applyToLeaf(const char* row);
  void move(const char* row, uint32_t from, txn::TupleId id);
  storage::TupleChange movingPart(const storage::TupleChange& row);
  [[nodiscard]] bool isTouched(txn::TupleId id);

  const sql::TablePtr table_;
  const std::vector<uint32_t> columns_;
  const size_t list_slot_;
  std::optional<txn::WriteStatement> statement_;  ///< none while it is parked
  std::optional<ForeignKeys> keys_;               ///< none: nothing is asked
  std::optional<PartitionWriter> partitions_;
  std::optional<RowTriggers> triggers_;  ///< none fires
  std::vector<uint32_t> moving_;         ///< empty: no row changes its partition
  size_t values_beside_ = 0;
  bool is_returned_ = false, is_applied_ = false;
  // Of applyRun():
  std::vector<storage::RowUpdate> run_;
  std::vector<txn::TupleId> removed_;
  size_t rows_alone_ = 0;     ///< that are to come before a run is tried again
  std::vector<char*> found_;  ///< by all workers
  std::vector<char*> written_;
  std::vector<txn::Datum> old_values_;  ///< of the row at hand, where triggers fire
  std::vector<uint8_t> old_nulls_;
  PartitionWriter::Scratch scratch_;
  std::vector<txn::Datum> moving_values_;
  std::vector<uint8_t> moving_nulls_;
  uint64_t row_count_ = 0;
  bool has_left_out_ = false;
};

namespace rt {
char* changeNextRow(ChangeList* list);
char* changeFailingRow(ChangeList* list);
/// Raises 23502 with the row in the memory that changeFailingRow() gave. `is_escape` says how bytea is shown.
[[noreturn]] void changeNullViolation(ChangeList* list, uint32_t column, const char* row, bool is_escape);
/// Raises 23514 likewise.
[[noreturn]] void changeCheckViolation(ChangeList* list, uint32_t check, const char* row, bool is_escape);
/// Raises 44000 likewise, for WITH CHECK OPTION of the view.
[[noreturn]] void changeViewViolation(ChangeList* list, const std::string* view, const char* row, bool is_escape);
}  // namespace rt

}  // namespace gnomon::codegen
