#pragma once

#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/parse/ast_definition.h"

namespace gnomon::sql {

/// WITH (...) of CREATE TABLE, SET (...) of ALTER TABLE. Failure: 22023 for unknown parameters, repeated ones and bad
/// values; 0A000 for parameters that PostgreSQL has.
void setStorageParameters(const std::vector<ast::Option>& parameters, TableOptions& options);

/// RESET (...) of ALTER TABLE: back to the defaults. Unknown parameters are none that could be set. Failure: 42601 for
/// one with a value.
void resetStorageParameters(const std::vector<ast::Option>& parameters, TableOptions& options);

}  // namespace gnomon::sql
