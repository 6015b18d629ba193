#include "server/session_views.h"

#include "server/portals.h"
#include "server/prepared_statements.h"
#include "server/session_notifications.h"
#include "server/view_columns.h"
#include "sql/catalog/catalog_session.h"
#include "sql/types/array_value.h"

namespace gnomon::server {
namespace {

using enum sql::TypeKind;

constexpr uint32_t kCursorsViewOid = 12094;
constexpr uint32_t kPreparedStatementsViewOid = 12098;

/// Of the parameters of a prepared statement, or of none.
sql::Value parameterTypes(const DescribedStatement* statement) {
  const sql::Type element = sql::Type::of(Regtype);
  sql::ArrayBuilder array(element);
  const size_t count = statement != nullptr ? statement->bound->parameters.size() : 0;
  for (size_t i = 0; i < count; ++i) array.add(viewNumber(Regtype, statement->oidOfParameter(i)));
  return sql::Value::fromString(sql::Type::of(sql::arrayOf(Regtype)), array.finish());
}

const sql::SessionObjects* objectsOfReader() {
  const sql::CatalogSession* const session = sql::catalogSession();
  return session != nullptr ? session->objects : nullptr;
}

}  // namespace

sql::VirtualRows SessionViews::cursors() const {
  sql::VirtualRows rows;
  session_.portals.forEach([&rows](const std::string& name, const BoundPortal& place) {
    if (!place.portal) return;
    const Cursor::Options* const options = place.cursor ? &place.cursor->options() : nullptr;
    rows.push_back({viewText(name), viewText(options != nullptr ? *options->text : *place.portal->text()),
                    viewFlag(options != nullptr && options->is_held),
                    viewFlag(options != nullptr && options->is_binary),
                    viewFlag(options != nullptr && options->is_scrollable),
                    viewTime(options != nullptr ? options->created_us : place.bound_us)});
  });
  return rows;
}

sql::VirtualRows SessionViews::preparedStatements() const {
  sql::VirtualRows rows;
  session_.statements.forEach([&rows](const std::string& name, const PreparedStatement& prepared) {
    rows.push_back({viewText(name), viewText(*prepared.shown_text), viewTime(prepared.prepared_us),
                    parameterTypes(prepared.statement.get()), viewFlag(prepared.is_from_sql),
                    viewBigint(prepared.execution_count), viewBigint(0)});
  });
  return rows;
}

std::vector<std::string> SessionViews::channels() const {
  return session_.notifications.channels();
}

void SessionViews::notify(std::string_view channel, std::string_view payload) {
  session_.notifications.notify(channel, payload);
}

double SessionViews::notificationQueueUsage() const {
  return session_.notifications.queueUsage();
}

SessionViews::Connection SessionViews::connection() const {
  const SessionStatus::Snapshot status = session_.status.snapshot();
  if (status.client_address.empty()) return {};
  const Settings& settings = session_.server.settings;
  return {status.client_address, settings.text(SettingId::ListenAddresses), static_cast<uint16_t>(status.client_port),
          static_cast<uint16_t>(settings.integer(SettingId::Port))};
}

int64_t SessionViews::serverBegunUnixUs() const {
  return session_.server.begun_unix_us;
}

std::vector<int32_t> SessionViews::blockersOf(int32_t session) const {
  return session_.server.transactions.locks().blockersOf(session);
}

sql::VirtualRelation cursorsView() {
  sql::VirtualRelation view;
  view.oid = kCursorsViewOid;
  view.name = "pg_cursors";
  view.columns = viewColumns({{"name", Text},
                              {"statement", Text},
                              {"is_holdable", Boolean},
                              {"is_binary", Boolean},
                              {"is_scrollable", Boolean},
                              {"creation_time", TimestampTz}});
  view.rows = [] {
    const sql::SessionObjects* const objects = objectsOfReader();
    return objects != nullptr ? objects->cursors() : sql::VirtualRows{};
  };
  return view;
}

sql::VirtualRelation preparedStatementsView() {
  sql::VirtualRelation view;
  view.oid = kPreparedStatementsViewOid;
  view.name = "pg_prepared_statements";
  view.columns = viewColumns({{"name", Text},
                              {"statement", Text},
                              {"prepare_time", TimestampTz},
                              {"parameter_types", sql::arrayOf(Regtype)},
                              {"from_sql", Boolean},
                              {"generic_plans", Bigint},
                              {"custom_plans", Bigint}});
  view.rows = [] {
    const sql::SessionObjects* const objects = objectsOfReader();
    return objects != nullptr ? objects->preparedStatements() : sql::VirtualRows{};
  };
  return view;
}

}  // namespace gnomon::server
