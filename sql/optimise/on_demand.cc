#include "sql/optimise/on_demand.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/optimise/row_uniqueness.h"
#include "sql/optimise/shared_plans.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;
using JoinKind = Join::JoinKind;
using Place = std::list<SharedPlan>::iterator;

bool isSubquery(const Operator& op) {
  if (op.kind != Kind::Join) return false;
  const JoinKind kind = static_cast<const Join&>(op).join_kind;
  return kind == JoinKind::Single || kind == JoinKind::Mark;
}

class DemandMarker {
 public:
  explicit DemandMarker(Plan& plan) : plan_(plan) {}
  void run() {
    forEachRoot(plan_, [this](OperatorPtr& root) { visit(root, false); });
  }

 private:
  void visit(OperatorPtr& op, bool is_condition);
  void mark(Join& join, bool is_condition);
  static void askForConstants(OperatorPtr& selection);

  Plan& plan_;
};

/// `is_condition`: what stands on top is a subquery of the selection above.
void DemandMarker::visit(OperatorPtr& op, bool is_condition) {
  if (isSubquery(*op)) {
    mark(static_cast<Join&>(*op), is_condition);
    visit(op->inputs[0], is_condition);
    return visit(op->inputs[1], false);
  }
  for (OperatorPtr& input : op->inputs) visit(input, op->kind == Kind::Selection);
  if (op->kind == Kind::Selection) askForConstants(op);
}

/// Its conditions say for which left rows it is asked.
void DemandMarker::mark(Join& join, bool is_condition) {
  plan_.has_subqueries = true;
  const bool is_guarded = !join.conditions.empty();
  if (join.is_dependent) return;
  if (plan_.subqueries_on_demand) {
    join.is_dependent = is_guarded && !freeUnits(*join.inputs[1]).empty();
    join.is_on_demand = !join.is_dependent && (is_guarded || rowBound(*join.inputs[0]) != RowBound::One);
    return;
  }
  const bool is_asked = is_condition || rowBound(*join.inputs[0]) == RowBound::One;
  join.is_on_demand = (is_guarded || !is_asked) && hasEffect(plan_, join.inputs[1]);
}

/// A conjunct that reads nothing but subqueries is tested whether there are rows or not.
void DemandMarker::askForConstants(OperatorPtr& selection) {
  std::unordered_map<Iu, Join*> joins;
  for (Operator* op = selection->inputs[0].get(); isSubquery(*op); op = op->inputs[0].get()) {
    auto& join = static_cast<Join&>(*op);
    if (join.mark) joins[join.mark] = &join;
    for (const auto& [below, above] : join.null_extended) joins[above] = &join;
  }
  if (joins.empty()) return;
  for (const ExpressionPtr& condition : static_cast<const Selection&>(*selection).conditions) {
    std::vector<ExpressionPtr> conjuncts;
    splitConjunction(condition->clone(), conjuncts);
    for (const ExpressionPtr& conjunct : conjuncts) {
      std::vector<Iu> read;
      conjunct->collectUnits(read);
      const auto isPlain = [&](Iu unit) { return joins.contains(unit) && joins.at(unit)->conditions.empty(); };
      if (!std::ranges::all_of(read, isPlain)) continue;
      for (const Iu unit : read) joins.at(unit)->is_on_demand = false;
    }
  }
}

class GatePlacer {
 public:
  explicit GatePlacer(Plan& plan) : plan_(plan) {}
  void run() {
    for (Place place = plan_.shared.begin(); place != plan_.shared.end(); ++place)
      if (place->root) visit(place->root, place);
    visit(plan_.root, plan_.shared.end());
    if (has_gates_) spread();
  }

 private:
  void visit(OperatorPtr& op, Place place, bool is_repeated = false);
  void gate(Join& join, Place place);
  SharedPlan& add(std::string name, OperatorPtr tree, Place place);
  static void close(OperatorPtr& tree, const SharedPlan& gate);
  void spread();
  void collect(Operator& op, const SharedPlan* gate);

  Plan& plan_;
  bool has_gates_ = false;
  /// Behind which gates a shared plan is scanned; null: behind none.
  std::unordered_map<const SharedPlan*, std::unordered_set<const SharedPlan*>> readers_;
};

/// `is_repeated`: it stands in the part of a recursion that is executed again and again.
void GatePlacer::visit(OperatorPtr& op, Place place, bool is_repeated) {
  if (op->kind == Kind::Join && std::exchange(static_cast<Join&>(*op).is_on_demand, false) && !is_repeated)
    return gate(static_cast<Join&>(*op), place);
  for (size_t i = 0; i < op->inputs.size(); ++i)
    visit(op->inputs[i], place, is_repeated || (op->kind == Kind::Recursion && i == 1));
}

SharedPlan& GatePlacer::add(std::string name, OperatorPtr tree, Place place) {
  SharedPlan& shared = *plan_.shared.insert(place, sharedPlan(std::move(name), std::move(tree)));
  shared.is_last = place != plan_.shared.end() && place->is_last;
  return shared;
}

void GatePlacer::close(OperatorPtr& tree, const SharedPlan& gate) {
  auto join = std::make_unique<Join>();
  join->join_kind = JoinKind::Gate;
  auto scan = std::make_unique<SharedScan>();
  scan->source = &gate;
  join->inputs.push_back(std::move(tree));
  join->inputs.push_back(std::move(scan));
  tree = std::move(join);
}

void GatePlacer::gate(Join& join, Place place) {
  const auto name = [this](std::string_view kind) {
    return std::string(kind) + std::to_string(plan_.shared.size() + 1);
  };
  SharedPlan& rows = add(name("shared"), std::move(join.inputs[0]), place);
  // Meanwhile nothing is there. It renames some of the rows' units.
  join.inputs[0] = std::make_unique<Values>();
  visit(rows.root->inputs[0], std::prev(place));
  const UnitSet left = unitSet(*rows.root->inputs[0]);
  std::vector<ExpressionPtr> asking;
  for (const ExpressionPtr& condition : join.conditions)
    if (readsOnly(*condition, left)) asking.push_back(condition->clone());
  UnitRenaming above, asked;
  join.inputs[0] = scanOf(plan_, rows, above);
  forEachRoot(plan_, [&](OperatorPtr& root) {
    if (root != rows.root) renameUnits(root, above);
  });
  auto one = std::make_unique<Limit>();
  one->limit = Expression::constant(Value::fromInt(Type::of(TypeKind::Bigint), 1));
  OperatorPtr scan = scanOf(plan_, rows, asked);
  for (ExpressionPtr& condition : asking) renameUnits(*condition, asked);
  one->inputs.push_back(asking.empty() ? std::move(scan) : selected(std::move(scan), std::move(asking)));
  SharedPlan& gate = add(name("gate"), std::move(one), place);
  static_cast<Output&>(*gate.root).columns.clear();
  has_gates_ = true;
  visit(join.inputs[1], place);
  close(join.inputs[1], gate);
}

/// Shared plans that are scanned behind one gate alone stand behind it themselves.
void GatePlacer::spread() {
  std::vector<Place> places;
  std::unordered_map<const SharedPlan*, size_t> numbers;
  for (Place place = plan_.shared.begin(); place != plan_.shared.end(); ++place) {
    numbers.emplace(&*place, places.size());
    places.push_back(place);
  }
  collect(*plan_.root, nullptr);
  // Who scans a shared plan stands behind it.
  for (size_t i = places.size(); i-- > 0;) {
    SharedPlan& shared = *places[i];
    if (!shared.root) continue;
    const auto& readers = readers_[&shared];
    const SharedPlan* gate = readers.size() == 1 ? *readers.begin() : nullptr;
    if (gate != nullptr && (shared.is_change || gate->is_last != shared.is_last)) gate = nullptr;
    if (gate != nullptr) {
      const size_t number = numbers.at(gate);
      if (i < number) plan_.shared.splice(std::next(places[number]), plan_.shared, places[i]);
      close(shared.root->inputs[0], *gate);
    }
    collect(*shared.root, gate);
  }
}

void GatePlacer::collect(Operator& op, const SharedPlan* gate) {
  if (op.kind == Kind::SharedScan) readers_[static_cast<SharedScan&>(op).source].insert(gate);
  if (op.kind != Kind::Join || static_cast<Join&>(op).join_kind != JoinKind::Gate) {
    for (const OperatorPtr& input : op.inputs) collect(*input, gate);
    return;
  }
  const SharedPlan* const own = static_cast<SharedScan&>(*op.inputs[1]).source;
  collect(*op.inputs[0], own);
  collect(*op.inputs[1], gate);
}

}  // namespace

void markOnDemand(Plan& plan) {
  DemandMarker(plan).run();
}

void gateOnDemand(Plan& plan) {
  GatePlacer(plan).run();
}

}  // namespace gnomon::sql
