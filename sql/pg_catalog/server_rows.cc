#include <fmt/format.h>

#include <chrono>

#include "base/time_zone.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/extensions.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/relations.h"
#include "sql/pg_catalog/row_maker.h"
#include "sql/types/calendar.h"
#include "sql/types/collation.h"

/// Rows about the server and what it has one of.
namespace gnomon::sql::pg_catalog {
namespace {

using Columns = std::vector<ColumnEntry>;

constexpr uint32_t kDefaultTablespace = kTablespaces[0].oid;

std::string_view kindName(SettingKind kind) {
  switch (kind) {
    case SettingKind::Boolean:
      return "bool";
    case SettingKind::Integer:
      return "integer";
    case SettingKind::Enumeration:
      return "enum";
    case SettingKind::Text:
      return "string";
  }
  return "";
}

std::string_view contextName(SettingContext context) {
  switch (context) {
    case SettingContext::Internal:
      return "internal";
    case SettingContext::Start:
      return "postmaster";
    case SettingContext::Session:
      return "user";
  }
  return "";
}

Field textOrNull(std::string_view text) {
  return text.empty() ? Field(nullptr) : Field(text);
}

}  // namespace

VirtualRows namespaceRows(const Columns& columns) {
  RowMaker rows(columns, {"oid", "nspname", "nspowner", "nspacl"});
  const Type acls = std::ranges::find(columns, "nspacl", &ColumnEntry::name)->type;
  for (const SchemaPtr& schema : requiredCatalogSession().catalog.schemas())
    rows.add({schema->oid, schema->name, schema->owner, aclField(acls, schema->acl)});
  return rows.take();
}

VirtualRows accessMethodRows(const Columns& columns) {
  RowMaker rows(columns, {"oid", "amname", "amtype"});
  rows.add({2, "heap", 't'});
  rows.add({403, "btree", 'i'});
  rows.add({405, "hash", 'i'});
  rows.add({2742, "gin", 'i'});
  return rows.take();
}

VirtualRows databaseRows(const Columns& columns) {
  RowMaker rows(columns, {"oid", "datname", "datdba", "encoding", "datlocprovider", "datallowconn", "datconnlimit",
                          "dattablespace", "datcollate", "datctype", "datacl", "datistemplate"});
  constexpr int kUtf8 = 6;
  const Type acls = std::ranges::find(columns, "datacl", &ColumnEntry::name)->type;
  for (const DatabasePtr& each : requiredCatalogSession().catalog.databases())
    rows.add({each->oid, each->name, each->owner, kUtf8, 'c', each->allows_connections, each->connection_limit,
              kDefaultTablespace, "C", "C", aclField(acls, each->acl), each->is_template});
  return rows.take();
}

VirtualRows sharedDescriptionRows(const Columns& columns) {
  constexpr uint32_t kDatabases = 1262;
  RowMaker rows(columns, {"objoid", "classoid", "description"});
  for (const DatabasePtr& each : requiredCatalogSession().catalog.databases())
    if (!each->comment.empty()) rows.add({each->oid, kDatabases, each->comment});
  return rows.take();
}

VirtualRows collationRows(const Columns& columns) {
  RowMaker rows(columns, {"oid", "collname", "collnamespace", "collowner", "collprovider", "collisdeterministic",
                          "collencoding", "collcollate", "collctype", "colliculocale", "collversion"});
  constexpr int kUtf8 = 6;
  for (const Collation& collation : allCollations()) {
    const bool is_default = collation.name == "default";
    const bool is_of_c = collation.isByBytes() && !is_default;
    const bool is_of_utf8 = collation.name == "ucs_basic";
    const std::string_view name = is_of_utf8 ? "C" : std::string_view(collation.name);
    const Field of_c = is_of_c ? Field(name) : Field(nullptr);
    const Field of_icu = collation.isByBytes() ? Field(nullptr) : Field(collation.locale);
    const Field version = collation.isByBytes() ? Field(nullptr) : Field(collation.version);
    rows.add({collation.oid, collation.name, kCatalogSchemaOid, kRoleOid,
              is_default ? 'd'
              : is_of_c  ? 'c'
                         : 'i',
              true, is_of_utf8 ? kUtf8 : -1, of_c, of_c, of_icu, version});
  }
  return rows.take();
}

VirtualRows tablespaceRows(const Columns& columns) {
  RowMaker rows(columns, {"oid", "spcname", "spcowner"});
  for (const NamedFacts& each : kTablespaces) rows.add({each.oid, each.name, kRoleOid});
  rows.add({1664, "pg_global", kRoleOid});
  return rows.take();
}

VirtualRows languageRows(const Columns& columns) {
  RowMaker rows(
      columns, {"oid", "lanname", "lanowner", "lanispl", "lanpltrusted", "lanplcallfoid", "laninline", "lanvalidator"});
  constexpr uint32_t kInternalValidator = 2246, kCValidator = 2247, kSqlValidator = 2248;
  constexpr uint32_t kPlpgsqlHandler = 13560, kPlpgsqlInline = 13561, kPlpgsqlValidator = 13562;
  for (const NamedFacts& each : kLanguages) {
    const bool is_plpgsql = each.oid == kPlpgsqlLanguageOid;
    const uint32_t validator = is_plpgsql                 ? kPlpgsqlValidator
                               : each.oid == kSqlLanguage ? kSqlValidator
                               : each.oid == kCLanguage   ? kCValidator
                                                          : kInternalValidator;
    rows.add({each.oid, each.name, kRoleOid, is_plpgsql, is_plpgsql || each.oid == kSqlLanguage,
              is_plpgsql ? kPlpgsqlHandler : 0, is_plpgsql ? kPlpgsqlInline : 0, validator});
  }
  return rows.take();
}

VirtualRows extensionRows(const Columns& columns) {
  RowMaker rows(columns, {"oid", "extname", "extowner", "extnamespace", "extrelocatable", "extversion", "extconfig",
                          "extcondition"});
  rows.add({kPlpgsqlExtensionOid, "plpgsql", kRoleOid, kCatalogSchemaOid, false, "1.0", nullptr, nullptr});
  for (const TablePtr& entry : installedExtensions(requiredCatalogSession().catalog)) {
    const std::string name = extensionName(*entry);
    rows.add({entry->oid, name, entry->owner, schemaOid(extensionSchema(*entry)), true, findExtension(name)->version,
              nullptr, nullptr});
  }
  return rows.take();
}

VirtualRows availableExtensionRows(const Columns& columns) {
  RowMaker rows(columns, {"name", "default_version", "installed_version", "comment"});
  rows.add({"plpgsql", "1.0", "1.0", "PL/pgSQL procedural language"});
  for (const Extension& each : availableExtensions()) {
    const bool is_there = installedExtension(requiredCatalogSession().catalog, each.name) != nullptr;
    rows.add({each.name, each.version, is_there ? Field(each.version) : Field(nullptr), each.comment});
  }
  return rows.take();
}

namespace {

int64_t nowUnixSeconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

VirtualRows zoneRows(const Columns& columns) {
  RowMaker rows(columns, {"name", "abbrev", "utc_offset", "is_dst"});
  for (const TimeZone::Listed& zone : TimeZone::listAt(nowUnixSeconds()))
    rows.add({zone.name, zone.abbreviation, int64_t{zone.offset} * kMicrosecondsPerSecond, zone.is_daylight});
  return rows.take();
}

VirtualRows zoneAbbreviationRows(const Columns& columns) {
  RowMaker rows(columns, {"abbrev", "utc_offset", "is_dst"});
  for (const TimeZone::Listed& zone : listZoneAbbreviations(nowUnixSeconds()))
    rows.add({zone.name, int64_t{zone.offset} * kMicrosecondsPerSecond, zone.is_daylight});
  return rows.take();
}

VirtualRows settingRows(const Columns& columns) {
  RowMaker rows(columns, {"name", "setting", "unit", "category", "short_desc", "context", "vartype", "source",
                          "min_val", "max_val", "enumvals", "boot_val", "reset_val", "pending_restart"});
  const Settings& settings = requiredCatalogSession().settings;
  const Type texts = std::ranges::find(columns, "enumvals", &ColumnEntry::name)->type;
  for (const SettingDescription& setting : settingDescriptions()) {
    Field least(nullptr), greatest(nullptr), choices(nullptr);
    if (setting.kind == SettingKind::Integer) {
      least = std::to_string(setting.minimum);
      greatest = std::to_string(setting.maximum);
    }
    if (setting.kind == SettingKind::Enumeration) {
      std::vector<std::string> names;
      for (std::string_view rest = setting.choices; !rest.empty();) {
        const size_t end = rest.find(", ");
        names.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
      }
      choices = arrayOfTexts(texts, names);
    }
    const std::string value =
        setting.kind == SettingKind::Integer ? std::to_string(settings.integer(setting.id)) : settings.show(setting.id);
    rows.add({setting.name, value, textOrNull(unitName(setting.unit)), "Settings", setting.description,
              contextName(setting.context), kindName(setting.kind),
              value == setting.default_text ? "default" : "session", least, greatest, choices,
              textOrNull(setting.default_text), settings.resetText(setting.id), false});
  }
  return rows.take();
}

}  // namespace gnomon::sql::pg_catalog
