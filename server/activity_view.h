#pragma once

#include "base/metrics.h"
#include "server/session_registry.h"
#include "sql/catalog/virtual_relation.h"

namespace gnomon::server {

/// The system view pg_stat_activity: the sessions in `sessions`, which outlives it, and the server's own threads, which
/// have no pid and cannot be asked to end. PostgreSQL 15's columns; backend_xmin, query_id and client_hostname are
/// NULL.
sql::VirtualRelation activityView(const SessionRegistry& sessions);

/// The system views pg_stat_gssapi and pg_stat_ssl: whether sessions came by these. None does.
sql::VirtualRelation gssapiView(const SessionRegistry& sessions);
sql::VirtualRelation sslView(const SessionRegistry& sessions);

/// How many sessions there are in each state.
void sampleSessions(const SessionRegistry& sessions, std::vector<MetricSample>& samples);

}  // namespace gnomon::server
