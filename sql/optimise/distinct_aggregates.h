#pragma once

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// Rewrites an aggregation with DISTINCT aggregates over one argument to two: the lower groups by the keys and the
/// argument, the upper by the keys and aggregates the argument without DISTINCT.
///
/// Plain count, sum (not of floats) and min, max beside them are computed in the lower one and combined in the upper.
/// Left as it is, with `distinct` set: several different arguments; a plain avg or float sum beside them.
void rewriteDistinctAggregates(Plan& plan, OperatorPtr& op);

}  // namespace gnomon::sql
