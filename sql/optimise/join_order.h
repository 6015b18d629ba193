#pragma once

#include "sql/algebra/operator.h"
#include "sql/optimise/cardinality.h"

namespace gnomon::sql {

/// The pass: orders each region of inner joins by cost (join_region.h), takes the keys out of left joins' conditions,
/// and sets every operator's estimated rows on the way up. Left joins bound regions. The build side is the smaller:
/// the right input of an inner join; a left join with keys says by build_left which it is.
void orderJoins(Plan& plan, Cardinality& cardinality);

/// The same for a tree that was ordered before, and has other rows now.
void reorderJoins(OperatorPtr& root, Cardinality& cardinality);

}  // namespace gnomon::sql
