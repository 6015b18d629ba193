#pragma once

#include "sql/catalog/catalog.h"
#include "sql/catalog/virtual_relation.h"
#include "txn/lock_manager.h"

namespace gnomon::server {

/// The system view pg_locks: who holds tables, transactions and advisory locks, and who waits for them. Both outlive
/// it. PostgreSQL 15's columns; each lock is seen as it is at some moment, not all at the same.
sql::VirtualRelation lockView(const sql::Cluster& cluster, txn::LockManager& locks);

}  // namespace gnomon::server
