#pragma once

#include <vector>

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// Whether the claim is TRUE for every row for which all facts are TRUE; false when it is not known. Both simplified.
///
/// Known are: what a fact says literally; x IS NOT NULL, of a fact that is not TRUE for a NULL; comparisons of x with a
/// constant, and x IN constants, of a fact of that kind about the same x; AND and OR over these. Parameters are no
/// constants.
bool implies(const std::vector<ExpressionPtr>& facts, const Expression& claim);

}  // namespace gnomon::sql
