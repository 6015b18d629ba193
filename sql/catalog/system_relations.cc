#include "sql/catalog/system_relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "base/assert.h"
#include "base/string_value.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/index_definition.h"
#include "sql/catalog/stored_schema.h"
#include "sql/catalog/violation.h"
#include "sql/types/decimal.h"
#include "storage/relation/scan.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

constexpr txn::RelationId kTablesId{1};
constexpr txn::RelationId kColumnsId{2};

constexpr txn::RelationId kIndexesId{3};
constexpr txn::RelationId kIndexColumnsId{4};
constexpr txn::RelationId kChecksId{6};

enum TableField : uint32_t { kTableOid, kTableName, kTableLeafClass, kTableFields };
enum ColumnField : uint32_t {
  kColumnTable,
  kColumnNumber,
  kColumnName,
  kColumnType,
  kColumnModifier,
  kColumnNotNull,
  kColumnDefault,
  kColumnSince,
  kColumnNullable,
  kColumnNullableSince,
  kColumnMissing,
  kColumnFields
};

enum IndexField : uint32_t { kIndexOid, kIndexTable, kIndexName, kIndexFlags, kIndexPredicate, kIndexFields };
constexpr int32_t kUniqueFlag = 1, kPrimaryFlag = 2, kConstraintFlag = 4;
enum IndexColumnField : uint32_t { kPartIndex, kPartNumber, kPartColumn, kPartFlags, kPartExpression, kPartFields };
constexpr int32_t kDescendingFlag = 1, kNullsFirstFlag = 2;
enum CheckField : uint32_t { kCheckTable, kCheckName, kCheckFlags, kCheckCondition, kCheckFields };
constexpr int32_t kValidFlag = 1;

txn::RelationSchema indexesSchema() {
  return {{StoredKind::Int32, false},
          {StoredKind::Int32, false},
          {StoredKind::String, false},
          {StoredKind::Int16, false},
          {StoredKind::String, true}};
}
txn::RelationSchema indexColumnsSchema() {
  return {{StoredKind::Int32, false},
          {StoredKind::Int16, false},
          {StoredKind::Int16, false},
          {StoredKind::Int16, false},
          {StoredKind::String, true}};
}
txn::RelationSchema checksSchema() {
  return {
      {StoredKind::Int32, false}, {StoredKind::String, false}, {StoredKind::Int16, false}, {StoredKind::String, false}};
}
txn::RelationSchema tablesSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::String, false}, {StoredKind::Int16, false}};
}
txn::RelationSchema columnsSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::Int16, false}, {StoredKind::String, false},
          {StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::Bool1, false},
          {StoredKind::String, true}, {StoredKind::Int32, false}, {StoredKind::Bool1, false},
          {StoredKind::Int32, false}, {StoredKind::String, true}};
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

/// The value of rows from before a column, as bytes: of a text itself, of others both words.
std::string missingBytes(const ColumnEntry& column) {
  const storage::OwnedValue& missing = *column.stored.missing;
  if (column.stored.kind == StoredKind::String) return missing.text();
  return std::string(reinterpret_cast<const char*>(&missing.datum()), sizeof(Datum));
}
std::shared_ptr<const storage::OwnedValue> missingValue(StoredKind kind, std::string bytes) {
  if (kind == StoredKind::String) return std::make_shared<const storage::OwnedValue>(std::move(bytes));
  Datum datum;
  if (bytes.size() != sizeof(datum)) throw SqlError(sqlstate::kDataCorrupted, "the catalog has a damaged value");
  std::memcpy(&datum, bytes.data(), sizeof(datum));
  return std::make_shared<const storage::OwnedValue>(kind, datum);
}

storage::StoredColumn storedColumn(const storage::RowCursor& row, Type type) {
  storage::StoredColumn stored{storedKind(type), row.value(kColumnNullable).lo != 0};
  stored.since = static_cast<uint32_t>(readNumber(row, kColumnSince));
  stored.nullable_since = static_cast<uint32_t>(readNumber(row, kColumnNullableSince));
  if (!row.isNull(kColumnMissing)) stored.missing = missingValue(stored.kind, readText(row, kColumnMissing));
  return stored;
}

void bindStoredExpressions(const TableEntry& table, IndexEntry& index) {
  try {
    index.expressions = bindIndexExpressions(table.columns, index);
  } catch (const SqlError& error) {
    throw SqlError(sqlstate::kDataCorrupted,
                   fmt::format("the expressions of index \"{}\" cannot be read: {}", index.name, error.message()));
  }
}

void bindStoredChecks(TableEntry& table) {
  try {
    table.check_expressions = bindCheckExpressions(table.columns, table.checks);
  } catch (const SqlError& error) {
    throw SqlError(sqlstate::kDataCorrupted,
                   fmt::format("the checks of table \"{}\" cannot be read: {}", table.name, error.message()));
  }
}

/// The errors for duplicates; they name everything as it is called now.
decltype(txn::IndexDefinition::duplicate) duplicateError(const TableEntry& table, const IndexEntry& index) {
  return [name = table.name, columns = table.columns, index = IndexSpecification(index),
          expressions = index.expressions](const Datum* values, const uint8_t* null_flags, bool is_new) {
    return uniqueViolation(name, columns, index, expressions.get(), values, null_flags, is_new);
  };
}

/// Removes the rows whose first column is one of the oids. The ids are gathered first: a cursor holds a leaf, which a
/// writer must not find held by its own thread.
void removeRows(txn::Table& relation, txn::WriteStatement& statement, const std::vector<uint32_t>& oids) {
  std::vector<txn::TupleId> ids;
  {
    storage::RowCursor row(relation.relation(), relation.readBound());
    while (row.next())
      if (std::ranges::find(oids, static_cast<uint32_t>(readNumber(row, 0))) != oids.end())
        ids.push_back(row.tupleId());
  }
  for (const txn::TupleId id : ids) statement.remove(id);
}

/// Looks at the rows where ALTER TABLE makes a column NOT NULL or wants checks to hold. The table has its new schema.
class ExistingRows {
 public:
  ExistingRows(const TableEntry& before, const TableEntry& after, const ExistingRowsTest* test)
      : table_(after),
        test_(test),
        column_count_before_(before.columns.size()),
        values_(after.columns.size()),
        null_flags_(after.columns.size()) {
    for (uint32_t i = 0; i < after.columns.size(); ++i) {
      const ColumnEntry& column = after.columns[i];
      const bool is_added = i >= before.columns.size();
      if (!column.not_null || (!is_added && before.columns[i].not_null)) continue;
      if (!is_added || !column.stored.missing) not_null_.push_back(i);
    }
    if (test == nullptr) return;
    for (const CheckExpressions::Check& check : test->checks.checks)
      mentioned_.insert(mentioned_.end(), check.columns.begin(), check.columns.end());
  }

  /// Failure: 23502, 23514, what the conditions raise.
  void require(const CancelToken& cancel) {
    if (not_null_.empty() && test_ == nullptr) return;
    storage::RowCursor row(table_.storage->relation(), table_.storage->readBound());
    for (uint64_t rows = 0; row.next(); ++rows) {
      if (rows % 1024 == 0) cancel.poll();
      for (const uint32_t column : not_null_)
        if (column >= column_count_before_ || row.isNull(column)) throwNull(column);
      if (test_ != nullptr) requireChecks(row);
    }
  }

 private:
  void requireChecks(const storage::RowCursor& row) {
    for (const uint32_t column : mentioned_) {
      values_[column] = row.value(column);
      null_flags_[column] = row.isNull(column) ? 1 : 0;
    }
    const uint32_t violated = test_->checker.firstViolation(values_.data(), null_flags_.data());
    if (violated == RowChecker::kNone) return;
    const std::string& name = test_->checks.checks[violated].name;
    throw SqlError(sqlstate::kCheckViolation,
                   fmt::format("check constraint \"{}\" of relation \"{}\" is violated by some row", name, table_.name))
        .table(table_.name)
        .constraint(name);
  }
  [[noreturn]] void throwNull(uint32_t column) const {
    const std::string& name = table_.columns[column].name;
    throw SqlError(sqlstate::kNotNullViolation,
                   fmt::format("column \"{}\" of relation \"{}\" contains null values", name, table_.name))
        .table(table_.name)
        .column(name);
  }

  const TableEntry& table_;
  const ExistingRowsTest* const test_;
  const size_t column_count_before_;
  std::vector<uint32_t> not_null_;
  std::vector<uint32_t> mentioned_;  ///< by the checks
  std::vector<Datum> values_;
  std::vector<uint8_t> null_flags_;
};

}  // namespace

SystemRelations::SystemRelations(txn::DatabaseStorage& storage, KeyExpressionsCompiler compiler)
    : storage_(storage), compiler_(std::move(compiler)) {
  if (storage_.isNew()) {
    tables_ = storage_.createSystemTable(kTablesId, tablesSchema());
    columns_ = storage_.createSystemTable(kColumnsId, columnsSchema());
    indexes_ = storage_.createSystemTable(kIndexesId, indexesSchema());
    index_columns_ = storage_.createSystemTable(kIndexColumnsId, indexColumnsSchema());
    checks_ = storage_.createSystemTable(kChecksId, checksSchema());
    storage_.finishCreation();
  } else {
    tables_ = storage_.openTable(kTablesId, tablesSchema());
    columns_ = storage_.openTable(kColumnsId, columnsSchema());
    indexes_ = storage_.openTable(kIndexesId, indexesSchema());
    index_columns_ = storage_.openTable(kIndexColumnsId, indexColumnsSchema());
    checks_ = storage_.openTable(kChecksId, checksSchema());
  }
}

std::vector<std::shared_ptr<TableEntry>> SystemRelations::load() {
  std::map<uint32_t, std::shared_ptr<TableEntry>> entries;
  storage::RowCursor table(tables_->relation(), tables_->readBound());
  while (table.next()) {
    auto entry = std::make_shared<TableEntry>();
    entry->oid = static_cast<uint32_t>(readNumber(table, kTableOid));
    entry->name = readText(table, kTableName);
    entry->options.leaf_class.index = static_cast<uint8_t>(readNumber(table, kTableLeafClass));
    if (entry->options.leaf_class > kLeafClassMax)
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has a table with unknown storage parameters");
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
    column.stored = storedColumn(row, column.type);
    owner->second->columns.push_back(std::move(column));
  }
  std::vector<std::shared_ptr<TableEntry>> result;
  for (auto& [oid, entry] : entries) {
    entry->storage = storage_.openTable(txn::RelationId(oid), storedSchema(entry->columns, entry->options));
    result.push_back(entry);
  }
  loadChecks(entries);
  loadIndexes(entries);
  return result;
}

void SystemRelations::loadChecks(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  storage::RowCursor row(checks_->relation(), checks_->readBound());
  while (row.next()) {
    const auto owner = tables.find(static_cast<uint32_t>(readNumber(row, kCheckTable)));
    if (owner == tables.end()) throw SqlError(sqlstate::kDataCorrupted, "the catalog has a check without a table");
    owner->second->checks.push_back(
        {readText(row, kCheckName), readText(row, kCheckCondition), (readNumber(row, kCheckFlags) & kValidFlag) != 0});
  }
  for (auto& [oid, table] : tables) {
    std::ranges::sort(table->checks, {}, &CheckEntry::name);
    bindStoredChecks(*table);
  }
}

void SystemRelations::loadIndexes(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  std::map<uint32_t, std::pair<std::shared_ptr<IndexEntry>, TableEntry*>> indexes;
  storage::RowCursor row(indexes_->relation(), indexes_->readBound());
  while (row.next()) {
    const auto owner = tables.find(static_cast<uint32_t>(readNumber(row, kIndexTable)));
    if (owner == tables.end()) throw SqlError(sqlstate::kDataCorrupted, "the catalog has an index without a table");
    auto index = std::make_shared<IndexEntry>();
    index->oid = static_cast<uint32_t>(readNumber(row, kIndexOid));
    index->name = readText(row, kIndexName);
    const int32_t flags = readNumber(row, kIndexFlags);
    index->is_unique = (flags & kUniqueFlag) != 0;
    index->is_primary = (flags & kPrimaryFlag) != 0;
    index->is_constraint = (flags & kConstraintFlag) != 0;
    index->predicate = readText(row, kIndexPredicate);
    indexes[index->oid] = {index, owner->second.get()};
  }
  storage::RowCursor part(index_columns_->relation(), index_columns_->readBound());
  while (part.next()) {
    const auto owner = indexes.find(static_cast<uint32_t>(readNumber(part, kPartIndex)));
    const std::string expression = readText(part, kPartExpression);
    const auto column =
        expression.empty() ? static_cast<uint32_t>(readNumber(part, kPartColumn) - 1) : IndexColumn::kExpression;
    if (owner == indexes.end() || (expression.empty() && column >= owner->second.second->columns.size()))
      throw SqlError(sqlstate::kDataCorrupted, "the catalog's index columns do not belong to its indexes");
    const int32_t flags = readNumber(part, kPartFlags);
    owner->second.first->columns.push_back(
        {column, (flags & kDescendingFlag) != 0, (flags & kNullsFirstFlag) != 0, expression});
  }
  for (auto& [oid, found] : indexes) {
    auto& [index, table] = found;
    bindStoredExpressions(*table, *index);
    index->storage = storage_.openIndex(*table->storage, txn::RelationId(oid), definitionOf(*table, *index));
    table->indexes.push_back(index);
  }
}

/// What storage has to know of an index.
txn::IndexDefinition SystemRelations::definitionOf(const TableEntry& table, const IndexEntry& index) const {
  txn::IndexDefinition definition;
  for (size_t i = 0; i < index.columns.size(); ++i) {
    const IndexColumn& part = index.columns[i];
    const Type type = index.expressions ? index.expressions->parts[i]->type : table.columns[part.column].type;
    definition.columns.push_back(part.column);
    definition.parts.push_back(keyPart(type, part.descending, part.nulls_first));
  }
  definition.is_unique = index.is_unique;
  if (index.expressions) {
    definition.columns = mentionedColumns(*index.expressions);
    definition.expressions = compiler_(index.expressions);
    definition.is_partial = !index.expressions->predicate.empty();
  }
  definition.duplicate = duplicateError(table, index);
  return definition;
}

void SystemRelations::buildIndex(const TableEntry& table, IndexEntry& index, const CancelToken& cancel) {
  index.storage = storage_.createIndex(*table.storage, definitionOf(table, index), cancel);
  index.oid = index.storage->id().value;
}

void SystemRelations::createIndex(const TableEntry& table, IndexEntry& index, const CancelToken& cancel) {
  buildIndex(table, index, cancel);
  try {
    txn::LocalTransaction transaction(storage_.transactions(), cancel);
    txn::WriteStatement indexes(*indexes_, transaction.context());
    txn::WriteStatement parts(*index_columns_, transaction.context());
    appendIndex(table, index, indexes, parts);
    parts.finish();
    indexes.finish();
    transaction.commit();
  } catch (...) {
    storage_.dropIndex(*table.storage, index.storage);
    throw;
  }
}

void SystemRelations::dropIndex(const TableEntry& table, const IndexEntry& index, const CancelToken& cancel) {
  {
    txn::LocalTransaction transaction(storage_.transactions(), cancel);
    removeIndexEntries({index.oid}, transaction);
    transaction.commit();
  }
  storage_.dropIndex(*table.storage, index.storage);
}

void SystemRelations::appendIndex(const TableEntry& table, const IndexEntry& index, txn::WriteStatement& indexes,
                                  txn::WriteStatement& parts) {
  const int32_t flags = (index.is_unique ? kUniqueFlag : 0) | (index.is_primary ? kPrimaryFlag : 0) |
                        (index.is_constraint ? kConstraintFlag : 0);
  const std::array<Datum, kIndexFields> values{number(index.oid), number(table.oid), text(index.name), number(flags),
                                               text(index.predicate)};
  std::array<uint8_t, kIndexFields> nulls{};
  nulls[kIndexPredicate] = index.predicate.empty();
  indexes.append(values.data(), nulls.data());
  for (size_t i = 0; i < index.columns.size(); ++i) {
    const IndexColumn& column = index.columns[i];
    const bool is_expression = column.column == IndexColumn::kExpression;
    const int32_t part_flags = (column.descending ? kDescendingFlag : 0) | (column.nulls_first ? kNullsFirstFlag : 0);
    const std::array<Datum, kPartFields> part{number(index.oid), number(static_cast<int64_t>(i) + 1),
                                              number(is_expression ? 0 : int64_t{column.column} + 1),
                                              number(part_flags), text(column.expression)};
    std::array<uint8_t, kPartFields> part_nulls{};
    part_nulls[kPartExpression] = !is_expression;
    parts.append(part.data(), part_nulls.data());
  }
}

void SystemRelations::create(TableEntry& entry, const CancelToken& cancel) {
  std::shared_ptr<txn::Table> table = storage_.createTable(storedSchema(entry.columns, entry.options));
  entry.oid = static_cast<uint32_t>(table->id().value);
  entry.storage = table;
  std::vector<IndexPtr> built;
  try {
    for (const IndexPtr& specified : entry.indexes) {
      auto index = std::make_shared<IndexEntry>(*specified);
      buildIndex(entry, *index, cancel);
      built.push_back(std::move(index));
    }
    writeEntries(entry, EntryChange{.is_new = true, .removed_indexes = {}, .added_indexes = built}, cancel);
  } catch (...) {
    storage_.dropTable(table);
    throw;
  }
  entry.indexes = std::move(built);
}

void SystemRelations::appendTable(const TableEntry& entry, txn::WriteStatement& tables) {
  const std::array<Datum, kTableFields> values{number(entry.oid), text(entry.name),
                                               number(entry.options.leaf_class.index)};
  const std::array<uint8_t, kTableFields> nulls{};
  tables.append(values.data(), nulls.data());
}

void SystemRelations::appendColumns(const TableEntry& entry, txn::WriteStatement& columns) {
  for (size_t i = 0; i < entry.columns.size(); ++i) {
    const ColumnEntry& column = entry.columns[i];
    const std::string missing = column.stored.missing ? missingBytes(column) : "";
    const std::array<Datum, kColumnFields> values{
        number(entry.oid),
        number(static_cast<int64_t>(i) + 1),
        text(column.name),
        number(column.type.oid()),
        number(column.type.typmod),
        number(column.not_null ? 1 : 0),
        text(column.default_text),
        number(column.stored.since),
        number(column.stored.nullable ? 1 : 0),
        number(column.stored.nullable_since),
        text(missing),
    };
    std::array<uint8_t, kColumnFields> nulls{};
    nulls[kColumnDefault] = column.default_text.empty();
    nulls[kColumnMissing] = column.stored.missing == nullptr;
    columns.append(values.data(), nulls.data());
  }
}

void SystemRelations::appendChecks(const TableEntry& entry, txn::WriteStatement& checks) {
  for (const CheckEntry& check : entry.checks) {
    const std::array<Datum, kCheckFields> values{number(entry.oid), text(check.name),
                                                 number(check.is_valid ? kValidFlag : 0), text(check.expression)};
    const std::array<uint8_t, kCheckFields> nulls{};
    checks.append(values.data(), nulls.data());
  }
}

void SystemRelations::alter(const TableEntry& before, TableEntry& after, const ExistingRowsTest* test,
                            const CancelToken& cancel) {
  txn::Table& table = *before.storage;
  const storage::RelationSchema schema_before = table.schema();
  EntryChange change;
  std::vector<IndexPtr> built, dropped;
  for (const IndexPtr& index : before.indexes) {
    const auto found = std::ranges::find(after.indexes, index->oid, &IndexEntry::oid);
    if (found != after.indexes.end() && *found == index) continue;
    change.removed_indexes.push_back(index->oid);
    if (found == after.indexes.end())
      dropped.push_back(index);
    else
      change.added_indexes.push_back(*found);
  }
  try {
    table.changeSchema(storedSchema(after.columns, after.options));
    for (IndexPtr& index : after.indexes) {
      if (index->storage) continue;
      auto made = std::make_shared<IndexEntry>(*index);
      buildIndex(after, *made, cancel);
      built.push_back(made);
      change.added_indexes.push_back(made);
      index = std::move(made);
    }
    ExistingRows(before, after, test).require(cancel);
    writeEntries(after, change, cancel);
  } catch (...) {
    for (const IndexPtr& index : built) storage_.dropIndex(table, index->storage);
    table.changeSchema(schema_before);
    throw;
  }
  table.finishSchemaChange();
  for (const IndexPtr& index : after.indexes) index->storage->setDuplicate(duplicateError(after, *index));
  for (const IndexPtr& index : dropped) storage_.dropIndex(table, index->storage);
}

/// Writes the rows of a table and of indexes that come or change, in the place of those there are.
void SystemRelations::writeEntries(const TableEntry& entry, const EntryChange& change, const CancelToken& cancel) {
  txn::LocalTransaction transaction(storage_.transactions(), cancel);
  txn::WriteStatement tables(*tables_, transaction.context());
  txn::WriteStatement columns(*columns_, transaction.context());
  txn::WriteStatement indexes(*indexes_, transaction.context());
  txn::WriteStatement parts(*index_columns_, transaction.context());
  txn::WriteStatement checks(*checks_, transaction.context());
  if (!change.is_new) {
    removeRows(*checks_, checks, {entry.oid});
    removeRows(*tables_, tables, {entry.oid});
    removeRows(*columns_, columns, {entry.oid});
  }
  if (!change.removed_indexes.empty()) {
    removeRows(*indexes_, indexes, change.removed_indexes);
    removeRows(*index_columns_, parts, change.removed_indexes);
  }
  appendTable(entry, tables);
  appendColumns(entry, columns);
  appendChecks(entry, checks);
  for (const IndexPtr& index : change.added_indexes) appendIndex(entry, *index, indexes, parts);
  checks.finish();
  parts.finish();
  indexes.finish();
  columns.finish();
  tables.finish();
  transaction.commit();
}

void SystemRelations::claim(const std::vector<TablePtr>& tables, const txn::Locker& locker) {
  // In ascending order of ids, as all who lock several tables.
  std::vector<TablePtr> ordered = tables;
  std::ranges::sort(ordered, {}, [](const TablePtr& table) { return table->oid; });
  for (const TablePtr& table : ordered)
    locker.owner.acquire(table->storage->lock(), txn::LockMode::AccessExclusive, locker.patience);
}

void SystemRelations::truncate(const std::vector<TablePtr>& tables) {
  std::vector<std::shared_ptr<txn::Table>> emptied;
  for (const TablePtr& table : tables) emptied.push_back(table->storage);
  storage_.clearTables(emptied);
}

void SystemRelations::drop(const std::vector<TablePtr>& tables, const CancelToken& cancel) {
  removeEntries(tables, cancel);
  for (const TablePtr& table : tables) storage_.dropTable(table->storage);
}

void SystemRelations::removeEntries(const std::vector<TablePtr>& tables, const CancelToken& cancel) {
  std::vector<uint32_t> oids, index_oids;
  for (const TablePtr& table : tables) {
    oids.push_back(table->oid);
    for (const IndexPtr& index : table->indexes) index_oids.push_back(index->oid);
  }
  txn::LocalTransaction transaction(storage_.transactions(), cancel);
  txn::WriteStatement columns(*columns_, transaction.context());
  txn::WriteStatement entries(*tables_, transaction.context());
  txn::WriteStatement checks(*checks_, transaction.context());
  removeRows(*checks_, checks, oids);
  removeRows(*columns_, columns, oids);
  removeRows(*tables_, entries, oids);
  removeIndexEntries(index_oids, transaction);
  checks.finish();
  columns.finish();
  entries.finish();
  transaction.commit();
}

void SystemRelations::removeIndexEntries(const std::vector<uint32_t>& oids, const txn::LocalTransaction& transaction) {
  if (oids.empty()) return;
  txn::WriteStatement parts(*index_columns_, transaction.context());
  txn::WriteStatement indexes(*indexes_, transaction.context());
  removeRows(*index_columns_, parts, oids);
  removeRows(*indexes_, indexes, oids);
  parts.finish();
  indexes.finish();
}

}  // namespace gnomon::sql
