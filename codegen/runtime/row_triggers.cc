#include "codegen/runtime/row_triggers.h"

#include <algorithm>
#include <ranges>

#include "base/string_value.h"
#include "txn/table.h"

namespace gnomon::codegen {

using sql::TriggerEvent;

namespace {

bool isSame(storage::StoredKind kind, const storage::Datum& left, const storage::Datum& right) {
  if (kind == storage::StoredKind::String)
    return StringValue(left.lo, left.hi).view() == StringValue(right.lo, right.hi).view();
  return left == right;
}

}  // namespace

void RowTriggers::begin() {
  for (const sql::TriggerWork::Change& change : work_->changes)
    queue_.beforeStatement(work_->table, change.event, change.columns);
}

void RowTriggers::end() {
  for (const sql::TriggerWork::Change& change : work_->changes | std::views::reverse)
    queue_.afterStatement(work_->table, change.event, change.columns);
}

const std::vector<uint32_t>& RowTriggers::updatedColumns() const {
  static const std::vector<uint32_t> kNone;
  const sql::TriggerWork::Change* const change = work_->changeOf(TriggerEvent::Update);
  return change == nullptr ? kNone : change->columns;
}

bool RowTriggers::beforeInsert(const sql::TablePtr& table, WritableRow row) {
  return queue_.beforeRow(table, TriggerEvent::Insert, {}, {}, row);
}

bool RowTriggers::beforeUpdate(const sql::TablePtr& table, RowImage before, WritableRow row) {
  return queue_.beforeRow(table, TriggerEvent::Update, updatedColumns(), before, row);
}

bool RowTriggers::beforeDelete(const sql::TablePtr& table, RowImage before) {
  return queue_.beforeRow(table, TriggerEvent::Delete, {}, before, {});
}

RowConstraints& RowTriggers::constraintsOf(const sql::TablePtr& table) {
  std::unique_ptr<RowConstraints>& constraints = constraints_[table.get()];
  if (!constraints)
    constraints = std::make_unique<RowConstraints>(table, work_->table, work_->checks, settings_, memory_);
  return *constraints;
}

void RowTriggers::computeGenerated(const sql::TablePtr& table, WritableRow row) {
  if (mayChangeRows()) constraintsOf(table).computeGenerated(row.values, row.null_flags, memory());
}

void RowTriggers::require(const sql::TablePtr& table, WritableRow row) {
  if (mayChangeRows()) constraintsOf(table).require(row.values, row.null_flags);
}

void RowTriggers::complete(const sql::TablePtr& table, WritableRow row) {
  computeGenerated(table, row);
  require(table, row);
}

void RowTriggers::afterInsert(const sql::TablePtr& table, RowImage row) {
  queue_.afterRow(work_->table, table, TriggerEvent::Insert, {}, {}, row);
}

void RowTriggers::afterUpdate(const sql::TablePtr& table, RowImage before, RowImage row) {
  queue_.afterRow(work_->table, table, TriggerEvent::Update, updatedColumns(), before, row);
}

void RowTriggers::afterDelete(const sql::TablePtr& table, RowImage before) {
  queue_.afterRow(work_->table, table, TriggerEvent::Delete, {}, before, {});
}

std::vector<uint32_t> RowTriggers::changedColumns(const sql::TableEntry& table, const std::vector<uint32_t>& assigned,
                                                  RowImage before, RowImage row) const {
  const storage::RelationSchema& schema = table.storage->schema();
  std::vector<uint32_t> changed;
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    const bool is_same = before.null_flags[i] == row.null_flags[i] &&
                         (row.null_flags[i] != 0 || isSame(schema[i].kind, before.values[i], row.values[i]));
    if (!is_same || std::ranges::binary_search(assigned, i)) changed.push_back(i);
  }
  return changed;
}

}  // namespace gnomon::codegen
