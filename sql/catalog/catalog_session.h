#pragma once

#include <string>
#include <string_view>

#include "base/settings.h"
#include "sql/catalog/catalog_view.h"

namespace gnomon::sql {

class DomainTester;
class SessionObjects;

/// What the catalog's own relations, functions and types know of the session for which a thread works.
struct CatalogSession {
  const CatalogView& catalog;  ///< as the session's transaction sees it
  const Settings& settings;
  SessionObjects* objects = nullptr;  ///< null: it has none
  DomainTester* domains = nullptr;    ///< null: nobody tests, so there are no such values
};

/// Null: this thread works for no session.
const CatalogSession* catalogSession();
/// The same where there must be one. Failure: 0A000.
const CatalogSession& requiredCatalogSession();

/// For as long as it lives, this thread works for the session; null: for none.
class CatalogSessionScope {
 public:
  explicit CatalogSessionScope(const CatalogSession* session);
  ~CatalogSessionScope();
  CatalogSessionScope(const CatalogSessionScope&) = delete;
  CatalogSessionScope& operator=(const CatalogSessionScope&) = delete;

 private:
  const CatalogSession* before_;
};

/// 0: the session sees no such schema.
uint32_t schemaOid(std::string_view name);
/// Empty: the session sees no such schema.
std::string schemaName(uint32_t oid);

}  // namespace gnomon::sql
