#include "sql/bind/trigger_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/sql_error.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/trigger_condition.h"
#include "sql/catalog/access.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/triggers.h"

namespace gnomon::sql {
namespace {

using Timing = TriggerEntry::Timing;
using Firing = TriggerEntry::Firing;

constexpr SqlState kSuccess("00000");
constexpr SqlState kInvalidObjectDefinition("42P17");

[[noreturn]] void refuseObject(std::string message, std::string detail) {
  throw SqlError(sqlstate::kWrongObjectType, std::move(message)).detail(std::move(detail));
}

[[noreturn]] void refuseDefinition(std::string message, int32_t position = -1) {
  throw SqlError(kInvalidObjectDefinition, std::move(message)).position(position);
}

[[noreturn]] void refuseFeature(std::string message) {
  throw SqlError(sqlstate::kFeatureNotSupported, std::move(message));
}

bool has(uint8_t events, TriggerEvent event) {
  return (events & static_cast<uint8_t>(event)) != 0;
}

/// The table or view; null: there is none, and `if_exists` was given.
TablePtr findTarget(BindState& state, const ast::RelationName& relation, bool if_exists = false) {
  const CatalogView& catalog = state.context.catalog;
  const FoundRelation found = catalog.findRelation(relation.schema, relation.name);
  if (!found) {
    if (if_exists) return nullptr;
    raiseNoRelation(catalog, {relation.schema, relation.name});
  }
  if (found.system)
    throw SqlError(sqlstate::kInsufficientPrivilege,
                   fmt::format("permission denied: \"{}\" is a system catalog", relation.name));
  const auto refuse = [&](std::string_view kind) {
    refuseObject(fmt::format("relation \"{}\" cannot have triggers", relation.name),
                 fmt::format("This operation is not supported for {}.", kind));
  };
  if (found.index) throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is an index", relation.name));
  const TablePtr table = found.stored();
  if (table->sequence) refuse("sequences");
  if (table->materialized) refuse("materialized views");
  return table;
}

/// What kinds of relations have which triggers.
void requireKind(const TableEntry& table, const ast::CreateTrigger& create) {
  if (!table.view) {
    if (create.timing == Timing::InsteadOf)
      refuseObject(fmt::format("\"{}\" is a table", table.name), "Tables cannot have INSTEAD OF triggers.");
    if (table.partitioning && create.is_row && !create.transitions.empty())
      throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("\"{}\" is a partitioned table", table.name))
          .detail("ROW triggers with transition tables are not supported on partitioned tables.");
    return;
  }
  if (create.timing != Timing::InsteadOf && create.is_row)
    refuseObject(fmt::format("\"{}\" is a view", table.name), "Views cannot have row-level BEFORE or AFTER triggers.");
  if (has(create.events, TriggerEvent::Truncate))
    refuseObject(fmt::format("\"{}\" is a view", table.name), "Views cannot have TRUNCATE triggers.");
}

void requireForm(const ast::CreateTrigger& create) {
  if (create.is_row && has(create.events, TriggerEvent::Truncate))
    refuseFeature("TRUNCATE FOR EACH ROW triggers are not supported");
  if (create.timing != Timing::InsteadOf) return;
  if (!create.is_row) refuseFeature("INSTEAD OF triggers must be FOR EACH ROW");
  if (create.condition) refuseFeature("INSTEAD OF triggers cannot have WHEN conditions");
  if (!create.columns.empty()) refuseFeature("INSTEAD OF triggers cannot have column lists");
}

void bindTransitions(const TableEntry& table, const ast::CreateTrigger& create, TriggerEntry& trigger) {
  for (const ast::CreateTrigger::Transition& transition : create.transitions) {
    if (!transition.is_table)
      throw SqlError(sqlstate::kFeatureNotSupported, "ROW variable naming in the REFERENCING clause is not supported")
          .hint("Use OLD TABLE or NEW TABLE for naming transition tables.");
    if (table.view)
      refuseObject(fmt::format("\"{}\" is a view", table.name), "Triggers on views cannot have transition tables.");
    if (create.is_row && table.partition)
      refuseFeature("ROW triggers with transition tables are not supported on partitions");
    if (create.timing != Timing::After)
      refuseDefinition("transition table name can only be specified for an AFTER trigger");
    if (has(create.events, TriggerEvent::Truncate))
      refuseFeature("TRUNCATE triggers with transition tables are not supported");
    if (std::popcount(create.events) > 1)
      refuseFeature("transition tables cannot be specified for triggers with more than one event");
    if (!create.columns.empty()) refuseFeature("transition tables cannot be specified for triggers with column lists");
    std::string& name = transition.is_new ? trigger.new_table : trigger.old_table;
    const TriggerEvent other = transition.is_new ? TriggerEvent::Insert : TriggerEvent::Delete;
    const std::string_view word = transition.is_new ? "NEW" : "OLD";
    if (!has(create.events, other) && !has(create.events, TriggerEvent::Update))
      refuseDefinition(fmt::format("{} TABLE can only be specified for {} or UPDATE trigger", word,
                                   transition.is_new ? "an INSERT" : "a DELETE"));
    if (!name.empty()) refuseDefinition(fmt::format("{} TABLE cannot be specified multiple times", word));
    name = transition.name;
  }
  if (!trigger.old_table.empty() && trigger.old_table == trigger.new_table)
    refuseDefinition("OLD TABLE name and NEW TABLE name cannot be the same");
}

/// What a WHEN condition may say of a row, or of a column of it; null: of the whole row.
void requireReference(const ast::CreateTrigger& create, const TableEntry& table, bool is_new, const ColumnEntry* column,
                      int32_t position) {
  if (!create.is_row) refuseDefinition("statement trigger's WHEN condition cannot reference column values", position);
  if (!is_new && has(create.events, TriggerEvent::Insert))
    refuseDefinition("INSERT trigger's WHEN condition cannot reference OLD values", position);
  if (is_new && has(create.events, TriggerEvent::Delete))
    refuseDefinition("DELETE trigger's WHEN condition cannot reference NEW values", position);
  if (!is_new || create.timing != Timing::Before) return;
  const bool has_generated = std::ranges::any_of(table.columns, &ColumnEntry::is_generated);
  if (column == nullptr ? !has_generated : !column->is_generated) return;
  throw SqlError(kInvalidObjectDefinition, "BEFORE trigger's WHEN condition cannot reference NEW generated columns")
      .detail(column == nullptr ? std::string("A whole-row reference is used and the table contains generated columns.")
                                : fmt::format("Column \"{}\" is a generated column.", column->name))
      .position(position);
}

void bindCondition(BindState& state, const TableEntry& table, const ast::CreateTrigger& create, TriggerEntry& trigger) {
  if (!create.condition) return;
  const StoredText stored(state);
  std::deque<InformationUnit> units;
  const ExpressionPtr bound = bindTriggerCondition(state, table, *create.condition, units);
  forEachNode(*create.condition, [&](const ast::Expression& node) {
    if (node.kind != ast::Expression::Kind::Column || node.names.empty()) return;
    if (node.names[0] != "old" && node.names[0] != "new") return;
    const auto column = node.names.size() < 2 ? table.columns.end()
                                              : std::ranges::find(table.columns, node.names[1], &ColumnEntry::name);
    requireReference(create, table, node.names[0] == "new", column == table.columns.end() ? nullptr : &*column,
                     node.position);
  });
  trigger.condition = stored.write(*create.condition, create.condition_text);
}

TablePtr findFunction(BindState& state, const ast::RelationName& name) {
  const CatalogView& catalog = state.context.catalog;
  std::vector<std::string> schemas = catalog.searchPath().schemas;
  if (!name.schema.empty()) schemas = {catalog.searchPath().actual(name.schema)};
  TablePtr function;
  for (const std::string& schema : schemas) {
    for (const TablePtr& each : catalog.routinesNamed(schema, name.name))
      if (each->routine->inputs().empty()) function = each;
    if (function) break;
  }
  const std::string written = name.schema.empty() ? name.name : name.schema + "." + name.name;
  if (!function) throw SqlError(sqlstate::kUndefinedFunction, fmt::format("function {}() does not exist", written));
  requireAnyRight(catalog, *function, Privilege::Execute);
  if (function->routine->result.kind != TypeKind::Trigger)
    refuseDefinition(fmt::format("function {} must return type trigger", written));
  return function;
}

void bindColumns(const TableEntry& table, const ast::CreateTrigger& create, TriggerEntry& trigger) {
  for (const std::string& name : create.columns) {
    const auto column = std::ranges::find(table.columns, name, &ColumnEntry::name);
    if (column == table.columns.end())
      throw SqlError(sqlstate::kUndefinedColumn,
                     fmt::format("column \"{}\" of relation \"{}\" does not exist", name, table.name));
    const auto number = static_cast<uint32_t>(column - table.columns.begin());
    if (std::ranges::find(trigger.columns, number) != trigger.columns.end())
      throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" specified more than once", name));
    trigger.columns.push_back(number);
  }
}

/// Puts a trigger in its place among the others, or in that of one of the same name.
void put(DefineTriggersStatement::Part& part, TriggerEntry trigger, bool is_replacing) {
  auto place = std::ranges::lower_bound(part.triggers, trigger.name, {}, &TriggerEntry::name);
  if (place == part.triggers.end() || place->name != trigger.name) {
    part.triggers.insert(place, std::move(trigger));
    return;
  }
  const std::string name = fmt::format("trigger \"{}\" for relation \"{}\"", trigger.name, part.table->name);
  if (!is_replacing) throw SqlError(sqlstate::kDuplicateObject, name + " already exists");
  if (place->is_constraint) throw SqlError(sqlstate::kDuplicateObject, name + " is a constraint trigger");
  if (place->parent != 0 && trigger.parent == 0)
    throw SqlError(sqlstate::kDuplicateObject, name + " is an internal or a child trigger");
  trigger.oid = place->oid;
  trigger.comment = place->comment;
  *place = std::move(trigger);
}

DefineTriggersStatement::Part partOf(const TablePtr& table) {
  return {table, table->triggers};
}

/// The trigger of the name. Failure: 42704.
TriggerEntry& named(DefineTriggersStatement::Part& part, const std::string& name) {
  const auto trigger = std::ranges::find(part.triggers, name, &TriggerEntry::name);
  if (trigger == part.triggers.end())
    throw SqlError(sqlstate::kUndefinedObject,
                   fmt::format("trigger \"{}\" for table \"{}\" does not exist", name, part.table->name));
  return *trigger;
}

/// The table of which the trigger's table is a partition.
TablePtr tableAbove(BindState& state, const TableEntry& table) {
  return state.context.catalog.findEntry(table.partition->parent);
}

/// Those below the table that have a clone of its trigger of this name, in the order of parts.
std::vector<TablePtr> clonesBelow(const TableEntry& table, const std::string& name) {
  std::vector<TablePtr> result;
  if (!table.partitioning) return result;
  for (const TablePtr& below : table.partitioning->descendants()) {
    const auto clone = std::ranges::find(below->triggers, name, &TriggerEntry::name);
    if (clone != below->triggers.end() && clone->parent != 0) result.push_back(below);
  }
  return result;
}

}  // namespace

DefineTriggersStatement bindCreateTrigger(BindState& state, const ast::CreateTrigger& create) {
  const TablePtr table = findTarget(state, create.relation);
  requireKind(*table, create);
  TriggerEntry trigger{.name = create.name, .timing = create.timing, .is_row = create.is_row, .events = create.events};
  if (create.referenced) {
    const TablePtr referenced = findTarget(state, *create.referenced);
    trigger.referenced = referenced->oid;
  }
  if (!table->is_temporary || table->owner != state.context.catalog.actors().current)
    requireAnyRight(state.context.catalog, *table, Privilege::Trigger);
  requireForm(create);
  bindTransitions(*table, create, trigger);
  bindCondition(state, *table, create, trigger);
  DefineTriggersStatement statement;
  statement.used = state.tables;
  const TablePtr function = findFunction(state, create.function);
  trigger.function = function->oid;
  statement.used.push_back(function);
  bindColumns(*table, create, trigger);
  trigger.arguments = create.arguments;
  trigger.is_constraint = create.is_constraint;
  trigger.is_deferrable = create.is_deferrable;
  trigger.is_deferred = create.is_deferred;
  statement.parts.push_back(partOf(table));
  put(statement.parts.back(), trigger, create.is_replacing);
  if (!table->partitioning || !create.is_row) return statement;
  trigger.parent = DefineTriggersStatement::kNewParent;
  for (const TablePtr& below : table->partitioning->descendants()) {
    statement.parts.push_back(partOf(below));
    put(statement.parts.back(), trigger, create.is_replacing);
  }
  return statement;
}

DefineTriggersStatement bindDropTrigger(BindState& state, const ast::DropTrigger& drop) {
  const CatalogView& catalog = state.context.catalog;
  DefineTriggersStatement statement;
  const auto skip = [&](std::string message) {
    statement.notices.emplace_back(kSuccess, message + ", skipping");
    return statement;
  };
  if (drop.if_exists && !drop.relation.schema.empty() &&
      !catalog.findSchema(catalog.searchPath().actual(drop.relation.schema)))
    return skip(fmt::format("schema \"{}\" does not exist", drop.relation.schema));
  const FoundRelation found = catalog.findRelation(drop.relation.schema, drop.relation.name);
  if (!found && drop.if_exists) return skip(fmt::format("relation \"{}\" does not exist", drop.relation.name));
  if (!found) raiseNoRelation(catalog, {drop.relation.schema, drop.relation.name});
  const TablePtr table = found.stored();
  const bool has_trigger =
      table && std::ranges::find(table->triggers, drop.name, &TriggerEntry::name) != table->triggers.end();
  if (!has_trigger && drop.if_exists)
    return skip(fmt::format("trigger \"{}\" for relation \"{}\" does not exist", drop.name, drop.relation.name));
  if (!has_trigger)
    throw SqlError(sqlstate::kUndefinedObject,
                   fmt::format("trigger \"{}\" for table \"{}\" does not exist", drop.name, drop.relation.name));
  requireOwner(catalog, *table, "relation");
  statement.parts.push_back(partOf(table));
  if (const TriggerEntry& trigger = named(statement.parts.back(), drop.name); trigger.parent != 0) {
    const TablePtr above = tableAbove(state, *table);
    throw SqlError(sqlstate::kDependentObjectsStillExist,
                   fmt::format("cannot drop {} because {} requires it", describeTrigger(catalog, *table, trigger),
                               describeTrigger(catalog, *above, trigger)))
        .hint(fmt::format("You can drop {} instead.", describeTrigger(catalog, *above, trigger)));
  }
  for (const TablePtr& below : clonesBelow(*table, drop.name)) statement.parts.push_back(partOf(below));
  for (DefineTriggersStatement::Part& part : statement.parts)
    std::erase_if(part.triggers, [&](const TriggerEntry& trigger) { return trigger.name == drop.name; });
  return statement;
}

DefineTriggersStatement bindRenameTrigger(BindState& state, const ast::RenameTrigger& rename) {
  const CatalogView& catalog = state.context.catalog;
  const TablePtr table = findTarget(state, rename.relation);
  requireOwner(catalog, *table);
  DefineTriggersStatement statement;
  statement.parts.push_back(partOf(table));
  const TriggerEntry& trigger = named(statement.parts.back(), rename.name);
  if (trigger.parent != 0) {
    const TablePtr above = tableAbove(state, *table);
    throw SqlError(sqlstate::kInternalError,
                   fmt::format("cannot rename trigger \"{}\" on table \"{}\"", rename.name, table->name))
        .hint(fmt::format("Rename the trigger on the partitioned table \"{}\" instead.", above->name));
  }
  for (const TablePtr& below : clonesBelow(*table, rename.name)) statement.parts.push_back(partOf(below));
  for (DefineTriggersStatement::Part& part : statement.parts) {
    if (std::ranges::find(part.triggers, rename.new_name, &TriggerEntry::name) != part.triggers.end())
      throw SqlError(sqlstate::kDuplicateObject, fmt::format("trigger \"{}\" for relation \"{}\" already exists",
                                                             rename.new_name, part.table->name));
    named(part, rename.name).name = rename.new_name;
    std::ranges::sort(part.triggers, {}, &TriggerEntry::name);
  }
  return statement;
}

DefineTriggersStatement bindTriggerFiring(BindState& state, const ast::TriggerFiring& firing) {
  using Which = ast::TriggerFiring::Command::Which;
  const CatalogView& catalog = state.context.catalog;
  DefineTriggersStatement statement;
  const TablePtr table = findTarget(state, firing.relation, firing.if_exists);
  if (!table) {
    statement.notices.emplace_back(kSuccess,
                                   fmt::format("relation \"{}\" does not exist, skipping", firing.relation.name));
    return statement;
  }
  requireOwner(catalog, *table);
  if (table->view)
    refuseObject(fmt::format("ALTER action {} TRIGGER cannot be performed on relation \"{}\"",
                             firing.commands[0].firing == Firing::Disabled ? "DISABLE" : "ENABLE", table->name),
                 "This operation is not supported for views.");
  statement.parts.push_back(partOf(table));
  if (table->partitioning)
    for (const TablePtr& below : table->partitioning->descendants()) statement.parts.push_back(partOf(below));
  for (const ast::TriggerFiring::Command& command : firing.commands) {
    if (command.which == Which::Named) {
      named(statement.parts[0], command.name).firing = command.firing;
      for (size_t i = 1; i < statement.parts.size(); ++i)
        for (TriggerEntry& trigger : statement.parts[i].triggers)
          if (trigger.name == command.name && trigger.parent != 0) trigger.firing = command.firing;
      continue;
    }
    const bool has_keys = !table->foreign_keys.empty() || !table->referring_keys.empty();
    if (command.which == Which::All && has_keys && command.firing == Firing::Disabled)
      throwNotSupported("DISABLE TRIGGER ALL of a table with foreign keys");
    for (size_t i = 0; i < statement.parts.size(); ++i)
      for (TriggerEntry& trigger : statement.parts[i].triggers)
        if (i == 0 || trigger.parent != 0) trigger.firing = command.firing;
  }
  return statement;
}

}  // namespace gnomon::sql
