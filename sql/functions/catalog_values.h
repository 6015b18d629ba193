#pragma once

#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// Adds what pg_options_to_table, pg_column_size, pg_current_xact_id and ctid are made of; none of them is for users.
void addCatalogValues(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
