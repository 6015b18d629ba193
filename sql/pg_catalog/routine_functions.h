#pragma once

#include <vector>

#include "sql/pg_catalog/functions.h"

namespace gnomon::sql::pg_catalog {

/// What is asked of functions and procedures, the system's and those that users made.
std::vector<CatalogFunction> routineFunctions();

}  // namespace gnomon::sql::pg_catalog
