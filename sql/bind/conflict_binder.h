#pragma once

#include <memory>

#include "sql/algebra/change_operators.h"
#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Binds ON CONFLICT of an INSERT into the table, whose columns are called as in `shape`. Failure: 42P10 when no unique
/// index is as it says; 42704, 42809 for constraints; 42601; those of expressions and assignments.
/// `subqueries` gets those of the clause, over `excluded` and `existing`.
std::unique_ptr<Insert::Conflict> bindConflict(BindState& state, const TableEntry& table, const TableEntry& shape,
                                               const ast::Insert& insert, SubqueryJoins& subqueries);

/// Subqueries of the clause are joined to the input, whose rows get a unit for each value of the table: they are
/// executed for rows without a conflict, too. What they read of the row that is there they may only where it is that of
/// the row proposed, since it is the key of the conflict. Failure: 0A000 otherwise.
void joinConflictSubqueries(BindState& state, Insert& change, OperatorPtr& source, SubqueryJoins& subqueries);

}  // namespace gnomon::sql
