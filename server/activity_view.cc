#include "server/activity_view.h"

#include <array>

#include <fmt/format.h>

#include "server/view_columns.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/roles.h"
#include "sql/types/text_io.h"

namespace gnomon::server {
namespace {

using enum sql::TypeKind;
using State = SessionStatus::State;
using Row = std::vector<sql::Value>;

constexpr uint32_t kActivityViewOid = 16001, kGssapiViewOid = 16005, kSslViewOid = 16006;
/// As PostgreSQL's track_activity_query_size, one byte for its end taken off.
constexpr size_t kQueryBytesMax = 1023;

std::string_view stateName(State state) {
  switch (state) {
    case State::Starting:
      return {};
    case State::Active:
      return "active";
    case State::Idle:
      return "idle";
    case State::InBlock:
      return "idle in transaction";
    case State::InFailedBlock:
      return "idle in transaction (aborted)";
  }
  return {};
}

/// What fits, without a part of a character.
std::string_view cutQuery(std::string_view text) {
  if (text.size() <= kQueryBytesMax) return text;
  size_t end = kQueryBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

void addWait(Row& row, WaitEvent wait) {
  const WaitEventName name = nameOf(wait);
  row.push_back(viewTextOrNull(name.type));
  row.push_back(viewTextOrNull(name.event));
}

/// Sessions of others show what they do to those who have the rights of their role, and to who may see all.
bool isOpenTo(const sql::RolePtr& role) {
  const sql::CatalogView& catalog = sql::requiredCatalogSession().catalog;
  const uint32_t current = catalog.actors().current;
  return hasRightsOf(catalog, current, role ? role->oid : 0) || hasRightsOf(catalog, current, sql::kReadAllStatsRole);
}

/// All behind the application's name.
void hide(Row& row) {
  constexpr size_t kFirstHidden = 7;
  const size_t query = row.size() - 2;
  for (size_t i = kFirstHidden; i < row.size(); ++i) row[i] = sql::Value::null(row[i].type);
  row[query] = viewText("<insufficient privilege>");
}

Row sessionRow(int32_t id, const SessionStatus& status) {
  const SessionStatus::Snapshot now = status.snapshot();
  const sql::RolePtr role = sql::requiredCatalogSession().catalog.findRole(now.user);
  sql::DatabasePtr database;
  for (sql::DatabasePtr& each : sql::requiredCatalogSession().catalog.databases())
    if (each->oid == now.database) database = std::move(each);
  Row row{database ? viewNumber(Oid, database->oid) : viewNull(Oid),
          database ? viewName(database->name) : viewNull(Name),
          viewNumber(Integer, id),
          viewNull(Integer),
          viewNumber(Oid, role ? role->oid : 0),
          viewName(now.user),
          viewText(now.application),
          now.client_address.empty() ? viewNull(Inet) : sql::parseText(sql::Type::of(Inet), now.client_address),
          viewNull(Text),
          now.client_port == 0 ? viewNull(Integer) : viewNumber(Integer, now.client_port),
          viewTime(now.begun_us),
          viewTime(now.transaction_begun_us),
          viewTime(now.query_begun_us),
          viewTime(now.state_changed_us)};
  addWait(row, now.wait);
  row.push_back(viewTextOrNull(stateName(now.state)));
  row.push_back(now.transaction ? viewNumber(Xid, static_cast<uint32_t>(*now.transaction)) : viewNull(Xid));
  row.push_back(viewNull(Xid));
  row.push_back(viewNull(Bigint));
  row.push_back(viewText(cutQuery(now.query)));
  row.push_back(viewText("client backend"));
  if (!isOpenTo(role)) hide(row);
  return row;
}

Row threadRow(const BackgroundThread::Info& thread) {
  Row row{viewNull(Oid),
          viewNull(Name),
          viewNull(Integer),
          viewNull(Integer),
          viewNull(Oid),
          viewNull(Name),
          viewText(""),
          viewNull(Inet),
          viewNull(Text),
          viewNull(Integer),
          viewTime(thread.begun_unix_us)};
  for (int i = 0; i < 3; ++i) row.push_back(viewNull(TimestampTz));
  addWait(row, thread.wait);
  row.push_back(viewNull(Text));
  for (const sql::TypeKind kind : {Xid, Xid, Bigint}) row.push_back(viewNull(kind));
  row.push_back(viewText(""));
  row.push_back(viewText(thread.name));
  return row;
}

}  // namespace

sql::VirtualRelation activityView(const SessionRegistry& sessions) {
  sql::VirtualRelation view;
  view.oid = kActivityViewOid;
  view.name = "pg_stat_activity";
  view.columns = viewColumns({{"datid", Oid},
                              {"datname", Name},
                              {"pid", Integer},
                              {"leader_pid", Integer},
                              {"usesysid", Oid},
                              {"usename", Name},
                              {"application_name", Text},
                              {"client_addr", Inet},
                              {"client_hostname", Text},
                              {"client_port", Integer},
                              {"backend_start", TimestampTz},
                              {"xact_start", TimestampTz},
                              {"query_start", TimestampTz},
                              {"state_change", TimestampTz},
                              {"wait_event_type", Text},
                              {"wait_event", Text},
                              {"state", Text},
                              {"backend_xid", Xid},
                              {"backend_xmin", Xid},
                              {"query_id", Bigint},
                              {"query", Text},
                              {"backend_type", Text}});
  view.rows_expected = 20;
  view.rows = [&sessions] {
    sql::VirtualRows rows;
    sessions.forEach([&](int32_t id, const SessionStatus& status) { rows.push_back(sessionRow(id, status)); });
    for (const BackgroundThread::Info& thread : BackgroundThread::list()) rows.push_back(threadRow(thread));
    return rows;
  };
  return view;
}

sql::VirtualRelation gssapiView(const SessionRegistry& sessions) {
  sql::VirtualRelation view;
  view.oid = kGssapiViewOid;
  view.name = "pg_stat_gssapi";
  view.columns =
      viewColumns({{"pid", Integer}, {"gss_authenticated", Boolean}, {"principal", Text}, {"encrypted", Boolean}});
  view.rows_expected = 20;
  view.rows = [&sessions] {
    sql::VirtualRows rows;
    sessions.forEach([&](int32_t id, const SessionStatus&) {
      rows.push_back({viewNumber(Integer, id), viewFlag(false), viewNull(Text), viewFlag(false)});
    });
    return rows;
  };
  return view;
}

sql::VirtualRelation sslView(const SessionRegistry& sessions) {
  sql::VirtualRelation view;
  view.oid = kSslViewOid;
  view.name = "pg_stat_ssl";
  view.columns = viewColumns({{"pid", Integer},
                              {"ssl", Boolean},
                              {"version", Text},
                              {"cipher", Text},
                              {"bits", Integer},
                              {"client_dn", Text},
                              {"client_serial", Numeric},
                              {"issuer_dn", Text}});
  view.rows_expected = 20;
  view.rows = [&sessions] {
    sql::VirtualRows rows;
    sessions.forEach([&](int32_t id, const SessionStatus&) {
      rows.push_back({viewNumber(Integer, id), viewFlag(false), viewNull(Text), viewNull(Text), viewNull(Integer),
                      viewNull(Text), viewNull(Numeric), viewNull(Text)});
    });
    return rows;
  };
  return view;
}

void sampleSessions(const SessionRegistry& sessions, std::vector<MetricSample>& samples) {
  constexpr State kStates[] = {State::Active, State::Idle, State::InBlock, State::InFailedBlock};
  std::array<uint64_t, static_cast<size_t>(State::InFailedBlock) + 1> counts{};
  sessions.forEach([&](int32_t, const SessionStatus& status) { ++counts[static_cast<size_t>(status.state())]; });
  for (const State state : kStates)
    samples.push_back({"gnomon_sessions", MetricSample::Kind::Gauge, fmt::format("state=\"{}\"", stateName(state)),
                       counts[static_cast<size_t>(state)]});
}

}  // namespace gnomon::server
