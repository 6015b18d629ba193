#include "sql/bind/table_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/foreign_key_definition.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/scope.h"
#include "sql/bind/sequence_definition.h"
#include "sql/bind/sequence_reference.h"
#include "sql/bind/storage_parameters.h"
#include "sql/bind/type_name.h"
#include "sql/catalog/sequences.h"
#include "sql/types/decimal.h"

namespace gnomon::sql {

bool isPublic(const ast::RelationName& name) {
  return name.schema.empty() || name.schema == "public";
}

void requirePublic(const ast::RelationName& name) {
  if (isPublic(name)) return;
  if (name.schema == "pg_catalog" || name.schema == "information_schema")
    throwNotSupported(fmt::format("changing schema \"{}\"", name.schema), name.position);
  throw SqlError(sqlstate::kInvalidSchemaName, fmt::format("schema \"{}\" does not exist", name.schema))
      .position(name.position);
}

void requireNoSystemColumn(const std::string& name) {
  if (isSystemColumn(name))
    throw SqlError(sqlstate::kDuplicateColumn,
                   fmt::format("column name \"{}\" conflicts with a system column name", name));
}

IndexSpecification bindKey(const ast::KeyConstraint& key, std::vector<ColumnEntry>& columns) {
  IndexSpecification index{key.name, {}, true, key.is_primary, true};
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
    if (key.is_primary) found->not_null = true;
    index.columns.push_back({column, false, false});
  }
  requirePartCount(index.columns.size());
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
        return std::ranges::equal(other.columns, index.columns, {}, &IndexColumn::column, &IndexColumn::column);
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
    column.type = resolveTypeName(definition.type);
  }
  return column;
}

void setDefault(BindState& state, const ast::ExpressionPtr& value, const std::string& text, ColumnEntry& column) {
  bindDefaultExpression(state, *value, column);
  column.default_text = withSequences(text, [&state](const std::string& name) {
    return std::to_string(findSequence(state.context.catalog, name)->oid);
  });
}

CreateTableStatement bindCreateTable(BindState& state, const ast::CreateTable& create) {
  requirePublic(create.relation);
  CreateTableStatement result;
  result.name = create.relation.name;
  result.if_not_exists = create.if_not_exists;
  if (create.columns.size() > kColumnsMax)
    throw SqlError(sqlstate::kTooManyColumns, fmt::format("tables can have at most {} columns", kColumnsMax));
  if (create.columns.empty()) throwNotSupported("tables without columns", create.relation.position);
  for (const ast::ColumnDefinition& definition : create.columns) {
    if (std::ranges::find(result.columns, definition.name, &ColumnEntry::name) != result.columns.end())
      throw SqlError(sqlstate::kDuplicateColumn,
                     fmt::format("column \"{}\" specified more than once", definition.name));
    ColumnEntry column = bindColumnDefinition(definition, result.name);
    if (definition.default_value) setDefault(state, definition.default_value, definition.default_text, column);
    if (auto sequence = bindColumnSequence(definition, column.type)) {
      sequence->column = static_cast<uint32_t>(result.columns.size());
      result.sequences.push_back(std::move(*sequence));
    }
    result.columns.push_back(std::move(column));
  }
  for (const ast::CheckConstraint& check : create.constraints.checks)
    bindCheck(state, {.name = result.name, .columns = result.columns, .checks = result.checks}, check);
  bindKeys(create, result);
  std::vector<std::string> names;
  for (const CheckEntry& check : result.checks) names.push_back(check.name);
  for (const IndexSpecification& index : result.indexes)
    if (!index.name.empty()) names.push_back(index.name);
  for (const ast::ForeignKey& key : create.constraints.foreign_keys)
    bindForeignKey(state,
                   {.name = result.name,
                    .columns = result.columns,
                    .keys = result.foreign_keys,
                    .parents = result.parents,
                    .indexes = result.indexes,
                    .constraint_names = names},
                   key);
  setStorageParameters(create.parameters, result.options);
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

CreateTableAsStatement bindCreateTableAs(BindState& state, const ast::CreateTableAs& create) {
  requirePublic(create.filling.relation);
  CreateTableAsStatement result{.table = {}, .has_data = create.has_data};
  result.table.name = create.filling.relation.name;
  result.table.if_not_exists = create.if_not_exists;
  const QueryBinder::Result query = QueryBinder(state).bind(*create.filling.query);
  if (!query.locks.empty()) throwNotSupported("SELECT FOR UPDATE/SHARE in CREATE TABLE AS");
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
    if (column.type.kind == TypeKind::Void)
      throw SqlError(sqlstate::kInvalidTableDefinition, fmt::format("column \"{}\" has pseudo-type void", column.name));
    requireNoSystemColumn(column.name);
    if (std::ranges::find(columns, column.name, &ColumnEntry::name) != columns.end())
      throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" specified more than once", column.name));
    columns.push_back(std::move(column));
  }
  setStorageParameters(create.parameters, result.table.options);
  return result;
}

std::vector<std::string> publicNames(const std::vector<ast::RelationName>& relations, bool if_exists) {
  std::vector<std::string> names;
  for (const ast::RelationName& relation : relations) {
    if (if_exists && !isPublic(relation)) continue;
    requirePublic(relation);
    names.push_back(relation.name);
  }
  return names;
}

DropIndexStatement bindDropIndex(const ast::DropIndex& drop) {
  DropIndexStatement result;
  result.if_exists = drop.if_exists;
  result.is_cascade = drop.is_cascade;
  result.names = publicNames(drop.indexes, drop.if_exists);
  return result;
}

DropTableStatement bindDropTable(const ast::DropTable& drop) {
  DropTableStatement result;
  result.are_views = drop.are_views;
  result.if_exists = drop.if_exists;
  result.is_cascade = drop.is_cascade;
  for (const ast::RelationName& relation : drop.relations) {
    if (drop.if_exists && !isPublic(relation)) continue;
    requirePublic(relation);
    result.names.push_back(relation.name);
    result.positions.push_back(relation.position);
  }
  return result;
}

}  // namespace gnomon::sql
