#include "sql/optimise/repeated_plans.h"

#include <algorithm>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/optimise/shared_plans.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;
using JoinKind = Join::JoinKind;

/// A plan is shared if it reads at least so many rows for each that it hands on.
constexpr double kReductionMin = 4;
/// Fewer rows are read again faster than they are kept.
constexpr double kRowsMin = 1'000;

/// Compares a tree with another one, unit by unit. The other one's units are named as the first one's; columns that
/// only the other one reads are added to the first one's scans, where nobody reads them yet.
class TreeComparison {
 public:
  explicit TreeComparison(Plan& plan) : plan_(plan) {}

  bool equal(Operator& one, Operator& other);
  [[nodiscard]] const UnitRenaming& renaming() const { return renaming_; }

 private:
  bool equalScans(TableScan& one, const TableScan& other);
  bool equalJoins(const Join& one, const Join& other);
  bool equalMaps(const Map& one, const Map& other);
  bool equalGroups(const Aggregation& one, const Aggregation& other);
  bool equal(const ExpressionPtr& one, const ExpressionPtr& other) const;
  bool equal(const std::vector<ExpressionPtr>& one, const std::vector<ExpressionPtr>& other) const;

  Plan& plan_;
  UnitRenaming renaming_;  ///< from the other tree's units to the first one's
};

bool TreeComparison::equal(const ExpressionPtr& one, const ExpressionPtr& other) const {
  if (!one || !other) return !one && !other;
  const ExpressionPtr renamed = other->clone();
  renameUnits(*renamed, renaming_);
  return one->equals(*renamed) && !one->isVolatile();
}

bool TreeComparison::equal(const std::vector<ExpressionPtr>& one, const std::vector<ExpressionPtr>& other) const {
  return std::ranges::equal(one, other, [&](const auto& left, const auto& right) { return equal(left, right); });
}

bool TreeComparison::equalScans(TableScan& one, const TableScan& other) {
  if (one.table != other.table || one.range || other.range || !one.pruning.empty() || !other.pruning.empty())
    return false;
  constexpr auto kIndex = &TableScan::Column::index;
  // Rows that are changed or locked are those of one scan.
  for (const TableScan* scan : {static_cast<const TableScan*>(&one), &other})
    if (std::ranges::find(scan->columns, TableScan::kTupleId, kIndex) != scan->columns.end()) return false;
  for (const TableScan::Column& column : other.columns) {
    auto same = std::ranges::find(one.columns, column.index, kIndex);
    if (same == one.columns.end()) {
      const Iu added = plan_.makeUnit(column.iu->name, column.iu->type, column.iu->nullable);
      same = one.columns.insert(same, {column.index, added});
    }
    renaming_[column.iu] = same->iu;
  }
  return equal(one.filters, other.filters);
}

bool TreeComparison::equalJoins(const Join& one, const Join& other) {
  const bool hands_on =
      one.join_kind == JoinKind::Inner || one.join_kind == JoinKind::Semi || one.join_kind == JoinKind::Anti;
  return hands_on && one.join_kind == other.join_kind && one.build_left == other.build_left && !one.is_dependent &&
         !other.is_dependent && equal(one.conditions, other.conditions) &&
         std::ranges::equal(one.keys, other.keys, [&](const Join::Key& key, const Join::Key& same) {
           return key.is_null_safe == same.is_null_safe && equal(key.left, same.left) && equal(key.right, same.right);
         });
}

bool TreeComparison::equalMaps(const Map& one, const Map& other) {
  return std::ranges::equal(one.computed, other.computed, [&](const Map::Computed& column, const Map::Computed& same) {
    renaming_[same.iu] = column.iu;
    return equal(column.expression, same.expression);
  });
}

bool TreeComparison::equalGroups(const Aggregation& one, const Aggregation& other) {
  const auto isSameKey = [&](const Aggregation::Key& key, const Aggregation::Key& same) {
    renaming_[same.iu] = key.iu;
    return equal(key.expression, same.expression);
  };
  using Aggregate = Aggregation::Aggregate;
  const auto isSame = [&](const Aggregate& aggregate, const Aggregate& same) {
    renaming_[same.iu] = aggregate.iu;
    return aggregate.function == same.function && aggregate.distinct == same.distinct && aggregate.order.empty() &&
           same.order.empty() && aggregate.is_descending == same.is_descending &&
           equal(aggregate.argument, same.argument) && equal(aggregate.second, same.second);
  };
  return std::ranges::equal(one.keys, other.keys, isSameKey) &&
         std::ranges::equal(one.aggregates, other.aggregates, isSame);
}

bool TreeComparison::equal(Operator& one, Operator& other) {
  if (one.kind != other.kind || one.inputs.size() != other.inputs.size()) return false;
  for (size_t i = 0; i < one.inputs.size(); ++i)
    if (!equal(*one.inputs[i], *other.inputs[i])) return false;
  switch (one.kind) {
    case Kind::TableScan:
      return equalScans(static_cast<TableScan&>(one), static_cast<const TableScan&>(other));
    case Kind::Selection:
      return equal(static_cast<const Selection&>(one).conditions, static_cast<const Selection&>(other).conditions);
    case Kind::Map:
      return equalMaps(static_cast<const Map&>(one), static_cast<const Map&>(other));
    case Kind::Join:
      return equalJoins(static_cast<const Join&>(one), static_cast<const Join&>(other));
    case Kind::Aggregation:
      return equalGroups(static_cast<const Aggregation&>(one), static_cast<const Aggregation&>(other));
    default:
      return false;
  }
}

/// What equal trees have in common, and what a tree reads.
struct Shape {
  size_t hash = 0;
  double rows_read = 0;
  size_t tables = 0;
};

class PlanSharer {
 public:
  PlanSharer(Plan& plan, Cardinality& cardinality) : plan_(plan), cardinality_(cardinality) {}

  void run() {
    forEachRoot(plan_, [&](OperatorPtr& root) { describe(*root); });
    forEachRoot(plan_, [&](OperatorPtr& root) { visit(root); });
    plan_.shared.splice(plan_.shared.begin(), shared_);
  }

 private:
  struct Place {
    OperatorPtr* op;
    SharedPlan* shared = nullptr;  ///< what became of the tree that was here
  };
  const Shape& describe(const Operator& op);
  void visit(OperatorPtr& op);
  bool share(Place& first, OperatorPtr& second);
  void makeShared(Place& first);
  [[nodiscard]] bool pays(const Operator& op) const;

  Plan& plan_;
  Cardinality& cardinality_;
  std::unordered_map<const Operator*, Shape> shapes_;
  std::unordered_map<size_t, std::vector<Place>> places_;  ///< by hash
  std::list<SharedPlan> shared_;                           ///< the last one made first: it may be a part of others
};

const Shape& PlanSharer::describe(const Operator& op) {
  Shape shape{.hash = static_cast<size_t>(op.kind)};
  for (const OperatorPtr& input : op.inputs) {
    const Shape& below = describe(*input);
    shape.hash = (shape.hash ^ below.hash) * 0x9e3779b97f4a7c15 + 1;
    shape.rows_read += below.rows_read;
    shape.tables += below.tables;
  }
  if (op.kind == Kind::TableScan) {
    const auto& scan = static_cast<const TableScan&>(op);
    shape.hash ^= std::hash<const void*>()(scan.table.get());
    shape.rows_read = cardinality_.statistics().rowCount(*scan.table);
    shape.tables = 1;
  }
  return shapes_[&op] = shape;
}

bool PlanSharer::pays(const Operator& op) const {
  const bool is_work = op.kind == Kind::Join || op.kind == Kind::Aggregation;
  const Shape& shape = shapes_.at(&op);
  return is_work && shape.tables != 0 && shape.rows_read >= kRowsMin &&
         shape.rows_read >= kReductionMin * op.estimated_rows;
}

void PlanSharer::visit(OperatorPtr& op) {
  if (pays(*op)) {
    std::vector<Place>& places = places_[shapes_.at(op.get()).hash];
    for (Place& place : places)
      if (share(place, op)) return;
    places.push_back({&op});
  }
  for (OperatorPtr& input : op->inputs) visit(input);
}

/// The second tree becomes a scan of what the first one makes, if they are equal.
bool PlanSharer::share(Place& first, OperatorPtr& second) {
  Operator& tree = first.shared != nullptr ? *first.shared->root->inputs[0] : **first.op;
  TreeComparison comparison(plan_);
  if (!comparison.equal(tree, *second)) return false;
  if (first.shared == nullptr) makeShared(first);
  auto& output = static_cast<Output&>(*first.shared->root);
  const std::vector<Iu> units = second->units();
  auto scan = std::make_unique<SharedScan>();
  scan->source = first.shared;
  for (const Iu unit : units) {
    const Iu same = comparison.renaming().at(unit);
    auto column = std::ranges::find(output.columns, same, &Output::Column::iu);
    if (column == output.columns.end()) column = output.columns.insert(column, {same->name, same});
    scan->columns.push_back({static_cast<size_t>(column - output.columns.begin()), unit});
  }
  cardinality_.estimate(*scan);
  second = std::move(scan);
  return true;
}

void PlanSharer::makeShared(Place& first) {
  const std::string name = "shared" + std::to_string(plan_.shared.size() + shared_.size() + 1);
  OperatorPtr tree = std::move(*first.op);
  UnitRenaming renaming;
  shared_.push_front(sharedPlan(name, std::move(tree)));
  first.shared = &shared_.front();
  *first.op = scanOf(plan_, *first.shared, renaming);
  cardinality_.estimate(**first.op);
  renameUnits(plan_, renaming);
  for (SharedPlan& other : shared_)
    if (&other != first.shared) renameUnits(other.root, renaming);
}

}  // namespace

void shareRepeatedPlans(Plan& plan, Cardinality& cardinality) {
  PlanSharer(plan, cardinality).run();
}

}  // namespace gnomon::sql
