#pragma once

#include <vector>

#include "sql/catalog/session_objects.h"
#include "sql/pg_catalog/functions.h"

namespace gnomon::sql::pg_catalog {

/// The objects of the session that asks. Failure: 0A000 where there is none.
SessionObjects& sessionObjects();

/// Adds the functions that tell of the server, of the connection, of who waits for whom, and of what
/// has been counted.
void addServerFunctions(std::vector<CatalogFunction>& functions);

}  // namespace gnomon::sql::pg_catalog
