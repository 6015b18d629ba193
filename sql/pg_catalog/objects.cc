#include "sql/pg_catalog/objects.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "sql/bind/result_name.h"
#include "sql/bind/stored_expression.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/facts.h"
#include "sql/types/collation.h"

namespace gnomon::sql::pg_catalog {
namespace {

/// No expression begins with it.
constexpr std::string_view kDefaultWord = "DEFAULT";

}  // namespace

uint32_t defaultOid(const TableEntry& table, uint32_t column) {
  constexpr uint32_t kColumnsMax = 1600;
  return table.oid * kColumnsMax + column;
}

bool hasDefault(const ColumnEntry& column) {
  if (column.isDropped() || column.default_text.empty() || column.identity != Identity::None) return false;
  const auto isSame = [](char left, char right) { return std::tolower(static_cast<unsigned char>(left)) == right; };
  return !std::ranges::equal(column.default_text, std::string_view("null"), isSame);
}

std::string storedDefault(uint32_t column, const ColumnEntry& entry) {
  return fmt::format("{} {}: {}", kDefaultWord, column + 1, entry.default_text);
}

std::optional<uint32_t> columnOfDefault(std::string_view stored) {
  if (!stored.starts_with(kDefaultWord)) return std::nullopt;
  stored.remove_prefix(std::min(kDefaultWord.size() + 1, stored.size()));
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(stored.data(), stored.data() + stored.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  return number - 1;
}

const std::string& Constraint::name() const {
  return key != nullptr ? key->name : check != nullptr ? check->name : reference->name;
}

std::vector<Constraint> constraintsOf(const TableEntry& table) {
  constexpr uint32_t kOfReference = 0x40000000U, kOfCheck = 0x80000000U;
  std::vector<Constraint> constraints;
  for (const IndexPtr& index : table.indexes)
    if (index->is_constraint) constraints.push_back({.oid = index->oid, .table = &table, .key = index.get()});
  for (const CheckEntry& check : table.checks) {
    const uint32_t number = XXH32(check.name.data(), check.name.size(), table.oid) | kOfCheck;
    constraints.push_back({.oid = number, .table = &table, .check = &check});
  }
  for (const ForeignKeyEntry& key : table.foreign_keys)
    constraints.push_back({.oid = key.number | kOfReference, .table = &table, .reference = &key});
  return constraints;
}

FoundIndex findIndex(const CatalogView& catalog, uint32_t oid) {
  for (TablePtr& table : catalog.tables())
    for (const IndexPtr& index : table->indexes)
      if (index->oid == oid) return {std::move(table), index.get()};
  return {};
}

std::vector<std::string> indexColumnNames(const TableEntry& table, const IndexEntry& index) {
  std::vector<std::string> names;
  for (const IndexColumn& part : index.columns) {
    std::string name = "expr";
    if (part.column != IndexColumn::kExpression) {
      name = table.columns[part.column].name;
    } else {
      const StoredExpression stored(part.expression);
      name = resultName(stored.tree());
      if (name == "?column?") name = "expr";
    }
    const std::string wanted = name;
    for (int number = 1; std::ranges::find(names, name) != names.end(); ++number)
      name = wanted + std::to_string(number);
    names.push_back(name);
  }
  for (const uint32_t column : index.included) names.push_back(table.columns[column].name);
  return names;
}

TypeFacts userTypeFacts(const TableEntry& entry) {
  using Form = TypeEntry::Form;
  constexpr uint32_t kRecordIn = 2290, kRecordOut = 2291, kRecordReceive = 2402, kRecordSend = 2403;
  constexpr uint32_t kEnumIn = 3506, kEnumOut = 3507, kEnumReceive = 3532, kEnumSend = 3533;
  constexpr uint32_t kDomainIn = 2597, kDomainReceive = 2598;
  if (entry.type && entry.type->form == Form::Enum)
    return {.oid = entry.oid,
            .array = entry.oid | kArrayTypeBit,
            .name = entry.name,
            .length = 4,
            .is_by_value = true,
            .category = 'E',
            .is_preferred = false,
            .align = 'i',
            .storage = 'p',
            .functions = {kEnumIn, kEnumOut, kEnumReceive, kEnumSend, 0, 0, 0, 0},
            .collation = 0,
            .element = 0,
            .kind = 'e'};
  if (entry.type && entry.type->form == Form::Domain) {
    TypeFacts facts = factsOf(entry.columns.front().type);
    facts.oid = entry.oid;
    facts.array = entry.oid | kArrayTypeBit;
    facts.name = entry.name;
    facts.functions = {kDomainIn, facts.functions[1], kDomainReceive, facts.functions[3], 0, 0, facts.functions[6], 0};
    facts.is_preferred = false;
    facts.element = 0;
    facts.kind = 'd';
    return facts;
  }
  return {.oid = rowTypeOid(entry),
          .array = rowArrayOid(entry),
          .name = entry.name,
          .length = -1,
          .is_by_value = false,
          .category = 'C',
          .is_preferred = false,
          .align = 'd',
          .storage = 'x',
          .functions = {kRecordIn, kRecordOut, kRecordReceive, kRecordSend, 0, 0, 0, 0},
          .collation = 0,
          .element = 0,
          .kind = 'c'};
}

TypeFacts factsOf(Type type) {
  TypeFacts facts{};
  const Type element = type.isArray() ? type.element() : type;
  if (element.isDefined() && element.definition() != 0) {
    if (const TablePtr entry = findTypeEntry(element.definition())) facts = userTypeFacts(*entry);
  } else if (const TypeFacts* const known = findTypeFacts(element.oid())) {
    facts = *known;
  }
  return type.isArray() ? arrayFacts(facts) : facts;
}

uint32_t collationOf(Type type) {
  if (type.collation != 0 && type.collation != kIndeterminateCollation) return knownCollation(type.collation).oid;
  return factsOf(type.isArray() ? type.element() : type).collation;
}

std::string typeName(const CatalogView& catalog, uint32_t oid, std::optional<int32_t> typmod) {
  Type type;
  if (typeFromOid(oid, type)) {
    // What is a modifier of another type says nothing here.
    const bool has_modifiers = findTypeFacts(type.isArray() ? type.element().oid() : oid)->functions[4] != 0;
    if (!typmod || !has_modifiers) return type.baseName();
    type.typmod = *typmod;
    return type.name();
  }
  if (const TypeFacts* const facts = findTypeFacts(oid)) return quotedIdentifier(facts->name);
  for (const TypeFacts& facts : typeFacts())
    if (facts.array == oid && oid != 0) return quotedIdentifier(facts.name) + "[]";
  const TablePtr entry = catalog.findEntry(oid & ~(kRowTypeBit | kArrayTypeBit));
  if (entry && !entry->sequence) {
    const bool has_rows = !entry->type || entry->type->form == TypeEntry::Form::Composite;
    if (has_rows == ((oid & kRowTypeBit) != 0))
      return catalog.shownName(*entry) + ((oid & kArrayTypeBit) != 0 ? "[]" : "");
  }
  return "???";
}

}  // namespace gnomon::sql::pg_catalog
