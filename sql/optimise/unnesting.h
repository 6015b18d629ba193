#pragma once

#include "sql/optimise/cardinality.h"

namespace gnomon::sql {

/// Turns subqueries into joins: none is dependent afterwards.
///
/// Marks that a selection asks for become semi and anti joins. Then, from the innermost dependent join on:
///   1. correlated conditions go up into the join, as far as nothing groups below;
///   2. correlated columns that are computed on top of the subquery are computed above the join;
///   3. a subquery that is one group becomes a left join with the groups of all left rows;
///   4. what is left is pushed down until no column of the left input is read: where a condition holds one equal to
///      something of the subquery, that stands for it, and the join compares the two.
/// Where rows can be matched once only, semi and single joins become inner and left joins.
///
/// Columns that no equality stands for are joined in from the domain of the left input's values: it becomes a shared
/// plan.
///
/// Source: Neumann and Kemper, "Unnesting Arbitrary Queries" (BTW 2015).
/// Failure: 0A000 for a limit in a correlated subquery.
void unnest(Plan& plan, const TableStatistics& statistics);

}  // namespace gnomon::sql
