#pragma once

#include <vector>

#include "sql/pg_catalog/functions.h"

namespace gnomon::sql::pg_catalog {

/// The functions that say who may do what.
std::vector<CatalogFunction> rightFunctions();

}  // namespace gnomon::sql::pg_catalog
