#pragma once

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// The pass: what nobody reads is not made. Scans keep the columns that are read above or by their filters, maps and
/// aggregations their used columns, left joins the null-extended units used above (a subset of the right input's, in
/// its order). Grouping keys stay: they decide the groups. A map without columns goes; an aggregation without keys and
/// aggregates becomes its one row.
void pruneColumns(Plan& plan);

}  // namespace gnomon::sql
