#include "sql/bind/table_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/column_default.h"
#include "sql/bind/type_name.h"

namespace gnomon::sql {
namespace {

constexpr size_t kColumnsMax = 1600;

/// Tables are in schema public.
void requirePublic(const ast::RelationName& name) {
  if (name.schema.empty() || name.schema == "public") return;
  if (name.schema == "pg_catalog" || name.schema == "information_schema")
    throwNotSupported(fmt::format("changing schema \"{}\"", name.schema), name.position);
  throw SqlError(sqlstate::kInvalidSchemaName, fmt::format("schema \"{}\" does not exist", name.schema))
      .position(name.position);
}

bool isSystemColumn(const std::string& name) {
  static constexpr std::string_view kNames[] = {"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"};
  return std::ranges::find(kNames, name) != std::end(kNames);
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
  return result;
}

DropTableStatement bindDropTable(const ast::DropTable& drop) {
  DropTableStatement result;
  result.if_exists = drop.if_exists;
  for (const ast::RelationName& relation : drop.relations) {
    if (!drop.if_exists) requirePublic(relation);
    result.names.push_back(relation.name);
    result.positions.push_back(relation.position);
  }
  return result;
}

}  // namespace gnomon::sql
