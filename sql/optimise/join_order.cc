#include "sql/optimise/join_order.h"

#include <algorithm>
#include <iterator>

#include "base/cancel_scope.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/optimise/join_keys.h"
#include "sql/optimise/join_region.h"

namespace gnomon::sql {
namespace {

using Predicates = std::vector<ExpressionPtr>;

/// Relations ordered together when a region has more than kRelationsMax.
constexpr size_t kPartRelations = 40;

void visit(OperatorPtr& op, Cardinality& cardinality);

bool isInnerJoin(const Operator& op) {
  return op.kind == Operator::Kind::Join && static_cast<const Join&>(op).join_kind == Join::JoinKind::Inner;
}

void collect(OperatorPtr op, std::vector<OperatorPtr>& inputs, Predicates& predicates) {
  if (!isInnerJoin(*op)) {
    inputs.push_back(std::move(op));
    return;
  }
  auto& join = static_cast<Join&>(*op);
  // Of a join that was ordered before.
  for (Join::Key& key : join.keys) predicates.push_back(conditionOf(std::move(key)));
  std::ranges::move(join.conditions, std::back_inserter(predicates));
  collect(std::move(op->inputs[0]), inputs, predicates);
  collect(std::move(op->inputs[1]), inputs, predicates);
}

Predicates takeCovered(Predicates& predicates, const UnitSet& units) {
  Predicates covered;
  Predicates rest;
  for (ExpressionPtr& predicate : predicates)
    (readsOnly(*predicate, units) ? covered : rest).push_back(std::move(predicate));
  predicates = std::move(rest);
  return covered;
}

/// The next input that a predicate connects with the units, or else the first.
size_t nextConnected(const std::vector<OperatorPtr>& inputs, const Predicates& predicates, const UnitSet& units) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const UnitSet own = unitSet(*inputs[i]);
    const bool connects = std::ranges::any_of(predicates, [&](const ExpressionPtr& predicate) {
      return readsAny(*predicate, own) && readsAny(*predicate, units);
    });
    if (connects) return i;
  }
  return 0;
}

/// Orders a connected part of a region that is too large for a relation set; the result is one input of the rest.
OperatorPtr orderPart(std::vector<OperatorPtr>& inputs, Predicates& predicates, const Cardinality& cardinality) {
  std::vector<OperatorPtr> part;
  UnitSet units;
  while (part.size() < kPartRelations) {
    const size_t next = nextConnected(inputs, predicates, units);
    units.merge(unitSet(*inputs[next]));
    part.push_back(std::move(inputs[next]));
    inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(next));
  }
  return JoinRegion(std::move(part), takeCovered(predicates, units), cardinality).order();
}

OperatorPtr orderRegion(OperatorPtr op, Cardinality& cardinality) {
  pollCancel();
  std::vector<OperatorPtr> inputs;
  Predicates predicates;
  collect(std::move(op), inputs, predicates);
  for (OperatorPtr& input : inputs) visit(input, cardinality);
  while (inputs.size() > kRelationsMax) {
    OperatorPtr part = orderPart(inputs, predicates, cardinality);
    inputs.insert(inputs.begin(), std::move(part));
  }
  return JoinRegion(std::move(inputs), std::move(predicates), cardinality).order();
}

/// The preserved or tested side may be the one in the hash table; without keys the right rows are listed.
bool mayBuildLeft(const Join& join) {
  const bool counts_matches = join.join_kind == Join::JoinKind::Single || join.join_kind == Join::JoinKind::FullOuter;
  if (join.keys.empty() || counts_matches) return false;
  return !join.compared && !join.keys[0].is_compared;
}

void visit(OperatorPtr& op, Cardinality& cardinality) {
  if (isInnerJoin(*op)) {
    op = orderRegion(std::move(op), cardinality);
    return;
  }
  for (OperatorPtr& input : op->inputs) visit(input, cardinality);
  if (op->kind == Operator::Kind::Join) {
    auto& join = static_cast<Join&>(*op);
    extractKeys(join);
    // Its right rows note their matches, which those of a hash table can.
    if (join.join_kind == Join::JoinKind::FullOuter && join.keys.empty())
      join.keys.push_back({booleanConstant(true), booleanConstant(true)});
    if (mayBuildLeft(join)) join.build_left = join.inputs[0]->estimated_rows < join.inputs[1]->estimated_rows;
  }
  cardinality.estimate(*op);
}

}  // namespace

namespace {

/// In the part of a recursion that is repeated the rows that stay the same are better in the hash table: it is built
/// once.
void buildLastingSides(OperatorPtr& op) {
  for (OperatorPtr& input : op->inputs) buildLastingSides(input);
  if (op->kind != Operator::Kind::Join) return;
  auto& join = static_cast<Join&>(*op);
  const bool is_left_working = readsWorkingRows(*join.inputs[0]);
  if (is_left_working == readsWorkingRows(*join.inputs[1])) return;
  const bool may_turn = join.join_kind == Join::JoinKind::Inner && !join.keys.empty();
  if (is_left_working || may_turn) join.build_left = !is_left_working;
}

}  // namespace

void reorderJoins(OperatorPtr& root, Cardinality& cardinality) {
  visit(root, cardinality);
}

void orderJoins(Plan& plan, Cardinality& cardinality) {
  forEachRoot(plan, [&](OperatorPtr& root) { visit(root, cardinality); });
  forEachOperator(plan, [](OperatorPtr& op) {
    if (op->kind == Operator::Kind::Recursion) buildLastingSides(op->inputs[1]);
  });
}

}  // namespace gnomon::sql
