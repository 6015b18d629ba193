#pragma once

#include <list>
#include <utility>
#include <vector>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/optimise/correlation.h"

namespace gnomon::sql {

/// The left input of a dependent join as a shared plan, scanned in its place and by the plans of its values; made when
/// it is asked for. One that is executed more than once, for rows around it or in each step of a recursion, stays in
/// its place, and its values come from copies. Source: Neumann and Kemper's D.
class LeftDomain final : public Domain {
 public:
  /// `place`: before which plans are to stand that the join scans. `row`: a unit of the left input, or null.
  LeftDomain(Plan& plan, std::list<SharedPlan>::iterator place, Join& join, Iu row)
      : plan_(plan), place_(place), join_(join), row_(row), conditions_(ownConditions(join)) {}

  OperatorPtr values(const std::vector<Iu>& units, std::vector<Iu>& copies) override;
  OperatorPtr once(OperatorPtr tree, const std::vector<Iu>& columns) override;
  [[nodiscard]] Iu row() const override { return row_; }
  /// What is read of the left input is another unit now, everywhere but in its own tree.
  UnitRenaming takeRenaming() { return std::move(renaming_); }
  [[nodiscard]] const Operator* sharedLeft() const { return left_ ? left_->root.get() : nullptr; }

 private:
  [[nodiscard]] bool isRepeated() const {
    return !freeUnits(*join_.inputs[0]).empty() || readsWorkingRows(*join_.inputs[0]);
  }
  OperatorPtr copiedValues(const std::vector<Iu>& units, std::vector<Iu>& copies);
  void shareLeft();
  const SharedPlan* makeValues(const std::vector<Iu>& units);
  static std::vector<ExpressionPtr> ownConditions(const Join& join);
  /// Each combination of the units' values in the tree, whose units are called as `renaming` says; `keys` get the units
  /// that it has for their identities.
  OperatorPtr distinctValues(OperatorPtr tree, const UnitRenaming& renaming, const std::vector<Iu>& units,
                             std::vector<Iu>& keys);
  SharedPlan* add(OperatorPtr tree, std::vector<Output::Column> columns);

  Plan& plan_;
  const std::list<SharedPlan>::iterator place_;
  Join& join_;
  const Iu row_;
  const std::vector<ExpressionPtr> conditions_;  ///< of the join that say for which left rows there is a match at all
  SharedPlan* left_ = nullptr;
  std::vector<std::pair<std::vector<Iu>, const SharedPlan*>> values_;
  UnitRenaming renaming_;
};

}  // namespace gnomon::sql
