#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/access.h"
#include "sql/catalog/cascade_notice.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/trigger_definer.h"

/// What CatalogTransaction does for functions and procedures.
namespace gnomon::sql {

void CatalogTransaction::defineRoutine(const DefineRoutineStatement& statement, const DefinitionContext& context) {
  const TablePtr& before = statement.before;
  const ObjectPath path{statement.schema, routineKey(statement.routine)};
  if (before) {
    claim({before}, context);
    requireOwner(*this, *before);
  }
  claim(statement.used, context, {}, txn::LockMode::AccessShare);
  if (!before || before->schema != path.schema) useSchema(path.schema, context);
  if (!before || before->path() != path) {
    const auto require = [&] {
      const TablePtr taken = findEntry(path);
      if (!taken) return;
      throw SqlError(
          SqlState("42723"),
          before ? fmt::format("{} {} already exists in schema \"{}\"", routineKindName(*taken->routine),
                               routineSignature(*taken->routine), path.schema)
                 : fmt::format("function \"{}\" already exists with same argument types", statement.routine.name));
    };
    require();
    lockName(path, context);
    require();
  }
  auto entry = before ? std::make_shared<TableEntry>(*before) : std::make_shared<TableEntry>();
  entry->database = catalog_.databaseOid();
  entry->schema = path.schema;
  entry->name = path.name;
  entry->is_temporary = entry->schema == temporary_;
  entry->routine = std::make_shared<const RoutineEntry>(statement.routine);
  if (before) return redefine(before, std::move(entry), context);
  entry->owner = claimRoleOf(context);
  catalog_.store().createStorage(*entry, nullptr, context.patience.cancel);
  changes_.push_back({.table = {nullptr, entry}, .storage = {}});
  catalog_.store().record(nullptr, entry.get(), context);
  see({nullptr, entry});
}

void CatalogTransaction::dropRoutines(const DropRoutineStatement& drop, const DefinitionContext& context,
                                      std::vector<SqlError>* notices) {
  std::vector<TablePtr> dropped = drop.routines;
  const std::vector<DependentView> views = dependentViews(*this, dropped);
  const std::vector<DependentDefault> defaults = defaultsCalling(*this, dropped);
  const std::vector<DependentTrigger> triggers = triggersCalling(*this, dropped);
  std::vector<std::string> described_triggers;
  addDescriptions(*this, triggers, described_triggers);
  if (!triggers.empty() && !drop.is_cascade) throw stillNeeded(describe(*this, *dropped.front()), described_triggers);
  if (!views.empty() && !drop.is_cascade) throw viewsExist(*this, dropped, views);
  if (!defaults.empty() && !drop.is_cascade) throw defaultsExist(*this, describe(*this, *dropped.front()), defaults);
  for (const DependentView& each : views) dropped.push_back(each.view);
  std::vector<TablePtr> claimed = dropped;
  for (const DependentDefault& each : defaults)
    if (std::ranges::find(claimed, each.table) == claimed.end()) claimed.push_back(each.table);
  for (const DependentTrigger& each : triggers)
    if (std::ranges::find(claimed, each.table) == claimed.end()) claimed.push_back(each.table);
  claim(claimed, context);
  for (const TablePtr& routine : drop.routines) requireMayDrop(*this, *routine);
  std::vector<std::string> cascaded;
  for (const DependentView& each : views) cascaded.push_back(each.describe(*this));
  for (const DependentDefault& each : defaults) cascaded.push_back(each.describe(*this));
  cascaded.insert(cascaded.end(), described_triggers.begin(), described_triggers.end());
  if (!cascaded.empty() && notices != nullptr) notices->push_back(cascadeNotice(cascaded));
  removeDefaults(defaults, context);
  TriggerDefiner(*this).remove(triggers, context);
  remove(dropped, context);
}

}  // namespace gnomon::sql
