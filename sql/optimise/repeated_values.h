#pragma once

#include <unordered_set>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// Joins whose right input is a subquery that reads nothing around it.
using ConstantSubqueries = std::unordered_set<const Operator*>;

/// Which expressions of a subquery are to be computed for each row around it, and for no other.
enum class Repeated : uint8_t {
  Volatile,        ///< those that may answer otherwise each time, or do something
  VolatileOrRaise  ///< and those that may raise an error
};

/// Something that the tree computes for each row around it is so. Not what it computes once whatever the row: the
/// subqueries that are `constant`, and arguments of functions in FROM, as in PostgreSQL.
bool hasRepeatedValues(OperatorPtr& tree, const ConstantSubqueries& constant, Repeated which = Repeated::Volatile);

/// Makes the values of which that is true read `row`, which tells the rows around from one another: a subquery that is
/// executed for all of them at once then has values of its own for each.
void tieToRow(OperatorPtr& tree, Iu row, const ConstantSubqueries& constant, Repeated which = Repeated::Volatile);
/// The expression as it was.
void untieFromRow(ExpressionPtr& expression, Iu row);

}  // namespace gnomon::sql
