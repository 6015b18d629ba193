#include "sql/catalog/triggers.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/catalog/dependent_views.h"
#include "sql/catalog/partitioning.h"

namespace gnomon::sql {
namespace {

template <typename Test>
bool anyTrigger(const TableEntry& table, Test&& test) {
  if (std::ranges::any_of(table.triggers, test)) return true;
  return table.partitioning && std::ranges::any_of(table.partitioning->leaves(), [&](const TablePtr& leaf) {
           return std::ranges::any_of(leaf->triggers, test);
         });
}

}  // namespace

std::string describeTrigger(const CatalogView& catalog, const TableEntry& table, const TriggerEntry& trigger) {
  return fmt::format("trigger {} on {}", trigger.name, describe(catalog, table));
}

std::vector<DependentTrigger> triggersCalling(const CatalogView& catalog, const std::vector<TablePtr>& routines) {
  std::vector<DependentTrigger> result;
  for (const TablePtr& table : catalog.entries())
    for (const TriggerEntry& trigger : table->triggers)
      if (trigger.parent == 0 && std::ranges::find(routines, trigger.function, &TableEntry::oid) != routines.end())
        result.push_back({table, trigger.oid, trigger.name});
  std::ranges::sort(result, {}, &DependentTrigger::oid);
  return result;
}

bool hasRowTriggers(const TableEntry& table, TriggerEntry::Timing timing, TriggerEvent event) {
  return anyTrigger(table, [&](const TriggerEntry& trigger) {
    return trigger.is_row && trigger.timing == timing && trigger.isFor(event) && trigger.isEnabled();
  });
}

bool hasInsteadTriggers(const TableEntry& view, TriggerEvent event) {
  return view.view && std::ranges::any_of(view.triggers, [event](const TriggerEntry& trigger) {
           return trigger.timing == TriggerEntry::Timing::InsteadOf && trigger.isFor(event);
         });
}

bool hasRowWork(const TableEntry& table, TriggerEvent event) {
  return anyTrigger(table, [&](const TriggerEntry& trigger) {
    return (trigger.is_row || trigger.hasTransitionTables()) && trigger.isFor(event) && trigger.isEnabled();
  });
}

bool hasStatementTriggers(const TableEntry& table, TriggerEvent event) {
  return std::ranges::any_of(table.triggers, [&](const TriggerEntry& trigger) {
    return !trigger.is_row && trigger.isFor(event) && trigger.isEnabled();
  });
}

}  // namespace gnomon::sql
