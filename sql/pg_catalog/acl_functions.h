#pragma once

#include <vector>

#include "sql/pg_catalog/functions.h"

namespace gnomon::sql::pg_catalog {

/// acldefault, makeaclitem, aclcontains, and the columns of aclexplode() as arrays: $aclexplode.grantor and so on.
std::vector<CatalogFunction> aclFunctions();

}  // namespace gnomon::sql::pg_catalog
