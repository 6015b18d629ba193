#pragma once

#include <vector>

#include "server/session_registry.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/virtual_relation.h"
#include "txn/database_storage.h"

namespace gnomon::server {

/// PostgreSQL 15's pg_stat_database, pg_stat_{all,user,sys}_{tables,indexes} and pg_statio_*, with its columns. All
/// counts begin with the server's start. What is not counted is NULL: pages by relation, times of sessions. What there
/// is not is 0: conflicts with recovery, VACUUM on its own account. The arguments outlive the views.
std::vector<sql::VirtualRelation> statisticsViews(const sql::Cluster& cluster, txn::DatabaseStorage& storage,
                                                  const SessionRegistry& sessions);

}  // namespace gnomon::server
