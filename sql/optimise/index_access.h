#pragma once

#include <vector>

#include "sql/optimise/cardinality.h"
#include "sql/optimise/index_shape.h"

namespace gnomon::sql {

/// Lets scans read the part of an index that their filters confine them to, where that is estimated to be cheaper than
/// reading the table. The filters stay: the index only says where their rows are.
/// Where a scan is looked up by the keys of exactly one row, as the value of a scalar subquery is, that row is known
/// first: the join becomes a dependent one without keys and conditions, with the row on the left, and the range and
/// the filters of the scan on the right read its units.
void useIndexes(Plan& plan, Cardinality& cardinality);

/// The values that the scan's filters fix the leading parts of the index to, as many as there are.
std::vector<ExpressionPtr> equalPrefix(const IndexShape& shape, const TableScan& scan);

/// What reading rows one by one by way of an index costs, in rows of a table scan.
double indexScanCost(double rows);

}  // namespace gnomon::sql
