#include "server/session_locks.h"

#include <algorithm>

#include "txn/table.h"

namespace gnomon::server {

std::vector<SessionLocks::Held> SessionLocks::take(std::vector<sql::TablePtr> tables, const CancelToken& cancel) {
  std::erase_if(locks_, [](const auto& entry) { return entry.second.expired(); });
  std::ranges::sort(tables, {}, [](const sql::TablePtr& table) { return table->oid; });
  const auto repeated = std::ranges::unique(tables, {}, [](const sql::TablePtr& table) { return table->oid; });
  tables.erase(repeated.begin(), repeated.end());
  std::vector<Held> held;
  for (const sql::TablePtr& table : tables) {
    if (!table->storage) continue;
    Held lock = locks_[table->oid].lock();
    if (!lock) {
      lock = std::make_shared<txn::TableLock::Guard>(table->storage->use(cancel));
      locks_[table->oid] = lock;
    }
    held.push_back(std::move(lock));
  }
  return held;
}

bool SessionLocks::holds(uint32_t table_oid) const {
  const auto found = locks_.find(table_oid);
  return found != locks_.end() && !found->second.expired();
}

}  // namespace gnomon::server
