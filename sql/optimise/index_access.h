#pragma once

#include <vector>

#include "sql/optimise/cardinality.h"
#include "sql/optimise/index_shape.h"

namespace gnomon::sql {

/// Lets scans read the part of an index that their filters confine them to, where that is estimated to be cheaper than
/// reading the table. The filters stay: the index only says where their rows are.
void useIndexes(Plan& plan, Cardinality& cardinality);

/// The values that the scan's filters fix the leading parts of the index to, as many as there are.
std::vector<ExpressionPtr> equalPrefix(const IndexShape& shape, const TableScan& scan);

/// What reading rows one by one by way of an index costs, in rows of a table scan.
double indexScanCost(double rows);

}  // namespace gnomon::sql
