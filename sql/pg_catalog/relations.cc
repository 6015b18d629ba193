#include "sql/pg_catalog/relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.h"
#include "sql/bind/type_name.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/constant_rows.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/system_views.h"

namespace gnomon::sql::pg_catalog {
namespace {

using Columns = std::vector<ColumnEntry>;
using MakeRows = VirtualRows (*)(const Columns& columns);

constexpr std::array<std::pair<std::string_view, MakeRows>, 32> kMakers{
    {{"pg_am", accessMethodRows},
     {"pg_attrdef", defaultRows},
     {"pg_attribute", attributeRows},
     {"pg_auth_members", membershipRows},
     {"pg_authid", authorizationRows},
     {"pg_available_extensions", availableExtensionRows},
     {"pg_class", classRows},
     {"pg_collation", collationRows},
     {"pg_constraint", constraintRows},
     {"pg_database", databaseRows},
     {"pg_db_role_setting", roleSettingRows},
     {"pg_default_acl", defaultAclRows},
     {"pg_depend", dependRows},
     {"pg_description", descriptionRows},
     {"pg_enum", enumRows},
     {"pg_extension", extensionRows},
     {"pg_index", indexRows},
     {"pg_inherits", inheritRows},
     {"pg_language", languageRows},
     {"pg_namespace", namespaceRows},
     {"pg_partitioned_table", partitionedTableRows},
     {"pg_proc", procedureRows},
     {"pg_rewrite", rewriteRows},
     {"pg_roles", roleRows},
     {"pg_sequence", sequenceRows},
     {"pg_settings", settingRows},
     {"pg_shdescription", sharedDescriptionRows},
     {"pg_tablespace", tablespaceRows},
     {"pg_timezone_abbrevs", zoneAbbreviationRows},
     {"pg_timezone_names", zoneRows},
     {"pg_trigger", triggerRows},
     {"pg_type", typeRows}}};

/// "name type,name type!,...".
Columns readColumns(std::string_view text) {
  Columns columns;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    std::string_view column = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ColumnEntry& entry = columns.emplace_back();
    entry.not_null = column.ends_with('!');
    if (entry.not_null) column.remove_suffix(1);
    const size_t space = column.find(' ');
    entry.name = column.substr(0, space);
    const auto kind = findTypeKind(column.substr(space + 1));
    CHECK(kind.has_value(), "the catalogs' columns have types that there are");
    entry.type = Type::of(*kind);
  }
  return columns;
}

/// What to expect of the sizes of relations that are read often.
double expectedRows(std::string_view name) {
  if (name == "pg_attribute") return 2000;
  if (name == "pg_proc") return 1600;
  if (name == "pg_operator") return 500;
  if (name == "pg_class" || name == "pg_type") return 200;
  return 20;
}

/// The query, with columns of these names and types.
std::string typedQuery(const Columns& columns, std::string_view query) {
  std::string selected, names;
  for (const ColumnEntry& column : columns) {
    const std::string name = quotedIdentifier(column.name);
    selected += fmt::format("{}{}::{}", selected.empty() ? "" : ", ", name, column.type.name());
    names.append(names.empty() ? "" : ", ").append(name);
  }
  return fmt::format("SELECT {} FROM ({}) shown ({})", selected, query, names);
}

/// The query for rows that are in tables of the system (system_tables.h); empty: they are made.
std::string_view storedRows(std::string_view name) {
  if (name == "pg_largeobject") return "select loid, pageno, data from pg_catalog.pg_largeobject_pages";
  if (name == "pg_largeobject_metadata")
    return "select loid, lomowner, pg_catalog.\"$stored_acl\"(lomacl) from pg_catalog.pg_largeobject_owners";
  return {};
}

VirtualRows noRows(const Columns&) {
  return {};
}

}  // namespace

void addRelations(Catalog& catalog) {
  for (const RelationFacts& facts : relationFacts()) {
    VirtualRelation relation;
    relation.oid = facts.oid;
    relation.name = facts.name;
    relation.kind = facts.kind;
    relation.columns = readColumns(facts.columns);
    relation.rows_expected = expectedRows(facts.name);
    const auto* const found = std::ranges::find(kMakers, facts.name, &std::pair<std::string_view, MakeRows>::first);
    const MakeRows make = found == kMakers.end() ? noRows : found->second;
    relation.is_superusers = facts.name == "pg_authid" || facts.name == "pg_largeobject";
    if (const std::string_view query = storedRows(facts.name); !query.empty())
      relation.query = typedQuery(relation.columns, query);
    if (const ConstantRows* const constant = findConstantRows(facts.name))
      relation.rows = [constant, columns = relation.columns] { return constantRows(*constant, columns); };
    else
      relation.rows = [make, columns = relation.columns] { return make(columns); };
    catalog.addVirtual(std::move(relation));
  }
  const auto addView = [&](const SystemView& view) {
    VirtualRelation relation;
    relation.oid = view.oid;
    relation.schema = view.schema;
    relation.name = view.name;
    relation.columns = readColumns(view.columns);
    relation.is_superusers = view.name == "pg_shadow";
    if (!view.query.empty()) relation.query = typedQuery(relation.columns, view.query);
    relation.rows = [] { return VirtualRows(); };
    catalog.addVirtual(std::move(relation));
  };
  std::ranges::for_each(systemViews(), addView);
  std::ranges::for_each(privilegeViews(), addView);
}

}  // namespace gnomon::sql::pg_catalog
