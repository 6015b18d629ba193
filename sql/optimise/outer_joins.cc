#include "sql/optimise/outer_joins.h"

#include <algorithm>
#include <utility>

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
    forEachRoot(plan, [&](OperatorPtr& root) { visit(*root, {}); });
    renameUnits(plan, renaming_);
  }

 private:
  void visit(Operator& op, Predicates context);
  void visitJoin(Join& join, Predicates context);
  void simplifyFullJoin(Join& join, Predicates& context);
  void dropExtension(std::vector<std::pair<Iu, Iu>>& extended, Predicates& context);

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

/// Rows with NULLs for the units do not reach the context: above the join they are what they are below.
void OuterJoinSimplifier::dropExtension(std::vector<std::pair<Iu, Iu>>& extended, Predicates& context) {
  Substitution substitution;
  std::vector<ExpressionPtr> below;
  for (const auto& [low, high] : extended) {
    renaming_[high] = low;
    below.push_back(Expression::column(low));
    substitution.add(high, *below.back());
  }
  for (ExpressionPtr& predicate : context) substitution.apply(predicate);
  extended.clear();
}

bool rejectsExtended(const std::vector<std::pair<Iu, Iu>>& extended, const Predicates& context) {
  UnitSet units;
  for (const auto& [low, high] : extended) units.insert(high);
  return std::ranges::any_of(context, [&](const ExpressionPtr& predicate) { return rejectsNulls(*predicate, units); });
}

/// What one side's rows alone let pass makes it a left join, whose left side is that one.
void OuterJoinSimplifier::simplifyFullJoin(Join& join, Predicates& context) {
  const bool needs_left = rejectsExtended(join.left_extended, context);
  const bool needs_right = rejectsExtended(join.null_extended, context);
  if (!needs_left && !needs_right) return;
  join.join_kind = Join::JoinKind::LeftOuter;
  if (!needs_left) {
    std::swap(join.inputs[0], join.inputs[1]);
    std::swap(join.null_extended, join.left_extended);
  }
  dropExtension(join.left_extended, context);
}

void OuterJoinSimplifier::visitJoin(Join& join, Predicates context) {
  if (join.join_kind == Join::JoinKind::FullOuter) simplifyFullJoin(join, context);
  if (join.join_kind == Join::JoinKind::LeftOuter && rejectsExtended(join.null_extended, context)) {
    join.join_kind = Join::JoinKind::Inner;
    dropExtension(join.null_extended, context);
  }
  if (join.join_kind == Join::JoinKind::FullOuter) {
    for (OperatorPtr& input : join.inputs) visit(*input, {});
    return;
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
