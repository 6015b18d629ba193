#include "codegen/runtime/trigger_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/partitioning.h"
#include "txn/table.h"

namespace gnomon::codegen {

using sql::TriggerEntry;
using sql::TriggerEvent;
using storage::Datum;

WritableRow KeptRows::keep(const storage::RelationSchema& columns, RowImage row, size_t width) {
  width = std::max(width, columns.size());
  auto* const values = static_cast<Datum*>(memory_.allocate(width * (sizeof(Datum) + 1)));
  auto* const null_flags = reinterpret_cast<uint8_t*>(values + width);
  std::memcpy(values, row.values, width * sizeof(Datum));
  std::memcpy(null_flags, row.null_flags, width);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (null_flags[i] != 0 || columns[i].kind != storage::StoredKind::String) continue;
    const StringValue text(values[i].lo, values[i].hi);
    if (text.view().size() <= StringValue::kInlineBytesMax) continue;
    const StringValue copy = StringValue::refer(memory_.copy(text.view()), StringValue::Storage::Temporary);
    values[i] = {copy.lo(), copy.hi()};
  }
  return {values, null_flags};
}

namespace {

bool isOfStatement(const TriggerEntry& trigger, TriggerEntry::Timing timing, TriggerEvent event,
                   const std::vector<uint32_t>& columns) {
  return !trigger.is_row && trigger.timing == timing && trigger.isEnabled() && trigger.isOf(event, columns);
}

/// A new row of a partition before a trigger that the partition has of its table.
class InsertedRow {
 public:
  explicit InsertedRow(const TriggerCall& call) : call_(call) {
    is_tested_ = call.trigger->parent != 0 && call.trigger->timing == TriggerEntry::Timing::Before &&
                 call.event == TriggerEvent::Insert && sql::catalogSession() != nullptr;
    if (!is_tested_) return;
    const size_t columns = call.table->columns.size();
    values_.assign(call.after.values, call.after.values + columns);
    null_flags_.assign(call.after.null_flags, call.after.null_flags + columns);
  }
  /// Whether it still is one of the partition, if the trigger has changed it. Failure: 0A000.
  void requirePlace() const {
    const RowImage row = call_.after;
    if (!is_tested_ || (std::equal(values_.begin(), values_.end(), row.values) &&
                        std::equal(null_flags_.begin(), null_flags_.end(), row.null_flags)))
      return;
    const sql::TableEntry& table = *call_.table;
    const auto ancestors = sql::ancestorsOf(sql::catalogSession()->catalog, table);
    sql::Partitioning::Scratch scratch;
    if (sql::belongsTo(table, ancestors, row.values, row.null_flags, scratch)) return;
    throw SqlError(sqlstate::kFeatureNotSupported,
                   "moving row to another partition during a BEFORE FOR EACH ROW trigger is not supported")
        .detail(fmt::format("Before executing trigger \"{}\", the row was to be in partition \"{}.{}\".",
                            call_.trigger->name, table.schema, table.name));
  }

 private:
  const TriggerCall& call_;
  bool is_tested_ = false;
  std::vector<Datum> values_;
  std::vector<uint8_t> null_flags_;
};

}  // namespace

void TriggerQueue::beforeStatement(const sql::TablePtr& table, TriggerEvent event,
                                   const std::vector<uint32_t>& columns) {
  for (const TriggerEntry& trigger : table->triggers) {
    if (!isOfStatement(trigger, TriggerEntry::Timing::Before, event, columns)) continue;
    const TriggerCall call{.table = table, .trigger = &trigger, .event = event, .before = {}, .after = {}};
    if (host_.isWanted(call)) host_.call(call, nullptr, scratch_);
  }
}

void TriggerQueue::afterStatement(const sql::TablePtr& table, TriggerEvent event,
                                  const std::vector<uint32_t>& columns) {
  for (const TriggerEntry& trigger : table->triggers) {
    if (!isOfStatement(trigger, TriggerEntry::Timing::After, event, columns)) continue;
    TriggerCall call{.table = table, .trigger = &trigger, .event = event, .before = {}, .after = {}};
    if (trigger.hasTransitionTables()) call.transitions = &transitions_[{table->oid, event}];
    if (host_.isWanted(call)) events_.push_back(std::move(call));
  }
}

bool TriggerQueue::fireRow(TriggerEntry::Timing timing, const sql::TablePtr& table, TriggerEvent event,
                           const std::vector<uint32_t>& columns, RowImage before, WritableRow after) {
  for (const TriggerEntry& trigger : table->triggers) {
    if (!trigger.is_row || trigger.timing != timing || !trigger.isEnabled() || !trigger.isOf(event, columns)) continue;
    const TriggerCall call{
        .table = table, .trigger = &trigger, .event = event, .before = before, .after = after.image()};
    if (!host_.isWanted(call)) continue;
    WritableRow returned = after;
    const InsertedRow inserted(call);
    const bool is_wanted = host_.call(call, after.values != nullptr ? &returned : nullptr, rows_.memory());
    if (!is_wanted) return false;
    inserted.requirePlace();
  }
  return true;
}

void TriggerQueue::afterRow(const sql::TablePtr& named, const sql::TablePtr& table, TriggerEvent event,
                            const std::vector<uint32_t>& columns, RowImage before, RowImage after) {
  const storage::RelationSchema& schema = table->storage->schema();
  bool is_kept = false;
  const auto keep = [&] {
    if (std::exchange(is_kept, true)) return;
    if (before.isThere()) before = rows_.keep(schema, before).image();
    if (after.isThere()) after = rows_.keep(schema, after).image();
  };
  const auto wantsRows = [&](const TriggerEntry& trigger) {
    return trigger.hasTransitionTables() && trigger.isEnabled() && trigger.isFor(event);
  };
  TransitionRows* transitions = nullptr;
  if (std::ranges::any_of(named->triggers, wantsRows)) {
    keep();
    transitions = &transitions_[{named->oid, event}];
    if (before.isThere()) transitions->before.push_back(before);
    if (after.isThere()) transitions->after.push_back(after);
  }
  for (const TriggerEntry& trigger : table->triggers) {
    if (!trigger.is_row || trigger.timing != TriggerEntry::Timing::After || !trigger.isEnabled() ||
        !trigger.isOf(event, columns))
      continue;
    TriggerCall call{.table = table, .trigger = &trigger, .event = event, .before = before, .after = after};
    if (!host_.isWanted(call)) continue;
    keep();
    call.before = before;
    call.after = after;
    if (trigger.hasTransitionTables()) call.transitions = transitions;
    events_.push_back(std::move(call));
  }
}

void TriggerQueue::run() {
  while (!events_.empty()) {
    const Event event = std::move(events_.front());
    events_.pop_front();
    if (event.trigger->is_deferrable && host_.putOff(event)) continue;
    host_.call(event, nullptr, scratch_);
    scratch_.clear();
  }
}

}  // namespace gnomon::codegen
