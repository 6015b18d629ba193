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
  bool is_null_safe = false;
};
/// The value as one that only the same value is equal to: a jsonb, whose numbers may be equal and yet differ, as its
/// bytes, and so values of other types of which that is true. And back.
ExpressionPtr identityOf(ExpressionPtr value);
ExpressionPtr ofIdentity(ExpressionPtr identity, Type type);
/// outer = local, or both NULL where the correlation is null-safe.
ExpressionPtr conditionOf(const Correlation& correlation);

/// The values that units of the query around have, in its rows: for subqueries that say themselves nothing about the
/// rows they belong to.
class Domain {
 public:
  virtual ~Domain() = default;
  /// Each combination of the units' values once, NULLs among them; `copies` get the units that the tree has for their
  /// identities.
  /// Failure: 0A000 where the query around is not executed once.
  /// With `row()` among the units: of each row.
  virtual OperatorPtr values(const std::vector<Iu>& units, std::vector<Iu>& copies) = 0;
  /// The rows of a tree that reads nothing around it, of which `columns` get the columns: it is executed once.
  virtual OperatorPtr once(OperatorPtr tree, const std::vector<Iu>& columns) = 0;
  /// The unit that tells the rows from one another; null: nothing reads it.
  [[nodiscard]] virtual Iu row() const = 0;
};

/// Moves conditions that read the outer units from the top of the tree to `conditions`, down to what groups or limits.
void liftConditions(OperatorPtr& op, const UnitSet& outer, std::vector<ExpressionPtr>& conditions);

/// Changes the tree so that it reads none of the outer units: for all values of these at once it has the rows that it
/// had for each. Failure: 0A000.
std::vector<Correlation> decorrelate(Plan& plan, OperatorPtr& op, const UnitSet& outer, Domain& domain);
/// The same for an aggregation, which gets further keys: groups without rows are not there, not even where it had no
/// key.
std::vector<Correlation> decorrelateGroups(Plan& plan, Aggregation& aggregation, const UnitSet& outer, Domain& domain);

/// The unit above the join that stands for one of its right input, made when there is none yet.
Iu extendedUnit(Plan& plan, Join& join, Iu below);
/// The join's right input is the aggregation, which had no keys: what it gives for left rows without a group, to be
/// computed above.
std::vector<Map::Computed> extendGroups(Plan& plan, Join& join, Aggregation& groups);

}  // namespace gnomon::sql
