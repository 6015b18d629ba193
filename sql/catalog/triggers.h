#pragma once

#include <string>
#include <vector>

#include "sql/catalog/catalog_view.h"

/// What is asked of triggers.
namespace gnomon::sql {

/// A trigger that needs something.
struct DependentTrigger {
  TablePtr table;
  uint32_t oid = 0;
  std::string name;
};

/// "trigger x on table t".
std::string describeTrigger(const CatalogView& catalog, const TableEntry& table, const TriggerEntry& trigger);
/// Those that call one of the routines; of partitions none that are made of one of a table above.
std::vector<DependentTrigger> triggersCalling(const CatalogView& catalog, const std::vector<TablePtr>& routines);

/// Whether the table, or of a partitioned one a leaf, has enabled row triggers of the timing and event.
bool hasRowTriggers(const TableEntry& table, TriggerEntry::Timing timing, TriggerEvent event);
/// Whether changes of a view are left to triggers.
bool hasInsteadTriggers(const TableEntry& view, TriggerEvent event);
/// Whether rows of this event concern any trigger of the table or its leaves: row triggers, or transition tables.
bool hasRowWork(const TableEntry& table, TriggerEvent event);
/// Whether the table has enabled statement triggers of the event.
bool hasStatementTriggers(const TableEntry& table, TriggerEvent event);

}  // namespace gnomon::sql
