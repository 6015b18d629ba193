#pragma once

#include <memory>

#include "sql/algebra/change_operators.h"
#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Binds ON CONFLICT of an INSERT into the table, whose columns are called as in `shape`. Failure: 42P10 when no unique
/// index is as it says; 42704, 42809 for constraints; 42601; those of expressions and assignments; 0A000 for
/// subqueries.
std::unique_ptr<Insert::Conflict> bindConflict(BindState& state, const TableEntry& table, const TableEntry& shape,
                                               const ast::Insert& insert);

}  // namespace gnomon::sql
