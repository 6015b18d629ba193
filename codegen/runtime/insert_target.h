#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/arena.h"
#include "codegen/runtime/runtime_object.h"
#include "sql/catalog/table_entry.h"
#include "txn/write_statement.h"

namespace gnomon::codegen {

/// The table an INSERT writes to, for one execution: all rows or none.
/// Threads: flush from any worker, one at a time inside.
class InsertTarget final : public RuntimeObject {
 public:
  /// Waits for the table's write lock.
  InsertTarget(sql::TablePtr table, const CancelToken& cancel)
      : table_(std::move(table)), statement_(std::make_unique<txn::WriteStatement>(*table_->storage, cancel)) {}

  [[nodiscard]] const sql::TableEntry& table() const { return *table_; }
  void append(const txn::Datum* values, const uint8_t* nulls, size_t rows) {
    const std::scoped_lock guard(mutex_);
    statement_->appendBatch(values, nulls, rows);
  }
  [[nodiscard]] uint64_t rowCount() const { return statement_ ? statement_->appendedCount() : committed_rows_; }
  void commit() {
    committed_rows_ = statement_->appendedCount();
    statement_->commit();
    statement_.reset();
  }

 private:
  sql::TablePtr table_;
  std::mutex mutex_;
  std::unique_ptr<txn::WriteStatement> statement_;
  uint64_t committed_rows_ = 0;
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

  InsertBuffer(InsertTarget& target, MemoryAccount& memory)
      : target_(target), strings_(&memory), columns_(target.table().columns.size()) {}

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
}  // namespace rt

}  // namespace gnomon::codegen
