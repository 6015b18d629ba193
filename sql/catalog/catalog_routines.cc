#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/catalog/access.h"
#include "sql/catalog/cascade_notice.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/stored_mentions.h"
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

/// Failure: 0A000 for what calls a routine and is no check.
void CatalogTransaction::requireRemovable(const std::vector<StoredMention>& mentions) const {
  for (const StoredMention& each : mentions)
    if (each.kind != EntryText::Kind::Check)
      throwNotSupported("DROP ... CASCADE of a function that is called by " + each.describe(*this));
}

/// Of entries that are claimed.
void CatalogTransaction::removeChecks(const std::vector<StoredMention>& mentions, const DefinitionContext& context) {
  for (const StoredMention& each : mentions) {
    const TablePtr before = findEntry(each.entry->oid);
    auto after = std::make_shared<TableEntry>(*before);
    std::erase_if(after->checks, [&](const CheckEntry& check) { return check.name == each.name; });
    after->check_expressions = bindCheckExpressions(*after);
    redefine(before, std::move(after), context);
  }
}

void CatalogTransaction::dropRoutines(const DropRoutineStatement& drop, const DefinitionContext& context,
                                      std::vector<SqlError>* notices) {
  // From here on nobody defines what calls them.
  claim(drop.routines, context);
  std::vector<TablePtr> dropped = drop.routines;
  const std::vector<DependentView> views = dependentViews(*this, dropped);
  const std::vector<DependentDefault> defaults = defaultsCalling(*this, dropped);
  const std::vector<DependentTrigger> triggers = triggersCalling(*this, dropped);
  const std::vector<StoredMention> mentions = routineMentions(*this, dropped);
  std::multimap<uint32_t, std::string> dependents;  // by who has them, in whose order they are told
  const auto add = [&](const TablePtr& owner, const std::string& what, const TableEntry& needed) {
    dependents.emplace(owner->oid, fmt::format("{} depends on {}", what, describe(*this, needed)));
  };
  for (const StoredMention& each : mentions) add(each.entry, each.describe(*this), *each.named);
  for (const DependentView& each : views) add(each.view, each.describe(*this), *each.used);
  for (const DependentDefault& each : defaults) add(each.table, each.describe(*this), *each.needed);
  for (const DependentTrigger& each : triggers) add(each.table, each.describe(*this), *dropped.front());
  if (!dependents.empty() && !drop.is_cascade) {
    throw SqlError(sqlstate::kDependentObjectsStillExist,
                   fmt::format("cannot drop {} because other objects depend on it", describe(*this, *dropped.front())))
        .detail(fmt::format("{}", fmt::join(std::views::values(dependents), "\n")))
        .hint("Use DROP ... CASCADE to drop the dependent objects too.");
  }
  requireRemovable(mentions);
  std::vector<TablePtr> claimed;
  for (const DependentView& each : views) claimed.push_back(each.view);
  dropped.insert(dropped.end(), claimed.begin(), claimed.end());
  for (const DependentDefault& each : defaults)
    if (std::ranges::find(claimed, each.table) == claimed.end()) claimed.push_back(each.table);
  for (const DependentTrigger& each : triggers)
    if (std::ranges::find(claimed, each.table) == claimed.end()) claimed.push_back(each.table);
  for (const StoredMention& each : mentions)
    if (std::ranges::find(claimed, each.entry) == claimed.end()) claimed.push_back(each.entry);
  claim(claimed, context);
  for (const TablePtr& routine : drop.routines) requireMayDrop(*this, *routine);
  std::vector<std::string> cascaded;
  for (const DependentView& each : views) cascaded.push_back(each.describe(*this));
  for (const DependentDefault& each : defaults) cascaded.push_back(each.describe(*this));
  addDescriptions(*this, mentions, cascaded);
  addDescriptions(*this, triggers, cascaded);
  if (!cascaded.empty() && notices != nullptr) notices->push_back(cascadeNotice(cascaded));
  removeDefaults(defaults, context);
  removeChecks(mentions, context);
  TriggerDefiner(*this).remove(triggers, context);
  remove(dropped, context);
}

}  // namespace gnomon::sql
