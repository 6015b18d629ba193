#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "codegen/runtime/foreign_keys.h"
#include "codegen/runtime/row_constraints.h"
#include "codegen/runtime/trigger_queue.h"
#include "sql/algebra/trigger_work.h"

namespace gnomon::codegen {

/// The triggers of the table that a statement changes: when they fire, and what rows have to satisfy behind them.
///
/// Threads: the session's. Failure: the triggers'; 23502, 23514. `table` below: the one that the row is in, which may
/// be a partition.
class RowTriggers {
 public:
  /// `memory`: outlives this. `settings`: with the statement's queue.
  RowTriggers(std::shared_ptr<const sql::TriggerWork> work, const ForeignKeySettings& settings, MemoryAccount& memory)
      : work_(std::move(work)), queue_(*settings.triggers), settings_(settings), memory_(memory) {}

  /// Those before the statement, and behind it.
  void begin();
  void end();
  [[nodiscard]] bool hasRows() const { return work_->has_rows; }
  [[nodiscard]] bool isInstead() const { return work_->is_instead; }
  /// Rows may be other ones behind the triggers, and have to be tested then.
  [[nodiscard]] bool mayChangeRows() const { return work_->has_before_rows; }

  /// Those before a row. False: it is left alone.
  bool beforeInsert(const sql::TablePtr& table, WritableRow row);
  bool beforeUpdate(const sql::TablePtr& table, RowImage before, WritableRow row);
  bool beforeDelete(const sql::TablePtr& table, RowImage before);
  /// The row as it is going to be written gets its generated columns.
  void computeGenerated(const sql::TablePtr& table, WritableRow row);
  /// It is tested. Failure: as RowConstraints::require().
  void require(const sql::TablePtr& table, WritableRow row);
  /// Both.
  void complete(const sql::TablePtr& table, WritableRow row);
  /// It has been written.
  void afterInsert(const sql::TablePtr& table, RowImage row);
  void afterUpdate(const sql::TablePtr& table, RowImage before, RowImage row);
  void afterDelete(const sql::TablePtr& table, RowImage before);
  /// Those of a view.
  bool instead(sql::TriggerEvent event, RowImage before, WritableRow row) {
    return queue_.insteadOf(work_->table, event, before, row);
  }
  /// Of those columns of a row that an UPDATE changes, and of those that are others than before.
  std::vector<uint32_t> changedColumns(const sql::TableEntry& table, const std::vector<uint32_t>& assigned,
                                       RowImage before, RowImage row) const;
  /// For rows on their way: it lives as long as the statement.
  Arena& memory() { return queue_.memory(); }

 private:
  [[nodiscard]] const std::vector<uint32_t>& updatedColumns() const;
  RowConstraints& constraintsOf(const sql::TablePtr& table);

  const std::shared_ptr<const sql::TriggerWork> work_;
  TriggerQueue& queue_;
  const ForeignKeySettings settings_;
  MemoryAccount& memory_;
  std::unordered_map<const sql::TableEntry*, std::unique_ptr<RowConstraints>> constraints_;
};

}  // namespace gnomon::codegen
