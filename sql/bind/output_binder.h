#pragma once

#include <string>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/scope.h"

namespace gnomon::sql {

/// A column of the result, with the table's column that it comes from, if it does.
Output::Column outputColumn(const BindState& state, std::string name, Iu unit);
/// The root over `input` that puts the columns out.
std::unique_ptr<Output> outputOf(const BindState& state, const std::vector<QueryBinder::Column>& columns,
                                 OperatorPtr input);
/// The names of a table's row, as the statement that changes it gives them. `target`: of the table, by which the
/// statement knows it, without an alias empty. `row`: one unit per table column, which come to be that column's.
Scope rowScope(BindState& state, const TableEntry& table, const FromEntry& target, const std::vector<Iu>& row);

}  // namespace gnomon::sql
