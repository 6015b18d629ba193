#include "sql/catalog/catalog_session.h"

#include <utility>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

thread_local const CatalogSession* session_of_thread = nullptr;

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
  const SchemaPtr schema = requiredCatalogSession().catalog.findSchema(name);
  return schema ? schema->oid : 0;
}

std::string schemaName(uint32_t oid) {
  const SchemaPtr schema = requiredCatalogSession().catalog.findSchema(oid);
  return schema ? schema->name : std::string();
}

}  // namespace gnomon::sql
