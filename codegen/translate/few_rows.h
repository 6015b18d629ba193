#pragma once

#include "sql/algebra/operator.h"

namespace gnomon::codegen {

/// Whether the optimiser expects a few hundred rows at most at every place of the plan: then other workers would have
/// nothing to do, and what an execution keeps for each of them would cost more than its rows. Where it is wrong, the
/// execution takes longer.
bool hasFewRows(const sql::Plan& plan);

}  // namespace gnomon::codegen
