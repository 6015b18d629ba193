#include "sql/optimise/left_domain.h"

#include <algorithm>
#include <string>

#include "base/sql_error.h"
#include "sql/algebra/copy_tree.h"
#include "sql/algebra/error_freedom.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;
using JoinKind = Join::JoinKind;
using Predicates = std::vector<ExpressionPtr>;

/// The part of the tree that has the units, in which each combination of their values is that the tree has, and no
/// other.
const Operator& sourceOf(const Operator& tree, const std::vector<Iu>& units) {
  const Operator* source = &tree;
  const auto keepsRows = [](const Operator& op) {
    if (op.kind == Kind::Map || op.kind == Kind::Window) return true;
    if (op.kind != Kind::Join) return false;
    const JoinKind kind = static_cast<const Join&>(op).join_kind;
    return kind == JoinKind::LeftOuter || kind == JoinKind::Single || kind == JoinKind::Mark;
  };
  while (keepsRows(*source)) {
    const UnitSet below = unitSet(*source->inputs[0]);
    if (!std::ranges::all_of(units, [&](Iu unit) { return below.contains(unit); })) break;
    source = source->inputs[0].get();
  }
  return *source;
}

}  // namespace

OperatorPtr LeftDomain::values(const std::vector<Iu>& units, std::vector<Iu>& copies) {
  if (!left_ && isRepeated()) return copiedValues(units, copies);
  if (!left_) shareLeft();
  const SharedPlan* shared = nullptr;
  for (const auto& [known, plan] : values_)
    if (known == units) shared = plan;
  if (!shared) values_.emplace_back(units, shared = makeValues(units));
  auto scan = std::make_unique<SharedScan>();
  scan->source = shared;
  for (size_t i = 0; i < units.size(); ++i) {
    const ExpressionPtr identity = identityOf(Expression::column(units[i]));
    copies.push_back(plan_.makeUnit(units[i]->name, identity->type, identity->nullable));
    scan->columns.push_back({i, copies.back()});
  }
  return scan;
}

OperatorPtr LeftDomain::once(OperatorPtr tree, const std::vector<Iu>& columns) {
  std::vector<Output::Column> output;
  for (const Iu unit : tree->units()) output.push_back({unit->name, unit});
  auto scan = std::make_unique<SharedScan>();
  scan->source = add(std::move(tree), std::move(output));
  for (size_t i = 0; i < columns.size(); ++i) scan->columns.push_back({i, columns[i]});
  return scan;
}

SharedPlan* LeftDomain::add(OperatorPtr tree, std::vector<Output::Column> columns) {
  auto output = std::make_unique<Output>();
  output->columns = std::move(columns);
  output->inputs.push_back(std::move(tree));
  const auto name = "shared" + std::to_string(plan_.shared.size() + 1);
  SharedPlan shared{.name = name, .root = std::move(output), .is_separate = true};
  shared.is_last = place_ != plan_.shared.end() && place_->is_last;
  return &*plan_.shared.insert(place_, std::move(shared));
}

OperatorPtr LeftDomain::copiedValues(const std::vector<Iu>& units, std::vector<Iu>& copies) {
  OperatorPtr& left = join_.inputs[0];
  if (isVolatile(left)) throwNotSupported("volatile functions in a query around a correlated subquery and in another");
  std::vector<Iu> needed = units;
  for (const ExpressionPtr& condition : conditions_) condition->collectUnits(needed);
  UnitRenaming renaming;
  OperatorPtr tree = copyTree(plan_, sourceOf(*left, needed), renaming);
  return distinctValues(std::move(tree), renaming, units, copies);
}

Predicates LeftDomain::ownConditions(const Join& join) {
  const UnitSet left = unitSet(*join.inputs[0]);
  Predicates own;
  for (const ExpressionPtr& condition : join.conditions)
    if (readsOnly(*condition, left) && !readsNone(*condition) && !condition->isVolatile() && neverRaises(*condition))
      own.push_back(condition->clone());
  return own;
}

void LeftDomain::shareLeft() {
  OperatorPtr& left = join_.inputs[0];
  std::vector<Output::Column> columns;
  for (const Iu unit : left->units()) columns.push_back({unit->name, unit});
  left_ = add(std::move(left), std::move(columns));
  left = scanOf(plan_, *left_, renaming_);
}

const SharedPlan* LeftDomain::makeValues(const std::vector<Iu>& units) {
  UnitRenaming renaming;
  std::vector<Iu> keys;
  OperatorPtr tree = scanOf(plan_, *left_, renaming);
  tree = distinctValues(std::move(tree), renaming, units, keys);
  std::vector<Output::Column> columns;
  for (const Iu key : keys) columns.push_back({key->name, key});
  return add(std::move(tree), std::move(columns));
}

OperatorPtr LeftDomain::distinctValues(OperatorPtr tree, const UnitRenaming& renaming, const std::vector<Iu>& units,
                                       std::vector<Iu>& keys) {
  Predicates conditions;
  for (const ExpressionPtr& condition : conditions_) {
    conditions.push_back(condition->clone());
    renameUnits(*conditions.back(), renaming);
  }
  if (!conditions.empty()) tree = selected(std::move(tree), std::move(conditions));
  if (std::ranges::find(units, row_) != units.end()) {
    auto map = std::make_unique<Map>();
    for (const Iu unit : units) {
      ExpressionPtr identity = identityOf(Expression::column(renaming.at(unit)));
      keys.push_back(plan_.makeUnit(unit->name, identity->type, identity->nullable));
      map->computed.push_back({keys.back(), std::move(identity)});
    }
    map->inputs.push_back(std::move(tree));
    return map;
  }
  auto distinct = std::make_unique<Aggregation>();
  distinct->inputs.push_back(std::move(tree));
  for (const Iu unit : units) {
    ExpressionPtr identity = identityOf(Expression::column(renaming.at(unit)));
    keys.push_back(plan_.makeUnit(unit->name, identity->type, identity->nullable));
    distinct->keys.push_back({keys.back(), std::move(identity)});
  }
  return distinct;
}

}  // namespace gnomon::sql
