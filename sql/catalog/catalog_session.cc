#include "sql/catalog/catalog_session.h"

#include <array>
#include <utility>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

thread_local const CatalogSession* session_of_thread = nullptr;

constexpr std::array<std::pair<uint32_t, std::string_view>, 3> kSchemas{
    {{kCatalogSchemaOid, "pg_catalog"}, {kPublicSchemaOid, "public"}, {kInformationSchemaOid, "information_schema"}}};

}  // namespace

const CatalogSession* catalogSession() {
  return session_of_thread;
}

const CatalogSession& requiredCatalogSession() {
  if (session_of_thread == nullptr) throwNotSupported("a name of the catalog outside of a session");
  return *session_of_thread;
}

CatalogSessionScope::CatalogSessionScope(const CatalogSession* session)
    : before_(std::exchange(session_of_thread, session)) {}

CatalogSessionScope::~CatalogSessionScope() {
  session_of_thread = before_;
}

uint32_t schemaOid(std::string_view name) {
  for (const auto& [oid, schema] : kSchemas)
    if (schema == name) return oid;
  return 0;
}

std::string_view schemaName(uint32_t oid) {
  for (const auto& [number, schema] : kSchemas)
    if (number == oid) return schema;
  return {};
}

}  // namespace gnomon::sql
