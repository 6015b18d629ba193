#include "server/session_locks.h"

#include <fmt/format.h>

#include <algorithm>

#include "txn/table.h"

namespace gnomon::server {

txn::TableLock::Guard SessionLocks::lockWriters(const sql::TableEntry& table, const CancelToken& cancel) const {
  txn::TableLock& lock = table.storage->writeLock();
  if (locks_.empty()) return lock.acquire(txn::TableLock::Mode::Exclusive, cancel);
  txn::TableLock::Guard guard = lock.tryAcquire(txn::TableLock::Mode::Exclusive);
  if (!guard.holds())
    throw SqlError(sqlstate::kLockNotAvailable, fmt::format("could not obtain lock on relation \"{}\"", table.name));
  return guard;
}

SessionLocks::StatementLocks SessionLocks::take(std::vector<sql::TablePtr> tables, const sql::TablePtr& written,
                                                const CancelToken& cancel) {
  std::erase_if(locks_, [](const auto& entry) { return entry.second.expired(); });
  std::ranges::sort(tables, {}, [](const sql::TablePtr& table) { return table->oid; });
  const auto repeated = std::ranges::unique(tables, {}, [](const sql::TablePtr& table) { return table->oid; });
  tables.erase(repeated.begin(), repeated.end());
  StatementLocks result;
  if (written) result.write = lockWriters(*written, cancel);
  for (const sql::TablePtr& table : tables) {
    if (!table->storage) continue;
    Held lock = locks_[table->oid].lock();
    if (!lock) {
      lock = std::make_shared<txn::TableLock::Guard>(table->storage->use(cancel));
      locks_[table->oid] = lock;
    }
    result.used.emplace_back(table->oid, std::move(lock));
  }
  return result;
}

bool SessionLocks::StatementLocks::covers(const std::vector<sql::TablePtr>& tables) const {
  return std::ranges::all_of(tables, [&](const sql::TablePtr& table) {
    return !table->storage ||
           std::ranges::find(used, table->oid, [](const auto& entry) { return entry.first; }) != used.end();
  });
}

bool SessionLocks::holds(uint32_t table_oid) const {
  const auto found = locks_.find(table_oid);
  return found != locks_.end() && !found->second.expired();
}

void throwInUse(std::string_view command, const std::string& table) {
  throw SqlError(
      sqlstate::kObjectInUse,
      fmt::format("cannot {} \"{}\" because it is being used by active queries in this session", command, table));
}

}  // namespace gnomon::server
