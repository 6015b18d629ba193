#include "sql/optimise/group_reduction.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/optimise/join_keys.h"
#include "sql/optimise/join_order.h"
#include "sql/optimise/shared_plans.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;
using JoinKind = Join::JoinKind;

/// Fewer rows are grouped faster than they are reduced.
constexpr double kRowsMin = 10'000;
/// The part of the groups that may be asked for at most.
constexpr double kShareMax = 0.25;

/// The aggregation below filters and computed columns; null: there is none.
Aggregation* groupingBelow(Operator& op) {
  Operator* below = &op;
  while (below->kind == Kind::Selection || below->kind == Kind::Map) below = below->inputs[0].get();
  return below->kind == Kind::Aggregation ? static_cast<Aggregation*>(below) : nullptr;
}

bool isVolatileOrRecursive(OperatorPtr& tree) {
  bool found = readsWorkingRows(*tree);
  forEachOperator(tree, [&](OperatorPtr& op) {
    found = found || op->kind == Kind::Recursion;
    forEachExpression(*op, [&](ExpressionPtr& expression) { found = found || expression->isVolatile(); });
  });
  return found;
}

/// A key of the join as what the groups are of, and what it is to be equal to.
struct ReducingKey {
  const Expression* grouped;  ///< over the aggregation's input
  const Expression* asked;    ///< over the other side
  bool is_null_safe;
};

/// Those keys of the join that are plain keys of the aggregation, which is its input number `side`.
std::vector<ReducingKey> reducingKeys(const Join& join, size_t side, const Aggregation& aggregation) {
  std::vector<ReducingKey> found;
  for (const Join::Key& key : join.keys) {
    const Expression& own = *(side == 0 ? key.left : key.right);
    if (own.kind != Expression::Kind::Column) continue;
    const auto grouped = std::ranges::find(aggregation.keys, own.iu, &Aggregation::Key::iu);
    if (grouped == aggregation.keys.end()) continue;
    const Expression& asked = *(side == 0 ? key.right : key.left);
    if (canAlign(grouped->expression->type, asked.type))
      found.push_back({grouped->expression.get(), &asked, key.is_null_safe});
  }
  return found;
}

/// Rows of it are changed or locked by their tuple ids.
bool readsTupleIds(OperatorPtr& tree) {
  bool found = false;
  forEachOperator(tree, [&](OperatorPtr& op) {
    if (op->kind != Kind::TableScan) return;
    const auto& columns = static_cast<TableScan&>(*op).columns;
    found = found || std::ranges::find(columns, TableScan::kTupleId, &TableScan::Column::index) != columns.end();
  });
  return found;
}

/// The input of the operator that has all units that the keys read, if the other rows of the operator do not matter to
/// a key's group; null: it is to be reduced itself.
OperatorPtr* inputOf(Operator& op, const std::vector<ReducingKey>& keys) {
  const bool is_filter = op.kind == Kind::Selection || op.kind == Kind::Map;
  if (!is_filter && op.kind != Kind::Join) return nullptr;
  const bool is_inner = op.kind == Kind::Join && static_cast<Join&>(op).join_kind == JoinKind::Inner;
  const bool keeps_right = op.kind == Kind::Join && static_cast<Join&>(op).join_kind == JoinKind::FullOuter;
  if (keeps_right) return nullptr;
  for (size_t i = 0; i < (is_inner ? 2 : 1); ++i) {
    const UnitSet units = unitSet(*op.inputs[i]);
    if (std::ranges::all_of(keys, [&](const ReducingKey& key) { return readsOnly(*key.grouped, units); }))
      return &op.inputs[i];
  }
  return nullptr;
}

class GroupReducer {
 public:
  GroupReducer(Plan& plan, Cardinality& cardinality) : plan_(plan), cardinality_(cardinality) {}

  void run() {
    for (place_ = plan_.shared.begin(); place_ != plan_.shared.end(); ++place_)
      if (place_->root) visitRoot(place_->root);
    visitRoot(plan_.root);
  }

 private:
  void visitRoot(OperatorPtr& root) {
    root_ = &root;
    visit(root);
  }
  void visit(OperatorPtr& op) {
    // What a recursion repeats has other rows each time.
    const size_t inputs = op->kind == Kind::Recursion ? 1 : op->inputs.size();
    for (size_t i = 0; i < inputs; ++i) visit(op->inputs[i]);
    if (op->kind == Kind::Join) reduce(static_cast<Join&>(*op));
  }
  void reduce(Join& join);
  /// The aggregation in input number `side`, if it pays to make only the groups that the other input asks for.
  Aggregation* reducibleGrouping(Join& join, size_t side);
  SharedPlan& share(Join& join, size_t side);
  OperatorPtr scan(const SharedPlan& shared, UnitRenaming& renaming);
  /// Puts rows whose keys the scan has in the place of all rows.
  void filterRows(OperatorPtr& rows, OperatorPtr scan, std::vector<Join::Key> keys);

  Plan& plan_;
  Cardinality& cardinality_;
  OperatorPtr* root_ = nullptr;            ///< of the tree at hand
  std::list<SharedPlan>::iterator place_;  ///< before it stand the shared plans that the tree may scan
};

Aggregation* GroupReducer::reducibleGrouping(Join& join, size_t side) {
  const bool takes_part = join.join_kind == JoinKind::Inner ||
                          (side == 1 && join.join_kind != JoinKind::FullOuter && join.join_kind != JoinKind::Mark);
  Aggregation* const aggregation = takes_part ? groupingBelow(*join.inputs[side]) : nullptr;
  if (aggregation == nullptr || aggregation->inputs[0]->estimated_rows < kRowsMin) return nullptr;
  OperatorPtr& asking = join.inputs[1 - side];
  if (asking->estimated_rows > kShareMax * aggregation->estimated_rows) return nullptr;
  const bool is_stable = !isVolatileOrRecursive(asking) && !isVolatileOrRecursive(join.inputs[side]);
  return is_stable && !readsTupleIds(asking) ? aggregation : nullptr;
}

void GroupReducer::reduce(Join& join) {
  for (size_t side = 0; side < 2; ++side) {
    Aggregation* const aggregation = reducibleGrouping(join, side);
    if (aggregation == nullptr) continue;
    const std::vector<ReducingKey> keys = reducingKeys(join, side, *aggregation);
    if (keys.empty()) continue;
    std::vector<Join::Key> reducing;
    for (const ReducingKey& key : keys)
      reducing.push_back({key.grouped->clone(), key.asked->clone(), key.is_null_safe});
    OperatorPtr* rows = &aggregation->inputs[0];
    while (OperatorPtr* const below = inputOf(**rows, keys)) rows = below;
    UnitRenaming renaming;
    OperatorPtr asked = scan(share(join, 1 - side), renaming);
    for (Join::Key& key : reducing) {
      renameUnits(*key.right, renaming);
      alignKeyTypes(key.left, key.right);
    }
    filterRows(*rows, std::move(asked), std::move(reducing));
    reorderJoins(aggregation->inputs[0], cardinality_);
    for (Operator* op = join.inputs[side].get();; op = op->inputs[0].get()) {
      if (op == aggregation) break;
      op->estimated_rows = std::min(op->estimated_rows, aggregation->inputs[0]->estimated_rows);
    }
    cardinality_.estimate(*aggregation);
    return;
  }
}

void GroupReducer::filterRows(OperatorPtr& rows, OperatorPtr scan, std::vector<Join::Key> keys) {
  auto semi = std::make_unique<Join>();
  semi->join_kind = JoinKind::Semi;
  semi->keys = std::move(keys);
  semi->inputs.push_back(std::move(rows));
  semi->inputs.push_back(std::move(scan));
  cardinality_.estimate(*semi);
  rows = std::move(semi);
}

OperatorPtr GroupReducer::scan(const SharedPlan& shared, UnitRenaming& renaming) {
  OperatorPtr made = scanOf(plan_, shared, renaming);
  cardinality_.estimate(*made);
  return made;
}

/// Makes input number `side` a shared plan, which the join scans from now on.
SharedPlan& GroupReducer::share(Join& join, size_t side) {
  const std::string name = "shared" + std::to_string(plan_.shared.size() + 1);
  const auto shared = plan_.shared.insert(place_, sharedPlan(name, std::move(join.inputs[side])));
  UnitRenaming renaming;
  join.inputs[side] = scan(*shared, renaming);
  renameUnits(*root_, renaming);
  return *shared;
}

}  // namespace

void reduceGroups(Plan& plan, Cardinality& cardinality) {
  GroupReducer(plan, cardinality).run();
}

}  // namespace gnomon::sql
