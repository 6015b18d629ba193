#pragma once

#include <vector>

#include "sql/parse/ast_definition.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// What the options of EXPLAIN ask for; the plan is not set. Failure: 42601, 22023 as in PostgreSQL; 0A000 for WAL,
/// SETTINGS and the formats XML and YAML.
ExplainStatement readExplainOptions(const std::vector<ast::Option>& options);

}  // namespace gnomon::sql
