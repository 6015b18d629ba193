#include "sql/bind/table_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/column_default.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/type_name.h"

namespace gnomon::sql {
namespace {

constexpr size_t kColumnsMax = 1600;

bool isPublic(const ast::RelationName& name) {
  return name.schema.empty() || name.schema == "public";
}

/// Tables are in schema public.
void requirePublic(const ast::RelationName& name) {
  if (isPublic(name)) return;
  if (name.schema == "pg_catalog" || name.schema == "information_schema")
    throwNotSupported(fmt::format("changing schema \"{}\"", name.schema), name.position);
  throw SqlError(sqlstate::kInvalidSchemaName, fmt::format("schema \"{}\" does not exist", name.schema))
      .position(name.position);
}

bool isSystemColumn(const std::string& name) {
  static constexpr std::string_view kNames[] = {"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// Numerics of any size have no encoding that sorts as bytes.
void requireKeyType(const ColumnEntry& column, int32_t position) {
  if (column.type.isBig()) throwNotSupported("an index on a column of type " + column.type.name(), position);
}

void requirePartCount(size_t count) {
  constexpr size_t kPartsMax = 32;
  if (count > kPartsMax)
    throw SqlError(sqlstate::kTooManyColumns, fmt::format("cannot use more than {} columns in an index", kPartsMax));
}

IndexSpecification bindKey(const ast::KeyConstraint& key, CreateTableStatement& table) {
  IndexSpecification index{key.name, {}, true, key.is_primary, true};
  for (const std::string& name : key.columns) {
    const auto found = std::ranges::find(table.columns, name, &ColumnEntry::name);
    if (found == table.columns.end())
      throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" named in key does not exist", name))
          .position(key.position);
    const auto column = static_cast<uint32_t>(found - table.columns.begin());
    if (std::ranges::find(index.columns, column, &IndexColumn::column) != index.columns.end())
      throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" appears twice in {} constraint", name,
                                                             key.is_primary ? "primary key" : "unique"))
          .position(key.position);
    requireKeyType(*found, key.position);
    if (key.is_primary) found->not_null = true;
    index.columns.push_back({column, false, false});
  }
  requirePartCount(index.columns.size());
  return index;
}

/// Adds the indexes of PRIMARY KEY, which comes first, and UNIQUE; the same key twice is one index.
void bindKeys(const ast::CreateTable& create, CreateTableStatement& result) {
  bool has_primary = false;
  for (const ast::KeyConstraint& key : create.keys) {
    if (key.is_primary && has_primary)
      throw SqlError(sqlstate::kInvalidTableDefinition,
                     fmt::format("multiple primary keys for table \"{}\" are not allowed", create.relation.name))
          .position(key.position);
    has_primary = has_primary || key.is_primary;
  }
  for (const bool is_primary : {true, false}) {
    for (const ast::KeyConstraint& key : create.keys) {
      if (key.is_primary != is_primary) continue;
      IndexSpecification index = bindKey(key, result);
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
    if (isSystemColumn(definition.name))
      throw SqlError(sqlstate::kDuplicateColumn,
                     fmt::format("column name \"{}\" conflicts with a system column name", definition.name));
    ColumnEntry column{definition.name, resolveTypeName(definition.type), definition.not_null, ""};
    if (definition.default_value) {
      bindDefaultExpression(state, *definition.default_value, column);
      column.default_text = definition.default_text;
    }
    result.columns.push_back(std::move(column));
  }
  bindKeys(create, result);
  return result;
}

CreateIndexStatement bindCreateIndex(BindState& state, const ast::CreateIndex& create) {
  requirePublic(create.relation);
  CreateIndexStatement result;
  result.table = FromBinder(state).findTable({create.relation.schema, create.relation.name, -1}, TableUse::Index);
  result.index.name = create.name;
  result.index.is_unique = create.is_unique;
  result.if_not_exists = create.if_not_exists;
  for (const ast::IndexPart& part : create.parts) {
    const auto found = std::ranges::find(result.table->columns, part.column, &ColumnEntry::name);
    if (found == result.table->columns.end())
      throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" does not exist", part.column));
    requireKeyType(*found, -1);
    const auto column = static_cast<uint32_t>(found - result.table->columns.begin());
    result.index.columns.push_back({column, part.descending, part.nulls_first});
  }
  requirePartCount(result.index.columns.size());
  return result;
}

DropIndexStatement bindDropIndex(const ast::DropIndex& drop) {
  DropIndexStatement result;
  result.if_exists = drop.if_exists;
  for (const ast::RelationName& index : drop.indexes) {
    if (drop.if_exists && !isPublic(index)) continue;
    requirePublic(index);
    result.names.push_back(index.name);
  }
  return result;
}

DropTableStatement bindDropTable(const ast::DropTable& drop) {
  DropTableStatement result;
  result.if_exists = drop.if_exists;
  for (const ast::RelationName& relation : drop.relations) {
    if (drop.if_exists && !isPublic(relation)) continue;
    requirePublic(relation);
    result.names.push_back(relation.name);
    result.positions.push_back(relation.position);
  }
  return result;
}

}  // namespace gnomon::sql
