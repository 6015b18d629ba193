#pragma once

#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/session_statement.h"

namespace gnomon::sql {

/// PREPARE. Failure: 42704 for types.
PrepareStatement bindPrepare(const ast::Prepare& prepare);
/// DECLARE, behind its query, which `root` is. Failure: 42P11, 0A000 for options that do not go together.
DeclareCursorStatement bindDeclareCursor(const ast::DeclareCursor& declare, const Output& root);
FetchStatement bindFetch(const ast::Fetch& fetch);
/// LOCK TABLE; a view's tables are locked as well. Failure: 42P01, 42809.
LockTableStatement bindLockTable(BindState& state, const ast::LockTable& lock);
/// Failure: 42704, 3F000; 42809 for what is not deferrable.
SetConstraintsStatement bindSetConstraints(const BindState& state, const ast::SetConstraints& set);

}  // namespace gnomon::sql
