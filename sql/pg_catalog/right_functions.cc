#include "sql/pg_catalog/right_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/sql_error.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/object_names.h"
#include "sql/catalog/roles.h"
#include "sql/catalog/sequences.h"
#include "sql/pg_catalog/acl_functions.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/objects.h"

namespace gnomon::sql::pg_catalog {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

const CatalogView& catalog() {
  return requiredCatalogSession().catalog;
}

/// The parts of a list in text.
template <typename Visit>
void forEachName(std::string_view list, Visit&& visit) {
  const auto isBlank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  for (bool is_last = false; !is_last;) {
    const size_t comma = list.find(',');
    is_last = comma == std::string_view::npos;
    std::string_view name = list.substr(0, comma);
    list.remove_prefix(is_last ? list.size() : comma + 1);
    while (!name.empty() && isBlank(name.front())) name.remove_prefix(1);
    while (!name.empty() && isBlank(name.back())) name.remove_suffix(1);
    visit(name);
  }
}

struct RightName {
  std::string_view name;
  uint16_t bits;
};
/// Rights as a member, by what `meanings` calls them, as bits. Failure: 22023.
uint16_t readRights(std::string_view list, std::span<const RightName> meanings) {
  uint16_t bits = 0;
  forEachName(list, [&](std::string_view name) {
    const auto found = std::ranges::find_if(meanings, [&](const RightName& each) {
      return std::ranges::equal(each.name, name, {}, {},
                                [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
    });
    if (found == meanings.end())
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unrecognized privilege type: \"{}\"", name));
    bits |= found->bits;
  });
  return bits;
}

constexpr uint16_t kMember = 1, kUsage = 2, kAdmin = 4;
constexpr RightName kRoleRights[] = {{"USAGE", kUsage},
                                     {"MEMBER", kMember},
                                     {"USAGE WITH GRANT OPTION", kAdmin},
                                     {"USAGE WITH ADMIN OPTION", kAdmin},
                                     {"MEMBER WITH GRANT OPTION", kAdmin},
                                     {"MEMBER WITH ADMIN OPTION", kAdmin}};

/// A role by its name or oid. Failure: 42704.
uint32_t roleAt(const Value& value) {
  return value.type.isString() ? requireRole(catalog(), value.bytes)->oid : static_cast<uint32_t>(value.lo);
}

Value hasRole(Arguments arguments, Type result) {
  const uint32_t member = arguments.size() == 3 ? roleAt(arguments[0]) : catalog().actors().current;
  const uint32_t role = roleAt(arguments[arguments.size() - 2]);
  const uint16_t wanted = readRights(arguments.back().bytes, kRoleRights);
  const bool has = ((wanted & kAdmin) != 0 && isAdminOf(catalog(), member, role)) ||
                   ((wanted & kMember) != 0 && isMemberOf(catalog(), member, role)) ||
                   ((wanted & kUsage) != 0 && hasRightsOf(catalog(), member, role));
  return Value::fromInt(result, has ? 1 : 0);
}

/// Rights on objects that are asked for: to have any of them will do.
struct AskedRights {
  Privilege held = Privilege::None;
  Privilege grantable = Privilege::None;
};

/// Failure: 22023 for what is no right on such an object.
AskedRights readAsked(std::string_view list, Privilege known) {
  AskedRights result;
  forEachName(list, [&](std::string_view name) {
    constexpr std::string_view kOption = " with grant option";
    std::string lower(name);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool is_option = lower.ends_with(kOption);
    if (is_option) lower.resize(lower.size() - kOption.size());
    const Privilege right = findPrivilege(lower);
    if (!overlaps(known, right))
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unrecognized privilege type: \"{}\"", name));
    Privilege& asked = is_option ? result.grantable : result.held;
    asked = asked | right;
  });
  return result;
}

/// The role that is asked about, before the last `count` arguments; "public": everybody. Failure: 42704.
uint32_t askedRole(Arguments arguments, size_t count) {
  if (arguments.size() == count) return catalog().actors().current;
  if (arguments[0].type.isString() && arguments[0].bytes == "public") return kPublicGrantee;
  return roleAt(arguments[0]);
}

Value answer(Type result, bool has) {
  return Value::fromInt(result, has ? 1 : 0);
}

bool mayGrant(uint32_t role, uint32_t owner, const Acl& acl, Privilege wanted) {
  return wanted != Privilege::None &&
         (isSuperuser(catalog(), role) || grantableIn(catalog(), role, owner, acl, wanted) != Privilege::None);
}

bool hasAsked(uint32_t role, const TableEntry& entry, const AskedRights& asked) {
  return rightsOn(catalog(), role, entry, asked.held) != Privilege::None ||
         mayGrant(role, entry.owner, aclOf(entry), asked.grantable);
}

/// Of one column, or of all together.
bool hasAskedOnColumn(uint32_t role, const TableEntry& entry, uint32_t column, const AskedRights& asked) {
  if (hasAsked(role, entry, asked)) return true;
  const AclPtr& acl = entry.columns[column].acl;
  return rightsOnColumn(catalog(), role, entry, column, asked.held) != Privilege::None ||
         (acl && mayGrant(role, entry.owner, *acl, asked.grantable));
}

/// What is asked of a relation of the system.
bool hasAskedOnSystem(uint32_t role, const VirtualRelation& relation, const AskedRights& asked) {
  if (isSuperuser(catalog(), role)) return true;
  return !relation.is_superusers && overlaps(asked.held, Privilege::Select);
}

/// The relation of a name or oid; nothing: there is no such oid. Failure: 42P01.
std::optional<uint32_t> relationAt(const Value& value) {
  const uint32_t oid = value.type.isString() ? findObject(Regclass, value.bytes) : static_cast<uint32_t>(value.lo);
  const auto isIt = [&](const auto& each) { return each->oid == oid; };
  const bool is_there = findTable(catalog(), oid) != nullptr || findIndex(catalog(), oid).table != nullptr ||
                        std::ranges::any_of(catalog().virtualRelations(), isIt);
  return is_there ? std::optional(oid) : std::nullopt;
}

/// Of `ask`, which gets a table; what an index allows is its table's.
template <typename Ask>
Value askRelation(uint32_t oid, uint32_t role, const AskedRights& asked, Type result, Ask&& ask) {
  if (const TablePtr table = findTable(catalog(), oid)) return answer(result, ask(*table));
  if (const FoundIndex found = findIndex(catalog(), oid); found.table != nullptr)
    return answer(result, ask(*found.table));
  for (const VirtualRelationPtr& relation : catalog().virtualRelations())
    if (relation->oid == oid) return answer(result, hasAskedOnSystem(role, *relation, asked));
  return Value::null(result);
}

Value hasTableRight(Arguments arguments, Type result) {
  const uint32_t role = askedRole(arguments, 2);
  const auto oid = relationAt(arguments[arguments.size() - 2]);
  const AskedRights asked = readAsked(arguments.back().bytes, allRights(Securable::Table));
  if (!oid) return Value::null(result);
  return askRelation(*oid, role, asked, result, [&](const TableEntry& table) { return hasAsked(role, table, asked); });
}

Value hasSequenceRight(Arguments arguments, Type result) {
  const uint32_t role = askedRole(arguments, 2);
  const Value& named = arguments[arguments.size() - 2];
  const auto oid = relationAt(named);
  const AskedRights asked = readAsked(arguments.back().bytes, allRights(Securable::Sequence));
  if (!oid) return Value::null(result);
  const TablePtr table = findTable(catalog(), *oid);
  if (!table || !table->sequence)
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("\"{}\" is not a sequence", named.type.isString() ? named.bytes
                                                           : table               ? table->name
                                                                                 : std::to_string(*oid)));
  return answer(result, hasAsked(role, *table, asked));
}

Value hasAnyColumnRight(Arguments arguments, Type result) {
  const uint32_t role = askedRole(arguments, 2);
  const auto oid = relationAt(arguments[arguments.size() - 2]);
  const AskedRights asked = readAsked(arguments.back().bytes, allRights(Securable::Column));
  if (!oid) return Value::null(result);
  return askRelation(*oid, role, asked, result, [&](const TableEntry& table) {
    for (uint32_t i = 0; i < table.columns.size(); ++i)
      if (!table.columns[i].isDropped() && hasAskedOnColumn(role, table, i, asked)) return true;
    return hasAsked(role, table, asked);
  });
}

Value hasColumnRight(Arguments arguments, Type result) {
  const uint32_t role = askedRole(arguments, 3);
  const auto oid = relationAt(arguments[arguments.size() - 3]);
  const Value& named = arguments[arguments.size() - 2];
  const TablePtr table = oid ? findTable(catalog(), *oid) : nullptr;
  std::optional<uint32_t> column;
  if (table) {
    const auto number = static_cast<int16_t>(named.lo);
    for (uint32_t i = 0; i < table->columns.size(); ++i)
      if (!table->columns[i].isDropped() &&
          (named.type.isString() ? table->columns[i].name == named.bytes
                                 : static_cast<int16_t>(numberOfColumn(*table, i)) == number))
        column = i;
    if (!column && named.type.isString())
      throw SqlError(sqlstate::kUndefinedColumn,
                     fmt::format("column \"{}\" of relation \"{}\" does not exist", named.bytes, table->name));
  }
  const AskedRights asked = readAsked(arguments.back().bytes, allRights(Securable::Column));
  if (oid && !table) return askRelation(*oid, role, asked, result, [](const TableEntry&) { return false; });
  if (!column) return Value::null(result);
  return answer(result, hasAskedOnColumn(role, *table, *column, asked));
}

Value hasSchemaRight(Arguments arguments, Type result) {
  const uint32_t role = askedRole(arguments, 2);
  const Value& named = arguments[arguments.size() - 2];
  const SchemaPtr schema = named.type.isString() ? catalog().findSchema(catalog().searchPath().actual(named.bytes))
                                                 : catalog().findSchema(static_cast<uint32_t>(named.lo));
  if (!schema && named.type.isString()) raiseNoSchema(named.bytes);
  const AskedRights asked = readAsked(arguments.back().bytes, allRights(Securable::Schema));
  if (!schema) return Value::null(result);
  return answer(
      result, rightsOn(catalog(), role, *schema, asked.held) != Privilege::None ||
                  mayGrant(role, schema->owner, aclOf(Securable::Schema, schema->owner, schema->acl), asked.grantable));
}

Value hasDatabaseRight(Arguments arguments, Type result) {
  const uint32_t role = askedRole(arguments, 2);
  const Value& named = arguments[arguments.size() - 2];
  DatabasePtr database;
  for (DatabasePtr& each : catalog().databases())
    if (named.type.isString() ? each->name == named.bytes : each->oid == static_cast<uint32_t>(named.lo))
      database = std::move(each);
  if (!database && named.type.isString()) raiseNoDatabase(named.bytes);
  const AskedRights asked = readAsked(arguments.back().bytes, allRights(Securable::Database));
  if (!database) return Value::null(result);
  return answer(result, rightsOn(catalog(), role, *database, asked.held) != Privilege::None ||
                            mayGrant(role, database->owner, aclOf(Securable::Database, database->owner, database->acl),
                                     asked.grantable));
}

Value hasTypeRight(Arguments arguments, Type result) {
  const uint32_t role = askedRole(arguments, 2);
  const Value& named = arguments[arguments.size() - 2];
  const uint32_t oid = named.type.isString() ? findObject(Regtype, named.bytes) : static_cast<uint32_t>(named.lo);
  const AskedRights asked = readAsked(arguments.back().bytes, allRights(Securable::Type));
  const TablePtr entry = catalog().findEntry(oid);
  if (entry && entry->type) return answer(result, hasAsked(role, *entry, asked));
  if (typeName(catalog(), oid) == "???") return Value::null(result);
  return answer(result, asked.held != Privilege::None || isSuperuser(catalog(), role));
}

/// Of something of which there is none, by its name or oid. Failure: 42704.
Value hasNothing(Arguments arguments, Type result, std::string_view kind) {
  askedRole(arguments, 2);
  const Value& named = arguments[arguments.size() - 2];
  if (named.type.isString())
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("{} \"{}\" does not exist", kind, named.bytes));
  readAsked(arguments.back().bytes, Privilege::Usage);
  return Value::null(result);
}
Value hasWrapperRight(Arguments arguments, Type result) {
  return hasNothing(arguments, result, "foreign-data wrapper");
}
Value hasServerRight(Arguments arguments, Type result) {
  return hasNothing(arguments, result, "server");
}

/// What objects of the system allow, which have no ACLs of their own.
Value hasAskedByDefault(uint32_t role, Securable kind, const AskedRights& asked, Type result) {
  const Acl acl = defaultAcl(kind, kRoleOid);
  return answer(result, isSuperuser(catalog(), role) || rightsIn(catalog(), role, acl, asked.held) != Privilege::None ||
                            mayGrant(role, kRoleOid, acl, asked.grantable));
}

/// Of one of these things of the system. Failure: 42704.
Value hasRightOnNamed(Arguments arguments, Type result, Securable kind, std::string_view what,
                      std::span<const NamedFacts> things) {
  const uint32_t role = askedRole(arguments, 2);
  const Value& named = arguments[arguments.size() - 2];
  const bool is_there = std::ranges::any_of(things, [&](const NamedFacts& each) {
    return named.type.isString() ? each.name == named.bytes : each.oid == static_cast<uint32_t>(named.lo);
  });
  if (!is_there && named.type.isString())
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("{} \"{}\" does not exist", what, named.bytes));
  const AskedRights asked = readAsked(arguments.back().bytes, allRights(kind));
  return is_there ? hasAskedByDefault(role, kind, asked, result) : Value::null(result);
}
Value hasLanguageRight(Arguments arguments, Type result) {
  return hasRightOnNamed(arguments, result, Securable::Language, "language", kLanguages);
}
Value hasTablespaceRight(Arguments arguments, Type result) {
  return hasRightOnNamed(arguments, result, Securable::Tablespace, "tablespace", kTablespaces);
}

/// Those that nobody has been given the right on are the superusers' to set for all.
Value hasParameterRight(Arguments arguments, Type result) {
  const uint32_t role = askedRole(arguments, 2);
  const AskedRights asked = readAsked(arguments.back().bytes, allRights(Securable::Parameter));
  return hasAskedByDefault(role, Securable::Parameter, asked, result);
}

Value hasFunctionRight(Arguments arguments, Type result) {
  const uint32_t role = askedRole(arguments, 2);
  const Value& named = arguments[arguments.size() - 2];
  const uint32_t oid = named.type.isString() ? findObject(Regprocedure, named.bytes) : static_cast<uint32_t>(named.lo);
  const AskedRights asked = readAsked(arguments.back().bytes, allRights(Securable::Function));
  const TablePtr entry = catalog().findEntry(oid);
  if (entry && entry->routine) return answer(result, hasAsked(role, *entry, asked));
  if (findProcedureFacts(oid) == nullptr) return Value::null(result);
  return hasAskedByDefault(role, Securable::Function, asked, result);
}

}  // namespace

std::vector<CatalogFunction> rightFunctions() {
  std::vector<CatalogFunction> functions{
      {"pg_has_role", {Oid, Text}, Boolean, hasRole},        {"pg_has_role", {Name, Text}, Boolean, hasRole},
      {"pg_has_role", {Name, Name, Text}, Boolean, hasRole}, {"pg_has_role", {Name, Oid, Text}, Boolean, hasRole},
      {"pg_has_role", {Oid, Name, Text}, Boolean, hasRole},  {"pg_has_role", {Oid, Oid, Text}, Boolean, hasRole},
  };
  const auto addRight = [&](std::string_view name, auto answer) {
    for (const TypeKind object : {Text, Oid}) {
      functions.push_back({name, {object, Text}, Boolean, answer});
      functions.push_back({name, {Name, object, Text}, Boolean, answer});
      functions.push_back({name, {Oid, object, Text}, Boolean, answer});
    }
  };
  addRight("has_table_privilege", hasTableRight);
  addRight("has_sequence_privilege", hasSequenceRight);
  addRight("has_any_column_privilege", hasAnyColumnRight);
  addRight("has_schema_privilege", hasSchemaRight);
  addRight("has_database_privilege", hasDatabaseRight);
  addRight("has_type_privilege", hasTypeRight);
  addRight("has_function_privilege", hasFunctionRight);
  addRight("has_language_privilege", hasLanguageRight);
  addRight("has_tablespace_privilege", hasTablespaceRight);
  addRight("has_foreign_data_wrapper_privilege", hasWrapperRight);
  addRight("has_server_privilege", hasServerRight);
  functions.push_back({"has_parameter_privilege", {Text, Text}, Boolean, hasParameterRight});
  functions.push_back({"has_parameter_privilege", {Name, Text, Text}, Boolean, hasParameterRight});
  functions.push_back({"has_parameter_privilege", {Oid, Text, Text}, Boolean, hasParameterRight});
  for (const TypeKind table : {Text, Oid})
    for (const TypeKind column : {Text, Smallint}) {
      functions.push_back({"has_column_privilege", {table, column, Text}, Boolean, hasColumnRight});
      functions.push_back({"has_column_privilege", {Name, table, column, Text}, Boolean, hasColumnRight});
      functions.push_back({"has_column_privilege", {Oid, table, column, Text}, Boolean, hasColumnRight});
    }
  for (const CatalogFunction& each : aclFunctions()) functions.push_back(each);
  return functions;
}

}  // namespace gnomon::sql::pg_catalog
