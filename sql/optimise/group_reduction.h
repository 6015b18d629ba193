#pragma once

#include "sql/algebra/operator.h"
#include "sql/optimise/cardinality.h"

namespace gnomon::sql {

/// The pass: where a join lets few of a grouping's groups pass, only those are made. Runs behind orderJoins.
///
/// A join by columns that its one input groups by asks for no group whose values the other input does not have. Where
/// that other input has few rows, it becomes a shared plan, and the rows to be grouped are reduced to its values by a
/// semi join, as far down as their columns come from one input. So unnested subqueries that aggregate (TPC-H 2, 17, 20)
/// look at the groups that are asked for. Source: sideways information passing, "magic sets" (Bancilhon et al.), of
/// which this is the case of one equality join.
void reduceGroups(Plan& plan, Cardinality& cardinality);

}  // namespace gnomon::sql
