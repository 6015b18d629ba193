#include "sql/optimise/shared_plans.h"

#include <ranges>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

/// Puts changes that the root does not wait for, and what these scan, behind all others.
class ChangePlacer {
 public:
  explicit ChangePlacer(Plan& plan) : plan_(plan) {}

  void run() {
    for (auto place = plan_.shared.begin(); place != plan_.shared.end(); ++place) places_[&*place] = place;
    visitScans(plan_.root, false);
    std::vector<SharedPlan*> changes;
    for (SharedPlan& shared : plan_.shared)
      if (shared.is_change) changes.push_back(&shared);
    for (SharedPlan* const shared : changes | std::views::reverse) visit(*shared, true);
    plan_.shared.splice(plan_.shared.end(), last_);
  }

 private:
  void visit(SharedPlan& shared, bool is_last) {
    if (!visited_.insert(&shared).second) return;
    visitScans(shared.root, is_last);
    shared.is_last = is_last;
    if (is_last) last_.splice(last_.end(), plan_.shared, places_.at(&shared));
  }
  void visitScans(OperatorPtr& root, bool is_last) {
    forEachOperator(root, [&](OperatorPtr& op) {
      if (op->kind == Kind::SharedScan) visit(*places_.at(static_cast<SharedScan&>(*op).source), is_last);
    });
  }

  Plan& plan_;
  std::unordered_map<const SharedPlan*, std::list<SharedPlan>::iterator> places_;
  std::unordered_set<const SharedPlan*> visited_;
  std::list<SharedPlan> last_;
};

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
      shared.is_scanned = uses.count != 0;
      if (!shared.is_scanned && !shared.is_change) {
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
  if (plan.shared.empty()) return;
  ChangePlacer(plan).run();
  SharedPlanMerger(plan).run();
}

void dropUnscannedPlans(Plan& plan) {
  std::unordered_set<const SharedPlan*> scanned;
  const auto collect = [&](OperatorPtr& root) {
    forEachOperator(root, [&](OperatorPtr& op) {
      if (op->kind == Kind::SharedScan) scanned.insert(static_cast<SharedScan&>(*op).source);
    });
  };
  collect(plan.root);
  // Who scans a shared plan stands behind it.
  for (SharedPlan& shared : plan.shared | std::views::reverse) {
    if (!shared.root) continue;
    shared.is_scanned = scanned.contains(&shared);
    if (shared.is_scanned || shared.is_change)
      collect(shared.root);
    else
      shared.root = nullptr;
  }
}

SharedPlan sharedPlan(std::string name, OperatorPtr tree) {
  auto output = std::make_unique<Output>();
  for (const Iu unit : tree->units()) output->columns.push_back({unit->name, unit});
  output->estimated_rows = tree->estimated_rows;
  output->inputs.push_back(std::move(tree));
  return {.name = std::move(name), .root = std::move(output), .is_separate = true};
}

}  // namespace gnomon::sql
