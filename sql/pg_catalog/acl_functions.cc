#include "sql/pg_catalog/acl_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/stored_acl.h"
#include "sql/pg_catalog/row_maker.h"
#include "sql/types/array_value.h"

namespace gnomon::sql::pg_catalog {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;
using Item = gnomon::sql::AclItem;

const CatalogView& catalog() {
  return requiredCatalogSession().catalog;
}

/// Calls `visit` with each item of an array. Failure: 22004 for a NULL.
template <typename Visit>
void forEachItem(const Value& array, Visit&& visit) {
  const Type type = Type::of(TypeKind::AclItem);
  const ArrayView items(type, StringValue::refer(array.bytes, StringValue::Storage::Temporary));
  for (size_t i = 0; i < items.size(); ++i) {
    if (items.isNull(i)) throw SqlError(sqlstate::kNullValueNotAllowed, "ACL arrays must not contain null values");
    const RegisterPair held = items.at(i);
    visit(parseAclItem(catalog(), StringValue(held.lo, held.hi).view()));
  }
}

/// One column of aclexplode: `field` makes a value of an item and one of its rights.
template <typename Field>
Value explode(Arguments arguments, Type result, TypeKind element, Field&& field) {
  const Type type = Type::of(element);
  ArrayBuilder builder(type);
  forEachItem(arguments[0], [&](const Item& item) {
    for (uint16_t bit = 1; bit != 0; bit = static_cast<uint16_t>(bit << 1))
      if (overlaps(item.rights, static_cast<Privilege>(bit)))
        builder.add(field(type, item, static_cast<Privilege>(bit)));
  });
  return Value::fromString(result, builder.finish());
}

Value grantors(Arguments arguments, Type result) {
  return explode(arguments, result, Oid,
                 [](Type type, const Item& item, Privilege) { return Value::fromInt(type, item.grantor); });
}
Value grantees(Arguments arguments, Type result) {
  return explode(arguments, result, Oid,
                 [](Type type, const Item& item, Privilege) { return Value::fromInt(type, item.grantee); });
}
Value rightNames(Arguments arguments, Type result) {
  return explode(arguments, result, Text,
                 [](Type type, const Item&, Privilege right) { return Value::fromString(type, privilegeName(right)); });
}
Value areGrantable(Arguments arguments, Type result) {
  return explode(arguments, result, Boolean, [](Type type, const Item& item, Privilege right) {
    return Value::fromInt(type, overlaps(item.grantable, right) ? 1 : 0);
  });
}

/// What an object of a kind allows whose ACL is NULL.
Value defaultRights(Arguments arguments, Type result) {
  const char kind = arguments[0].bytes.empty() ? ' ' : arguments[0].bytes[0];
  const auto owner = static_cast<uint32_t>(arguments[1].lo);
  constexpr std::pair<char, Securable> kKinds[] = {
      {'c', Securable::Column},      {'r', Securable::Table},     {'s', Securable::Sequence},
      {'d', Securable::Database},    {'n', Securable::Schema},    {'T', Securable::Type},
      {'f', Securable::Function},    {'l', Securable::Language},  {'t', Securable::Tablespace},
      {'L', Securable::LargeObject}, {'p', Securable::Parameter}, {'F', Securable::DataWrapper},
      {'S', Securable::Server}};
  const auto* const found = std::ranges::find(kKinds, kind, &std::pair<char, Securable>::first);
  if (found == std::end(kKinds))
    throw SqlError(sqlstate::kInternalError, fmt::format("unrecognized objtype abbreviation: {}", kind));
  return Value::fromString(result, arrayOfTexts(result, aclTexts(catalog(), defaultAcl(found->second, owner))));
}

Value makeItem(Arguments arguments, Type result) {
  const Privilege right = findPrivilege(arguments[2].bytes);
  if (right == Privilege::None)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("unrecognized privilege type: \"{}\"", arguments[2].bytes));
  return Value::fromString(result,
                           aclItemText(catalog(), {.grantee = static_cast<uint32_t>(arguments[0].lo),
                                                   .grantor = static_cast<uint32_t>(arguments[1].lo),
                                                   .rights = right,
                                                   .grantable = arguments[3].lo != 0 ? right : Privilege::None}));
}

/// Whether some item of the same two roles has all the rights.
Value containsItem(Arguments arguments, Type result) {
  const Item wanted = parseAclItem(catalog(), arguments[1].bytes);
  bool is_there = false;
  forEachItem(arguments[0], [&](const Item& item) {
    is_there = is_there || (item.grantee == wanted.grantee && item.grantor == wanted.grantor &&
                            contains(item.rights, wanted.rights) && contains(item.grantable, wanted.grantable));
  });
  return Value::fromInt(result, is_there ? 1 : 0);
}

Value areEqual(Arguments arguments, Type result) {
  return Value::fromInt(result, arguments[0].bytes == arguments[1].bytes ? 1 : 0);
}

/// One that is stored with a large object.
Value storedItems(Arguments arguments, Type result) {
  return Value::fromString(result, arrayOfTexts(result, aclTexts(catalog(), readStoredAcl(arguments[0].bytes))));
}

}  // namespace

std::vector<CatalogFunction> aclFunctions() {
  constexpr TypeKind kItem = TypeKind::AclItem;
  return {
      {"acldefault", {InternalChar, Oid}, arrayOf(kItem), defaultRights},
      {"makeaclitem", {Oid, Oid, Text, Boolean}, kItem, makeItem},
      {"aclcontains", {arrayOf(kItem), kItem}, Boolean, containsItem},
      {"aclitemeq", {kItem, kItem}, Boolean, areEqual},
      {"$stored_acl", {Text}, arrayOf(kItem), storedItems},
      {"$aclexplode.grantor", {arrayOf(kItem)}, arrayOf(Oid), grantors},
      {"$aclexplode.grantee", {arrayOf(kItem)}, arrayOf(Oid), grantees},
      {"$aclexplode.privilege_type", {arrayOf(kItem)}, arrayOf(Text), rightNames},
      {"$aclexplode.is_grantable", {arrayOf(kItem)}, arrayOf(Boolean), areGrantable},
  };
}

}  // namespace gnomon::sql::pg_catalog
