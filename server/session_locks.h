#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "txn/table_lock.h"

namespace gnomon::server {

/// The shared table locks of one session: at most one for each table, shared by the statements that are open.
///
/// A DROP that waits keeps new holders out, so a session that already holds a table (in a suspended portal) must not
/// ask for it again. Threads: the session's.
class SessionLocks {
 public:
  using Held = std::shared_ptr<txn::TableLock::Guard>;

  /// Locks the tables in ascending order of ids. Failure: 57014; 42P01 when one was dropped.
  std::vector<Held> take(std::vector<sql::TablePtr> tables, const CancelToken& cancel);
  [[nodiscard]] bool holds(uint32_t table_oid) const;

 private:
  std::map<uint32_t, std::weak_ptr<txn::TableLock::Guard>> locks_;  ///< by table oid
};

}  // namespace gnomon::server
