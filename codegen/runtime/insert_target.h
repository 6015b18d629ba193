#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/arena.h"
#include "codegen/runtime/conflict_resolver.h"
#include "codegen/runtime/foreign_keys.h"
#include "codegen/runtime/partition_writer.h"
#include "codegen/runtime/row_triggers.h"
#include "codegen/runtime/write_target.h"
#include "sql/catalog/table_entry.h"
#include "txn/write_statement.h"

namespace gnomon::codegen {

/// The table an INSERT writes to.
/// Threads: append from any worker, one at a time inside.
class InsertTarget final : public WriteTarget {
 public:
  /// `context`: null while rows are gathered (Execution::put()).
  InsertTarget(sql::TablePtr table, const txn::WriteContext* context) : table_(std::move(table)) { open(context); }
  /// Rows have to satisfy foreign keys. Before the first row.
  void setKeys(std::shared_ptr<const sql::KeyWork> work, const txn::WriteContext& context,
               const ForeignKeySettings& settings, MemoryAccount& memory) {
    keys_.emplace(std::move(work), context, *statement_, settings, memory);
  }

  /// Rows have more values behind those of the table's columns, which the conflict clause reads. Before all else.
  void setValuesBeside(size_t count) { values_beside_ = count; }
  [[nodiscard]] size_t rowWidth() const { return table_->columns.size() + values_beside_; }

  /// The table is partitioned or a partition. In the place of setKeys(), before the first row.
  void setPartitions(PartitionWriter::Settings settings) { partitions_.emplace(std::move(settings)); }

  /// Rows may be there already. After setKeys(), before the first row. The settings outlive the target.
  void setConflict(const ConflictResolver::Settings& settings);
  /// Triggers fire. After the others. `keeps_rows`: somebody reads writtenRows(), where there is no resolver.
  void setTriggers(std::shared_ptr<const sql::TriggerWork> work, const ForeignKeySettings& settings,
                   MemoryAccount& memory, bool keeps_rows);
  /// Null: neither partitioned nor a partition.
  [[nodiscard]] const PartitionWriter* partitions() const { return partitions_ ? &*partitions_ : nullptr; }

  [[nodiscard]] const sql::TableEntry& table() const { return *table_; }
  /// Rows that it was given refer to their bytes until the statement is over.
  [[nodiscard]] bool refersToRows() const { return waiting_.has_value(); }
  /// The rows as they were written, for which there is a resolver, or are triggers.
  [[nodiscard]] std::vector<const std::vector<char*>*> writtenRows() const;
  /// `local`: of the worker at hand. `leaves`: of a partitioned table, those of the rows. `refusal`: as
  /// ExecutionContext.
  void append(const txn::Datum* values, const uint8_t* nulls, size_t rows, LocalState& local,
              const std::vector<uint32_t>& leaves, std::optional<SqlError>* refusal) {
    const std::scoped_lock guard(mutex_);
    if (waiting_) return wait(values, nulls, rows, local, leaves);
    if (partitions_ && partitions_->isPartitioned()) return appendToLeaves(values, nulls, local, leaves);
    if (resolver_) return resolver_->append(values, nulls, rows, local);
    const txn::TupleId first = statement_->appendBatch(values, nulls, rows, refusal);
    if (refusal && *refusal) return;
    if (keys_) keys_->noteAppended(first, values, nulls, rows);
  }
  void begin() override {
    if (triggers_) triggers_->begin();
  }
  /// Rows that do not wait for triggers are there already.
  void apply(ExecutionState& state) override;
  [[nodiscard]] txn::WriteStatement& statement() override { return *statement_; }
  void finish(std::optional<SqlError>* refusal) override {
    if (partitions_) partitions_->finish();
    keys_ ? keys_->finish(refusal) : statement_->finish();
  }
  [[nodiscard]] uint64_t rowCount() const override;
  /// What asks nothing of its rows can be used again.
  [[nodiscard]] bool isParkable() const { return !keys_ && !resolver_ && !partitions_ && !triggers_; }
  bool park() override {
    if (isParkable()) statement_.reset();
    return isParkable();
  }
  void restart(ExecutionState& state) override;

 private:
  void open(const txn::WriteContext* context) {
    if (context != nullptr) statement_.emplace(*table_->storage, *context, &key_memory_);
  }
  void appendToLeaves(const txn::Datum* values, const uint8_t* nulls, LocalState& local,
                      const std::vector<uint32_t>& leaves);
  ConflictResolver& resolverOf(uint32_t leaf);
  void wait(const txn::Datum* values, const uint8_t* nulls, size_t rows, LocalState& local,
            const std::vector<uint32_t>& leaves);
  void applyRow(WritableRow row, uint32_t leaf, LocalState& local);
  void write(WritableRow row, uint32_t leaf, LocalState& local);

  sql::TablePtr table_;
  size_t values_beside_ = 0;
  std::mutex mutex_;
  txn::WriteStatement::KeyMemory key_memory_;
  std::optional<txn::WriteStatement> statement_;  ///< none while it is parked, or rows are gathered
  std::optional<ForeignKeys> keys_;               ///< none: nothing is asked of the rows
  std::optional<ConflictResolver> resolver_;
  std::optional<PartitionWriter> partitions_;
  std::optional<ConflictResolver::Settings> leaf_conflict_;        ///< of a partitioned table
  std::vector<std::unique_ptr<ConflictResolver>> leaf_resolvers_;  ///< of each leaf that got rows
  uint64_t appended_to_leaves_ = 0;
  std::optional<RowTriggers> triggers_;  ///< none fires
  /// Rows that are written one by one, between triggers, when all are there.
  struct Waiting {
    explicit Waiting(MemoryAccount& memory) : kept(&memory) {}
    struct Row {
      WritableRow row;
      uint32_t leaf;
    };
    KeptRows kept;
    std::vector<Row> rows;
    LocalState* local = nullptr;
    bool are_written = false;
  };
  std::optional<Waiting> waiting_;  ///< none: rows are written when they come
  bool keeps_rows_ = false;
  std::vector<char*> written_;
  uint64_t written_count_ = 0;
  PartitionWriter::Scratch scratch_;  ///< of the resolvers
};

/// One worker's rows on their way into the table. Generated code fills the row it gets; the driver flushes between
/// morsels, when no leaf is latched.
///
/// Layout of what generated code sees: values[row * columns + c] (Datum, 16 bytes), nulls[row * columns + c] (1 byte);
/// the columns are the table's and then what the conflict clause reads beside them.
class InsertBuffer final : public RuntimeObject {
 public:
  struct Row {
    txn::Datum* values;
    uint8_t* nulls;
  };

  InsertBuffer(InsertTarget& target, MemoryAccount& memory, LocalState& local)
      : target_(target), local_(local), strings_(&memory), columns_(target.rowWidth()) {}

  /// The next row; its addresses hold until the next call.
  Row* nextRow();
  /// Finds the leaf partition of the row last taken.
  void route();
  /// Failure: 23514 when the row last taken does not belong to the table, a partition.
  void requirePlace() { target_.partitions()->requirePlace(current_.values, current_.nulls, scratch_); }
  /// The table whose row it is, for messages.
  [[nodiscard]] const sql::TableEntry& rowTable() const;
  [[nodiscard]] const Row& currentRow() const { return current_; }
  [[nodiscard]] Arena& strings() { return strings_; }
  [[nodiscard]] InsertTarget& target() { return target_; }
  [[nodiscard]] bool isEmpty() const { return rows_ == 0; }
  /// What waits to be flushed.
  [[nodiscard]] size_t bytes() const { return rows_ * columns_ * sizeof(txn::Datum) + strings_.reservedBytes(); }
  [[nodiscard]] bool isWorthFlushing() const { return rows_ >= kFlushRows || strings_.reservedBytes() > kFlushBytes; }
  /// Not while this thread holds a leaf. `refusal`: as ExecutionContext.
  void flush(std::optional<SqlError>* refusal = nullptr);
  // Rows that are gathered (Execution::put()).
  /// The row last taken is whole.
  void keepRow() { kept_rows_ = rows_; }
  /// Drops the one that is not.
  void dropUnkept();
  bool park() override;

 private:
  static constexpr size_t kFlushRows = 1024;
  static constexpr size_t kParkedRows = 16;
  static constexpr size_t kFlushBytes = size_t{4} << 20;
  InsertTarget& target_;
  LocalState& local_;  ///< of the worker
  Arena strings_;
  const size_t columns_;
  std::vector<txn::Datum> values_;
  std::vector<uint8_t> nulls_;
  size_t rows_ = 0;
  size_t kept_rows_ = 0;
  Row current_{};
  std::vector<uint32_t> leaves_;  ///< of a partitioned table, of each row
  PartitionWriter::Scratch scratch_;
};

namespace rt {
InsertBuffer::Row* insertNextRow(InsertBuffer* buffer);
Arena* insertArena(InsertBuffer* buffer);
/// Find where the row last taken belongs: raise 23514.
void insertRoute(InsertBuffer* buffer);
void insertRequirePlace(InsertBuffer* buffer);
/// Raises 23502 for the row last taken. `is_escape` says how bytea is shown.
[[noreturn]] void insertNullViolation(InsertBuffer* buffer, uint32_t column, bool is_escape);
/// Raises 23514 likewise.
[[noreturn]] void insertCheckViolation(InsertBuffer* buffer, uint32_t check, bool is_escape);
/// Raises 44000 likewise, for WITH CHECK OPTION of the view.
[[noreturn]] void insertViewViolation(InsertBuffer* buffer, const std::string* view, bool is_escape);
}  // namespace rt

}  // namespace gnomon::codegen
