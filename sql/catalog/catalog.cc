#include "sql/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/assert.h"
#include "base/sql_error.h"
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

}  // namespace

Catalog::Catalog(std::unique_ptr<CatalogStore> store) : store_(std::move(store)) {
  for (const std::shared_ptr<TableEntry>& entry : store_->load()) {
    const bool is_new = tables_.emplace(entry->name, entry).second;
    CHECK(is_new, "C2");
  }
}

std::unique_ptr<Catalog> Catalog::open(txn::DatabaseStorage& storage) {
  return std::make_unique<Catalog>(std::make_unique<SystemRelations>(storage));
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

bool Catalog::createTable(const CreateTableStatement& statement, const CancelToken& cancel) {
  const auto ddl_lock = lockCancellable(ddl_mutex_, cancel);
  if (find(statement.name) != nullptr) {
    if (statement.if_not_exists) return false;
    throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", statement.name));
  }
  auto entry = std::make_shared<TableEntry>();
  entry->name = statement.name;
  entry->columns = statement.columns;
  store_->create(*entry, cancel);
  const std::unique_lock lock(mutex_);
  tables_.emplace(entry->name, entry);
  ++version_;
  return true;
}

std::vector<std::string> Catalog::dropTables(const DropTableStatement& statement, const CancelToken& cancel) {
  while (true) {
    std::vector<TablePtr> dropped;
    std::vector<std::string> missing;
    for (const std::string& name : statement.names) {
      TablePtr table = find(name);
      if (table == nullptr) {
        if (!statement.if_exists)
          throw SqlError(sqlstate::kUndefinedTable, fmt::format("table \"{}\" does not exist", name));
        missing.push_back(name);
      } else if (std::ranges::find(dropped, table) == dropped.end()) {
        dropped.push_back(std::move(table));
      }
    }
    if (dropped.empty()) return missing;
    std::unique_ptr<CatalogStore::Claim> claim;
    try {
      claim = store_->claim(dropped, cancel);
    } catch (const SqlError& error) {
      // Somebody else dropped one of them meanwhile: look again.
      if (error.state() == sqlstate::kUndefinedTable) continue;
      throw;
    }
    const auto ddl_lock = lockCancellable(ddl_mutex_, cancel);
    const std::unique_lock lock(mutex_);
    store_->drop(dropped, std::move(claim), cancel);
    for (const TablePtr& table : dropped) tables_.erase(table->name);
    ++version_;
    return missing;
  }
}

}  // namespace gnomon::sql
