#pragma once

#include "sql/database_statement.h"
#include "sql/parse/ast_database.h"

namespace gnomon::sql {

/// Reads the options. Failure: 42601 for unknown ones, and those that are said twice; 42704 for an encoding that there
/// is not; 0A000.
CreateDatabaseStatement bindCreateDatabase(const ast::CreateDatabase& create);
AlterDatabaseStatement bindAlterDatabase(const ast::AlterDatabase& alter);

}  // namespace gnomon::sql
