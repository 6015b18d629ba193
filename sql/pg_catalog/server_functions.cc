#include "sql/pg_catalog/server_functions.h"

#include "base/sql_error.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/session_objects.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/objects.h"
#include "sql/types/array_value.h"
#include "sql/types/calendar.h"
#include "sql/types/network_address.h"
#include "txn/table.h"

namespace gnomon::sql::pg_catalog {

SessionObjects& sessionObjects() {
  SessionObjects* const objects = requiredCatalogSession().objects;
  if (objects == nullptr) throwNotSupported("this function outside of a session");
  return *objects;
}

namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

Value startTime(Arguments, Type result) {
  return Value::fromInt(result,
                        sessionObjects().serverBegunUnixUs() - int64_t{kUnixToPostgresDays} * kMicrosecondsPerDay);
}

Value triggerDepth(Arguments, Type result) {
  return Value::fromInt(result, sessionObjects().triggerDepth());
}

/// NULL of a connection without addresses.
Value address(const std::string& text, Type result) {
  return text.empty() ? Value::null(result) : Value::fromString(result, NetworkAddress::parse(text, false).encoded());
}
Value port(uint16_t number, Type result) {
  return number == 0 ? Value::null(result) : Value::fromInt(result, number);
}
Value clientAddress(Arguments, Type result) {
  return address(sessionObjects().connection().client_address, result);
}
Value clientPort(Arguments, Type result) {
  return port(sessionObjects().connection().client_port, result);
}
Value serverAddress(Arguments, Type result) {
  return address(sessionObjects().connection().server_address, result);
}
Value serverPort(Arguments, Type result) {
  return port(sessionObjects().connection().server_port, result);
}

Value blockingSessions(Arguments arguments, Type result) {
  ArrayBuilder array(Type::of(Integer));
  for (const int32_t id : sessionObjects().blockersOf(static_cast<int32_t>(arguments[0].asInt())))
    array.add(Value::fromInt(Type::of(Integer), id));
  return Value::fromString(result, array.finish());
}

/// The names of the types, as in a list of arguments.
Value typeNames(Arguments arguments, Type result) {
  std::string names;
  const ArrayView oids(Type::of(Oid), StringValue::refer(arguments[0].bytes, StringValue::Storage::Temporary));
  for (size_t i = 0; i < oids.size(); ++i) {
    if (i > 0) names += ", ";
    names += typeName(requiredCatalogSession().catalog, static_cast<uint32_t>(oids.at(i).lo), std::nullopt);
  }
  return Value::fromString(result, names);
}

// What has been counted of tables and indexes since the server started.

using txn::TableCount;
using IndexCount = txn::TableIndex::Count;

/// The table of the oid; null: none that has rows.
TablePtr countedTable(Arguments arguments) {
  const TablePtr table = findTable(requiredCatalogSession().catalog, static_cast<uint32_t>(arguments[0].lo));
  return table && isPlainTable(*table) ? table : nullptr;
}

/// What `of` says of the table; of what is none 0.
template <typename Of>
Value ofTable(Arguments arguments, Type result, Of&& of) {
  const TablePtr table = countedTable(arguments);
  return Value::fromInt(result, table ? static_cast<int64_t>(of(*table->storage)) : 0);
}

template <TableCount which>
Value tableCount(Arguments arguments, Type result) {
  return ofTable(arguments, result, [](txn::Table& table) { return table.activity().count(which); });
}

/// The one of a table, the other of an index.
template <TableCount of_table, IndexCount of_index>
Value relationCount(Arguments arguments, Type result) {
  const FoundIndex found = findIndex(requiredCatalogSession().catalog, static_cast<uint32_t>(arguments[0].lo));
  if (found.table == nullptr) return tableCount<of_table>(arguments, result);
  return Value::fromInt(result, static_cast<int64_t>(found.index->storage->countOf(of_index)));
}

Value liveTuples(Arguments arguments, Type result) {
  return ofTable(arguments, result, [](txn::Table& table) { return table.tupleCountEstimate(); });
}
Value deadTuples(Arguments arguments, Type result) {
  return ofTable(arguments, result, [](txn::Table& table) { return table.deadTupleCountEstimate(); });
}
Value changesSinceAnalyze(Arguments arguments, Type result) {
  return ofTable(arguments, result, [](txn::Table& table) {
    return table.activity().changeCount() - table.activity().analyses().changes_before;
  });
}
Value insertsSinceVacuum(Arguments arguments, Type result) {
  return ofTable(arguments, result, [](txn::Table& table) {
    return table.activity().count(TableCount::Inserted) - table.activity().vacuums().changes_before;
  });
}
Value vacuumCount(Arguments arguments, Type result) {
  return ofTable(arguments, result, [](txn::Table& table) { return table.activity().vacuums().count; });
}
Value analyzeCount(Arguments arguments, Type result) {
  return ofTable(arguments, result, [](txn::Table& table) { return table.activity().analyses().count; });
}

Value timeOf(int64_t unix_us, Type result) {
  if (unix_us == 0) return Value::null(result);
  return Value::fromInt(result, unix_us - int64_t{kUnixToPostgresDays} * kMicrosecondsPerDay);
}
Value lastVacuum(Arguments arguments, Type result) {
  const TablePtr table = countedTable(arguments);
  return timeOf(table ? table->storage->activity().vacuums().last_unix_us : 0, result);
}
Value lastAnalyze(Arguments arguments, Type result) {
  const TablePtr table = countedTable(arguments);
  return timeOf(table ? table->storage->activity().analyses().last_unix_us : 0, result);
}

}  // namespace

void addServerFunctions(std::vector<CatalogFunction>& functions) {
  for (const CatalogFunction& function : std::initializer_list<CatalogFunction>{
           {"pg_postmaster_start_time", {}, TimestampTz, startTime},
           {"pg_conf_load_time", {}, TimestampTz, startTime},
           {"pg_trigger_depth", {}, Integer, triggerDepth},
           {"inet_client_addr", {}, Inet, clientAddress},
           {"inet_client_port", {}, Integer, clientPort},
           {"inet_server_addr", {}, Inet, serverAddress},
           {"inet_server_port", {}, Integer, serverPort},
           {"pg_blocking_pids", {Integer}, arrayOf(Integer), blockingSessions},
           {"pg_stat_get_numscans", {Oid}, Bigint, relationCount<TableCount::SequentialScans, IndexCount::Scans>},
           {"pg_stat_get_tuples_returned",
            {Oid},
            Bigint,
            relationCount<TableCount::SequentialRows, IndexCount::Entries>},
           {"pg_stat_get_tuples_fetched", {Oid}, Bigint, relationCount<TableCount::IndexRows, IndexCount::Rows>},
           {"pg_stat_get_tuples_inserted", {Oid}, Bigint, tableCount<TableCount::Inserted>},
           {"pg_stat_get_tuples_updated", {Oid}, Bigint, tableCount<TableCount::Updated>},
           {"pg_stat_get_tuples_hot_updated", {Oid}, Bigint, tableCount<TableCount::UpdatedInPlace>},
           {"pg_stat_get_tuples_deleted", {Oid}, Bigint, tableCount<TableCount::Deleted>},
           {"pg_stat_get_live_tuples", {Oid}, Bigint, liveTuples},
           {"pg_stat_get_dead_tuples", {Oid}, Bigint, deadTuples},
           {"pg_stat_get_mod_since_analyze", {Oid}, Bigint, changesSinceAnalyze},
           {"pg_stat_get_ins_since_vacuum", {Oid}, Bigint, insertsSinceVacuum},
           {"pg_stat_get_vacuum_count", {Oid}, Bigint, vacuumCount},
           {"pg_stat_get_analyze_count", {Oid}, Bigint, analyzeCount},
           {"pg_stat_get_last_vacuum_time", {Oid}, TimestampTz, lastVacuum},
           {"pg_stat_get_last_analyze_time", {Oid}, TimestampTz, lastAnalyze},
           {"oidvectortypes", {OidVector}, Text, typeNames},
       })
    functions.push_back(function);
}

}  // namespace gnomon::sql::pg_catalog
