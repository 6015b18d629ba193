#pragma once

#include "sql/optimise/cardinality.h"

namespace gnomon::sql {

/// Where an index has the rows in the order that is wanted, and few of them are: ORDER BY ... LIMIT reads them from its
/// beginning, min and max read one. A sort that only repeats the order of an index range goes.
void useOrderedScans(Plan& plan, Cardinality& cardinality);

}  // namespace gnomon::sql
