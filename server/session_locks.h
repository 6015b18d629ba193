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

  /// What one statement holds.
  struct StatementLocks {
    txn::TableLock::Guard write;                                ///< on the writers of the table that it writes
    std::vector<std::pair<uint32_t, SessionLocks::Held>> used;  ///< by table oid, ascending

    [[nodiscard]] bool covers(const std::vector<sql::TablePtr>& tables) const;
    void release() {
      used.clear();
      write.release();
    }
  };

  /// Locks the writers of `written` (null: none), then the tables in ascending order of ids. Failure: 57014; 42P01 when
  /// one was dropped; 55P03 when a session that holds tables in a suspended portal would have to wait for a writer,
  /// which may be waiting for those.
  StatementLocks take(std::vector<sql::TablePtr> tables, const sql::TablePtr& written, const CancelToken& cancel);
  [[nodiscard]] bool holds(uint32_t table_oid) const;

 private:
  txn::TableLock::Guard lockWriters(const sql::TableEntry& table, const CancelToken& cancel) const;
  std::map<uint32_t, std::weak_ptr<txn::TableLock::Guard>> locks_;  ///< by table oid
};

/// 55006: the session itself stands in the way of `command` on the table.
[[noreturn]] void throwInUse(std::string_view command, const std::string& table);

}  // namespace gnomon::server
