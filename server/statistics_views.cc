#include "server/statistics_views.h"

#include <fmt/format.h>

#include "base/metrics.h"
#include "base/wait_event.h"
#include "server/view_columns.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/table_entry.h"
#include "txn/table.h"

namespace gnomon::server {
namespace {

using enum sql::TypeKind;
using txn::TableCount;
using Row = std::vector<sql::Value>;
using Columns = std::initializer_list<ViewColumn>;
using IndexCount = txn::TableIndex::Count;

/// A family of views, over all tables, users' and the system's, and their numbers in PostgreSQL.
struct Family {
  std::string_view subject;  ///< "tables"
  std::string_view prefix;   ///< "pg_stat"
  uint32_t all_oid, user_oid, system_oid;
};

/// Of the database of who asks.
const sql::CatalogView& own() {
  return sql::requiredCatalogSession().catalog;
}

template <typename AddRow>
void forEachTable(const sql::CatalogView& catalog, AddRow&& add) {
  for (const sql::TablePtr& table : catalog.tables())
    if (table->storage != nullptr && !table->sequence && !table->partitioning) add(*table);
}

Row nameOf(const sql::TableEntry& table) {
  return {viewNumber(Oid, table.oid), viewName(table.schema), viewName(table.name)};
}

Row nameOf(const sql::TableEntry& table, const sql::IndexEntry& index) {
  return {viewNumber(Oid, table.oid), viewNumber(Oid, index.oid), viewName(table.schema), viewName(table.name),
          viewName(index.name)};
}

Row tableRow(const sql::TableEntry& table) {
  const txn::TableActivity& activity = table.storage->activity();
  const auto count = [&](TableCount which) { return viewBigint(activity.count(which)); };
  // By way of an index, where there is one.
  const auto countIndexed = [&](TableCount which) { return table.indexes.empty() ? viewNull(Bigint) : count(which); };
  const auto vacuums = activity.vacuums();
  const auto analyses = activity.analyses();
  Row row = nameOf(table);
  for (sql::Value value : {count(TableCount::SequentialScans),
                           count(TableCount::SequentialRows),
                           countIndexed(TableCount::IndexScans),
                           countIndexed(TableCount::IndexRows),
                           count(TableCount::Inserted),
                           count(TableCount::Updated),
                           count(TableCount::Deleted),
                           count(TableCount::UpdatedInPlace),
                           viewBigint(table.storage->tupleCountEstimate()),
                           viewBigint(table.storage->deadTupleCountEstimate()),
                           viewBigint(activity.changeCount() - analyses.changes_before),
                           viewBigint(activity.count(TableCount::Inserted) - vacuums.changes_before),
                           viewTime(vacuums.last_unix_us),
                           viewNull(TimestampTz),
                           viewTime(analyses.last_unix_us),
                           viewNull(TimestampTz),
                           viewBigint(vacuums.count),
                           viewBigint(0),
                           viewBigint(analyses.count),
                           viewBigint(0)})
    row.push_back(std::move(value));
  return row;
}

sql::VirtualRows tableRows(const sql::CatalogView& catalog) {
  sql::VirtualRows rows;
  forEachTable(catalog, [&](const sql::TableEntry& table) { rows.push_back(tableRow(table)); });
  return rows;
}

template <typename AddColumns>
sql::VirtualRows indexRows(const sql::CatalogView& catalog, AddColumns&& add) {
  sql::VirtualRows rows;
  forEachTable(catalog, [&](const sql::TableEntry& table) {
    for (const sql::IndexPtr& index : table.indexes) add(*index, rows.emplace_back(nameOf(table, *index)));
  });
  return rows;
}

sql::VirtualRows indexCounts(const sql::CatalogView& catalog) {
  return indexRows(catalog, [](const sql::IndexEntry& index, Row& row) {
    for (const IndexCount which : {IndexCount::Scans, IndexCount::Entries, IndexCount::Rows})
      row.push_back(viewBigint(index.storage->countOf(which)));
  });
}

void addUncounted(Row& row, size_t columns) {
  for (size_t i = 0; i < columns; ++i) row.push_back(viewNull(Bigint));
}

sql::VirtualRows tablePages(const sql::CatalogView& catalog) {
  sql::VirtualRows rows;
  forEachTable(catalog, [&](const sql::TableEntry& table) { addUncounted(rows.emplace_back(nameOf(table)), 8); });
  return rows;
}

sql::VirtualRows indexPages(const sql::CatalogView& catalog) {
  return indexRows(catalog, [](const sql::IndexEntry&, Row& row) { addUncounted(row, 2); });
}

sql::VirtualRows sequencePages(const sql::CatalogView& catalog) {
  sql::VirtualRows rows;
  for (const sql::TablePtr& table : catalog.tables())
    if (table->sequence) addUncounted(rows.emplace_back(nameOf(*table)), 2);
  return rows;
}

void addFamily(std::vector<sql::VirtualRelation>& views, const Family& family, Columns columns,
               std::function<sql::VirtualRows()> rows) {
  sql::VirtualRelation all;
  all.name = fmt::format("{}_all_{}", family.prefix, family.subject);
  all.oid = family.all_oid;
  all.columns = viewColumns(columns);
  all.rows_expected = 50;
  all.rows = std::move(rows);
  constexpr std::string_view kOfSystem =
      "schemaname IN ('pg_catalog', 'information_schema') OR schemaname LIKE 'pg\\_toast%'";
  for (const bool is_system : {false, true}) {
    sql::VirtualRelation part = all;
    part.name = fmt::format("{}_{}_{}", family.prefix, is_system ? "sys" : "user", family.subject);
    part.oid = is_system ? family.system_oid : family.user_oid;
    part.query = fmt::format("SELECT * FROM pg_catalog.{} WHERE {} ({})", all.name, is_system ? "" : "NOT", kOfSystem);
    views.push_back(std::move(part));
  }
  views.push_back(std::move(all));
}

/// From checksums on.
void addUnknown(Row& row, int64_t begun_us, sql::Value sessions) {
  row.push_back(viewNull(Bigint));
  row.push_back(viewNull(TimestampTz));
  for (int i = 0; i < 5; ++i) row.push_back(viewNull(Double));
  row.push_back(std::move(sessions));
  for (int i = 0; i < 3; ++i) row.push_back(viewNull(Bigint));
  row.push_back(viewTime(begun_us));
}

/// What is not known by database: pages and temporary files.
Row sharedRow(txn::DatabaseStorage& storage, int64_t begun_us) {
  const storage::BufferCounts pages = storage.buffers().counts();
  Row row{viewNumber(Oid, 0), viewNull(Name), viewNumber(Integer, 0)};
  for (int i = 0; i < 2; ++i) row.push_back(viewBigint(0));
  row.push_back(viewBigint(pages.reads));
  row.push_back(viewBigint(pages.hits));
  for (int i = 0; i < 6; ++i) row.push_back(viewBigint(0));
  row.push_back(viewBigint(Metrics::instance().value(CounterId::TemporaryFiles)));
  row.push_back(viewBigint(Metrics::instance().value(CounterId::TemporaryBytes)));
  row.push_back(viewBigint(0));
  addUnknown(row, begun_us, viewBigint(0));
  return row;
}

Row databaseRow(const sql::DatabaseEntry& database, sql::Catalog& catalog, const SessionRegistry& sessions,
                int64_t begun_us) {
  using Count = sql::DatabaseActivity::Count;
  const auto count = [&](Count which) { return viewBigint(catalog.activity().count(which)); };
  const std::vector<sql::TablePtr> entries = catalog.entries();
  const auto tuples = [&](TableCount which) {
    uint64_t sum = catalog.activity().kept(which);
    for (const sql::TablePtr& entry : entries)
      if (entry->storage && !entry->sequence) sum += entry->storage->activity().count(which);
    return viewBigint(sum);
  };
  int64_t session_count = 0;
  sessions.forEach([&](int32_t, const SessionStatus& status) {
    if (status.database() == database.oid) ++session_count;
  });
  Row row{viewNumber(Oid, database.oid),
          viewName(database.name),
          viewNumber(Integer, session_count),
          count(Count::Commits),
          count(Count::Rollbacks),
          viewNull(Bigint),
          viewNull(Bigint),
          tuples(TableCount::SequentialRows),
          tuples(TableCount::IndexRows),
          tuples(TableCount::Inserted),
          tuples(TableCount::Updated),
          tuples(TableCount::Deleted),
          viewBigint(0),
          viewNull(Bigint),
          viewNull(Bigint),
          count(Count::Deadlocks)};
  addUnknown(row, begun_us, count(Count::Sessions));
  return row;
}

sql::VirtualRelation databaseView(const sql::Cluster& cluster, txn::DatabaseStorage& storage,
                                  const SessionRegistry& sessions) {
  constexpr uint32_t kDatabaseStatisticsOid = 12266;
  sql::VirtualRelation view;
  view.oid = kDatabaseStatisticsOid;
  view.name = "pg_stat_database";
  view.columns = viewColumns({{"datid", Oid},
                              {"datname", Name},
                              {"numbackends", Integer},
                              {"xact_commit", Bigint},
                              {"xact_rollback", Bigint},
                              {"blks_read", Bigint},
                              {"blks_hit", Bigint},
                              {"tup_returned", Bigint},
                              {"tup_fetched", Bigint},
                              {"tup_inserted", Bigint},
                              {"tup_updated", Bigint},
                              {"tup_deleted", Bigint},
                              {"conflicts", Bigint},
                              {"temp_files", Bigint},
                              {"temp_bytes", Bigint},
                              {"deadlocks", Bigint},
                              {"checksum_failures", Bigint},
                              {"checksum_last_failure", TimestampTz},
                              {"blk_read_time", Double},
                              {"blk_write_time", Double},
                              {"session_time", Double},
                              {"active_time", Double},
                              {"idle_in_transaction_time", Double},
                              {"sessions", Bigint},
                              {"sessions_abandoned", Bigint},
                              {"sessions_fatal", Bigint},
                              {"sessions_killed", Bigint},
                              {"stats_reset", TimestampTz}});
  view.rows_expected = 5;
  view.rows = [&cluster, &storage, &sessions, begun_us = unixTimeUs()] {
    sql::VirtualRows rows{sharedRow(storage, begun_us)};
    for (const sql::DatabasePtr& database : own().databases())
      if (const std::shared_ptr<sql::Catalog> catalog = cluster.catalogOf(database->oid))
        rows.push_back(databaseRow(*database, *catalog, sessions, begun_us));
    return rows;
  };
  return view;
}

}  // namespace

std::vector<sql::VirtualRelation> statisticsViews(const sql::Cluster& cluster, txn::DatabaseStorage& storage,
                                                  const SessionRegistry& sessions) {
  std::vector<sql::VirtualRelation> views;
  views.push_back(databaseView(cluster, storage, sessions));
  addFamily(views, {"tables", "pg_stat", 12142, 12161, 12152},
            {{"relid", Oid},
             {"schemaname", Name},
             {"relname", Name},
             {"seq_scan", Bigint},
             {"seq_tup_read", Bigint},
             {"idx_scan", Bigint},
             {"idx_tup_fetch", Bigint},
             {"n_tup_ins", Bigint},
             {"n_tup_upd", Bigint},
             {"n_tup_del", Bigint},
             {"n_tup_hot_upd", Bigint},
             {"n_live_tup", Bigint},
             {"n_dead_tup", Bigint},
             {"n_mod_since_analyze", Bigint},
             {"n_ins_since_vacuum", Bigint},
             {"last_vacuum", TimestampTz},
             {"last_autovacuum", TimestampTz},
             {"last_analyze", TimestampTz},
             {"last_autoanalyze", TimestampTz},
             {"vacuum_count", Bigint},
             {"autovacuum_count", Bigint},
             {"analyze_count", Bigint},
             {"autoanalyze_count", Bigint}},
            [] { return tableRows(own()); });
  addFamily(views, {"indexes", "pg_stat", 12183, 12192, 12188},
            {{"relid", Oid},
             {"indexrelid", Oid},
             {"schemaname", Name},
             {"relname", Name},
             {"indexrelname", Name},
             {"idx_scan", Bigint},
             {"idx_tup_read", Bigint},
             {"idx_tup_fetch", Bigint}},
            [] { return indexCounts(own()); });
  addFamily(views, {"tables", "pg_statio", 12170, 12179, 12175},
            {{"relid", Oid},
             {"schemaname", Name},
             {"relname", Name},
             {"heap_blks_read", Bigint},
             {"heap_blks_hit", Bigint},
             {"idx_blks_read", Bigint},
             {"idx_blks_hit", Bigint},
             {"toast_blks_read", Bigint},
             {"toast_blks_hit", Bigint},
             {"tidx_blks_read", Bigint},
             {"tidx_blks_hit", Bigint}},
            [] { return tablePages(own()); });
  addFamily(views, {"indexes", "pg_statio", 12196, 12205, 12201},
            {{"relid", Oid},
             {"indexrelid", Oid},
             {"schemaname", Name},
             {"relname", Name},
             {"indexrelname", Name},
             {"idx_blks_read", Bigint},
             {"idx_blks_hit", Bigint}},
            [] { return indexPages(own()); });
  addFamily(views, {"sequences", "pg_statio", 12209, 12218, 12214},
            {{"relid", Oid}, {"schemaname", Name}, {"relname", Name}, {"blks_read", Bigint}, {"blks_hit", Bigint}},
            [] { return sequencePages(own()); });
  return views;
}

}  // namespace gnomon::server
