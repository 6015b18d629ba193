#pragma once

#include "base/metrics.h"
#include "sql/catalog/virtual_relation.h"
#include "txn/database_storage.h"

/// Views of what the storage keeps and has counted, and the same as metrics. The storage outlives them.
namespace gnomon::server {

/// gnomon_transactions: one row.
sql::VirtualRelation transactionView(txn::TransactionManager& transactions);
void sampleTransactions(txn::TransactionManager& transactions, std::vector<MetricSample>& samples);

/// gnomon_wal: a row for each log, and one for all of them, whose log is NULL and which alone has the counts from
/// flushes on.
sql::VirtualRelation walView(const txn::DatabaseStorage& storage);
/// What the log does not report itself.
void sampleCheckpoints(const txn::DatabaseStorage& storage, std::vector<MetricSample>& samples);

}  // namespace gnomon::server
