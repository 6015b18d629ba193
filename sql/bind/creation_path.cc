#include "sql/bind/creation_path.h"

#include <fmt/format.h>

#include "base/sql_error.h"
#include "sql/catalog/access.h"

namespace gnomon::sql {

bool isTemporaryPath(const CatalogView& catalog, const ObjectPath& path) {
  return !path.schema.empty() && path.schema == catalog.searchPath().temporary;
}

namespace {

/// Whoever has got temporary tables in his session may make more.
void requireTemporaryRight(const CatalogView& catalog, int32_t position) {
  if (catalog.findSchema(catalog.searchPath().temporary)) return;
  if (rightsOnDatabase(catalog, catalog.actors().current, Privilege::Temporary) != Privilege::None) return;
  throw SqlError(
      sqlstate::kInsufficientPrivilege,
      fmt::format("permission denied to create temporary tables in database \"{}\"", catalog.database()->name))
      .position(position);
}

}  // namespace

ObjectPath creationPath(const CatalogView& catalog, const ast::RelationName& name, PlacePosition position) {
  const int32_t at = position == PlacePosition::Name ? name.position : -1;
  const SearchPath& search_path = catalog.searchPath();
  if (name.schema.empty()) {
    const std::string& temporary = search_path.temporary;
    const bool is_first = !search_path.written.empty() && search_path.written.front() == temporary;
    if (!temporary.empty() && (name.is_temporary || is_first)) {
      requireTemporaryRight(catalog, at);
      return {temporary, name.name};
    }
    if (name.is_temporary) throwNotSupported("temporary relations outside of a session");
    const SchemaPtr schema = catalog.creationSchema();
    if (!schema) throw SqlError(sqlstate::kInvalidSchemaName, "no schema has been selected to create in").position(at);
    return creationPath(catalog, {schema->name, name.name, name.position}, position);
  }
  ObjectPath path{search_path.actual(name.schema), name.name};
  if (isTemporaryPath(catalog, path)) {
    requireTemporaryRight(catalog, at);
    return path;
  }
  const SchemaPtr schema = catalog.findSchema(path.schema);
  if (!schema) raiseNoSchema(name.schema, at);
  if (name.is_temporary)
    throw SqlError(sqlstate::kInvalidTableDefinition, "cannot create temporary relation in non-temporary schema")
        .position(at);
  if (schema->is_temporary)
    throw SqlError(sqlstate::kInvalidTableDefinition, "cannot create relations in temporary schemas of other sessions")
        .position(at);
  if (schema->oid == kCatalogSchemaOid)
    throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied to create \"{}\"", path.shown()))
        .detail("System catalog modifications are currently disallowed.");
  if (rightsOn(catalog, catalog.actors().current, *schema, Privilege::Create) == Privilege::None)
    throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied for schema {}", schema->name))
        .position(at);
  if (schema->oid == kInformationSchemaOid) throwNotSupported("changing schema \"information_schema\"", at);
  return path;
}

std::vector<ObjectPath> writtenPaths(const std::vector<ast::RelationName>& names) {
  std::vector<ObjectPath> paths;
  for (const ast::RelationName& name : names) paths.push_back({name.schema, name.name});
  return paths;
}

}  // namespace gnomon::sql
