#include "sql/pg_catalog/object_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/sql_error.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/object_names.h"
#include "sql/catalog/triggers.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/comments.h"
#include "sql/pg_catalog/constant_rows.h"
#include "sql/pg_catalog/objects.h"

namespace gnomon::sql::pg_catalog {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;
/// Nothing: there is no such object.
using Description = std::optional<std::string>;

const CatalogView& catalog() {
  return requiredCatalogSession().catalog;
}

VirtualRelationPtr findVirtual(uint32_t oid) {
  for (const VirtualRelationPtr& relation : catalog().virtualRelations())
    if (relation->oid == oid) return relation;
  return nullptr;
}

std::string_view kindName(const TableEntry& entry) {
  return entry.view           ? "view"
         : entry.materialized ? "materialized view"
         : entry.sequence     ? "sequence"
         : entry.type         ? "composite type"
                              : "table";
}

/// A table, a view, a sequence or a composite type; null: none of the oid.
TablePtr findRelationEntry(uint32_t oid) {
  const TablePtr entry = catalog().findEntry(oid);
  const bool has_columns = entry && (!entry->type || entry->type->form == TypeEntry::Form::Composite);
  return has_columns ? entry : nullptr;
}

Description describeRelation(uint32_t oid) {
  if (const TablePtr entry = findRelationEntry(oid))
    return fmt::format("{} {}", kindName(*entry), catalog().shownName(*entry));
  if (const FoundIndex found = findIndex(catalog(), oid); found.table != nullptr)
    return "index " + catalog().shownName(ObjectPath{found.table->schema, found.index->name});
  if (const VirtualRelationPtr relation = findVirtual(oid))
    return fmt::format("{} {}", relation->kind == 'v' ? "view" : "table",
                       catalog().shownName(ObjectPath{relation->schema, relation->name}));
  return std::nullopt;
}

/// The names of a relation's columns, in the order of their numbers; those that were dropped are empty.
std::vector<std::string> columnNames(uint32_t oid) {
  std::vector<std::string> names;
  if (const TablePtr entry = findRelationEntry(oid))
    for (size_t number = 1; number <= columnNumberCount(*entry); ++number) {
      const uint32_t column = columnOfNumber(*entry, number);
      names.push_back(column == kNoColumn ? std::string() : entry->columns[column].name);
    }
  else if (const FoundIndex found = findIndex(catalog(), oid); found.table != nullptr)
    names = indexColumnNames(*found.table, *found.index);
  else if (const VirtualRelationPtr relation = findVirtual(oid))
    for (const ColumnEntry& column : relation->columns) names.push_back(column.name);
  return names;
}

Description describeColumn(uint32_t oid, int64_t number) {
  const std::vector<std::string> names = columnNames(oid);
  if (number < 1 || number > static_cast<int64_t>(names.size())) return std::nullopt;
  const std::string& name = names[static_cast<size_t>(number - 1)];
  if (name.empty()) return std::nullopt;
  return fmt::format("column {} of {}", name, *describeRelation(oid));
}

Description describeConstraint(uint32_t oid) {
  for (const TablePtr& entry : catalog().entries())
    for (const Constraint& each : constraintsOf(*entry)) {
      if (each.oid != oid) continue;
      // That of a domain stands by itself.
      if (entry->type) return "constraint " + each.name();
      return fmt::format("constraint {} on {}", each.name(), *describeRelation(entry->oid));
    }
  return std::nullopt;
}

Description describeDefault(uint32_t oid) {
  for (const TablePtr& table : catalog().tables())
    for (uint32_t column = 0; column < table->columns.size(); ++column)
      if (defaultOid(*table, column) == oid && hasDefault(table->columns[column]))
        return fmt::format("default value for {}", *describeColumn(table->oid, numberOfColumn(*table, column)));
  return std::nullopt;
}

Description describeRule(uint32_t oid) {
  for (const TablePtr& table : catalog().tables())
    if (table->query() != nullptr && ruleOid(*table) == oid)
      return fmt::format("rule _RETURN on {}", *describeRelation(table->oid));
  return std::nullopt;
}

/// The named column of the row of the relation that has this oid, as its facts have it.
Description factOf(std::string_view relation, uint32_t oid, std::string_view wanted) {
  const ConstantRows* const facts = findConstantRows(relation);
  size_t place = 0;
  for (std::string_view rest = facts->columns; cutWord(rest) != wanted;) ++place;
  for (std::string_view rest = facts->rows; !rest.empty();) {
    std::string_view row = cutWord(rest, ';');
    std::string_view from_oid = row;
    if (cutNumber(from_oid) != oid) continue;
    for (size_t i = 0; i < place; ++i) cutWord(row);
    return std::string(cutWord(row));
  }
  return std::nullopt;
}

uint32_t numberOf(const Description& fact) {
  std::string_view text = *fact;
  return cutNumber(text);
}

Description describeCast(uint32_t oid) {
  const Description source = factOf("pg_cast", oid, "castsource");
  if (!source) return std::nullopt;
  return fmt::format("cast from {} to {}", typeName(catalog(), numberOf(source)),
                     typeName(catalog(), numberOf(factOf("pg_cast", oid, "casttarget"))));
}

std::string_view methodName(uint32_t method) {
  return method == kHashMethod ? "hash" : "btree";
}

/// An operator class or family.
Description describeOfMethod(std::string_view relation, std::string_view what, std::string_view prefix, uint32_t oid) {
  const Description name = factOf(relation, oid, fmt::format("{}name", prefix));
  if (!name) return std::nullopt;
  const uint32_t method = numberOf(factOf(relation, oid, fmt::format("{}method", prefix)));
  return fmt::format("{} {} for access method {}", what, *name, methodName(method));
}

/// What is described by its name alone, if its row, of a virtual relation, is there.
Description describeNamed(std::string_view relation, std::string_view what, uint32_t oid) {
  const VirtualRelationPtr rows = catalog().findVirtual(kCatalogSchema, relation);
  for (const std::vector<Value>& row : rows->rows())
    if (row[0].lo == oid) return fmt::format("{} {}", what, row[1].bytes);
  return std::nullopt;
}

Description describeKnown(std::string_view what, TypeKind kind, uint32_t oid) {
  const std::string name = objectName(kind, oid);
  if (name == std::to_string(oid)) return std::nullopt;
  return fmt::format("{} {}", what, name);
}

Description describeTriggerOf(uint32_t oid) {
  for (const TablePtr& table : catalog().entries())
    for (const TriggerEntry& trigger : table->triggers)
      if (trigger.oid == oid) return describeTrigger(catalog(), *table, trigger);
  return std::nullopt;
}

constexpr uint32_t kTriggerClass = 2620, kFunctionClass = 1255, kRoleClass = 1260, kDefaultClass = 2604,
                   kRuleClass = 2618, kCastClass = 2605, kDatabaseClass = 1262, kTablespaceClass = 1213;
constexpr uint32_t kOperatorClass = 2617, kOperatorClassClass = 2616, kOperatorFamilyClass = 2753,
                   kConversionClass = 2607;

constexpr uint32_t kFamilyOperatorClass = 2602, kFamilyFunctionClass = 2603;
/// Of these catalogs there are no rows: large objects, statistics, text search, foreign data, default rights,
/// event triggers, policies, publications, subscriptions, transforms, rights on parameters.
constexpr uint32_t kEmptyClasses[] = {2613, 3381, 3600, 3601, 3602, 3764, 2328, 1417, 1418,
                                      826,  3466, 3256, 6104, 6106, 6237, 6100, 3576, 6243};

Description describe(uint32_t in_catalog, uint32_t oid, int64_t part) {
  switch (in_catalog) {
    case kClassClass:
      return part == 0 ? describeRelation(oid) : describeColumn(oid, part);
    case kTypeClass:
      return describeKnown("type", Regtype, oid);
    case kNamespaceClass:
      return describeKnown("schema", Regnamespace, oid);
    case kConstraintClass:
      return describeConstraint(oid);
    case kTriggerClass:
      return describeTriggerOf(oid);
    case kFunctionClass:
      return describeKnown("function", Regprocedure, oid);
    case kRoleClass:
      return describeKnown("role", Regrole, oid);
    case kOperatorClass:
      return describeKnown("operator", Regoperator, oid);
    case kCollationClass:
      return describeKnown("collation", Regcollation, oid);
    case kDefaultClass:
      return describeDefault(oid);
    case kRuleClass:
      return describeRule(oid);
    case kCastClass:
      return describeCast(oid);
    case kOperatorClassClass:
      return describeOfMethod("pg_opclass", "operator class", "opc", oid);
    case kOperatorFamilyClass:
      return describeOfMethod("pg_opfamily", "operator family", "opf", oid);
    case kConversionClass: {
      const Description name = factOf("pg_conversion", oid, "conname");
      return name ? Description("conversion " + *name) : std::nullopt;
    }
    case kMethodClass:
      return describeNamed("pg_am", "access method", oid);
    case kLanguageClass:
      return describeNamed("pg_language", "language", oid);
    case kDatabaseClass:
      return describeNamed("pg_database", "database", oid);
    case kTablespaceClass:
      return describeNamed("pg_tablespace", "tablespace", oid);
    case kExtensionClass:
      return describeNamed("pg_extension", "extension", oid);
    default:
      break;
  }
  if (in_catalog == kFamilyOperatorClass || in_catalog == kFamilyFunctionClass)
    throwNotSupported("descriptions of members of operator families");
  if (std::ranges::find(kEmptyClasses, in_catalog) != std::end(kEmptyClasses)) return std::nullopt;
  throw SqlError(sqlstate::kInternalError, fmt::format("unrecognized object class: {}", in_catalog));
}

Value objectInWords(Arguments arguments, Type result) {
  const auto in_catalog = static_cast<uint32_t>(arguments[0].lo), oid = static_cast<uint32_t>(arguments[1].lo);
  if (oid == 0) return Value::null(result);
  const Description text = describe(in_catalog, oid, arguments[2].asInt());
  return text ? Value::fromString(result, *text) : Value::null(result);
}

// Names that may stand for nothing.

template <TypeKind kind>
Value objectOrNull(Arguments arguments, Type result) {
  try {
    return Value::fromInt(result, findObject(kind, arguments[0].bytes));
  } catch (const SqlError& error) {
    // Several functions or operators are none; types of arguments have to be there.
    constexpr bool has_types = kind == Regprocedure || kind == Regoperator;
    constexpr SqlState kNothing[] = {sqlstate::kUndefinedTable, sqlstate::kUndefinedFunction,
                                     sqlstate::kInvalidSchemaName, SqlState("42725")};
    const bool is_nothing = std::ranges::find(kNothing, error.state()) != std::end(kNothing) ||
                            (error.state() == sqlstate::kUndefinedObject && !has_types);
    if (!is_nothing) throw;
    return Value::null(result);
  }
}

/// All of them stand in pg_catalog; NULL: there is no such object.
template <uint32_t in_catalog>
Value isVisible(Arguments arguments, Type result) {
  const auto oid = static_cast<uint32_t>(arguments[0].lo);
  return describe(in_catalog, oid, 0) ? Value::fromInt(result, 1) : Value::null(result);
}

/// Those that are always there have none.
Value tablespaceLocation(Arguments arguments, Type result) {
  constexpr uint64_t kOfDatabase = 0, kDefault = 1663, kGlobal = 1664;
  const uint64_t oid = arguments[0].lo;
  if (oid != kOfDatabase && oid != kDefault && oid != kGlobal)
    throw SqlError(SqlState("58P01"),
                   fmt::format("could not stat file \"pg_tblspc/{}\": No such file or directory", oid));
  return Value::fromString(result, "");
}

}  // namespace

void addObjectFunctions(std::vector<CatalogFunction>& functions) {
  for (const CatalogFunction& function : std::initializer_list<CatalogFunction>{
           {"pg_describe_object", {Oid, Oid, Integer}, Text, objectInWords},
           {"pg_opclass_is_visible", {Oid}, Boolean, isVisible<kOperatorClassClass>},
           {"pg_collation_is_visible", {Oid}, Boolean, isVisible<kCollationClass>},
           {"pg_operator_is_visible", {Oid}, Boolean, isVisible<kOperatorClass>},
           {"pg_conversion_is_visible", {Oid}, Boolean, isVisible<kConversionClass>},
           {"pg_opfamily_is_visible", {Oid}, Boolean, isVisible<kOperatorFamilyClass>},
           {"pg_tablespace_location", {Oid}, Text, tablespaceLocation},
           {"to_regclass", {Text}, Regclass, objectOrNull<Regclass>},
           {"to_regtype", {Text}, Regtype, objectOrNull<Regtype>},
           {"to_regproc", {Text}, Regproc, objectOrNull<Regproc>},
           {"to_regprocedure", {Text}, Regprocedure, objectOrNull<Regprocedure>},
           {"to_regoper", {Text}, Regoper, objectOrNull<Regoper>},
           {"to_regoperator", {Text}, Regoperator, objectOrNull<Regoperator>},
           {"to_regcollation", {Text}, Regcollation, objectOrNull<Regcollation>},
           {"to_regnamespace", {Text}, Regnamespace, objectOrNull<Regnamespace>},
           {"to_regrole", {Text}, Regrole, objectOrNull<Regrole>},
       })
    functions.push_back(function);
}

}  // namespace gnomon::sql::pg_catalog
