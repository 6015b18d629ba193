#include "sql/catalog/system_relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/assert.h"
#include "base/string_value.h"
#include "sql/catalog/stored_schema.h"
#include "sql/types/decimal.h"
#include "storage/relation/scan.h"
#include "txn/write_statement.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

constexpr txn::RelationId kTablesId{1};
constexpr txn::RelationId kColumnsId{2};

enum TableField : uint32_t { kTableOid, kTableName, kTableFields };
enum ColumnField : uint32_t {
  kColumnTable,
  kColumnNumber,
  kColumnName,
  kColumnType,
  kColumnModifier,
  kColumnNotNull,
  kColumnDefault,
  kColumnFields
};

txn::RelationSchema tablesSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::String, false}};
}
txn::RelationSchema columnsSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::Int16, false}, {StoredKind::String, false},
          {StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::Bool1, false},
          {StoredKind::String, true}};
}

Datum number(int64_t value) {
  return {static_cast<uint64_t>(value), 0};
}
Datum text(std::string_view value) {
  const StringValue header = StringValue::refer(value, StringValue::Storage::Temporary);
  return {header.lo(), header.hi()};
}

int32_t readNumber(const storage::RowCursor& row, uint32_t column) {
  return static_cast<int32_t>(row.value(column).lo);
}
std::string readText(const storage::RowCursor& row, uint32_t column) {
  if (row.isNull(column)) return {};
  const Datum datum = row.value(column);
  return std::string(StringValue(datum.lo, datum.hi).view());
}

/// The type as the binder makes it from its name and modifier.
Type storedType(uint32_t oid, int32_t typmod) {
  Type type;
  if (!typeFromOid(oid, type)) throw SqlError(sqlstate::kDataCorrupted, fmt::format("the catalog names type {}", oid));
  if (type.kind == TypeKind::Numeric && typmod >= 0)
    return numericWithModifier(modifierPrecision(typmod), modifierScale(typmod));
  type.typmod = typmod;
  return type;
}

class TableClaim final : public CatalogStore::Claim {
 public:
  std::vector<txn::TableLock::Guard> guards;  ///< in the order of the tables to be dropped
};

}  // namespace

SystemRelations::SystemRelations(txn::DatabaseStorage& storage) : storage_(storage) {
  if (storage_.isNew()) {
    tables_ = storage_.createSystemTable(kTablesId, tablesSchema());
    columns_ = storage_.createSystemTable(kColumnsId, columnsSchema());
  } else {
    tables_ = storage_.openTable(kTablesId, tablesSchema());
    columns_ = storage_.openTable(kColumnsId, columnsSchema());
  }
}

std::vector<std::shared_ptr<TableEntry>> SystemRelations::load() {
  std::map<uint32_t, std::shared_ptr<TableEntry>> entries;
  storage::RowCursor table(tables_->relation(), tables_->readBound());
  while (table.next()) {
    auto entry = std::make_shared<TableEntry>();
    entry->oid = static_cast<uint32_t>(readNumber(table, kTableOid));
    entry->name = readText(table, kTableName);
    entries.emplace(entry->oid, std::move(entry));
  }
  storage::RowCursor row(columns_->relation(), columns_->readBound());
  while (row.next()) {
    const auto owner = entries.find(static_cast<uint32_t>(readNumber(row, kColumnTable)));
    if (owner == entries.end() ||
        readNumber(row, kColumnNumber) != static_cast<int32_t>(owner->second->columns.size()) + 1)
      throw SqlError(sqlstate::kDataCorrupted, "the catalog's columns do not belong to its tables");
    ColumnEntry column;
    column.name = readText(row, kColumnName);
    column.type = storedType(static_cast<uint32_t>(readNumber(row, kColumnType)), readNumber(row, kColumnModifier));
    column.not_null = row.value(kColumnNotNull).lo != 0;
    column.default_text = readText(row, kColumnDefault);
    owner->second->columns.push_back(std::move(column));
  }
  std::vector<std::shared_ptr<TableEntry>> result;
  for (auto& [oid, entry] : entries) {
    entry->storage = storage_.openTable(txn::RelationId(oid), storedSchema(entry->columns));
    result.push_back(std::move(entry));
  }
  return result;
}

void SystemRelations::create(TableEntry& entry, const CancelToken& cancel) {
  std::shared_ptr<txn::Table> table = storage_.createTable(storedSchema(entry.columns));
  entry.oid = static_cast<uint32_t>(table->id().value);
  try {
    txn::WriteStatement tables(*tables_, cancel);
    const std::array<Datum, kTableFields> values{number(entry.oid), text(entry.name)};
    const std::array<uint8_t, kTableFields> nulls{};
    tables.append(values.data(), nulls.data());
    appendColumns(entry, cancel);
    tables.commit();
  } catch (...) {
    storage_.dropTable(table, table->useAlone(CancelToken()));
    throw;
  }
  entry.storage = std::move(table);
}

void SystemRelations::appendColumns(const TableEntry& entry, const CancelToken& cancel) {
  txn::WriteStatement columns(*columns_, cancel);
  for (size_t i = 0; i < entry.columns.size(); ++i) {
    const ColumnEntry& column = entry.columns[i];
    const std::array<Datum, kColumnFields> values{number(entry.oid),          number(static_cast<int64_t>(i) + 1),
                                                  text(column.name),          number(column.type.oid()),
                                                  number(column.type.typmod), number(column.not_null ? 1 : 0),
                                                  text(column.default_text)};
    std::array<uint8_t, kColumnFields> nulls{};
    nulls[kColumnDefault] = column.default_text.empty();
    columns.append(values.data(), nulls.data());
  }
  columns.commit();
}

std::unique_ptr<CatalogStore::Claim> SystemRelations::claim(const std::vector<TablePtr>& tables,
                                                            const CancelToken& cancel) {
  // In ascending order of ids, as all who lock several tables.
  std::vector<size_t> order(tables.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](size_t index) { return tables[index]->oid; });
  auto claim = std::make_unique<TableClaim>();
  claim->guards.resize(tables.size());
  for (const size_t index : order) claim->guards[index] = tables[index]->storage->useAlone(cancel);
  return claim;
}

void SystemRelations::drop(const std::vector<TablePtr>& tables, std::unique_ptr<Claim> claim,
                           const CancelToken& cancel) {
  auto& guards = static_cast<TableClaim&>(*claim).guards;
  ASSERT(guards.size() == tables.size(), "the claim is for these tables");
  removeEntries(tables, cancel);
  for (size_t i = 0; i < tables.size(); ++i) storage_.dropTable(tables[i]->storage, std::move(guards[i]));
}

void SystemRelations::removeEntries(const std::vector<TablePtr>& tables, const CancelToken& cancel) {
  const auto isDropped = [&](int32_t oid) {
    return std::ranges::any_of(tables, [&](const TablePtr& table) { return table->oid == static_cast<uint32_t>(oid); });
  };
  // The ids are gathered first: a cursor holds a leaf, which a writer must not find held by its own thread.
  const auto collect = [&](txn::Table& relation) {
    std::vector<txn::TupleId> ids;
    storage::RowCursor row(relation.relation(), relation.readBound());
    while (row.next())
      if (isDropped(readNumber(row, 0))) ids.push_back(row.tupleId());
    return ids;
  };
  txn::WriteStatement columns(*columns_, cancel);
  txn::WriteStatement entries(*tables_, cancel);
  for (const txn::TupleId id : collect(*columns_)) columns.remove(id);
  for (const txn::TupleId id : collect(*tables_)) entries.remove(id);
  columns.commit();
  entries.commit();
}

}  // namespace gnomon::sql
