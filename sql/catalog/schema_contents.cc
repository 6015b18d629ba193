#include "sql/catalog/schema_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>

#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/sequences.h"
#include "sql/catalog/stored_mentions.h"

namespace gnomon::sql {
namespace {

/// A dependent that is to be followed.
struct Step {
  uint32_t oid;  ///< the younger, the sooner
  std::function<void()> follow;
};

void followAll(std::vector<Step> steps) {
  std::multimap<uint32_t, Step*, std::greater<>> ordered;  // those of one age as they came
  for (Step& step : steps) ordered.emplace(step.oid, &step);
  for (const auto& [oid, step] : ordered) step->follow();
}

}  // namespace

SchemaContents::SchemaContents(const CatalogView& catalog, std::vector<SchemaPtr> schemas)
    : catalog_(catalog), schemas_(std::move(schemas)), all_(catalog.entries()) {
  for (const SchemaPtr& schema : schemas_) {
    std::vector<Step> steps;
    for (const TablePtr& table : all_)
      if (table->schema == schema->name)
        steps.push_back({table->oid, [this, &table, &schema] { visit(table, "schema " + schema->name); }});
    followAll(std::move(steps));
  }
  std::ranges::reverse(dependents_);
}

bool SchemaContents::isInside(const TableEntry& table) const {
  return std::ranges::find(schemas_, table.schema, [](const SchemaPtr& schema) { return schema->name; }) !=
         schemas_.end();
}

/// It goes with its table, which is told of instead.
bool SchemaContents::isOwned(const TableEntry& table) const {
  if (table.sequence) return table.sequence->owner != 0;
  return std::ranges::any_of(ancestorsOf(catalog_, table), [this](const TablePtr& above) { return isInside(*above); });
}

void SchemaContents::visit(const TablePtr& table, const std::string& on) {
  if (std::ranges::find(tables_, table) != tables_.end()) return;
  tables_.push_back(table);
  visitDependents(table);
  if (!isOwned(*table)) dependents_.push_back({describe(catalog_, *table), on});
}

/// It goes as a whole, by whichever part it is met.
void SchemaContents::visitKey(const DependentKey& key, const std::string& on) {
  if (keys_.insert({key.child->oid, key.whole().number}).second) dependents_.push_back({key.describe(catalog_), on});
}

void SchemaContents::visitDependents(const TablePtr& table) {
  const std::string on = describe(catalog_, *table);
  std::vector<Step> steps;
  for (const TablePtr& view : all_)
    if (const ViewEntry* const query = view->query();
        query != nullptr && std::ranges::find(query->uses, table->oid, &ViewEntry::Use::table) != query->uses.end())
      steps.push_back({view->oid, [this, view, &on] { visit(view, on); }});
  for (const DependentKey& key : dependentKeys(catalog_, *table))
    if (!isInside(*key.child)) steps.push_back({key.child->oid, [this, key, &on] { visitKey(key, on); }});
  if (table->partitioning)
    for (const TablePtr& each : table->partitioning->partitions())
      steps.push_back({each->oid, [this, each, &on] { visit(each, on); }});
  std::vector<DependentDefault> defaults;
  if (table->sequence) defaults = dependentDefaults(catalog_, {table});
  if (table->routine) defaults = defaultsCalling(catalog_, {table});
  for (const DependentDefault& each : defaults)
    if (!isInside(*each.table))
      steps.push_back({each.table->oid, [this, each, &on] { dependents_.push_back({each.describe(catalog_), on}); }});
  if (table->routine)
    for (const StoredMention& each : routineMentions(catalog_, {table}))
      if (!isInside(*each.entry))
        steps.push_back({each.entry->oid, [this, each, &on] { dependents_.push_back({each.describe(catalog_), on}); }});
  for (const TablePtr& sequence : ownedSequences(catalog_, table->oid))
    steps.push_back({sequence->oid, [this, sequence, &on] { visit(sequence, on); }});
  followAll(std::move(steps));
}

/// A line for each, up to a number.
std::string SchemaContents::listed(const std::string& before, bool names_reason) const {
  constexpr size_t kListedMax = 100;
  std::string text;
  for (const Dependent& each : dependents_ | std::views::take(kListedMax)) {
    text.append(text.empty() ? "" : "\n").append(before).append(each.what);
    if (names_reason) text.append(" depends on ").append(each.on);
  }
  if (const size_t count = dependents_.size(); count > kListedMax)
    text += fmt::format("\nand {} other object{} (see server log for list)", count - kListedMax,
                        count == kListedMax + 1 ? "" : "s");
  return text;
}

SqlError SchemaContents::stillThere() const {
  return SqlError(sqlstate::kDependentObjectsStillExist,
                  schemas_.size() == 1
                      ? fmt::format("cannot drop schema {} because other objects depend on it", schemas_.front()->name)
                      : "cannot drop desired object(s) because other objects depend on them")
      .detail(listed("", true))
      .hint("Use DROP ... CASCADE to drop the dependent objects too.");
}

SqlError SchemaContents::cascadeNotice() const {
  constexpr SqlState kSuccess("00000");
  if (dependents_.size() == 1) return {kSuccess, "drop cascades to " + dependents_.front().what};
  return SqlError(kSuccess, fmt::format("drop cascades to {} other objects", dependents_.size()))
      .detail(listed("drop cascades to ", false));
}

}  // namespace gnomon::sql
