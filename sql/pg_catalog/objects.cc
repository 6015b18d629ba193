#include "sql/pg_catalog/objects.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "sql/parse/identifier.h"
#include "sql/pg_catalog/facts.h"

namespace gnomon::sql::pg_catalog {
namespace {

constexpr uint32_t kRowTypeBits = 0xC0000000U;
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

uint32_t collationOf(Type type) {
  const TypeFacts* const facts = findTypeFacts(type.isArray() ? type.element().oid() : type.oid());
  return facts == nullptr ? 0 : facts->collation;
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
  if ((oid & 0x80000000U) != 0)
    if (const TablePtr table = findTable(catalog, oid & ~kRowTypeBits))
      return quotedIdentifier(table->name) + ((oid & kRowTypeBits) == kRowTypeBits ? "[]" : "");
  return "???";
}

}  // namespace gnomon::sql::pg_catalog
