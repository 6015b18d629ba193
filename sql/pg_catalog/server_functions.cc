#include "sql/pg_catalog/server_functions.h"

#include "base/sql_error.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/session_objects.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/objects.h"
#include "sql/types/array_value.h"
#include "sql/types/calendar.h"
#include "sql/types/network_address.h"

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

/// No function has a body that was parsed when it was made.
Value none(Arguments, Type result) {
  return Value::null(result);
}

}  // namespace

void addServerFunctions(std::vector<CatalogFunction>& functions) {
  for (const CatalogFunction& function : std::initializer_list<CatalogFunction>{
           {"pg_postmaster_start_time", {}, TimestampTz, startTime},
           {"pg_conf_load_time", {}, TimestampTz, startTime},
           {"inet_client_addr", {}, Inet, clientAddress},
           {"inet_client_port", {}, Integer, clientPort},
           {"inet_server_addr", {}, Inet, serverAddress},
           {"inet_server_port", {}, Integer, serverPort},
           {"pg_blocking_pids", {Integer}, arrayOf(Integer), blockingSessions},
           {"oidvectortypes", {OidVector}, Text, typeNames},
           {"pg_get_function_sqlbody", {Oid}, Text, none},
       })
    functions.push_back(function);
}

}  // namespace gnomon::sql::pg_catalog
