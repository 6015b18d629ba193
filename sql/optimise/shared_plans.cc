#include "sql/optimise/shared_plans.h"

#include <ranges>
#include <unordered_map>
#include <utility>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

struct Uses {
  size_t count = 0;
  OperatorPtr* scan = nullptr;
  bool is_repeated = false;  ///< in the part of a recursion that is executed again and again
};

class SharedPlanMerger {
 public:
  explicit SharedPlanMerger(Plan& plan) : plan_(plan) {}

  void run() {
    collect(plan_.root, false);
    // Who scans a shared plan stands behind it.
    for (SharedPlan& shared : plan_.shared | std::views::reverse) {
      const Uses& uses = uses_[&shared];
      if (uses.count == 0) {
        shared.root = nullptr;
        continue;
      }
      const bool is_part = uses.count == 1 && !uses.is_repeated && !shared.is_separate;
      OperatorPtr& place = is_part ? *uses.scan : shared.root;
      if (is_part) merge(shared, place);
      collect(place, false);
    }
    renameUnits(plan_, renaming_);
  }

 private:
  void collect(OperatorPtr& op, bool is_repeated) {
    if (op->kind == Kind::SharedScan) {
      Uses& uses = uses_[static_cast<SharedScan&>(*op).source];
      ++uses.count;
      uses.scan = &op;
      uses.is_repeated = uses.is_repeated || is_repeated;
    }
    for (size_t i = 0; i < op->inputs.size(); ++i)
      collect(op->inputs[i], is_repeated || (op->kind == Kind::Recursion && i == 1));
  }
  void merge(SharedPlan& shared, OperatorPtr& place) {
    const auto& columns = static_cast<const Output&>(*shared.root).columns;
    for (const SharedScan::Column& column : static_cast<SharedScan&>(*place).columns)
      renaming_[column.iu] = columns[column.index].iu;
    OperatorPtr tree = std::move(shared.root->inputs[0]);
    shared.root = nullptr;
    place = std::move(tree);
  }

  Plan& plan_;
  std::unordered_map<const SharedPlan*, Uses> uses_;
  UnitRenaming renaming_;
};

}  // namespace

void mergeSharedPlans(Plan& plan) {
  if (!plan.shared.empty()) SharedPlanMerger(plan).run();
}

}  // namespace gnomon::sql
