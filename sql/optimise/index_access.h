#pragma once

#include "sql/optimise/cardinality.h"

namespace gnomon::sql {

/// Lets scans read the part of an index that their filters confine them to, where that is estimated to be cheaper than
/// reading the table. The filters stay: the index only says where their rows are.
void useIndexes(Plan& plan, Cardinality& cardinality);

/// What reading rows one by one by way of an index costs, in rows of a table scan.
double indexScanCost(double rows);

}  // namespace gnomon::sql
