#pragma once

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// The expression in simpler form, equal to it for every input in three-valued logic: constants in AND, OR, NOT, IS,
/// CASE and COALESCE are folded, nested ANDs and ORs flattened, repeated operands dropped, NOT moved to comparisons,
/// and conjuncts common to all branches of an OR taken out of it: (a AND b) OR (a AND c) is a AND (b OR c).
ExpressionPtr simplifyExpression(ExpressionPtr expression);

/// The conjuncts of conditions of which only TRUE lets a row pass: simplified, split, without repetition. Conditions
/// that let nothing pass become the constant FALSE alone.
std::vector<ExpressionPtr> simplifyConditions(std::vector<ExpressionPtr> conditions);

/// The pass: every expression of the plan; selections without conditions go.
void simplify(Plan& plan);

}  // namespace gnomon::sql
