#include "sql/pg_catalog/right_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/sql_error.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/object_names.h"
#include "sql/catalog/roles.h"
#include "sql/catalog/sequences.h"
#include "sql/pg_catalog/objects.h"

namespace gnomon::sql::pg_catalog {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

const CatalogView& catalog() {
  return requiredCatalogSession().catalog;
}

bool isRelation(uint32_t oid) {
  return findTable(catalog(), oid) != nullptr || findIndex(catalog(), oid).table != nullptr ||
         std::ranges::any_of(catalog().virtualRelations(), [&](const auto& each) { return each->oid == oid; });
}

/// Of three arguments the first is a role. Failure: 42704.
void requireNamedRole(Arguments arguments) {
  if (arguments.size() == 3 && arguments[0].type.isString()) static_cast<void>(findObject(Regrole, arguments[0].bytes));
}

/// The rights of a list in text, by what `meanings` calls them, as bits. Failure: 22023.
struct RightName {
  std::string_view name;
  uint16_t bits;
};
uint16_t readRights(std::string_view list, std::span<const RightName> meanings) {
  uint16_t bits = 0;
  for (bool is_last = false; !is_last;) {
    const size_t comma = list.find(',');
    is_last = comma == std::string_view::npos;
    std::string_view name = list.substr(0, comma);
    list.remove_prefix(is_last ? list.size() : comma + 1);
    const auto isBlank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!name.empty() && isBlank(name.front())) name.remove_prefix(1);
    while (!name.empty() && isBlank(name.back())) name.remove_suffix(1);
    const auto found = std::ranges::find_if(meanings, [&](const RightName& each) {
      return std::ranges::equal(each.name, name, {}, {},
                                [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
    });
    if (found == meanings.end())
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unrecognized privilege type: \"{}\"", name));
    bits |= found->bits;
  }
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

Value hasRightOnRelation(Arguments arguments, Type result) {
  requireNamedRole(arguments);
  const Value& relation = arguments[arguments.size() - 2];
  if (relation.type.isString()) {
    static_cast<void>(findObject(Regclass, relation.bytes));
    return Value::fromInt(result, 1);
  }
  return isRelation(static_cast<uint32_t>(relation.lo)) ? Value::fromInt(result, 1) : Value::null(result);
}

Value hasRightOnSchema(Arguments arguments, Type result) {
  requireNamedRole(arguments);
  const Value& schema = arguments[arguments.size() - 2];
  if (!schema.type.isString())
    return schemaName(static_cast<uint32_t>(schema.lo)).empty() ? Value::null(result) : Value::fromInt(result, 1);
  if (schemaOid(schema.bytes) == 0) raiseNoSchema(schema.bytes);
  return Value::fromInt(result, 1);
}

Value hasRightOnDatabase(Arguments arguments, Type result) {
  requireNamedRole(arguments);
  const Value& database = arguments[arguments.size() - 2];
  if (!database.type.isString()) return database.lo == kDatabaseOid ? Value::fromInt(result, 1) : Value::null(result);
  if (database.bytes != kDatabaseName)
    throw SqlError(sqlstate::kInvalidCatalogName, fmt::format("database \"{}\" does not exist", database.bytes));
  return Value::fromInt(result, 1);
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
  addRight("has_table_privilege", hasRightOnRelation);
  addRight("has_sequence_privilege", hasRightOnRelation);
  addRight("has_any_column_privilege", hasRightOnRelation);
  addRight("has_schema_privilege", hasRightOnSchema);
  addRight("has_database_privilege", hasRightOnDatabase);
  return functions;
}

}  // namespace gnomon::sql::pg_catalog
