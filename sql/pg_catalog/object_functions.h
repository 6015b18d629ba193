#pragma once

#include <vector>

#include "sql/pg_catalog/functions.h"

namespace gnomon::sql::pg_catalog {

/// Adds the functions that describe objects of any catalog, and those that find one by its name.
void addObjectFunctions(std::vector<CatalogFunction>& functions);

}  // namespace gnomon::sql::pg_catalog
