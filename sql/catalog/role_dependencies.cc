#include "sql/catalog/role_dependencies.h"

#include <fmt/format.h>

#include "base/sql_error.h"

namespace gnomon::sql {

void requireNothingOf(const CatalogView& /*catalog*/, const RoleEntry& role) {
  if (role.oid < kFirstUserOid)
    throw SqlError(sqlstate::kDependentObjectsStillExist,
                   fmt::format("cannot drop role {} because it is required by the database system", role.name));
}

}  // namespace gnomon::sql
