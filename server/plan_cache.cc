#include "server/plan_cache.h"

#include <algorithm>
#include <utility>

#include "base/metrics.h"
#include "txn/table.h"
#include "txn/table_index.h"

namespace gnomon::server {

bool CompiledQuery::isUsableFor(const txn::Snapshot& snapshot) const {
  return !readsUnforeseenNan() && std::ranges::all_of(indexes, [&](const sql::IndexPtr& index) {
    return index->storage->isUsableFor(snapshot);
  });
}

bool CompiledQuery::readsUnforeseenNan() const {
  return std::ranges::any_of(without_nan, [](const auto& table) { return table->holdsNan(); });
}

std::shared_ptr<const CompiledQuery> PlanCache::find(std::string_view key) {
  const std::scoped_lock guard(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) {
    Metrics::instance().add(CounterId::PlanCacheMisses);
    return nullptr;
  }
  Metrics::instance().add(CounterId::PlanCacheHits);
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->query;
}

void PlanCache::insert(std::string key, std::shared_ptr<const CompiledQuery> query) {
  if (key.size() > kKeyBytesMax) return;
  // Declared before the lock, so that code is freed after it is given up.
  std::shared_ptr<const CompiledQuery> evicted;
  const std::scoped_lock guard(mutex_);
  if (const auto found = index_.find(key); found != index_.end()) {
    evicted = std::exchange(found->second->query, std::move(query));
    return;
  }
  if (entries_.size() >= entry_count_max_) {
    evicted = std::move(entries_.back().query);
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
  entries_.push_front({std::move(key), std::move(query)});
  index_.emplace(entries_.front().key, entries_.begin());
}

void PlanCache::erase(std::string_view key) {
  std::shared_ptr<const CompiledQuery> erased;
  const std::scoped_lock guard(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) return;
  const Entries::iterator entry = found->second;
  erased = std::move(entry->query);
  index_.erase(found);
  entries_.erase(entry);
}

void PlanCache::clear() {
  Entries cleared;
  generation_.fetch_add(1, std::memory_order_release);
  const std::scoped_lock guard(mutex_);
  cleared.swap(entries_);
  index_.clear();
}

}  // namespace gnomon::server
