#include "sql/catalog/dependents.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "sql/algebra/check_expressions.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/trigger_condition.h"
#include "sql/catalog/cascade_notice.h"
#include "sql/catalog/dependent_types.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/sequences.h"
#include "sql/catalog/stored_mentions.h"
#include "sql/catalog/triggers.h"
#include "sql/catalog/user_types.h"

namespace gnomon::sql {
namespace {

using Kind = Dependent::Kind;

bool hasColumn(const std::vector<uint32_t>& columns, uint32_t column) {
  return std::ranges::find(columns, column) != columns.end();
}

Dependent dependentOf(const StoredMention& mention) {
  using Text = EntryText::Kind;
  const auto columnNumber = [&] {
    return static_cast<uint32_t>(std::ranges::find(mention.entry->columns, mention.name, &ColumnEntry::name) -
                                 mention.entry->columns.begin());
  };
  switch (mention.kind) {
    case Text::Default:
      // That of a domain is a part of what it is.
      if (mention.entry->type) return {Kind::Entry, mention.entry};
      return {Kind::Default, mention.entry, columnNumber()};
    case Text::Generated:
      return {Kind::Column, mention.entry, columnNumber()};
    case Text::Check:
      return {Kind::Check, mention.entry, 0, mention.name};
    case Text::Index:
      return {Kind::Index, mention.entry, 0, mention.name};
    case Text::Trigger:
      return {Kind::Trigger, mention.entry, 0, mention.name};
    case Text::Parameter:
    case Text::PartitionKey:
      break;
  }
  return {Kind::Entry, mention.entry};
}

/// Whether it is made of an index or a trigger of a partition's table, with which it goes.
bool isPartOfOther(const TableEntry& entry, const StoredMention& mention) {
  if (mention.kind == EntryText::Kind::Index)
    return std::ranges::any_of(
        entry.indexes, [&](const IndexPtr& index) { return index->name == mention.name && index->parent != 0; });
  return mention.kind == EntryText::Kind::Trigger &&
         std::ranges::any_of(entry.triggers, [&](const TriggerEntry& trigger) {
           return trigger.name == mention.name && trigger.parent != 0;
         });
}

/// Whether the table has the key from one above, with whose key it goes.
bool isInherited(const CatalogView& catalog, const DependentKey& key) {
  return std::ranges::any_of(ancestorsOf(catalog, *key.child), [&](const TablePtr& above) {
    const ForeignKeyEntry* const found = findKey(*above, key.whole().name);
    return found != nullptr && found->part_of == 0;
  });
}

/// "column a of table t".
std::string describeColumn(const CatalogView& catalog, const TableEntry& table, uint32_t column) {
  return fmt::format("column {} of {}{}", table.columns[column].name, table.type ? "composite " : "",
                     describe(catalog, table));
}

/// How things are told of that need it.
std::string neededAs(const CatalogView& catalog, const TableEntry& type) {
  return "type " + catalog.shownName(type);
}

}  // namespace

/// A dependent that is to be visited.
struct Dependents::Step {
  Dependent dependent;
  bool is_silent = false;
  std::string on = {};  ///< empty: what all of them need

  /// How old it is, the oldest last; what has no oid of its own is told behind what it belongs to.
  [[nodiscard]] std::pair<uint32_t, int64_t> age() const {
    const TableEntry& entry = *dependent.entry;
    switch (dependent.kind) {
      case Kind::Entry:
        return {entry.oid, 0};
      case Kind::Column:
        if (entry.columns[dependent.number].is_generated) return {entry.oid, 1 + int64_t{dependent.number}};
        return {entry.oid, -1 - int64_t{dependent.number}};
      case Kind::Default:
        return {entry.oid, 1 + int64_t{dependent.number}};
      case Kind::Check:
        return {entry.oid, int64_t{1} << 32};
      case Kind::Index:
        for (const IndexPtr& index : entry.indexes)
          if (index->name == dependent.name) return {index->oid, 0};
        break;
      case Kind::Trigger:
        for (const TriggerEntry& trigger : entry.triggers)
          if (trigger.name == dependent.name) return {trigger.oid, 0};
        break;
      case Kind::ForeignKey:
        if (const ForeignKeyEntry* const key = findKey(entry, dependent.number))
          return {std::max(entry.oid, key->parent_index), (int64_t{2} << 32) + dependent.number};
        break;
    }
    return {entry.oid, 0};
  }
};

std::string Dependent::describe(const CatalogView& catalog) const {
  const auto owner = [&] { return sql::describe(catalog, *entry); };
  switch (kind) {
    case Kind::Entry:
      break;
    case Kind::Column:
      return describeColumn(catalog, *entry, number);
    case Kind::Default:
      return "default value for " + describeColumn(catalog, *entry, number);
    case Kind::Check:
      return entry->type ? "constraint " + name : fmt::format("constraint {} on {}", name, owner());
    case Kind::Index:
      return "index " + catalog.shownName(ObjectPath{entry->schema, name});
    case Kind::Trigger:
      return fmt::format("trigger {} on {}", name, owner());
    case Kind::ForeignKey:
      return fmt::format("constraint {} on {}", findKey(*entry, number)->name, owner());
  }
  return owner();
}

Dependents::Key Dependents::keyOf(const Dependent& dependent) {
  return {dependent.kind, dependent.entry->oid, dependent.number, dependent.name};
}

void Dependents::drop(const TablePtr& entry) {
  visit({Kind::Entry, entry}, {}, true);
}

void Dependents::dropColumn(const TablePtr& table, uint32_t column) {
  visit({Kind::Column, table, column}, {}, true);
}

void Dependents::dropIndex(const TablePtr& table, const std::string& index) {
  visit({Kind::Index, table, 0, index}, {}, true);
}

void Dependents::dropSchema(const SchemaPtr& schema) {
  std::vector<Step> steps;
  for (const TablePtr& entry : catalog_.entries())
    if (entry->schema == schema->name) steps.push_back({{Kind::Entry, entry}});
  follow(std::move(steps), "schema " + schema->name);
}

void Dependents::visit(const Dependent& dependent, const std::string& on, bool is_silent) {
  if (all_.empty()) all_ = catalog_.entries();
  const auto [met, is_new] = met_.emplace(keyOf(dependent), is_silent);
  if (!is_new) {
    met->second = met->second || is_silent;
    return;
  }
  if (dependent.kind == Kind::Entry) followEntry(dependent.entry);
  if (dependent.kind == Kind::Column) followColumn(dependent.entry, dependent.number);
  if (dependent.kind == Kind::Trigger) followTrigger(dependent.entry, dependent.name);
  if (dependent.kind == Kind::Index) followIndex(dependent.entry, dependent.name);
  found_.push_back({dependent, on});
}

void Dependents::follow(std::vector<Step> steps, const std::string& on) {
  std::multimap<std::pair<uint32_t, int64_t>, const Step*, std::greater<>> ordered;
  for (const Step& step : steps) ordered.emplace(step.age(), &step);
  for (const auto& [age, step] : ordered) visit(step->dependent, step->on.empty() ? on : step->on, step->is_silent);
}

void Dependents::followEntry(const TablePtr& entry) {
  std::vector<Step> steps;
  for (const TablePtr& view : all_)
    if (usesAny(*view, entry->oid)) steps.push_back({{Kind::Entry, view}});
  for (const DependentKey& key : dependentKeys(catalog_, *entry))
    steps.push_back({{Kind::ForeignKey, key.child, key.whole().number}, isInherited(catalog_, key)});
  if (entry->partitioning)
    for (const TablePtr& each : entry->partitioning->partitions()) steps.push_back({{Kind::Entry, each}, true});
  if (entry->sequence) {
    for (const DependentDefault& each : dependentDefaults(catalog_, {entry}))
      steps.push_back({{Kind::Default, each.table, each.column}});
  } else if (entry->routine) {
    for (const DependentTrigger& each : triggersCalling(catalog_, {entry}))
      steps.push_back({{Kind::Trigger, each.table, 0, each.name}});
    addMentions(entry, steps);
  } else {
    for (const TablePtr& sequence : ownedSequences(catalog_, entry->oid))
      steps.push_back({{Kind::Entry, sequence}, true});
  }
  std::vector<Step> of_type;
  if (!entry->sequence && !entry->routine) {
    addUsesOfType(entry, of_type);
    addMentions(entry, of_type);
  }
  // The type of a relation's rows is as old as it is.
  if (entry->type) std::ranges::move(std::exchange(of_type, {}), std::back_inserter(steps));
  follow(std::move(steps), describe(catalog_, *entry));
  follow(std::move(of_type), neededAs(catalog_, *entry));
}

/// Of the type, or of a relation's rows.
void Dependents::addUsesOfType(const TablePtr& type, std::vector<Step>& steps) const {
  const std::string on = neededAs(catalog_, *type);
  for (const TablePtr& entry : all_) {
    if (entry->oid == type->oid || entry->sequence) continue;
    const bool is_domain = entry->type && entry->type->form == TypeEntry::Form::Domain;
    const bool is_above =
        is_domain && (domainOid(entry->type->base_domain) == type->oid || isOfType(entry->columns[0], *type));
    if (is_above || (entry->routine && usesType(*entry->routine, *type)))
      steps.push_back({{Kind::Entry, entry}, false, on});
    if (is_domain || entry->routine) continue;
    for (uint32_t column = 0; column < entry->columns.size(); ++column) {
      if (!isOfType(entry->columns[column], *type)) continue;
      // A table is nothing without what it is partitioned by.
      const bool is_key = entry->partitioning && hasColumn(entry->partitioning->key().columns(), column);
      steps.push_back({{is_key ? Kind::Entry : Kind::Column, entry, is_key ? 0 : column}, false, on});
    }
  }
}

/// Expressions that name the type or call the routine.
void Dependents::addMentions(const TablePtr& named, std::vector<Step>& steps) const {
  const std::string on = named->routine ? describe(catalog_, *named) : neededAs(catalog_, *named);
  for (const StoredMention& each : mentionsOf(catalog_, named))
    steps.push_back({dependentOf(each), isPartOfOther(*each.entry, each), on});
}

void Dependents::followColumn(const TablePtr& table, uint32_t column) {
  std::vector<Step> steps;
  for (const TablePtr& view : all_)
    if (uses(*view, {table->oid, column})) steps.push_back({{Kind::Entry, view}});
  if (!table->query() && !table->type) addParts(table, column, steps);
  follow(std::move(steps), describeColumn(catalog_, *table, column));
}

/// What a table has over the column.
void Dependents::addParts(const TablePtr& table, uint32_t column, std::vector<Step>& steps) const {
  const ColumnEntry& entry = table->columns[column];
  for (uint32_t other = 0; other < table->columns.size(); ++other)
    if (other != column && table->columns[other].is_generated && readsColumn(table->columns[other].default_text, entry))
      steps.push_back({{Kind::Column, table, other}});
  if (!entry.default_text.empty() && !entry.is_generated) steps.push_back({{Kind::Default, table, column}, true});
  for (const TriggerEntry& trigger : triggersNaming(*table, column))
    steps.push_back({{Kind::Trigger, table, 0, trigger.name}, trigger.parent != 0});
  for (const CheckEntry& check : table->checks) {
    const auto& bound = table->check_expressions->checks;
    const auto found = std::ranges::find(bound, check.name, &CheckExpressions::Check::name);
    if (hasColumn(found->columns, column)) steps.push_back({{Kind::Check, table, 0, check.name}, true});
  }
  for (const IndexPtr& index : table->indexes)
    if (hasColumn(dependedColumns(*index), column)) steps.push_back({{Kind::Index, table, 0, index->name}, true});
  for (const ForeignKeyEntry& key : table->foreign_keys)
    if (key.part_of == 0 && hasColumn(key.columns, column))
      steps.push_back({{Kind::ForeignKey, table, key.number}, true});
  for (const DependentKey& key : dependentKeys(catalog_, *table))
    if (hasColumn(key.key().parent_columns, column))
      steps.push_back({{Kind::ForeignKey, key.child, key.whole().number}, isInherited(catalog_, key)});
  for (const TablePtr& sequence : ownedSequences(catalog_, table->oid, column))
    steps.push_back({{Kind::Entry, sequence}, true});
}

void Dependents::followIndex(const TablePtr& table, const std::string& name) {
  const auto index = std::ranges::find(table->indexes, name, &IndexEntry::name);
  std::vector<Step> steps;
  if ((*index)->is_primary)
    for (const TablePtr& view : all_)
      if (uses(*view, {table->oid, kPrimaryKeyUse}))
        steps.push_back(
            {{Kind::Entry, view}, false, fmt::format("constraint {} on {}", name, describe(catalog_, *table))});
  for (const DependentKey& key : dependentKeys(catalog_, *table))
    if (key.key().parent_index == (*index)->oid)
      steps.push_back({{Kind::ForeignKey, key.child, key.whole().number}, isInherited(catalog_, key)});
  follow(std::move(steps), Dependent{Kind::Index, table, 0, name}.describe(catalog_));
}

/// Those of partitions that were made of it.
void Dependents::followTrigger(const TablePtr& table, const std::string& name) {
  if (!table->partitioning) return;
  const auto trigger = std::ranges::find(table->triggers, name, &TriggerEntry::name);
  for (const TablePtr& each : table->partitioning->partitions())
    for (const TriggerEntry& clone : each->triggers)
      if (clone.parent == trigger->oid) visit({Kind::Trigger, each, 0, clone.name}, {}, true);
}

bool Dependents::goesWhole(const TableEntry& entry) const {
  return met_.contains({Kind::Entry, entry.oid, 0, {}});
}

void Dependents::finish() {
  // A view has no column less.
  for (size_t i = 0; i < found_.size(); ++i)
    if (const Found each = found_[i]; each.dependent.kind == Kind::Column && each.dependent.entry->query())
      visit({Kind::Entry, each.dependent.entry}, each.on, false);
  std::erase_if(found_, [this](const Found& each) {
    const Dependent& found = each.dependent;
    // A partition's column has the sequence of its table's.
    if (found.kind == Kind::Default && met_.contains(keyOf({Kind::Column, found.entry, found.number}))) return true;
    return found.kind != Kind::Entry && goesWhole(*found.entry);
  });
  for (Found& each : found_) each.is_silent = met_.at(keyOf(each.dependent));
  std::ranges::reverse(found_);
}

void Dependents::leaveOut(const std::function<bool(const Dependent&)>& isGone) {
  std::erase_if(found_, [&](const Found& each) { return isGone(each.dependent); });
}

std::vector<Dependent> Dependents::all() const {
  std::vector<Dependent> result;
  for (const Found& each : found_) result.push_back(each.dependent);
  return result;
}

std::vector<TablePtr> Dependents::entries() const {
  std::vector<TablePtr> result;
  for (const Found& each : found_)
    if (each.dependent.kind == Kind::Entry) result.push_back(each.dependent.entry);
  return result;
}

std::vector<DependentKey> Dependents::keys() const {
  std::vector<DependentKey> result;
  for (const Found& each : found_)
    if (each.dependent.kind == Kind::ForeignKey) result.push_back({each.dependent.entry, each.dependent.number});
  return result;
}

bool Dependents::isEmpty() const {
  return std::ranges::all_of(found_, &Found::is_silent);
}

std::vector<std::string> Dependents::told() const {
  std::vector<std::string> result;
  for (const Found& each : found_)
    if (!each.is_silent) result.push_back(each.dependent.describe(catalog_));
  return result;
}

SqlError Dependents::stillThere(std::string_view what) const {
  std::vector<std::string> lines;
  for (const Found& each : found_)
    if (!each.is_silent) lines.push_back(fmt::format("{} depends on {}", each.dependent.describe(catalog_), each.on));
  return SqlError(
             sqlstate::kDependentObjectsStillExist,
             fmt::format("cannot drop {} because other objects depend on {}", what, what == kSeveral ? "them" : "it"))
      .detail(listedObjects(lines))
      .hint("Use DROP ... CASCADE to drop the dependent objects too.");
}

}  // namespace gnomon::sql
