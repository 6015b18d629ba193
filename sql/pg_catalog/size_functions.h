#pragma once

#include <vector>

#include "sql/pg_catalog/functions.h"

namespace gnomon::sql::pg_catalog {

/// Adds the functions that tell what relations take of the disk, and write such numbers for people.
void addSizeFunctions(std::vector<CatalogFunction>& functions);

}  // namespace gnomon::sql::pg_catalog
