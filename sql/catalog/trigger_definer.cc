#include "sql/catalog/trigger_definer.h"

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/catalog/partitioning.h"

namespace gnomon::sql {

void TriggerDefiner::define(const DefineTriggersStatement& statement, const DefinitionContext& context) {
  std::vector<TablePtr> tables;
  for (const DefineTriggersStatement::Part& part : statement.parts) tables.push_back(part.table);
  catalog_.claim(tables, context);
  catalog_.claim(statement.used, context, {}, txn::LockMode::AccessShare);
  for (const DefineTriggersStatement::Part& part : statement.parts) {
    const TablePtr before = catalog_.findEntry(part.table->oid);
    auto after = std::make_shared<TableEntry>(*before);
    after->triggers = part.triggers;
    for (TriggerEntry& trigger : after->triggers) {
      if (trigger.oid == 0) trigger.oid = catalog_.catalog_.newOid();
      if (trigger.is_constraint && trigger.constraint == 0) trigger.constraint = catalog_.catalog_.newOid();
      if (trigger.parent != DefineTriggersStatement::kNewParent) continue;
      const TablePtr above = catalog_.findEntry(before->partition->parent);
      const auto parent = std::ranges::find(above->triggers, trigger.name, &TriggerEntry::name);
      CHECK(parent != above->triggers.end(), "the table above has the trigger");
      trigger.parent = parent->oid;
    }
    catalog_.redefine(before, std::move(after), context);
  }
}

void TriggerDefiner::adopt(TableEntry& partition, const TableEntry* above) {
  std::erase_if(partition.triggers, [](const TriggerEntry& trigger) { return trigger.parent != 0; });
  if (above == nullptr) return;
  for (const TriggerEntry& trigger : above->triggers) {
    if (!trigger.is_row) continue;
    auto place = std::ranges::lower_bound(partition.triggers, trigger.name, {}, &TriggerEntry::name);
    if (place != partition.triggers.end() && place->name == trigger.name)
      throw SqlError(sqlstate::kDuplicateObject,
                     "trigger \"" + trigger.name + "\" for relation \"" + partition.name + "\" already exists");
    TriggerEntry clone = trigger;
    clone.oid = catalog_.catalog_.newOid();
    clone.parent = trigger.oid;
    clone.comment.clear();
    if (clone.is_constraint) clone.constraint = catalog_.catalog_.newOid();
    partition.triggers.insert(place, std::move(clone));
  }
}

void TriggerDefiner::remove(const std::vector<DependentTrigger>& triggers, const DefinitionContext& context) {
  for (const DependentTrigger& each : triggers) {
    std::vector<TablePtr> tables = {catalog_.findEntry(each.table->oid)};
    if (tables[0]->partitioning)
      for (const TablePtr& below : tables[0]->partitioning->descendants()) tables.push_back(below);
    for (const TablePtr& table : tables) {
      const TablePtr before = catalog_.findEntry(table->oid);
      auto after = std::make_shared<TableEntry>(*before);
      std::erase_if(after->triggers, [&](const TriggerEntry& trigger) {
        return trigger.name == each.name && (table == tables[0] || trigger.parent != 0);
      });
      if (after->triggers.size() != before->triggers.size()) catalog_.redefine(before, std::move(after), context);
    }
  }
}

void TriggerDefiner::removeCalling(const std::vector<TablePtr>& dropped, const DefinitionContext& context) {
  if (std::ranges::none_of(dropped, [](const TablePtr& entry) { return entry->routine != nullptr; })) return;
  const std::vector<DependentTrigger> triggers = triggersCalling(catalog_, dropped);
  if (triggers.empty()) return;
  std::vector<TablePtr> tables;
  for (const DependentTrigger& each : triggers)
    if (std::ranges::find(tables, each.table) == tables.end()) tables.push_back(each.table);
  catalog_.claim(tables, context);
  remove(triggers, context);
}

}  // namespace gnomon::sql
