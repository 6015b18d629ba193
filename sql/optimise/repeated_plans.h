#pragma once

#include "sql/algebra/operator.h"
#include "sql/optimise/cardinality.h"

namespace gnomon::sql {

/// Joins and aggregations over the same tables that stand in several places of the plan, equal but for the names of
/// their units and the columns that they read, become one shared plan, if it hands on few of the rows that it reads.
/// Joins have been ordered before; scans have no index yet.
void shareRepeatedPlans(Plan& plan, Cardinality& cardinality);

}  // namespace gnomon::sql
