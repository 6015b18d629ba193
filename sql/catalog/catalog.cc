#include "sql/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/index_definition.h"
#include "sql/catalog/constraint_name.h"
#include "sql/catalog/stored_schema.h"
#include "sql/catalog/system_relations.h"

namespace gnomon::sql {
namespace {

/// Waits for the mutex, and gives up when the statement is cancelled.
std::unique_lock<std::timed_mutex> lockCancellable(std::timed_mutex& mutex, const CancelToken& cancel) {
  static constexpr auto kPollInterval = std::chrono::milliseconds(20);
  std::unique_lock lock(mutex, std::defer_lock);
  while (!lock.try_lock_for(kPollInterval)) cancel.poll();
  return lock;
}

/// Puts columns' new names into the texts of the indexes that mention them.
void renameInIndexes(const TableEntry& before, TableEntry& after) {
  for (IndexPtr& index : after.indexes) {
    if (!index->expressions) continue;
    auto renamed = std::make_shared<IndexEntry>(*index);
    bool is_changed = false;
    for (const uint32_t column : dependedColumns(*index)) {
      const std::string& from = before.columns[column].name;
      const std::string& to = after.columns[column].name;
      if (from == to) continue;
      renameColumn(*renamed, from, to);
      is_changed = true;
    }
    if (!is_changed) continue;
    renamed->expressions = bindIndexExpressions(after.columns, *renamed);
    index = std::move(renamed);
  }
}

bool hasCheck(const TableEntry& table, std::string_view name) {
  return std::ranges::find(table.checks, name, &CheckEntry::name) != table.checks.end();
}

/// For a name that a key and a check of one table would both have.
void requireNoCheck(const TableEntry& table, const std::string& name) {
  if (hasCheck(table, name))
    throw SqlError(sqlstate::kDuplicateObject,
                   fmt::format("constraint \"{}\" for relation \"{}\" already exists", name, table.name));
}

void renameIndex(TableEntry& table, const std::string& from, const std::string& to) {
  const auto found = std::ranges::find(table.indexes, from, &IndexEntry::name);
  CHECK(found != table.indexes.end(), "the binder saw the index");
  auto renamed = std::make_shared<IndexEntry>(**found);
  renamed->name = to;
  *found = std::move(renamed);
}

}  // namespace

Catalog::Catalog(std::unique_ptr<CatalogStore> store) : store_(std::move(store)) {
  for (const std::shared_ptr<TableEntry>& entry : store_->load()) {
    const bool is_new = !isTaken(entry->name) && tables_.emplace(entry->name, entry).second;
    CHECK(is_new, "C2");
    for (const IndexPtr& index : entry->indexes) index_tables_[index->name] = entry->name;
  }
}

std::unique_ptr<Catalog> Catalog::open(txn::DatabaseStorage& storage, KeyExpressionsCompiler compiler) {
  return std::make_unique<Catalog>(std::make_unique<SystemRelations>(storage, std::move(compiler)));
}

TablePtr Catalog::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second;
}

std::vector<TablePtr> Catalog::tables() const {
  const std::shared_lock lock(mutex_);
  std::vector<TablePtr> result;
  for (const auto& [name, table] : tables_) result.push_back(table);
  return result;
}

uint64_t Catalog::version() const {
  const std::shared_lock lock(mutex_);
  return version_;
}

bool Catalog::hasConstraint(std::string_view name, const TableEntry* except) const {
  const std::shared_lock lock(mutex_);
  return std::ranges::any_of(tables_, [&](const auto& named) {
    const TableEntry& table = *named.second;
    if (except != nullptr && table.name == except->name) return false;
    const auto isNamed = [&](const IndexPtr& index) { return index->is_constraint && index->name == name; };
    return hasCheck(table, name) || std::ranges::any_of(table.indexes, isNamed);
  });
}

TablePtr Catalog::findIndexTable(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = index_tables_.find(name);
  return found == index_tables_.end() ? nullptr : tables_.find(found->second)->second;
}

bool Catalog::isTaken(std::string_view name) const {
  return find(name) != nullptr || findIndexTable(name) != nullptr || findVirtual("", name) != nullptr;
}

void Catalog::publish(std::shared_ptr<const TableEntry> table, const TableEntry* before) {
  const std::unique_lock lock(mutex_);
  if (before != nullptr) {
    for (const IndexPtr& index : before->indexes) index_tables_.erase(index->name);
    tables_.erase(before->name);
  }
  for (const IndexPtr& index : table->indexes) index_tables_[index->name] = table->name;
  tables_[table->name] = std::move(table);
  ++version_;
}

/// "table_column_expr_idx" and the like, cut to the length of a name, with a number when that is taken.
std::string Catalog::chooseIndexName(const TableEntry& table, const IndexSpecification& index) const {
  std::string columns;
  for (const IndexColumn& column : index.columns)
    columns += (columns.empty() ? "" : "_") + (column.label.empty() ? table.columns[column.column].name : column.label);
  if (index.is_primary) columns.clear();
  const std::string kind = index.is_primary ? "pkey" : index.is_constraint ? "key" : "idx";
  for (uint32_t attempt = 0;; ++attempt) {
    const std::string label = attempt == 0 ? kind : kind + std::to_string(attempt);
    std::string name = composedName(table.name, columns, label);
    const bool is_constraint_taken = index.is_constraint && (hasCheck(table, name) || hasConstraint(name, &table));
    if (!is_constraint_taken && !isTaken(name)) return name;
  }
}

/// Adds an index that has no storage yet.
void Catalog::addIndex(TableEntry& table, const IndexSpecification& specified) const {
  auto index = std::make_shared<IndexEntry>();
  static_cast<IndexSpecification&>(*index) = specified;
  index->expressions = bindIndexExpressions(table.columns, *index);
  if (index->name.empty()) index->name = chooseIndexName(table, specified);
  const bool is_repeated = std::ranges::find(table.indexes, index->name, &IndexEntry::name) != table.indexes.end();
  if (is_repeated || index->name == table.name || isTaken(index->name))
    throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", index->name));
  if (index->is_constraint) requireNoCheck(table, index->name);
  table.indexes.push_back(std::move(index));
}

bool Catalog::createTable(const CreateTableStatement& statement, const CancelToken& cancel) {
  const auto ddl_lock = lockCancellable(ddl_mutex_, cancel);
  if (isTaken(statement.name)) {
    if (statement.if_not_exists) return false;
    throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", statement.name));
  }
  auto entry = std::make_shared<TableEntry>();
  entry->name = statement.name;
  entry->columns = statement.columns;
  entry->options = statement.options;
  storeNewColumns(entry->columns);
  entry->checks = statement.checks;
  entry->check_expressions = bindCheckExpressions(entry->columns, entry->checks);
  for (const IndexSpecification& specified : statement.indexes) addIndex(*entry, specified);
  store_->create(*entry, cancel);
  publish(std::move(entry), nullptr);
  return true;
}

bool Catalog::createIndex(const CreateIndexStatement& statement, const txn::Locker& locker) {
  store_->claim({statement.table}, locker);
  const auto ddl_lock = lockCancellable(ddl_mutex_, locker.patience.cancel);
  if (find(statement.table->name) != statement.table)
    throw SqlError(sqlstate::kUndefinedTable, "table was changed by another session");
  auto index = std::make_shared<IndexEntry>();
  static_cast<IndexSpecification&>(*index) = statement.index;
  index->expressions = bindIndexExpressions(statement.table->columns, *index);
  if (index->name.empty()) index->name = chooseIndexName(*statement.table, statement.index);
  if (isTaken(index->name)) {
    if (statement.if_not_exists) return false;
    throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", index->name));
  }
  store_->createIndex(*statement.table, *index, locker.patience.cancel);
  auto table = std::make_shared<TableEntry>(*statement.table);
  table->indexes.push_back(std::move(index));
  publish(std::move(table), statement.table.get());
  return true;
}

void Catalog::alterTable(const AlterTableStatement& statement, const std::vector<Value>& values, RowChecker* checker,
                         const txn::Locker& locker) {
  const TablePtr& before = statement.table;
  store_->claim({before}, locker);
  const auto ddl_lock = lockCancellable(ddl_mutex_, locker.patience.cancel);
  if (find(before->name) != before) throw SqlError(sqlstate::kUndefinedTable, "table was changed by another session");
  if (statement.name != before->name && isTaken(statement.name))
    throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", statement.name));
  auto after = std::make_shared<TableEntry>(*before);
  after->name = statement.name;
  after->columns = statement.columns;
  after->options = statement.options;
  storeChangedColumns(before->columns, after->columns, values);
  std::erase_if(after->indexes, [&](const IndexPtr& index) {
    return std::ranges::find(statement.dropped_indexes, index->name) != statement.dropped_indexes.end();
  });
  after->checks = statement.checks;
  renameInIndexes(*before, *after);
  if (!statement.renamed_index.empty()) {
    if (isTaken(statement.new_index_name))
      throw SqlError(sqlstate::kDuplicateTable,
                     fmt::format("relation \"{}\" already exists", statement.new_index_name));
    renameIndex(*after, statement.renamed_index, statement.new_index_name);
  }
  for (const IndexSpecification& specified : statement.added_indexes) addIndex(*after, specified);
  after->check_expressions = bindCheckExpressions(after->columns, after->checks);
  if (statement.tested_checks.usual != nullptr) {
    const ExistingRowsTest test{*statement.tested_checks.usual, *checker};
    store_->alter(*before, *after, &test, locker.patience.cancel);
  } else {
    store_->alter(*before, *after, nullptr, locker.patience.cancel);
  }
  publish(std::move(after), before.get());
}

bool Catalog::dropIndex(const std::string& name, const txn::Locker& locker) {
  while (true) {
    const TablePtr table = findIndexTable(name);
    if (table == nullptr) {
      if (find(name) != nullptr)
        throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not an index", name))
            .hint("Use DROP TABLE to remove a table.");
      if (findVirtual("", name) != nullptr)
        throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not an index", name))
            .hint("Use DROP VIEW to remove a view.");
      return false;
    }
    const auto found = std::ranges::find(table->indexes, name, &IndexEntry::name);
    CHECK(found != table->indexes.end(), "C2");
    const IndexPtr& index = *found;
    if (index->is_constraint)
      throw SqlError(
          sqlstate::kDependentObjectsStillExist,
          fmt::format("cannot drop index {0} because constraint {0} on table {1} requires it", name, table->name))
          .hint(fmt::format("You can drop constraint {} on table {} instead.", name, table->name));
    try {
      store_->claim({table}, locker);
    } catch (const SqlError& error) {
      if (error.state() == sqlstate::kUndefinedTable) continue;
      throw;
    }
    const auto ddl_lock = lockCancellable(ddl_mutex_, locker.patience.cancel);
    // Somebody else changed the table meanwhile: look again.
    if (find(table->name) != table) continue;
    store_->dropIndex(*table, *index, locker.patience.cancel);
    auto changed = std::make_shared<TableEntry>(*table);
    std::erase(changed->indexes, index);
    publish(std::move(changed), table.get());
    return true;
  }
}

std::vector<std::string> Catalog::dropIndexes(const DropIndexStatement& statement, const txn::Locker& locker) {
  std::vector<std::string> missing;
  for (const std::string& name : statement.names) {
    if (statement.if_exists || isTaken(name)) continue;
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("index \"{}\" does not exist", name));
  }
  for (const std::string& name : statement.names)
    if (!dropIndex(name, locker)) missing.push_back(name);
  return missing;
}

std::vector<std::string> Catalog::dropTables(const DropTableStatement& statement, const txn::Locker& locker) {
  while (true) {
    std::vector<TablePtr> dropped;
    std::vector<std::string> missing;
    for (const std::string& name : statement.names) {
      TablePtr table = find(name);
      if (table == nullptr) {
        if (findIndexTable(name) != nullptr)
          throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a table", name))
              .hint("Use DROP INDEX to remove an index.");
        if (findVirtual("", name) != nullptr)
          throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a table", name))
              .hint("Use DROP VIEW to remove a view.");
        if (!statement.if_exists)
          throw SqlError(sqlstate::kUndefinedTable, fmt::format("table \"{}\" does not exist", name));
        missing.push_back(name);
      } else if (std::ranges::find(dropped, table) == dropped.end()) {
        dropped.push_back(std::move(table));
      }
    }
    if (dropped.empty()) return missing;
    try {
      store_->claim(dropped, locker);
    } catch (const SqlError& error) {
      // Somebody else dropped one of them meanwhile: look again.
      if (error.state() == sqlstate::kUndefinedTable) continue;
      throw;
    }
    const auto ddl_lock = lockCancellable(ddl_mutex_, locker.patience.cancel);
    const std::unique_lock lock(mutex_);
    // An index made meanwhile made a new entry of its table.
    const auto isCurrent = [this](const TablePtr& table) {
      const auto current = tables_.find(table->name);
      return current != tables_.end() && current->second == table;
    };
    if (!std::ranges::all_of(dropped, isCurrent)) continue;
    store_->drop(dropped, locker.patience.cancel);
    for (const TablePtr& table : dropped) {
      tables_.erase(table->name);
      for (const IndexPtr& index : table->indexes) index_tables_.erase(index->name);
    }
    ++version_;
    return missing;
  }
}

void Catalog::truncateTables(const TruncateStatement& statement, const txn::Locker& locker) {
  store_->claim(statement.tables, locker);
  for (const TablePtr& table : statement.tables)
    if (const TablePtr current = find(table->name); current == nullptr || current->oid != table->oid)
      throw SqlError(sqlstate::kUndefinedTable, fmt::format("relation \"{}\" does not exist", table->name));
  store_->truncate(statement.tables);
}

}  // namespace gnomon::sql
