#pragma once

#include <vector>

#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// COPY's options with PostgreSQL 15's checks and messages. Failure: 42601, 22023, 0A000.
CopyOptions readCopyOptions(const std::vector<ast::Option>& options, bool is_from);

}  // namespace gnomon::sql
