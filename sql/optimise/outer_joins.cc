#include "sql/optimise/outer_joins.h"

#include <algorithm>

#include "sql/algebra/rewrite.h"
#include "sql/optimise/null_rejection.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;
using Predicates = std::vector<ExpressionPtr>;

/// Larger predicates are not carried through a map: stacked derived tables would double them at each level.
constexpr size_t kPredicateNodesMax = 500;

class OuterJoinSimplifier {
 public:
  void run(Plan& plan) {
    visit(*plan.root, {});
    renameUnits(plan.root, renaming_);
  }

 private:
  void visit(Operator& op, Predicates context);
  void visitJoin(Join& join, Predicates context);
  void convert(Join& join, Predicates& context);

  UnitRenaming renaming_;
};

Predicates clones(const Predicates& predicates) {
  Predicates result;
  result.reserve(predicates.size());
  for (const ExpressionPtr& predicate : predicates) result.push_back(predicate->clone());
  return result;
}

void append(Predicates& predicates, const Predicates& more) {
  for (const ExpressionPtr& predicate : more) predicates.push_back(predicate->clone());
}

/// The predicates in terms of an operator's input; those it does not apply to are dropped.
Predicates substituted(Predicates predicates, const Substitution& substitution, const UnitSet& below) {
  Predicates result;
  for (ExpressionPtr& predicate : predicates) {
    if (substitution.nodeCountAfter(*predicate) > kPredicateNodesMax) continue;
    substitution.apply(predicate);
    if (readsOnly(*predicate, below)) result.push_back(std::move(predicate));
  }
  return result;
}

void OuterJoinSimplifier::convert(Join& join, Predicates& context) {
  Substitution substitution;
  std::vector<ExpressionPtr> below;
  for (const auto& [low, high] : join.null_extended) {
    renaming_[high] = low;
    below.push_back(Expression::column(low));
    substitution.add(high, *below.back());
  }
  for (ExpressionPtr& predicate : context) substitution.apply(predicate);
  join.join_kind = Join::JoinKind::Inner;
  join.null_extended.clear();
}

void OuterJoinSimplifier::visitJoin(Join& join, Predicates context) {
  if (join.join_kind == Join::JoinKind::LeftOuter) {
    UnitSet extended;
    for (const auto& [low, high] : join.null_extended) extended.insert(high);
    const bool rejects = std::ranges::any_of(
        context, [&](const ExpressionPtr& predicate) { return rejectsNulls(*predicate, extended); });
    if (rejects) convert(join, context);
  }
  if (join.join_kind == Join::JoinKind::Semi) append(context, join.conditions);
  if (join.join_kind != Join::JoinKind::Inner) {
    visit(*join.inputs[0], std::move(context));
    visit(*join.inputs[1], clones(join.conditions));
    return;
  }
  append(context, join.conditions);
  visit(*join.inputs[0], clones(context));
  visit(*join.inputs[1], std::move(context));
}

void OuterJoinSimplifier::visit(Operator& op, Predicates context) {
  switch (op.kind) {
    case Kind::Join:
      return visitJoin(static_cast<Join&>(op), std::move(context));
    case Kind::Selection:
      append(context, static_cast<Selection&>(op).conditions);
      break;
    case Kind::Map: {
      Substitution substitution;
      for (const Map::Computed& computed : static_cast<Map&>(op).computed)
        substitution.add(computed.iu, *computed.expression);
      context = substituted(std::move(context), substitution, unitSet(*op.inputs[0]));
      break;
    }
    case Kind::Aggregation: {
      const auto& aggregation = static_cast<Aggregation&>(op);
      Substitution substitution;
      for (const Aggregation::Key& key : aggregation.keys) substitution.add(key.iu, *key.expression);
      if (aggregation.keys.empty()) context.clear();
      context = substituted(std::move(context), substitution, unitSet(*op.inputs[0]));
      break;
    }
    case Kind::Sort:
      if (static_cast<Sort&>(op).limit != nullptr || static_cast<Sort&>(op).offset != nullptr) context.clear();
      break;
    default:
      context.clear();
      break;
  }
  for (OperatorPtr& input : op.inputs) visit(*input, clones(context));
}

}  // namespace

void simplifyOuterJoins(Plan& plan) {
  OuterJoinSimplifier().run(plan);
}

}  // namespace gnomon::sql
