#pragma once

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// The pass: a left join becomes an inner one where a predicate above rejects the rows it would extend with NULLs.
///
/// Predicates are carried down from selections, inner joins and (for the right input) left joins; through maps and
/// grouping keys they are put in terms of what is below; they end at limits.
void simplifyOuterJoins(Plan& plan);

}  // namespace gnomon::sql
