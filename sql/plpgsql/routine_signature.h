#pragma once

#include "sql/catalog/routine_entry.h"
#include "sql/plpgsql/routine_catalog.h"

namespace gnomon::sql::plpgsql {

/// What a body is parsed for that belongs to a routine of the catalog.
Signature signatureOf(const RoutineEntry& routine);

}  // namespace gnomon::sql::plpgsql
