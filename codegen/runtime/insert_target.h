#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/arena.h"
#include "codegen/runtime/conflict_resolver.h"
#include "codegen/runtime/foreign_keys.h"
#include "codegen/runtime/write_target.h"
#include "sql/catalog/table_entry.h"
#include "txn/write_statement.h"

namespace gnomon::codegen {

/// The table an INSERT writes to.
/// Threads: append from any worker, one at a time inside.
class InsertTarget final : public WriteTarget {
 public:
  InsertTarget(sql::TablePtr table, const txn::WriteContext& context)
      : table_(std::move(table)), statement_(*table_->storage, context) {}
  /// Rows have to satisfy foreign keys. Before the first row.
  void setKeys(std::shared_ptr<const sql::KeyWork> work, const txn::WriteContext& context,
               const ForeignKeySettings& settings, MemoryAccount& memory) {
    keys_.emplace(std::move(work), context, statement_, settings, memory);
  }

  /// Rows may be there already. After setKeys(), before the first row.
  void setConflict(const ConflictResolver::Settings& settings) {
    resolver_.emplace(settings, table_, statement_, keys_ ? &*keys_ : nullptr);
  }

  [[nodiscard]] const sql::TableEntry& table() const { return *table_; }
  /// The rows as they were written, for which there is a resolver.
  [[nodiscard]] const std::vector<char*>& writtenRows() const { return resolver_->writtenRows(); }
  /// `local`: of the worker at hand.
  void append(const txn::Datum* values, const uint8_t* nulls, size_t rows, LocalState& local) {
    const std::scoped_lock guard(mutex_);
    if (resolver_) return resolver_->append(values, nulls, rows, local);
    const txn::TupleId first = statement_.appendBatch(values, nulls, rows);
    if (keys_) keys_->noteAppended(first, values, nulls, rows);
  }
  uint64_t finish(ExecutionState&) override {
    const uint64_t rows = resolver_ ? resolver_->rowCount() : statement_.appendedCount();
    if (keys_)
      keys_->finish();
    else
      statement_.finish();
    return rows;
  }

 private:
  sql::TablePtr table_;
  std::mutex mutex_;
  txn::WriteStatement statement_;
  std::optional<ForeignKeys> keys_;  ///< none: nothing is asked of the rows
  std::optional<ConflictResolver> resolver_;
};

/// One worker's rows on their way into the table. Generated code fills the row it gets; the driver flushes between
/// morsels, when no leaf is latched.
///
/// Layout of what generated code sees: values[row * columns + c] (Datum, 16 bytes), nulls[row * columns + c] (1 byte).
class InsertBuffer final : public RuntimeObject {
 public:
  struct Row {
    txn::Datum* values;
    uint8_t* nulls;
  };

  InsertBuffer(InsertTarget& target, MemoryAccount& memory, LocalState& local)
      : target_(target), local_(local), strings_(&memory), columns_(target.table().columns.size()) {}

  /// The next row; its addresses hold until the next call.
  Row* nextRow();
  [[nodiscard]] const Row& currentRow() const { return current_; }
  [[nodiscard]] Arena& strings() { return strings_; }
  [[nodiscard]] InsertTarget& target() { return target_; }
  [[nodiscard]] bool isEmpty() const { return rows_ == 0; }
  /// What waits to be flushed.
  [[nodiscard]] size_t bytes() const { return rows_ * columns_ * sizeof(txn::Datum) + strings_.reservedBytes(); }
  [[nodiscard]] bool isWorthFlushing() const { return rows_ >= kFlushRows || strings_.reservedBytes() > kFlushBytes; }
  /// Not while this thread holds a leaf.
  void flush();

 private:
  static constexpr size_t kFlushRows = 1024;
  static constexpr size_t kFlushBytes = size_t{4} << 20;
  InsertTarget& target_;
  LocalState& local_;  ///< of the worker
  Arena strings_;
  const size_t columns_;
  std::vector<txn::Datum> values_;
  std::vector<uint8_t> nulls_;
  size_t rows_ = 0;
  Row current_{};
};

namespace rt {
InsertBuffer::Row* insertNextRow(InsertBuffer* buffer);
Arena* insertArena(InsertBuffer* buffer);
/// Raises 23502 for the row last taken. `is_escape` says how bytea is shown.
[[noreturn]] void insertNullViolation(InsertBuffer* buffer, uint32_t column, bool is_escape);
/// Raises 23514 likewise.
[[noreturn]] void insertCheckViolation(InsertBuffer* buffer, uint32_t check, bool is_escape);
}  // namespace rt

}  // namespace gnomon::codegen
