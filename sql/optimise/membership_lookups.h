#pragma once

#include "sql/algebra/operator.h"
#include "sql/optimise/cardinality.h"

namespace gnomon::sql {

/// Filters of scans that ask whether a value is one of a few, value IN (a, b, ...) or value = ANY (array), become semi
/// joins with these where an index has the value first: useIndexes() then looks them up in it. What they are is known
/// before the scan. The new operators have their estimates.
void joinMembers(Plan& plan, Cardinality& cardinality);

}  // namespace gnomon::sql
