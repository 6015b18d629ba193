#include "sql/bind/table_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/collation.h"
#include "sql/bind/column_default.h"
#include "sql/bind/comparable.h"
#include "sql/bind/creation_path.h"
#include "sql/bind/foreign_key_definition.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/generated_column.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/partition_definition.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/scope.h"
#include "sql/bind/sequence_definition.h"
#include "sql/bind/sequence_reference.h"
#include "sql/bind/storage_parameters.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/table_like.h"
#include "sql/bind/type_name.h"
#include "sql/bind/view_definition.h"
#include "sql/catalog/access.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/sequences.h"
#include "sql/parse/identifier.h"
#include "sql/types/decimal.h"

namespace gnomon::sql {

void requireNoSystemColumn(const std::string& name) {
  if (isSystemColumn(name))
    throw SqlError(sqlstate::kDuplicateColumn,
                   fmt::format("column name \"{}\" conflicts with a system column name", name));
}

IndexSpecification bindKey(const ast::KeyConstraint& key, std::vector<ColumnEntry>& columns) {
  IndexSpecification index{key.name, {}, true, key.is_primary, true};
  index.is_deferrable = key.is_deferrable;
  index.is_deferred = key.is_deferred;
  index.nulls_are_equal = key.nulls_are_equal;
  for (const std::string& name : key.columns) {
    const auto found = std::ranges::find(columns, name, &ColumnEntry::name);
    if (found == columns.end())
      throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" named in key does not exist", name))
          .position(key.position);
    const auto column = static_cast<uint32_t>(found - columns.begin());
    if (std::ranges::find(index.columns, column, &IndexColumn::column) != index.columns.end())
      throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" appears twice in {} constraint", name,
                                                             key.is_primary ? "primary key" : "unique"))
          .position(key.position);
    requireIndexable(found->type);
    if (key.is_primary) found->not_null = true;
    index.columns.push_back({column, false, false});
  }
  for (const std::string& name : key.included) {
    const auto found = std::ranges::find(columns, name, &ColumnEntry::name);
    if (found == columns.end())
      throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" named in key does not exist", name))
          .position(key.position);
    index.included.push_back(static_cast<uint32_t>(found - columns.begin()));
  }
  index.fillfactor = indexFillfactor(key.parameters);
  requirePartCount(index.columns.size() + index.included.size());
  return index;
}

namespace {

/// Adds the indexes of PRIMARY KEY, which comes first, and UNIQUE; the same key twice is one index.
void bindKeys(const ast::CreateTable& create, CreateTableStatement& result) {
  bool has_primary = false;
  for (const ast::KeyConstraint& key : create.constraints.keys) {
    if (key.is_primary && has_primary)
      throw SqlError(sqlstate::kInvalidTableDefinition,
                     fmt::format("multiple primary keys for table \"{}\" are not allowed", create.relation.name))
          .position(key.position);
    has_primary = has_primary || key.is_primary;
  }
  for (const bool is_primary : {true, false}) {
    for (const ast::KeyConstraint& key : create.constraints.keys) {
      if (key.is_primary != is_primary) continue;
      IndexSpecification index = bindKey(key, result.columns);
      const auto isSame = [&](const IndexSpecification& other) {
        return std::ranges::equal(other.columns, index.columns, {}, &IndexColumn::column, &IndexColumn::column) &&
               other.included == index.included && other.nulls_are_equal == index.nulls_are_equal &&
               other.is_deferrable == index.is_deferrable && other.is_deferred == index.is_deferred;
      };
      const auto same = std::ranges::find_if(result.indexes, isSame);
      if (same == result.indexes.end())
        result.indexes.push_back(std::move(index));
      else if (same->name.empty())
        same->name = index.name;
    }
  }
}

}  // namespace

namespace {

/// What cannot be said of a column of type serial, which has a default and no nulls.
void bindSerial(const ast::ColumnDefinition& definition, const std::string& table) {
  const auto refuse = [&](std::string_view what) {
    throw SqlError(sqlstate::kSyntaxError,
                   fmt::format("{} for column \"{}\" of table \"{}\"", what, definition.name, table));
  };
  if (definition.type.is_array)
    throw SqlError(sqlstate::kFeatureNotSupported, "array of serial is not implemented")
        .position(definition.type.position);
  if (!definition.type.modifiers.empty()) throwNotSupported("a modifier of serial", definition.type.position);
  if (definition.default_value) refuse("multiple default values specified");
  if (definition.identity) refuse("both default and identity specified");
  if (definition.nullable_stated) refuse("conflicting NULL/NOT NULL declarations");
}

}  // namespace

ColumnEntry bindColumnDefinition(const ast::ColumnDefinition& definition, const std::string& table) {
  requireNoSystemColumn(definition.name);
  ColumnEntry column;
  column.name = definition.name;
  column.not_null = definition.not_null;
  if (definition.identity) column.identity = definition.identity->is_always ? Identity::Always : Identity::ByDefault;
  if (const auto serial = serialType(definition.type)) {
    bindSerial(definition, table);
    column.type = Type::of(*serial);
    column.not_null = true;
  } else {
    const NamedType named = resolveTypeName(definition.type);
    column.type = named.type;
    column.domain = named.domain;
    if (column.type.kind == TypeKind::Record && column.type.definition() == 0)
      throw SqlError(sqlstate::kInvalidTableDefinition,
                     fmt::format("column \"{}\" has pseudo-type record", column.name));
  }
  return column;
}

void setDefault(BindState& state, const ast::ExpressionPtr& value, const std::string& text, ColumnEntry& column) {
  const StoredText stored(state);
  bindDefaultExpression(state, *value, column);
  column.default_text = withSequences(stored.write(*value, text), [&state](const std::string& name) {
    return std::to_string(findSequence(state.context.catalog, name)->oid);
  });
}

namespace {

void addColumn(BindState& state, const ast::ColumnDefinition& definition, CreateTableStatement& result) {
  if (std::ranges::find(result.columns, definition.name, &ColumnEntry::name) != result.columns.end())
    throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" specified more than once", definition.name));
  ColumnEntry column = bindColumnDefinition(definition, result.path.name);
  if (definition.default_value) setDefault(state, definition.default_value, definition.default_text, column);
  if (auto sequence = bindColumnSequence(definition, column.type)) {
    sequence->column = static_cast<uint32_t>(result.columns.size());
    result.sequences.push_back(std::move(*sequence));
  }
  column.is_generated = definition.generated != nullptr;
  result.columns.push_back(std::move(column));
}

/// In the order in which they are written. Returns the tables of LIKE.
std::vector<TablePtr> addColumns(BindState& state, const ast::CreateTable& create, CreateTableStatement& result) {
  std::vector<TablePtr> like_tables;
  for (size_t i = 0; i <= create.columns.size(); ++i) {
    for (const ast::TableLike& like : create.likes)
      if (like.place == i) like_tables.push_back(addLikeColumns(state, like, result));
    if (i < create.columns.size()) addColumn(state, create.columns[i], result);
  }
  if (result.columns.size() > kColumnsMax)
    throw SqlError(sqlstate::kTooManyColumns, fmt::format("tables can have at most {} columns", kColumnsMax));
  // A row is made of something: of a column that is as good as dropped.
  if (result.columns.empty()) result.columns.emplace_back().type = Type::of(TypeKind::Boolean);
  for (const ast::ColumnDefinition& definition : create.columns) {
    if (!definition.generated) continue;
    const auto column = std::ranges::find(result.columns, definition.name, &ColumnEntry::name);
    defineGenerated(state, result.path.name, result.columns, static_cast<uint32_t>(column - result.columns.begin()),
                    *definition.generated, definition.generated_text);
  }
  return like_tables;
}

}  // namespace

namespace {

/// The columns, checks and keys of the table that it is a partition of; what it says of its own comes on top.
void inherit(BindState& state, const ast::CreateTable& create, CreateTableStatement& result) {
  const TablePtr parent = FromBinder(state).findTable(create.parent, TableUse::Alter);
  if (!parent->partitioning)
    throw SqlError(sqlstate::kInvalidObjectDefinition, fmt::format("\"{}\" is not partitioned", parent->name))
        .position(create.bound->position);
  if (parent->is_temporary != isTemporaryPath(state.context.catalog, result.path))
    throw SqlError(
        sqlstate::kWrongObjectType,
        parent->is_temporary
            ? fmt::format("cannot create a permanent relation as partition of temporary relation \"{}\"", parent->name)
            : fmt::format("cannot create a temporary relation as partition of permanent relation \"{}\"",
                          parent->name));
  result.partitioned = parent;
  result.options = parent->options;
  result.partition = bindPartition(state, *create.bound, *parent, result.path.name);
  for (const ColumnEntry& column : parent->columns) {
    ColumnEntry copy = column;
    copy.stored = {};
    copy.identity = Identity::None;
    // It takes its values from a sequence that belongs to the table.
    if (column.identity != Identity::None) copy.default_text.clear();
    copy.comment.clear();
    result.columns.push_back(std::move(copy));
  }
  result.order = orderOfPartition(*parent);
  for (const ast::ColumnDefinition& definition : create.columns) {
    const auto found = std::ranges::find(result.columns, definition.name, &ColumnEntry::name);
    if (found == result.columns.end())
      throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" does not exist", definition.name));
    if (definition.identity || definition.generated) throwNotSupported("generated columns of a partition's own");
    found->not_null = found->not_null || definition.not_null;
    if (definition.default_value) setDefault(state, definition.default_value, definition.default_text, *found);
  }
  for (const CheckEntry& check : parent->checks) {
    CheckEntry copy = check;
    copy.comment.clear();
    copy.is_valid = true;
    result.checks.push_back(std::move(copy));
  }
  for (const ForeignKeyEntry& key : parent->foreign_keys) {
    if (key.part_of != 0) continue;
    ForeignKeyEntry copy = key;
    copy.number = 0;
    copy.comment.clear();
    copy.is_valid = true;
    result.foreign_keys.push_back(std::move(copy));
    if (const TablePtr referenced = findTable(state.context.catalog, key.parent)) {
      state.addTable(referenced);
      result.parents.push_back(referenced);
    }
  }
}

/// Failure: 0A000 for what a partitioned table cannot have.
void requirePartitionable(const ast::CreateTable& create, const CreateTableStatement& result) {
  for (const IndexSpecification& index : result.indexes)
    requirePartitionColumns(index, *result.partition_key, create.relation.name, result.columns);
  if (!result.partitioned) return;
  for (const IndexPtr& index : result.partitioned->indexes)
    requirePartitionColumns(*index, *result.partition_key, create.relation.name, result.columns);
}

}  // namespace

CreateTableStatement bindCreateTable(BindState& state, const ast::CreateTable& create) {
  CreateTableStatement result;
  result.path = creationPath(state.context.catalog, create.relation, PlacePosition::Name);
  result.on_commit = static_cast<OnCommit>(create.on_commit);
  result.if_not_exists = create.if_not_exists;
  std::vector<TablePtr> like_tables;
  // Whatever else is said of it.
  if (create.bound && create.if_not_exists && state.context.catalog.isTaken(result.path)) return result;
  if (create.bound)
    inherit(state, create, result);
  else
    like_tables = addColumns(state, create, result);
  if (create.partition_by)
    result.partition_key = bindPartitionKey(state, *create.partition_by, create.relation.name, result.columns);
  for (const ast::CheckConstraint& check : create.constraints.checks) {
    if (check.is_no_inherit && result.partition_key) raiseNoInherit(result.path.name);
    bindCheck(state, {.path = result.path, .columns = result.columns, .checks = result.checks}, check);
  }
  bindKeys(create, result);
  for (size_t i = 0; i < create.likes.size(); ++i) addLikeConstraints(create.likes[i], *like_tables[i], result);
  std::vector<std::string> names;
  for (const CheckEntry& check : result.checks) names.push_back(check.name);
  for (const IndexSpecification& index : result.indexes)
    if (!index.name.empty()) names.push_back(index.name);
  for (const ast::ForeignKey& key : create.constraints.foreign_keys)
    bindForeignKey(state,
                   {.path = result.path,
                    .columns = result.columns,
                    .keys = result.foreign_keys,
                    .parents = result.parents,
                    .indexes = result.indexes,
                    .constraint_names = names},
                   key);
  setStorageParameters(create.parameters, result.options);
  result.options.is_unlogged = create.is_unlogged;
  if (result.partition_key) requirePartitionable(create, result);
  requireSteadyKeys(state.context.catalog, result.foreign_keys, result.partition_key.get(), result.partition.get(), {});
  return result;
}

namespace {

/// A column as a result has it, without what is known of its values: as one that is declared so.
Type declaredType(Type type) {
  if (type.kind == TypeKind::Numeric && type.typmod >= 0)
    return numericWithModifier(modifierPrecision(type.typmod), modifierScale(type.typmod));
  const int32_t typmod = type.typmod;
  type = Type::of(type.kind);
  type.typmod = typmod;
  return type;
}

}  // namespace

namespace {

/// What a materialized view is filled with, now and later.
void defineMaterialized(BindState& state, const ast::CreateTableAs& create, CreateTableAsStatement& result) {
  const ast::Query& query = *create.filling.query;
  if (std::ranges::any_of(query.with.tables, [](const auto& table) { return table.change != nullptr; }))
    throw SqlError(sqlstate::kFeatureNotSupported, "materialized views must not use data-modifying statements in WITH");
  if (std::ranges::any_of(state.tables, &TableEntry::is_temporary))
    throw SqlError(sqlstate::kFeatureNotSupported, "materialized views must not use temporary tables or views");
  if (!state.parameters.empty())
    throw SqlError(sqlstate::kFeatureNotSupported, "materialized views may not be defined using bound parameters");
  auto view = std::make_shared<ViewEntry>(bindStoredQuery(state, create.text));
  view->is_populated = create.has_data;
  result.table.materialized = std::move(view);
  result.table.used = state.tables;
}

}  // namespace

CreateTableAsStatement bindCreateTableAs(BindState& state, const ast::CreateTableAs& create) {
  CreateTableAsStatement result{.table = {}, .has_data = create.has_data};
  result.table.path = creationPath(state.context.catalog, create.filling.relation, PlacePosition::None);
  result.table.on_commit = static_cast<OnCommit>(create.on_commit);
  result.table.if_not_exists = create.if_not_exists;
  const QueryBinder::Result query = QueryBinder(state).bind(*create.filling.query);
  if (create.is_materialized) defineMaterialized(state, create, result);
  if (query.columns.empty()) throwNotSupported("tables without columns", create.filling.relation.position);
  if (create.columns.size() > query.columns.size())
    throw SqlError(sqlstate::kSyntaxError, "too many column names were specified");
  if (query.columns.size() > kColumnsMax)
    throw SqlError(sqlstate::kTooManyColumns, fmt::format("tables can have at most {} columns", kColumnsMax));
  std::vector<ColumnEntry>& columns = result.table.columns;
  for (size_t i = 0; i < query.columns.size(); ++i) {
    ColumnEntry column;
    column.name = i < create.columns.size() ? create.columns[i] : query.columns[i].name;
    column.type = declaredType(query.columns[i].iu->type);
    column.type.collation = declaredCollation(column.name, query.columns[i].iu->type);
    const bool is_record = column.type.kind == TypeKind::Record && column.type.definition() == 0;
    if (column.type.kind == TypeKind::Void || column.type.kind == TypeKind::Trigger || is_record)
      throw SqlError(sqlstate::kInvalidTableDefinition,
                     fmt::format("column \"{}\" has pseudo-type {}", column.name, column.type.baseName()));
    requireNoSystemColumn(column.name);
    if (std::ranges::find(columns, column.name, &ColumnEntry::name) != columns.end())
      throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" specified more than once", column.name));
    columns.push_back(std::move(column));
  }
  setStorageParameters(create.parameters, result.table.options);
  result.table.options.is_unlogged = create.is_unlogged;
  return result;
}

RefreshViewStatement bindRefreshView(BindState& state, const ast::RefreshView& refresh) {
  const ObjectPath written{refresh.relation.schema, refresh.relation.name};
  const FoundRelation found = state.context.catalog.findRelation(written);
  if (!found) raiseNoRelation(state.context.catalog, written);
  const TablePtr stored = found.stored();
  if (!stored || stored->view || stored->sequence)
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a table or materialized view", written.name));
  requireOwner(state.context.catalog, *stored);
  if (!stored->materialized)
    throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("\"{}\" is not a materialized view", written.name));
  const TableEntry& view = *found.table;
  RefreshViewStatement result{found.table, refresh.is_concurrent, refresh.has_data};
  if (!refresh.is_concurrent) return result;
  if (!view.materialized->is_populated)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   "CONCURRENTLY cannot be used when the materialized view is not populated");
  if (!refresh.has_data)
    throw SqlError(sqlstate::kSyntaxError, "CONCURRENTLY and WITH NO DATA options cannot be used together");
  const auto isOfAllRows = [](const IndexPtr& index) {
    return index->is_unique && index->predicate.empty() &&
           std::ranges::none_of(index->columns,
                                [](const IndexColumn& part) { return part.column == IndexColumn::kExpression; });
  };
  if (std::ranges::none_of(view.indexes, isOfAllRows))
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                   fmt::format("cannot refresh materialized view \"{}.{}\" concurrently", quotedIdentifier(view.schema),
                               quotedIdentifier(view.name)))
        .hint("Create a unique index with no WHERE clause on one or more columns of the materialized view.");
  return result;
}

DropIndexStatement bindDropIndex(const ast::DropIndex& drop) {
  DropIndexStatement result;
  result.if_exists = drop.if_exists;
  result.is_cascade = drop.is_cascade;
  result.is_concurrent = drop.is_concurrent;
  if (drop.is_concurrent && drop.indexes.size() > 1)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   "DROP INDEX CONCURRENTLY does not support dropping multiple objects");
  if (drop.is_concurrent && drop.is_cascade)
    throw SqlError(sqlstate::kFeatureNotSupported, "DROP INDEX CONCURRENTLY does not support CASCADE");
  result.names = writtenPaths(drop.indexes);
  return result;
}

DropTableStatement bindDropTable(const ast::DropTable& drop) {
  DropTableStatement result;
  result.are_views = drop.are_views;
  result.are_materialized = drop.are_materialized;
  result.if_exists = drop.if_exists;
  result.is_cascade = drop.is_cascade;
  result.names = writtenPaths(drop.relations);
  return result;
}

}  // namespace gnomon::sql
