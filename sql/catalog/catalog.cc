#include "sql/catalog/catalog.h"

#include <spdlog/spdlog.h>

#include <mutex>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/catalog/system_relations.h"
#include "txn/sequence.h"

namespace gnomon::sql {

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

TablePtr Catalog::findIndexTable(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = index_tables_.find(name);
  return found == index_tables_.end() ? nullptr : tables_.find(found->second)->second;
}

void Catalog::publish(std::span<const TableChange> changes) {
  const std::unique_lock lock(mutex_);
  for (const auto& [before, after] : changes) {
    if (before != nullptr) {
      for (const IndexPtr& index : before->indexes) index_tables_.erase(index->name);
      tables_.erase(before->name);
    }
    if (after == nullptr) continue;
    for (const IndexPtr& index : after->indexes) index_tables_[index->name] = after->name;
    tables_[after->name] = after;
  }
  version_.fetch_add(1, std::memory_order_release);
}

void Catalog::settleSequences() noexcept {
  for (const TablePtr& table : tables()) {
    try {
      if (table->sequence) table->sequence->counter->settle();
    } catch (const SqlError& error) {
      spdlog::warn("sequence \"{}\" skips values: {}", table->name, error.message());
    }
  }
}

std::shared_ptr<txn::ObjectLock> Catalog::nameLock(const std::string& name) {
  const std::unique_lock lock(mutex_);
  std::erase_if(name_locks_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<txn::ObjectLock>& known = name_locks_[name];
  std::shared_ptr<txn::ObjectLock> result = known.lock();
  if (!result) known = result = std::make_shared<txn::ObjectLock>("name \"" + name + '"');
  return result;
}

}  // namespace gnomon::sql
