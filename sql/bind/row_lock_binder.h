#pragma once

#include <vector>

#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/scope.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// FOR UPDATE, FOR SHARE and their kin of one SELECT: the tables of its FROM whose rows they lock, each once, with the
/// units of their tuple ids, which are added to the scans in `from`, also in derived tables and views. Failure: 42P01;
/// 0A000 for what PostgreSQL refuses too.
std::vector<Output::RowLock> bindRowLocks(BindState& state, const ast::Query& query, Operator& from,
                                          const Scope& scope);

/// "FOR UPDATE" and so on.
const char* rowLockName(ast::RowLock::Strength strength);

}  // namespace gnomon::sql
