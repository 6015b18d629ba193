#include "server/lock_view.h"

#include <set>

#include "server/view_columns.h"
#include "sql/catalog/catalog_session.h"
#include "txn/table.h"

namespace gnomon::server {
namespace {

using enum sql::TypeKind;
using Kind = txn::LockState::Kind;
using Row = std::vector<sql::Value>;

constexpr uint32_t kLockViewOid = 16002;

std::string_view lockTypeName(Kind kind) {
  switch (kind) {
    case Kind::Relation:
      return "relation";
    case Kind::Transaction:
      return "transactionid";
    case Kind::Advisory:
      return "advisory";
    case Kind::Object:
      return "object";
  }
  return {};
}

/// `database`: that of what is locked, where it has one.
Row lockRow(const txn::LockState& lock, uint32_t database) {
  const bool is_advisory = lock.kind == Kind::Advisory;
  const bool is_transaction = lock.kind == Kind::Transaction;
  Row row{viewText(lockTypeName(lock.kind)),
          is_transaction ? viewNull(Oid) : viewNumber(Oid, is_advisory ? lock.key.database : database),
          lock.kind == Kind::Relation ? viewNumber(Oid, lock.oid) : viewNull(Oid),
          viewNull(Integer),
          viewNull(Smallint),
          viewNull(Text),
          is_transaction ? viewNumber(Xid, static_cast<uint32_t>(lock.transaction)) : viewNull(Xid)};
  row.push_back(is_advisory ? viewNumber(Oid, static_cast<uint32_t>(lock.key.number >> 32)) : viewNull(Oid));
  row.push_back(is_advisory ? viewNumber(Oid, static_cast<uint32_t>(lock.key.number)) : viewNull(Oid));
  row.push_back(is_advisory ? viewNumber(Smallint, lock.key.is_pair ? 2 : 1) : viewNull(Smallint));
  row.push_back(viewNull(Text));
  row.push_back(lock.process_id == 0 ? viewNull(Integer) : viewNumber(Integer, lock.process_id));
  row.push_back(viewText(txn::lockModeName(lock.mode)));
  row.push_back(viewFlag(lock.is_granted));
  row.push_back(viewFlag(false));
  row.push_back(viewTime(lock.waits_since_unix_us));
  return row;
}

}  // namespace

sql::VirtualRelation lockView(const sql::Cluster& cluster, txn::LockManager& locks) {
  sql::VirtualRelation view;
  view.oid = kLockViewOid;
  view.name = "pg_locks";
  view.columns = viewColumns({{"locktype", Text},
                              {"database", Oid},
                              {"relation", Oid},
                              {"page", Integer},
                              {"tuple", Smallint},
                              {"virtualxid", Text},
                              {"transactionid", Xid},
                              {"classid", Oid},
                              {"objid", Oid},
                              {"objsubid", Smallint},
                              {"virtualtransaction", Text},
                              {"pid", Integer},
                              {"mode", Text},
                              {"granted", Boolean},
                              {"fastpath", Boolean},
                              {"waitstart", TimestampTz}});
  view.rows_expected = 20;
  view.rows = [&cluster, &locks] {
    std::vector<txn::LockState> states;
    sql::VirtualRows rows;
    const auto add = [&](uint32_t database) {
      for (const txn::LockState& state : states) rows.push_back(lockRow(state, database));
      states.clear();
    };
    // Partitions have the lock of their table.
    std::set<const txn::ObjectLock*> listed;
    for (const auto& catalog : cluster.catalogs()) {
      for (const sql::TablePtr& table : catalog->tables())
        if (table->storage != nullptr && listed.insert(table->storage->lock().get()).second)
          table->storage->lock()->list(states);
      add(catalog->databaseOid());
    }
    locks.list(states);
    add(0);
    return rows;
  };
  return view;
}

}  // namespace gnomon::server
