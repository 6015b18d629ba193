#pragma once

#include <string>

#include "base/settings.h"
#include "base/worker_pool.h"
#include "server/notification_hub.h"
#include "server/pgwire/reply_courier.h"
#include "server/plan_cache.h"
#include "server/session_registry.h"
#include "server/statement_timers.h"
#include "sql/catalog/catalog.h"
#include "txn/transaction.h"

namespace gnomon::txn {
class DatabaseStorage;
}

namespace gnomon::server {

/// What all sessions share. Everything outlives the sessions.
struct ServerContext {
  sql::Catalog& catalog;
  txn::DatabaseStorage& storage;
  txn::TransactionManager& transactions;
  WorkerPool& workers;
  PlanCache& plans;
  SessionRegistry& sessions;
  StatementTimers& timers;
  ReplyCourier& courier;
  NotificationHub& notifications;
  const Settings& settings;  ///< as given at start: what each session begins with
  std::string version_text;  ///< what version() answers
  const int64_t begun_unix_us;
};

}  // namespace gnomon::server
