#pragma once

#include <vector>

#include "sql/algebra/operator.h"
#include "sql/algebra/rewrite.h"

namespace gnomon::sql {

/// A tree that read columns of the query around it holds, in each row, what an expression over these must be equal to
/// for the row to belong to them.
struct Correlation {
  ExpressionPtr outer;  ///< over the columns of the query around
  Iu local;             ///< of the tree
};
/// outer = local.
ExpressionPtr conditionOf(const Correlation& correlation);

/// The tree reads one of the units and does not produce it.
bool readsOuter(Operator& op, const UnitSet& outer);

/// Moves conditions that read the outer units from the top of the tree to `conditions`, down to what groups or limits.
void liftConditions(OperatorPtr& op, const UnitSet& outer, std::vector<ExpressionPtr>& conditions);

/// Changes the tree so that it reads none of the outer units: for all values of these at once it has the rows that it
/// had for each. Failure: 0A000.
std::vector<Correlation> decorrelate(Plan& plan, OperatorPtr& op, const UnitSet& outer);
/// The same for an aggregation, which gets further keys: groups without rows are not there, not even where it had no
/// key.
std::vector<Correlation> decorrelateGroups(Plan& plan, Aggregation& aggregation, const UnitSet& outer);

}  // namespace gnomon::sql
