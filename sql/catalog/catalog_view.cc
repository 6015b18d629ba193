#include "sql/catalog/catalog_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/catalog/access.h"
#include "sql/catalog/system_tables.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

bool isFindable(const TableEntry& table) {
  return !isSystemTable(table) || SystemTableScope::isOpen();
}

FoundRelation findExactly(const CatalogView& catalog, const ObjectPath& path) {
  FoundRelation found;
  if ((found.table = catalog.find(path)) && isFindable(*found.table)) return found;
  if ((found.table = catalog.findIndexTable(path)) && isFindable(*found.table)) {
    const auto index = std::ranges::find(found.table->indexes, path.name, &IndexEntry::name);
    CHECK(index != found.table->indexes.end(), "C2");
    found.index = *index;
    return found;
  }
  found.table = nullptr;
  found.system = catalog.findVirtual(path.schema, path.name);
  return found;
}

}  // namespace

bool hasCheckOrForeignKey(const TableEntry& table, std::string_view name) {
  return std::ranges::find(table.checks, name, &CheckEntry::name) != table.checks.end() ||
         std::ranges::find(table.foreign_keys, name, &ForeignKeyEntry::name) != table.foreign_keys.end();
}

FoundRelation CatalogView::findRelation(std::string_view schema, std::string_view name) const {
  ObjectPath path{std::string(schema), std::string(name)};
  if (!schema.empty()) {
    path.schema = searchPath().actual(path.schema);
    if (const SchemaPtr entry = findSchema(path.schema)) requireRight(*this, *entry, Privilege::Usage);
    return findExactly(*this, path);
  }
  for (const std::string& searched : searchPath().schemas) {
    path.schema = searched;
    if (FoundRelation found = findExactly(*this, path)) return found;
  }
  return {};
}

TablePtr CatalogView::findType(std::string_view schema, std::string_view name) const {
  const auto find = [&](const std::string& in) -> TablePtr {
    TablePtr entry = findEntry({in, std::string(name)});
    return entry && entry->sequence ? nullptr : std::move(entry);
  };
  if (!schema.empty()) return find(searchPath().actual(std::string(schema)));
  for (const std::string& searched : searchPath().schemas)
    if (TablePtr found = find(searched)) return found;
  return nullptr;
}

TablePtr CatalogView::find(const ObjectPath& path) const {
  TablePtr entry = findEntry(path);
  return entry && (entry->type || entry->routine) ? nullptr : std::move(entry);
}

std::vector<TablePtr> CatalogView::tables() const {
  std::vector<TablePtr> result = entries();
  std::erase_if(result, [](const TablePtr& entry) { return entry->type || entry->routine; });
  return result;
}

std::vector<TablePtr> CatalogView::types() const {
  std::vector<TablePtr> result = entries();
  std::erase_if(result, [](const TablePtr& entry) { return entry->type == nullptr; });
  return result;
}

std::vector<TablePtr> CatalogView::routines() const {
  std::vector<TablePtr> result = entries();
  std::erase_if(result, [](const TablePtr& entry) { return entry->routine == nullptr; });
  return result;
}

std::vector<TablePtr> CatalogView::findRoutines(std::string_view schema, std::string_view name) const {
  if (!schema.empty()) return routinesNamed(searchPath().actual(std::string(schema)), name);
  std::vector<TablePtr> result;
  for (const std::string& searched : searchPath().schemas)
    // As in PostgreSQL, nobody finds a routine of his temporary schema without naming that.
    if (searched != searchPath().temporary)
      for (TablePtr& routine : routinesNamed(searched, name)) result.push_back(std::move(routine));
  return result;
}

SchemaPtr CatalogView::findSchema(uint32_t oid) const {
  for (SchemaPtr& schema : schemas())
    if (schema->oid == oid) return std::move(schema);
  return nullptr;
}

RolePtr CatalogView::findRole(std::string_view name) const {
  for (RolePtr& role : roles())
    if (role->name == name) return std::move(role);
  return nullptr;
}

DatabasePtr CatalogView::findDatabase(std::string_view name) const {
  for (DatabasePtr& database : databases())
    if (database->name == name) return std::move(database);
  return nullptr;
}

SchemaPtr CatalogView::creationSchema() const {
  for (const std::string& name : searchPath().written)
    if (SchemaPtr schema = findSchema(name)) return schema;
  return nullptr;
}

bool CatalogView::isVisible(const ObjectPath& path) const {
  for (const std::string& schema : searchPath().schemas) {
    if (schema == path.schema) return true;
    if (isTaken({schema, path.name})) return false;
  }
  return false;
}

std::string CatalogView::shownName(const ObjectPath& path) const {
  const std::string name = quotedIdentifier(path.name);
  if (isVisible(path)) return name;
  const std::string& own = searchPath().temporary;
  return quotedIdentifier(path.schema == own ? kTemporarySchema : std::string_view(path.schema)) + "." + name;
}

bool CatalogView::isTaken(const ObjectPath& path) const {
  return findEntry(path) != nullptr || findIndexTable(path) != nullptr ||
         findVirtual(path.schema, path.name) != nullptr;
}

bool CatalogView::hasConstraint(const ObjectPath& path, const TableEntry* except) const {
  return std::ranges::any_of(tables(), [&](const TablePtr& table) {
    if (table->schema != path.schema || (except != nullptr && table->name == except->name)) return false;
    const auto isNamed = [&](const IndexPtr& index) { return index->is_constraint && index->name == path.name; };
    return hasCheckOrForeignKey(*table, path.name) || std::ranges::any_of(table->indexes, isNamed);
  });
}

void raiseNoSchema(std::string_view schema, int32_t position) {
  throw SqlError(sqlstate::kInvalidSchemaName, fmt::format("schema \"{}\" does not exist", schema)).position(position);
}

void raiseNoRelation(const CatalogView& catalog, const ObjectPath& path) {
  const bool has_schema = path.schema.empty() || catalog.findSchema(catalog.searchPath().actual(path.schema));
  if (!has_schema) raiseNoSchema(path.schema);
  throw SqlError(sqlstate::kUndefinedTable, fmt::format("relation \"{}\" does not exist", path.shown()));
}

void raiseNoDatabase(std::string_view name) {
  throw SqlError(sqlstate::kInvalidCatalogName, fmt::format("database \"{}\" does not exist", name));
}

}  // namespace gnomon::sql
