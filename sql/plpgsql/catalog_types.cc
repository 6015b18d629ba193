#include "sql/plpgsql/catalog_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/sql_error.h"
#include "sql/bind/collation.h"
#include "sql/bind/type_name.h"
#include "sql/catalog/user_types.h"
#include "sql/types/collation.h"

namespace gnomon::sql::plpgsql {
namespace {

constexpr std::string_view kPseudoTypes[] = {"any",
                                             "anyarray",
                                             "anycompatible",
                                             "anycompatiblearray",
                                             "anycompatiblenonarray",
                                             "anyelement",
                                             "anyenum",
                                             "anynonarray",
                                             "anyrange",
                                             "cstring",
                                             "event_trigger",
                                             "fdw_handler",
                                             "internal",
                                             "language_handler",
                                             "table_am_handler",
                                             "trigger",
                                             "tsm_handler",
                                             "void",
                                             "unknown",
                                             "index_am_handler",
                                             "anymultirange",
                                             "pg_ddl_command"};

}  // namespace

VariableType variableOf(Type type, uint32_t domain) {
  VariableType variable;
  if (type.kind == TypeKind::Record) variable.shape = VariableType::Shape::Record;
  variable.is_collatable = isCollatable(type);
  variable.is_cursor = type.kind == TypeKind::Refcursor;
  variable.type = type;
  variable.domain = domain;
  variable.name = domain == 0 ? type.baseName() : shownName(type, domain);
  // There are no arrays of any rows.
  const bool is_of_any_rows = type.isArray() && type.element().isRecord() && type.element().definition() == 0;
  if (is_of_any_rows && domain == 0) variable.shape = VariableType::Shape::Pseudo;
  return variable;
}

VariableType CatalogTypes::typeOf(const ast::TypeName& name) {
  const bool in_catalog = name.schema.empty() || name.schema == "pg_catalog";
  if (in_catalog && !name.is_array && std::ranges::find(kPseudoTypes, name.name) != std::end(kPseudoTypes)) {
    VariableType pseudo;
    pseudo.shape = VariableType::Shape::Pseudo;
    pseudo.name = name.name == "any" ? "\"any\"" : name.name;
    return pseudo;
  }
  const NamedType named = resolveTypeName(name);
  for (const uint32_t oid : {named.domain, named.type.isDefined() ? named.type.definition() : 0U})
    if (oid != 0) use(findTypeEntry(oid));
  return variableOf(named.type, named.domain);
}

void CatalogTypes::use(const TablePtr& entry) {
  if (entry && std::ranges::find(used_, entry) == used_.end()) used_.push_back(entry);
}

FoundRelation CatalogTypes::findRelation(std::string_view schema, std::string_view name) const {
  FoundRelation found = catalog_.findRelation(schema, name);
  if (found) return found;
  const TablePtr entry = catalog_.findType(schema, name);
  if (entry && entry->type && entry->type->form == TypeEntry::Form::Composite) found.table = entry;
  return found;
}

std::optional<VariableType> CatalogTypes::columnType(std::string_view schema, std::string_view relation,
                                                     std::string_view column) {
  const FoundRelation found = findRelation(schema, relation);
  if (!found || found.index) return std::nullopt;
  use(found.table);
  const std::vector<ColumnEntry>& columns = found.system ? found.system->columns : found.table->columns;
  const auto entry = std::ranges::find(columns, column, &ColumnEntry::name);
  if (entry == columns.end() || entry->isDropped()) return std::nullopt;
  return variableOf(entry->type, entry->domain);
}

VariableType CatalogTypes::rowType(std::string_view schema, std::string_view relation) {
  const FoundRelation found = findRelation(schema, relation);
  if (!found) raiseNoRelation(catalog_, {std::string(schema), std::string(relation)});
  if (found.system) throwNotSupported(fmt::format("the row type of \"{}\"", relation));
  if (found.index || found.table->sequence)
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("relation \"{}\" does not have a composite type", relation));
  use(found.table);
  return variableOf(typeOfEntry(*found.table));
}

void CatalogTypes::requireCollation(std::span<const std::string> names) {
  if (isOfIcu(resolveCollation(names))) throwNotSupported("a variable with a collation of ICU");
}

}  // namespace gnomon::sql::plpgsql
