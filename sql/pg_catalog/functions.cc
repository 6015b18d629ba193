#include "sql/pg_catalog/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>

#include "base/sql_error.h"
#include "sql/bind/updatable_view.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/key_conversion.h"
#include "sql/catalog/object_names.h"
#include "sql/catalog/partition_constraint.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/roles.h"
#include "sql/catalog/sequences.h"
#include "sql/catalog/session_objects.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/comments.h"
#include "sql/pg_catalog/definitions.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/object_functions.h"
#include "sql/pg_catalog/objects.h"
#include "sql/pg_catalog/right_functions.h"
#include "sql/pg_catalog/routine_functions.h"
#include "sql/pg_catalog/row_maker.h"
#include "sql/pg_catalog/server_functions.h"
#include "sql/pg_catalog/size_functions.h"
#include "sql/types/array_value.h"
#include "sql/types/record_value.h"
#include "txn/sequence.h"
#include "txn/table.h"

namespace gnomon::sql::pg_catalog {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

const CatalogView& catalog() {
  return requiredCatalogSession().catalog;
}

uint32_t oidAt(Arguments arguments, size_t index) {
  return static_cast<uint32_t>(arguments[index].lo);
}

bool flagAt(Arguments arguments, size_t index) {
  return index < arguments.size() && arguments[index].lo != 0;
}

Parentheses parenthesesAt(Arguments arguments, size_t index) {
  return flagAt(arguments, index) ? Parentheses::Needed : Parentheses::All;
}

Value textValue(Type result, std::string_view text) {
  return Value::fromString(result, text);
}

VirtualRelationPtr findVirtual(uint32_t oid) {
  for (const VirtualRelationPtr& relation : catalog().virtualRelations())
    if (relation->oid == oid) return relation;
  return nullptr;
}

// What things are called.

Value formatType(Arguments arguments, Type result) {
  if (arguments[0].is_null) return Value::null(result);
  const uint32_t oid = oidAt(arguments, 0);
  if (oid == 0) return textValue(result, "-");
  std::optional<int32_t> typmod;
  if (!arguments[1].is_null) typmod = static_cast<int32_t>(arguments[1].lo);
  return textValue(result, typeName(catalog(), oid, typmod));
}

Value userName(Arguments arguments, Type result) {
  return textValue(result, roleName(catalog(), oidAt(arguments, 0)));
}

// Definitions.

Value expressionOf(Arguments arguments, Type result) {
  const std::string& stored = arguments[0].bytes;
  const TablePtr table = findTable(catalog(), oidAt(arguments, 1));
  if (table == nullptr) return Value::null(result);
  if (stored == "DEFAULT" || stored.starts_with("FOR VALUES ")) return textValue(result, stored);
  const Parentheses parentheses = parenthesesAt(arguments, 2);
  if (const auto column = columnOfDefault(stored)) {
    if (*column >= table->columns.size()) return Value::null(result);
    if (table->columns[*column].is_generated)
      return textValue(result, conditionText(catalog(), *table, table->columns[*column].default_text, parentheses));
    try {
      const auto text = defaultText(catalog(), table->columns[*column], parentheses);
      return text ? textValue(result, *text) : Value::null(result);
    } catch (const SqlError& error) {
      // The table is being dropped, and its sequence has gone already.
      if (!(error.state() == sqlstate::kUndefinedTable)) throw;
      return Value::null(result);
    }
  }
  return textValue(result, conditionText(catalog(), *table, stored, parentheses));
}

Value indexDefinition(Arguments arguments, Type result) {
  const FoundIndex found = findIndex(catalog(), oidAt(arguments, 0));
  if (found.table == nullptr) return Value::null(result);
  const Parentheses parentheses = parenthesesAt(arguments, 2);
  const int64_t part = arguments.size() > 1 ? arguments[1].asInt() : 0;
  if (part == 0) return textValue(result, indexText(catalog(), *found.table, *found.index, parentheses));
  if (part < 0 || part > static_cast<int64_t>(found.index->columns.size())) return textValue(result, "");
  return textValue(
      result, keyPartText(catalog(), *found.table, found.index->columns[static_cast<size_t>(part - 1)], parentheses));
}

Value constraintDefinition(Arguments arguments, Type result) {
  const uint32_t oid = oidAt(arguments, 0);
  for (const TablePtr& table : catalog().entries())
    for (const Constraint& each : constraintsOf(*table)) {
      if (each.oid != oid) continue;
      if (each.key != nullptr) return textValue(result, keyConstraintText(*table, *each.key));
      if (each.reference != nullptr) return textValue(result, foreignKeyText(catalog(), *table, *each.reference));
      return textValue(result, checkText(catalog(), *table, *each.check, parenthesesAt(arguments, 1)));
    }
  for (const TablePtr& table : catalog().entries())
    for (const TriggerEntry& trigger : table->triggers)
      if (trigger.constraint == oid && oid != 0) {
        std::string text = "TRIGGER";
        if (trigger.is_deferrable) text += " DEFERRABLE";
        if (trigger.is_deferred) text += " INITIALLY DEFERRED";
        return textValue(result, text);
      }
  return Value::null(result);
}

Value triggerDefinition(Arguments arguments, Type result) {
  const uint32_t oid = oidAt(arguments, 0);
  for (const TablePtr& table : catalog().entries())
    for (const TriggerEntry& trigger : table->triggers)
      if (trigger.oid == oid)
        return textValue(result, triggerText(catalog(), *table, trigger, parenthesesAt(arguments, 1)));
  return Value::null(result);
}

Value partitionKeyDefinition(Arguments arguments, Type result) {
  const TablePtr table = findTable(catalog(), oidAt(arguments, 0));
  if (table == nullptr || !table->partitioning) return Value::null(result);
  static constexpr std::string_view kNames[] = {"RANGE", "LIST", "HASH"};
  const PartitionKey& key = table->partitioning->key();
  std::string parts;
  for (const IndexColumn& part : key.parts)
    parts.append(parts.empty() ? "" : ", ").append(keyPartText(catalog(), *table, part, Parentheses::All));
  return textValue(result, fmt::format("{} ({})", kNames[static_cast<size_t>(key.strategy)], parts));
}

Value partitionConstraint(Arguments arguments, Type result) {
  const TablePtr table = findTable(catalog(), oidAt(arguments, 0));
  if (table == nullptr) return Value::null(result);
  const std::vector<PartitionCondition> conditions = partitionConditions(catalog(), *table);
  if (conditions.empty()) return Value::null(result);
  std::string text;
  for (const PartitionCondition& each : conditions)
    text.append(text.empty() ? "" : " AND ")
        .append(each.is_hash ? each.text : conditionText(catalog(), *table, each.text, Parentheses::All));
  return textValue(result, conditions.size() > 1 ? "(" + text + ")" : text);
}

/// A table or index of a tree of partitions.
struct TreeNode {
  uint32_t oid = 0, parent = 0;
  bool is_leaf = true;
  int64_t level = 0;
};

/// The relation and all below it, level by level; of something else than a partitioned table or partition: nothing.
std::vector<TreeNode> partitionTree(uint32_t oid) {
  std::vector<TreeNode> nodes;
  std::vector<std::pair<TablePtr, uint32_t>> places;  // with the index; 0: none
  const auto add = [&](const TablePtr& table, const IndexEntry* index, int64_t level) {
    const uint32_t table_parent = table->partition ? table->partition->parent : 0;
    nodes.push_back({index != nullptr ? index->oid : table->oid, index != nullptr ? index->parent : table_parent,
                     table->partitioning == nullptr, level});
    places.emplace_back(table, index != nullptr ? index->oid : 0);
  };
  const FoundIndex found = findIndex(catalog(), oid);
  if (const TablePtr table = findTable(catalog(), oid)) {
    if (table->partition || table->partitioning) add(table, nullptr, 0);
  } else if (found.table != nullptr && (found.table->partitioning || found.index->parent != 0)) {
    add(found.table, found.index, 0);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto [table, index] = places[i];
    if (!table->partitioning) continue;
    const size_t first = nodes.size();
    for (const TablePtr& each : table->partitioning->partitions()) {
      if (index == 0) add(each, nullptr, nodes[i].level + 1);
      for (const IndexPtr& part : each->indexes)
        if (index != 0 && part->parent == index) add(each, part.get(), nodes[i].level + 1);
    }
    // In the order of their oids.
    std::vector<size_t> order(nodes.size() - first);
    for (size_t n = 0; n < order.size(); ++n) order[n] = first + n;
    std::ranges::sort(order, {}, [&](size_t n) { return nodes[n].oid; });
    const std::vector<TreeNode> nodes_before(nodes.begin() + static_cast<std::ptrdiff_t>(first), nodes.end());
    const std::vector places_before(places.begin() + static_cast<std::ptrdiff_t>(first), places.end());
    for (size_t n = 0; n < order.size(); ++n) {
      nodes[first + n] = nodes_before[order[n] - first];
      places[first + n] = places_before[order[n] - first];
    }
  }
  return nodes;
}

/// One column of the tree; `of` gives its value for a node, none: NULL.
template <typename Of>
Value treeColumn(Arguments arguments, Type result, Of&& of) {
  ArrayBuilder builder(result.element());
  for (const TreeNode& node : partitionTree(oidAt(arguments, 0))) {
    const std::optional<int64_t> value = of(node);
    builder.add(value ? Value::fromInt(result.element(), *value) : Value::null(result.element()));
  }
  return Value::fromString(result, builder.finish());
}

using TreeValue = std::optional<int64_t>;

Value treeRelations(Arguments arguments, Type result) {
  return treeColumn(arguments, result, [](const TreeNode& node) { return TreeValue(node.oid); });
}
Value treeParents(Arguments arguments, Type result) {
  return treeColumn(arguments, result,
                    [](const TreeNode& node) { return node.parent != 0 ? TreeValue(node.parent) : std::nullopt; });
}
Value treeLeaves(Arguments arguments, Type result) {
  return treeColumn(arguments, result, [](const TreeNode& node) { return TreeValue(node.is_leaf ? 1 : 0); });
}
Value treeLevels(Arguments arguments, Type result) {
  return treeColumn(arguments, result, [](const TreeNode& node) { return TreeValue(node.level); });
}

Value partitionRoot(Arguments arguments, Type result) {
  FoundIndex index = findIndex(catalog(), oidAt(arguments, 0));
  if (index.table != nullptr && (index.index->parent != 0 || index.table->partitioning)) {
    while (index.index->parent != 0) index = findIndex(catalog(), index.index->parent);
    return Value::fromInt(result, index.index->oid);
  }
  const TablePtr table = findTable(catalog(), oidAt(arguments, 0));
  if (table == nullptr || (!table->partition && !table->partitioning)) return Value::null(result);
  const std::vector<TablePtr> above = ancestorsOf(catalog(), *table);
  return Value::fromInt(result, above.empty() ? table->oid : above.back()->oid);
}

/// That of the leaf which a row of a partitioned table belongs to; of the row the columns are given that say it.
Value leafOfRow(Arguments arguments, Type result) {
  const TablePtr table = findTable(catalog(), oidAt(arguments, 0));
  if (table == nullptr || !table->partitioning) return Value::null(result);
  std::vector<storage::Datum> values(table->columns.size());
  std::vector<uint8_t> null_flags(values.size(), 1);
  const RecordView row{StringValue::refer(arguments[1].bytes, StringValue::Storage::Temporary)};
  Partitioning::Scratch scratch;
  Arena memory;
  size_t field = 0;
  for (const uint32_t column : routingColumns(*table)) {
    null_flags[column] = row.isNull(field) ? 1 : 0;
    if (null_flags[column] == 0) {
      const auto [lo, hi] = row.at(field);
      values[column] = KeyConversion(row.type(field), table->columns[column].type).assign({lo, hi}, memory);
    }
    ++field;
  }
  const uint32_t leaf = table->partitioning->tryFindLeaf(values.data(), null_flags.data(), scratch);
  return leaf == Partitioning::kNone ? Value::null(result)
                                     : Value::fromInt(result, table->partitioning->leaves()[leaf]->oid);
}

/// The relation and those it is a part of.
Value partitionAncestors(Arguments arguments, Type result) {
  std::vector<int64_t> oids;
  if (const TablePtr table = findTable(catalog(), oidAt(arguments, 0));
      table != nullptr && (table->partition || table->partitioning)) {
    oids.push_back(table->oid);
    for (const TablePtr& each : ancestorsOf(catalog(), *table)) oids.push_back(each->oid);
  }
  for (FoundIndex found = findIndex(catalog(), oidAt(arguments, 0)); found.table != nullptr;) {
    const bool is_in_tree = found.table->partitioning || found.index->parent != 0 || !oids.empty();
    if (is_in_tree) oids.push_back(found.index->oid);
    if (found.index->parent == 0) break;
    found = findIndex(catalog(), found.index->parent);
  }
  return textValue(result, arrayOfNumbers(result, oids));
}

Value viewDefinition(Arguments arguments, Type result) {
  const bool is_named = arguments[0].type.kind == Text;
  const uint32_t oid = is_named ? findObject(Regclass, arguments[0].bytes) : oidAt(arguments, 0);
  if (const TablePtr table = findTable(catalog(), oid))
    return textValue(result, table->query() != nullptr ? viewText(catalog(), *table->query()) + ";" : "Not a view");
  const VirtualRelationPtr relation = findVirtual(oid);
  if (relation == nullptr || relation->query.empty()) return Value::null(result);
  return textValue(result, relation->query + ";");
}

/// Which commands change rows of the relation: those of PostgreSQL's numbers for them.
Value relationUpdatable(Arguments arguments, Type result) {
  constexpr int64_t kUpdate = 1 << 2, kInsert = 1 << 3, kDelete = 1 << 4;
  const TablePtr table = findTable(catalog(), oidAt(arguments, 0));
  return Value::fromInt(result, table && isUpdatable(catalog(), *table) ? kUpdate | kInsert | kDelete : 0);
}

Value columnUpdatable(Arguments arguments, Type result) {
  const TablePtr table = findTable(catalog(), oidAt(arguments, 0));
  const int64_t number = arguments[1].asInt();
  const uint32_t column = table && number > 0 ? columnOfNumber(*table, static_cast<size_t>(number)) : kNoColumn;
  return Value::fromInt(result, column != kNoColumn && isColumnUpdatable(catalog(), *table, column) ? 1 : 0);
}

Value serialSequence(Arguments arguments, Type result) {
  const uint32_t oid = findObject(Regclass, arguments[0].bytes);
  const TablePtr table = findTable(catalog(), oid);
  if (table == nullptr) return Value::null(result);
  const auto column = std::ranges::find(table->columns, arguments[1].bytes, &ColumnEntry::name);
  if (column == table->columns.end() || arguments[1].bytes.empty())
    throw SqlError(sqlstate::kUndefinedColumn,
                   fmt::format("column \"{}\" of relation \"{}\" does not exist", arguments[1].bytes, table->name));
  const auto number = static_cast<uint32_t>(column - table->columns.begin());
  const auto owned = ownedSequences(catalog(), table->oid, number);
  if (owned.empty()) return Value::null(result);
  return textValue(result, quotedIdentifier(owned.front()->schema) + "." + quotedIdentifier(owned.front()->name));
}

// Nothing of the kind is there: NULL, as PostgreSQL answers for objects that are not.

Value none(Arguments, Type result) {
  return Value::null(result);
}

/// 0: the session has made nothing temporary yet.
Value temporarySchema(Arguments, Type result) {
  return Value::fromInt(result, schemaOid(catalog().searchPath().temporary));
}

Value isOthersTemporarySchema(Arguments arguments, Type result) {
  const SchemaPtr schema = catalog().findSchema(oidAt(arguments, 0));
  const bool is_others = schema && schema->is_temporary && schema->name != catalog().searchPath().temporary;
  return Value::fromInt(result, is_others ? 1 : 0);
}

// Comments.

Value described(const std::optional<std::string>& text, Type result) {
  return text ? textValue(result, *text) : Value::null(result);
}

Value objectDescription(Arguments arguments, Type result) {
  uint32_t in_catalog = 0;
  if (arguments.size() > 1) {
    const VirtualRelationPtr named = catalog().findVirtual(kCatalogSchema, arguments[1].bytes);
    if (named == nullptr) return Value::null(result);
    in_catalog = named->oid;
  }
  return described(commentOn(catalog(), oidAt(arguments, 0), in_catalog, 0), result);
}

Value columnDescription(Arguments arguments, Type result) {
  const auto part = static_cast<int32_t>(arguments[1].asInt());
  return described(commentOn(catalog(), oidAt(arguments, 0), kClassClass, part), result);
}

Value sharedDescription(Arguments arguments, Type result) {
  if (arguments[1].bytes == "pg_database")
    for (const DatabasePtr& each : catalog().databases())
      if (each->oid == oidAt(arguments, 0) && !each->comment.empty()) return textValue(result, each->comment);
  return Value::null(result);
}

// Whether names need a schema.

/// Empty: there is no such relation.
ObjectPath relationPath(uint32_t oid) {
  if (const TablePtr table = findTable(catalog(), oid)) return table->path();
  if (const FoundIndex found = findIndex(catalog(), oid); found.table != nullptr)
    return {found.table->schema, found.index->name};
  for (const TablePtr& type : catalog().types())
    if (type->oid == oid && type->type->form == TypeEntry::Form::Composite) return type->path();
  const VirtualRelationPtr relation = findVirtual(oid);
  return relation ? ObjectPath{relation->schema, relation->name} : ObjectPath();
}

Value isRelationVisible(Arguments arguments, Type result) {
  const uint32_t oid = oidAt(arguments, 0);
  const ObjectPath path = relationPath(oid);
  return path.name.empty() ? Value::null(result) : Value::fromInt(result, catalog().isVisible(path) ? 1 : 0);
}

Value isTypeVisible(Arguments arguments, Type result) {
  return typeName(catalog(), oidAt(arguments, 0)) == "???" ? Value::null(result) : Value::fromInt(result, 1);
}

Value currentSchemas(Arguments arguments, Type result) {
  const SearchPath& path = catalog().searchPath();
  std::vector<std::string> names = flagAt(arguments, 0) ? path.schemas : path.written;
  std::erase_if(names, [](const std::string& name) { return catalog().findSchema(name) == nullptr; });
  return Value::fromString(result, arrayOfTexts(result, names));
}

Value setting(Arguments arguments, Type result) {
  if (arguments[0].is_null) return Value::null(result);
  const bool is_missing_fine = arguments.size() > 1 && !arguments[1].is_null && flagAt(arguments, 1);
  try {
    return textValue(result, requiredCatalogSession().settings.show(arguments[0].bytes));
  } catch (const SqlError& error) {
    if (!is_missing_fine || !(error.state() == sqlstate::kUndefinedObject)) throw;
    return Value::null(result);
  }
}

Value clientEncoding(Arguments, Type result) {
  return textValue(result, requiredCatalogSession().settings.show(SettingId::ClientEncoding));
}

Value sequenceValue(Arguments arguments, Type result) {
  const TablePtr table = findTable(catalog(), oidAt(arguments, 0));
  if (table == nullptr || !table->sequence) return Value::null(result);
  const txn::SequenceState state = table->sequence->counter->state();
  return state.is_called ? Value::fromInt(result, state.last_value) : Value::null(result);
}

/// NULL is the empty string.
Value notify(Arguments arguments, Type result) {
  const auto textOf = [](const Value& value) {
    return value.is_null ? std::string_view() : std::string_view(value.bytes);
  };
  sessionObjects().notify(textOf(arguments[0]), textOf(arguments[1]));
  return Value::fromString(result, "");
}

Value queueUsage(Arguments, Type result) {
  return {result, false, std::bit_cast<uint64_t>(sessionObjects().notificationQueueUsage()), 0, {}};
}

Value listeningChannels(Arguments, Type result) {
  return Value::fromString(result, arrayOfTexts(result, sessionObjects().channels()));
}

std::vector<CatalogFunction> makeFunctions() {
  std::vector<CatalogFunction> functions{
      {"format_type", {Oid, Integer}, Text, formatType, false},
      {"pg_get_userbyid", {Oid}, Name, userName},
      {"pg_get_expr", {NodeTree, Oid}, Text, expressionOf},
      {"pg_get_expr", {NodeTree, Oid, Boolean}, Text, expressionOf},
      {"pg_get_indexdef", {Oid}, Text, indexDefinition},
      {"pg_get_indexdef", {Oid, Integer, Boolean}, Text, indexDefinition},
      {"pg_get_constraintdef", {Oid}, Text, constraintDefinition},
      {"pg_get_constraintdef", {Oid, Boolean}, Text, constraintDefinition},
      {"pg_get_viewdef", {Oid}, Text, viewDefinition},
      {"pg_get_viewdef", {Text}, Text, viewDefinition},
      {"pg_get_viewdef", {Text, Boolean}, Text, viewDefinition},
      {"pg_get_viewdef", {Oid, Boolean}, Text, viewDefinition},
      {"pg_get_viewdef", {Oid, Integer}, Text, viewDefinition},
      {"pg_get_serial_sequence", {Text, Text}, Text, serialSequence},
      {"pg_relation_is_updatable", {Regclass, Boolean}, Integer, relationUpdatable},
      {"pg_column_is_updatable", {Regclass, Smallint, Boolean}, Boolean, columnUpdatable},
      {"pg_get_ruledef", {Oid}, Text, none},
      {"pg_get_ruledef", {Oid, Boolean}, Text, none},
      {"pg_get_triggerdef", {Oid}, Text, triggerDefinition},
      {"pg_get_triggerdef", {Oid, Boolean}, Text, triggerDefinition},
      {"pg_get_partkeydef", {Oid}, Text, partitionKeyDefinition},
      {"pg_get_partition_constraintdef", {Oid}, Text, partitionConstraint},
      {"$pg_partition_tree.relid", {Regclass}, arrayOf(Regclass), treeRelations},
      {"$pg_partition_tree.parentrelid", {Regclass}, arrayOf(Regclass), treeParents},
      {"$pg_partition_tree.isleaf", {Regclass}, arrayOf(Boolean), treeLeaves},
      {"$pg_partition_tree.level", {Regclass}, arrayOf(Integer), treeLevels},
      {"pg_partition_root", {Regclass}, Regclass, partitionRoot},
      {"$leaf_of_row", {Oid, Record}, Oid, leafOfRow},
      {"pg_get_statisticsobjdef", {Oid}, Text, none},
      {"pg_get_statisticsobjdef_columns", {Oid}, Text, none},
      {"obj_description", {Oid, Name}, Text, objectDescription},
      {"obj_description", {Oid}, Text, objectDescription},
      {"col_description", {Oid, Integer}, Text, columnDescription},
      {"shobj_description", {Oid, Name}, Text, sharedDescription},
      {"pg_table_is_visible", {Oid}, Boolean, isRelationVisible},
      {"pg_type_is_visible", {Oid}, Boolean, isTypeVisible},
      {"pg_statistics_obj_is_visible", {Oid}, Boolean, none},
      {"pg_ts_config_is_visible", {Oid}, Boolean, none},
      {"pg_ts_dict_is_visible", {Oid}, Boolean, none},
      {"pg_ts_parser_is_visible", {Oid}, Boolean, none},
      {"pg_ts_template_is_visible", {Oid}, Boolean, none},
      {"pg_my_temp_schema", {}, Oid, temporarySchema},
      {"pg_is_other_temp_schema", {Oid}, Boolean, isOthersTemporarySchema},
      {"pg_relation_is_publishable", {Regclass}, Boolean, none},
      {"pg_client_encoding", {}, Name, clientEncoding},
      {"current_schemas", {Boolean}, arrayOf(Name), currentSchemas},
      {"current_setting", {Text}, Text, setting, false},
      {"current_setting", {Text, Boolean}, Text, setting, false},
      {"pg_notify", {Text, Text}, Void, notify, false},
      {"pg_notification_queue_usage", {}, Double, queueUsage},
      {"pg_listening_channels", {}, arrayOf(Text), listeningChannels},
      {"pg_partition_ancestors", {Regclass}, arrayOf(Regclass), partitionAncestors},
      {"pg_sequence_last_value", {Regclass}, Bigint, sequenceValue},
  };
  for (CatalogFunction& function : rightFunctions()) functions.push_back(std::move(function));
  for (CatalogFunction& function : routineFunctions()) functions.push_back(std::move(function));
  addServerFunctions(functions);
  addSizeFunctions(functions);
  addObjectFunctions(functions);
  return functions;
}

}  // namespace

const std::vector<CatalogFunction>& catalogFunctions() {
  static const std::vector<CatalogFunction> functions = makeFunctions();
  return functions;
}

const CatalogFunction& catalogFunction(FunctionId function) {
  return catalogFunctions()[static_cast<size_t>(function) - static_cast<size_t>(kFirstCatalogFunction)];
}

FunctionId catalogFunctionNamed(std::string_view name) {
  const auto& functions = catalogFunctions();
  const auto found = std::ranges::find(functions, name, &CatalogFunction::name);
  return catalogFunctionId(static_cast<size_t>(found - functions.begin()));
}

Value callCatalogFunction(FunctionId function, std::span<const Value> arguments) {
  const CatalogFunction& called = catalogFunction(function);
  const Type result = Type::of(called.result);
  if (called.is_strict && std::ranges::any_of(arguments, &Value::is_null)) return Value::null(result);
  return called.answer(arguments, result);
}

}  // namespace gnomon::sql::pg_catalog
