#pragma once

#include <memory>
#include <vector>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// The order in which the operator's rows come, when its tree says so: copies of the keys of a Sort. Else empty.
std::vector<SortKey> orderOf(const Operator& op);

/// The aggregation with its inputs; aggregates whose rows have an order, or are distinct in any order that shows, are
/// computed by window functions over whole groups below it: nothing of AggregateId::JoinTexts and behind is distinct or
/// has an order any more.
OperatorPtr orderAggregates(Plan& plan, std::unique_ptr<Aggregation> aggregation);

}  // namespace gnomon::sql
