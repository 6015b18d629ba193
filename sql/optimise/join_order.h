#pragma once

#include "sql/algebra/operator.h"
#include "sql/optimise/cardinality.h"

namespace gnomon::sql {

/// The pass: orders each region of inner joins by cost (join_region.h), takes the keys out of left joins' conditions,
/// and sets every operator's estimated rows on the way up. Left joins bound regions. The build side is always the
/// right one: the smaller for inner joins, the null-extended one for left joins.
void orderJoins(Plan& plan, Cardinality& cardinality);

}  // namespace gnomon::sql
