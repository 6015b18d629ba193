#include "sql/catalog/partition_rows.h"

#include <array>
#include <functional>
#include <set>

#include "base/sql_error.h"
#include "sql/bind/partition_definition.h"
#include "sql/catalog/catalog_row.h"
#include "sql/catalog/loaded_entries.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/stored_bound.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

enum KeyField : uint32_t { kKeyTable, kKeyStrategy, kKeyNumber, kKeyColumn, kKeyExpression, kKeyFields };
enum PartitionField : uint32_t { kPartitionOid, kPartitionParent, kPartitionBound, kPartitionFields };

using Tables = std::map<uint32_t, std::shared_ptr<TableEntry>>;

[[noreturn]] void raiseUnknown() {
  throw SqlError(sqlstate::kDataCorrupted, "the catalog's partitions do not belong to its tables");
}

void loadKeys(txn::Table& relation, const KeyExpressionsCompiler& compiler, Tables& tables) {
  struct Loaded {
    PartitionStrategy strategy = PartitionStrategy::Range;
    std::vector<IndexColumn> parts;
  };
  std::map<uint32_t, Loaded> keys;
  storage::RowCursor row(relation.relation(), relation.readBound());
  while (row.next()) {
    const auto oid = static_cast<uint32_t>(readNumber(row, kKeyTable));
    const auto table = tables.find(oid);
    IndexColumn part{.column = static_cast<uint32_t>(readNumber(row, kKeyColumn) - 1),
                     .expression = readText(row, kKeyExpression)};
    if (!part.expression.empty()) part.column = IndexColumn::kExpression;
    if (table == tables.end() || (part.expression.empty() && part.column >= table->second->columns.size()))
      raiseUnknown();
    keys[oid].strategy = static_cast<PartitionStrategy>(readNumber(row, kKeyStrategy));
    keys[oid].parts.push_back(std::move(part));
  }
  for (auto& [oid, loaded] : keys) {
    TableEntry& table = *tables.find(oid)->second;
    const LoadedEntries types(tables, table.database);
    const UserTypeScope type_scope(types);
    const std::shared_ptr<PartitionKey> key = storedPartitionKey(loaded.strategy, std::move(loaded.parts),
                                                                 table.columns, LoadedCatalog(tables, table.database));
    if (key->expressions) key->evaluator = compiler(key->expressions);
    table.partitioning = std::make_shared<const Partitioning>(key, std::vector<TablePtr>());
  }
}

}  // namespace

txn::RelationSchema partitionKeysSchema() {
  return {{StoredKind::Int32, false},
          {StoredKind::Int16, false},
          {StoredKind::Int16, false},
          {StoredKind::Int16, false},
          {StoredKind::String, true}};
}

txn::RelationSchema partitionsSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::String, false}};
}

void appendPartitionKey(const TableEntry& table, txn::WriteStatement& rows) {
  if (!table.partitioning) return;
  const PartitionKey& key = table.partitioning->key();
  for (size_t i = 0; i < key.parts.size(); ++i) {
    const IndexColumn& part = key.parts[i];
    const bool is_expression = part.column == IndexColumn::kExpression;
    const std::array<Datum, kKeyFields> values{
        number(table.oid), number(static_cast<int64_t>(key.strategy)), number(static_cast<int64_t>(i) + 1),
        number(is_expression ? 0 : int64_t{part.column} + 1), text(part.expression)};
    std::array<uint8_t, kKeyFields> nulls{};
    nulls[kKeyExpression] = !is_expression;
    rows.append(values.data(), nulls.data());
  }
}

void appendPartition(const TableEntry& table, txn::WriteStatement& rows) {
  if (!table.partition) return;
  const std::string bound = storedBound(table.partition->bound);
  const std::array<Datum, kPartitionFields> values{number(table.oid), number(table.partition->parent), text(bound)};
  const std::array<uint8_t, kPartitionFields> nulls{};
  rows.append(values.data(), nulls.data());
}

std::map<uint32_t, uint32_t> loadPartitionParents(txn::Table& relation) {
  std::map<uint32_t, uint32_t> parents;
  storage::RowCursor row(relation.relation(), relation.readBound());
  while (row.next())
    parents[static_cast<uint32_t>(readNumber(row, kPartitionOid))] =
        static_cast<uint32_t>(readNumber(row, kPartitionParent));
  return parents;
}

void loadPartitions(txn::Table& keys, txn::Table& partitions, const KeyExpressionsCompiler& compiler, Tables& tables) {
  loadKeys(keys, compiler, tables);
  std::map<uint32_t, std::vector<uint32_t>> children;
  storage::RowCursor row(partitions.relation(), partitions.readBound());
  while (row.next()) {
    const auto table = tables.find(static_cast<uint32_t>(readNumber(row, kPartitionOid)));
    const auto parent = tables.find(static_cast<uint32_t>(readNumber(row, kPartitionParent)));
    if (table == tables.end() || parent == tables.end() || !parent->second->partitioning) raiseUnknown();
    auto entry = std::make_shared<PartitionEntry>();
    entry->parent = parent->first;
    const LoadedEntries types(tables, table->second->database);
    const UserTypeScope type_scope(types);
    const std::string stored = readText(row, kPartitionBound);
    const PartitionKey& key = parent->second->partitioning->key();
    entry->bound = isStoredBound(stored) ? readStoredBound(stored, key) : storedPartitionBound(stored, key);
    table->second->partition = std::move(entry);
    children[parent->first].push_back(table->first);
  }
  std::set<uint32_t> done;
  const std::function<void(uint32_t)> finish = [&](uint32_t oid) {
    if (!done.insert(oid).second) return;
    std::vector<TablePtr> parts;
    for (const uint32_t child : children[oid]) {
      if (tables[child]->partitioning) finish(child);
      parts.push_back(tables[child]);
    }
    TableEntry& table = *tables[oid];
    table.partitioning = withPartitions(*table.partitioning, std::move(parts));
  };
  for (const auto& [oid, table] : tables)
    if (table->partitioning) finish(oid);
}

}  // namespace gnomon::sql
