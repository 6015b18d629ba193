#pragma once

#include <string_view>

#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/scope.h"
#include "sql/bind/subquery_joins.h"

namespace gnomon::sql {

/// The name of the shared plan of a side.
inline constexpr std::string_view kPairedRows = "rows to be paired";

/// A FULL JOIN some of whose subqueries read both sides: the pairs of rows for which its conditions are true are found
/// before, by the numbers of the rows, with all of the subqueries; each side is computed once. The join, which is left
/// the one that it was, then puts the pairs together:
///   (left LEFT JOIN pairs ON left.number = pairs.left) FULL JOIN right ON pairs.right = right.number
/// Nothing is done where no subquery reads both. The scopes get the sides' new units. Precondition: no side is extended
/// with NULLs yet. Failure: 0A000 where a side reads queries around it, or has rows of outer joins.
void pairRows(BindState& state, Join& join, SubqueryJoins& subqueries, Scope& left, Scope& right);

}  // namespace gnomon::sql
