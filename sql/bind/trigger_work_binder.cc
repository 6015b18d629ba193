#include "sql/bind/trigger_work_binder.h"

#include <algorithm>
#include <numeric>

#include "sql/catalog/triggers.h"

namespace gnomon::sql {

std::shared_ptr<const TriggerWork> bindTriggerWork(const TablePtr& table, std::vector<TriggerWork::Change> changes,
                                                   const RowChecks& checks) {
  using Timing = TriggerEntry::Timing;
  const auto anyChange = [&](auto&& test) {
    return std::ranges::any_of(changes, [&](const TriggerWork::Change& change) { return test(change.event); });
  };
  TriggerWork work;
  work.has_rows = anyChange([&](TriggerEvent event) {
    // A row that leaves its partition is deleted there, and inserted into another one.
    const bool moves = event == TriggerEvent::Update && table->partitioning;
    return hasRowWork(*table, event) ||
           (moves && (hasRowWork(*table, TriggerEvent::Delete) || hasRowWork(*table, TriggerEvent::Insert)));
  });
  const bool has_statements = anyChange([&](TriggerEvent event) { return hasStatementTriggers(*table, event); });
  if (!work.has_rows && !has_statements) return nullptr;
  work.has_before_rows = anyChange([&](TriggerEvent event) {
    if (event == TriggerEvent::Delete) return false;
    // A row that leaves its partition is inserted into another one.
    return hasRowTriggers(*table, Timing::Before, event) ||
           (event == TriggerEvent::Update && table->partitioning &&
            hasRowTriggers(*table, Timing::Before, TriggerEvent::Insert));
  });
  if (work.has_before_rows) work.checks = {checks.expressions, checks.expressions};
  work.table = table;
  work.changes = std::move(changes);
  return std::make_shared<const TriggerWork>(std::move(work));
}

std::shared_ptr<const TriggerWork> insteadWork(const TablePtr& view, TriggerWork::Change change) {
  TriggerWork work;
  work.table = view;
  work.changes.push_back(std::move(change));
  work.has_rows = work.has_before_rows = work.is_instead = true;
  return std::make_shared<const TriggerWork>(std::move(work));
}

std::vector<uint32_t> columnsChangedWith(const TriggerWork* work, const TableEntry& table,
                                         const std::vector<uint32_t>& assigned) {
  if (work == nullptr || !work->has_before_rows || assigned.empty()) return assigned;
  std::vector<uint32_t> all(table.columns.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace gnomon::sql
