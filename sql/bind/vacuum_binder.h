#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast_definition.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// VACUUM and ANALYZE. Options that ask for what is always so here (FREEZE: no row is ever too old; PARALLEL: a hint;
/// DISABLE_PAGE_SKIPPING, TRUNCATE, PROCESS_TOAST, INDEX_CLEANUP) are checked, and change nothing.
///
/// Failure: 42601 for options that PostgreSQL does not know, and bad values; 42P01; 0A000.
VacuumStatement bindVacuum(BindState& state, const ast::Vacuum& vacuum);

}  // namespace gnomon::sql
