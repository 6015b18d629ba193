#include "server/storage_views.h"

#include "server/view_columns.h"

namespace gnomon::server {
namespace {

using enum sql::TypeKind;
using Row = std::vector<sql::Value>;

constexpr uint32_t kTransactionViewOid = 16003;
constexpr uint32_t kWalViewOid = 16004;
constexpr size_t kTotalsOnly = 8;  ///< columns of gnomon_wal

Row logRow(const wal::LogCounts& log) {
  Row row{viewNumber(Smallint, log.log.value), viewBigint(log.last.value),   viewBigint(log.stable_last.value),
          viewBigint(log.filled.value),        viewBigint(log.stable.value), viewBigint(log.records),
          viewBigint(log.written_bytes)};
  for (size_t i = 0; i < kTotalsOnly; ++i) row.push_back(viewNull(Bigint));
  return row;
}

Row totalRow(const txn::DatabaseStorage& storage, const std::vector<wal::LogCounts>& logs) {
  const wal::WriteAheadLog& wal = storage.wal();
  const wal::WalCounts all = wal.counts();
  const storage::Checkpointer::Counts checkpoints = storage.checkpointCounts();
  uint64_t filled = 0;
  uint64_t stable = 0;
  for (const wal::LogCounts& log : logs) {
    filled += log.filled.value;
    stable += log.stable.value;
  }
  Row row{viewNull(Smallint)};
  for (const uint64_t number :
       {wal.lastGsn().value, wal.stableGsn().value, filled, stable, all.records, all.written_bytes, all.flushes,
        all.device_syncs, all.commits_waited, all.remote_flushes_avoided, all.total_bytes, checkpoints.checkpoints,
        checkpoints.rounds, checkpoints.released.value})
    row.push_back(viewBigint(number));
  return row;
}

}  // namespace

sql::VirtualRelation transactionView(txn::TransactionManager& transactions) {
  sql::VirtualRelation view;
  view.oid = kTransactionViewOid;
  view.name = "gnomon_transactions";
  view.columns = viewColumns({{"snapshots", Bigint},
                              {"oldest_snapshot", Bigint},
                              {"last_commit", Bigint},
                              {"active", Bigint},
                              {"retained", Bigint},
                              {"version_bytes", Bigint},
                              {"version_maps", Bigint},
                              {"orphaned_maps", Bigint}});
  view.rows = [&transactions] {
    const txn::TransactionCounts counts = transactions.counts();
    Row row;
    for (const uint64_t number : {uint64_t{counts.snapshots}, counts.oldest_snapshot, counts.last_commit,
                                  uint64_t{counts.active}, uint64_t{counts.retained}, counts.version_bytes,
                                  uint64_t{counts.version_maps}, uint64_t{counts.orphaned_maps}})
      row.push_back(viewBigint(number));
    return sql::VirtualRows{std::move(row)};
  };
  return view;
}

void sampleTransactions(txn::TransactionManager& transactions, std::vector<MetricSample>& samples) {
  using MetricKind = MetricSample::Kind;
  const txn::TransactionCounts counts = transactions.counts();
  samples.push_back({"gnomon_transactions_committed_total", MetricKind::Counter, "", counts.last_commit});
  samples.push_back({"gnomon_transactions_active", MetricKind::Gauge, "", counts.active});
  samples.push_back({"gnomon_transactions_retained", MetricKind::Gauge, "", counts.retained});
  samples.push_back({"gnomon_snapshots", MetricKind::Gauge, "", counts.snapshots});
  samples.push_back(
      {"gnomon_snapshot_age_commits", MetricKind::Gauge, "", counts.last_commit - counts.oldest_snapshot});
  samples.push_back({"gnomon_version_bytes", MetricKind::Gauge, "", counts.version_bytes});
  samples.push_back({"gnomon_version_maps", MetricKind::Gauge, "", counts.version_maps});
  samples.push_back({"gnomon_version_maps_orphaned", MetricKind::Gauge, "", counts.orphaned_maps});
}

sql::VirtualRelation walView(const txn::DatabaseStorage& storage) {
  sql::VirtualRelation view;
  view.oid = kWalViewOid;
  view.name = "gnomon_wal";
  view.columns = viewColumns({{"log", Smallint},
                              {"last_gsn", Bigint},
                              {"stable_gsn", Bigint},
                              {"appended_bytes", Bigint},
                              {"stable_bytes", Bigint},
                              {"records", Bigint},
                              {"written_bytes", Bigint},
                              {"flushes", Bigint},
                              {"device_syncs", Bigint},
                              {"commits_waited", Bigint},
                              {"remote_flushes_avoided", Bigint},
                              {"disk_bytes", Bigint},
                              {"checkpoints", Bigint},
                              {"checkpoint_rounds", Bigint},
                              {"released_gsn", Bigint}});
  view.rows_expected = 4;
  view.rows = [&storage] {
    const std::vector<wal::LogCounts> logs = storage.wal().logCounts();
    sql::VirtualRows rows;
    for (const wal::LogCounts& log : logs) rows.push_back(logRow(log));
    rows.push_back(totalRow(storage, logs));
    return rows;
  };
  return view;
}

void sampleCheckpoints(const txn::DatabaseStorage& storage, std::vector<MetricSample>& samples) {
  const storage::Checkpointer::Counts counts = storage.checkpointCounts();
  using MetricKind = MetricSample::Kind;
  samples.push_back({"gnomon_checkpoints_total", MetricKind::Counter, "", counts.checkpoints});
  samples.push_back({"gnomon_checkpoint_rounds_total", MetricKind::Counter, "", counts.rounds});
}

}  // namespace gnomon::server
