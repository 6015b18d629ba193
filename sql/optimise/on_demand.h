#pragma once

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// Subqueries that read nothing around them are executed once, before the rows that ask for their values are there.
/// That is wrong where no row asks, and somebody could tell: the subquery does something, or raises an error. Such ones
/// are joined behind a gate (Join::JoinKind::Gate): the rows become a shared plan, and unless one of them asks, nothing
/// of the subquery is computed. As in PostgreSQL a condition of WHERE that reads no row at all asks in any case.
///
/// Departures: of a subquery that does something, which stands in WHERE and in no CASE, AND or OR, it is not asked
/// whether there are rows, since it may say which: an index is better. In the part of a recursion that is executed
/// again and again there is no gate.

/// Marks them (Join::is_on_demand), before unnesting. Where all subqueries are on demand, those of which CASE and its
/// kin say when are made dependent if they read rows around a query around them.
void markOnDemand(Plan& plan);

/// Puts them behind gates, after unnesting.
void gateOnDemand(Plan& plan);

}  // namespace gnomon::sql
