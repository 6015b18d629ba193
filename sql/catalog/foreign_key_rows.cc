#include "sql/catalog/foreign_key_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/sql_error.h"
#include "sql/catalog/catalog_row.h"
#include "sql/catalog/key_conversion.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

enum KeyField : uint32_t {
  kKeyTable,
  kKeyNumber,
  kKeyName,
  kKeyParent,
  kKeyIndex,
  kKeyFlags,
  kKeyDelete,
  kKeyUpdate,
  kKeyColumns,
  kKeyParentColumns,
  kKeySetColumns,
  kKeyPartOf,
  kKeyFields
};
constexpr int32_t kValidFlag = 1, kFullFlag = 2, kDeferrableFlag = 4, kDeferredFlag = 8;

[[noreturn]] void raiseDamaged(std::string_view what) {
  throw SqlError(sqlstate::kDataCorrupted, fmt::format("the catalog has a foreign key {}", what));
}

std::string numbersText(const std::vector<uint32_t>& columns) {
  std::string text;
  for (const uint32_t column : columns) text += fmt::format("{}{}", text.empty() ? "" : " ", column + 1);
  return text;
}

std::vector<uint32_t> readNumbers(const std::string& text) {
  std::vector<uint32_t> columns;
  for (const char *at = text.data(), *const end = at + text.size(); at < end; ++at) {
    uint32_t number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number == 0) raiseDamaged("with columns that are no numbers");
    columns.push_back(number - 1);
    at = rest;
  }
  return columns;
}

ReferentialAction readAction(const storage::RowCursor& row, uint32_t field) {
  const int32_t action = readNumber(row, field);
  if (action < 0 || action > static_cast<int32_t>(ReferentialAction::SetDefault))
    raiseDamaged("with an unknown action");
  return static_cast<ReferentialAction>(action);
}

/// K1 and K2.
void require(const TableEntry& child, const ForeignKeyEntry& key, const TableEntry& parent) {
  const size_t count = key.columns.size();
  if (count == 0 || key.parent_columns.size() != count) raiseDamaged("without columns");
  for (size_t i = 0; i < count; ++i) {
    if (key.columns[i] >= child.columns.size() || key.parent_columns[i] >= parent.columns.size())
      raiseDamaged("of columns that are not there");
    if (compareKeyTypes(child.columns[key.columns[i]].type, parent.columns[key.parent_columns[i]].type) !=
        KeyTypes::Comparable)
      raiseDamaged("of types that are not compared");
  }
  for (const uint32_t column : key.set_columns)
    if (std::ranges::find(key.columns, column) == key.columns.end()) raiseDamaged("that sets other columns");
  const auto index = std::ranges::find(parent.indexes, key.parent_index, &IndexEntry::oid);
  const bool is_fit = index != parent.indexes.end() && (*index)->is_unique && !(*index)->expressions &&
                      std::ranges::is_permutation((*index)->columns, key.parent_columns, {}, &IndexColumn::column);
  if (!is_fit) raiseDamaged("without an index of what it refers to");
}

}  // namespace

txn::RelationSchema foreignKeysSchema() {
  return {{StoredKind::Int32, false},  {StoredKind::Int32, false},  {StoredKind::String, false},
          {StoredKind::Int32, false},  {StoredKind::Int32, false},  {StoredKind::Int16, false},
          {StoredKind::Int16, false},  {StoredKind::Int16, false},  {StoredKind::String, false},
          {StoredKind::String, false}, {StoredKind::String, false}, {StoredKind::Int32, false}};
}

void appendForeignKeys(const TableEntry& table, txn::WriteStatement& rows) {
  for (const ForeignKeyEntry& key : table.foreign_keys) {
    const std::string columns = numbersText(key.columns);
    const std::string parent_columns = numbersText(key.parent_columns);
    const std::string set_columns = numbersText(key.set_columns);
    const std::array<Datum, kKeyFields> values{
        number(table.oid),
        number(key.number),
        text(key.name),
        number(key.parent),
        number(key.parent_index),
        number((key.is_valid ? kValidFlag : 0) | (key.is_full ? kFullFlag : 0) |
               (key.is_deferrable ? kDeferrableFlag : 0) | (key.is_deferred ? kDeferredFlag : 0)),
        number(static_cast<int64_t>(key.on_delete)),
        number(static_cast<int64_t>(key.on_update)),
        text(columns),
        text(parent_columns),
        text(set_columns),
        number(key.part_of)};
    const std::array<uint8_t, kKeyFields> nulls{};
    rows.append(values.data(), nulls.data());
  }
}

void loadForeignKeys(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  storage::RowCursor row(relation.relation(), relation.readBound());
  while (row.next()) {
    const auto child = tables.find(static_cast<uint32_t>(readNumber(row, kKeyTable)));
    if (child == tables.end()) raiseDamaged("without a table");
    ForeignKeyEntry key;
    key.number = static_cast<uint32_t>(readNumber(row, kKeyNumber));
    key.name = readText(row, kKeyName);
    key.columns = readNumbers(readText(row, kKeyColumns));
    key.parent = static_cast<uint32_t>(readNumber(row, kKeyParent));
    key.parent_columns = readNumbers(readText(row, kKeyParentColumns));
    key.parent_index = static_cast<uint32_t>(readNumber(row, kKeyIndex));
    key.on_delete = readAction(row, kKeyDelete);
    key.on_update = readAction(row, kKeyUpdate);
    key.set_columns = readNumbers(readText(row, kKeySetColumns));
    key.part_of = static_cast<uint32_t>(readNumber(row, kKeyPartOf));
    const int32_t flags = readNumber(row, kKeyFlags);
    key.is_valid = (flags & kValidFlag) != 0;
    key.is_full = (flags & kFullFlag) != 0;
    key.is_deferrable = (flags & kDeferrableFlag) != 0;
    key.is_deferred = (flags & kDeferredFlag) != 0;
    const auto parent = tables.find(key.parent);
    if (parent == tables.end()) raiseDamaged("that refers to no table");
    require(*child->second, key, *parent->second);
    parent->second->referring_keys.push_back({child->first, key.number, key.part_of != 0});
    child->second->foreign_keys.push_back(std::move(key));
  }
  for (auto& [oid, table] : tables) {
    std::ranges::sort(table->foreign_keys, {}, &ForeignKeyEntry::number);
    std::ranges::sort(table->referring_keys, [](const ReferringKey& left, const ReferringKey& right) {
      return left.number != right.number ? left.number < right.number : left.table < right.table;
    });
  }
}

}  // namespace gnomon::sql
