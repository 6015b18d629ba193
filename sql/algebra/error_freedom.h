#pragma once

#include <span>

#include "sql/algebra/expression.h"
#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// No evaluation of the expression can raise an error.
bool neverRaises(const Expression& expression);
/// Nor can any that the tree has to evaluate for these units. It scans, selects, joins and sorts: false for what has
/// other operators.
bool neverRaises(OperatorPtr& tree, std::span<const Iu> wanted);

}  // namespace gnomon::sql
