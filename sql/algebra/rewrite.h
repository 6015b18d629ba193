#pragma once

#include <cstddef>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// Membership only: the order of iteration must not reach a plan.
using UnitSet = std::unordered_set<Iu>;

UnitSet unitSet(const Operator& op);
/// Every unit the expression reads is in the set (true when it reads none).
bool readsOnly(const Expression& expression, const UnitSet& units);
bool readsAny(const Expression& expression, const UnitSet& units);
bool readsNone(const Expression& expression);

/// Calls `visit` for every expression that stands in the operator itself, not in its inputs.
void forEachExpression(Operator& op, const std::function<void(ExpressionPtr&)>& visit);
/// Calls `visit` for every unit that the operator itself reads beside its expressions: columns and rows to be locked of
/// an output, the rows that are to be changed.
void forEachNamedUnit(Operator& op, const std::function<void(Iu&)>& visit);
/// Calls `visit` for every operator, inputs first.
void forEachOperator(OperatorPtr& root, const std::function<void(OperatorPtr&)>& visit);
/// Of the shared plans, in their order, and then of the plan itself.
void forEachRoot(Plan& plan, const std::function<void(OperatorPtr&)>& visit);
void forEachOperator(Plan& plan, const std::function<void(OperatorPtr&)>& visit);

/// Units that the tree reads and does not produce: those of queries around it.
UnitSet freeUnits(Operator& root);
/// The tree reads one of the units and does not produce it.
bool readsOuter(Operator& root, const UnitSet& outer);
/// Something that the tree computes may do something, or answer otherwise each time.
bool isVolatile(OperatorPtr& root);
/// Somebody could tell afterwards that the tree was executed, and shared plans that it scans.
bool hasEffect(Plan& plan, OperatorPtr& root);

/// Hash that agrees with Expression::equals.
size_t structuralHash(const Expression& expression);
size_t nodeCount(const Expression& expression);

ExpressionPtr booleanConstant(bool value);
bool isTrueConstant(const Expression& expression);
/// FALSE or NULL: a condition that lets nothing pass.
bool isRejectingConstant(const Expression& expression);

/// What a join's key says.
ExpressionPtr conditionOf(Join::Key key);
/// The rows for which every condition is TRUE.
OperatorPtr selected(OperatorPtr input, std::vector<ExpressionPtr> conditions);
/// Appends the conjuncts of a condition, nested ANDs opened, in their order.
void splitConjunction(ExpressionPtr condition, std::vector<ExpressionPtr>& conjuncts);
/// The AND of the conditions; of one, itself; of none, TRUE. `disjunction`: OR and FALSE.
ExpressionPtr conjunction(std::vector<ExpressionPtr> conditions);
ExpressionPtr disjunction(std::vector<ExpressionPtr> conditions);

/// Two arguments and a comparison function.
bool isComparison(const Expression& expression);
bool isEquality(const Expression& expression);
/// The comparison with its sides exchanged (< becomes >), and the one that holds when it does not (< becomes >=).
FunctionId mirrored(FunctionId comparison);
FunctionId negated(FunctionId comparison);

/// Flags what may be NULL because an operand may, after operands were exchanged.
void widenNullability(Expression& expression);

/// Units to be replaced by expressions: what stands above an operator put in terms of what is below it.
class Substitution {
 public:
  void add(Iu unit, const Expression& replacement) { replacements_[unit] = &replacement; }
  [[nodiscard]] bool empty() const { return replacements_.empty(); }
  void apply(ExpressionPtr& expression) const;
  /// The size the expression would have afterwards.
  [[nodiscard]] size_t nodeCountAfter(const Expression& expression) const;

 private:
  std::unordered_map<Iu, const Expression*> replacements_;
};

using UnitRenaming = std::unordered_map<Iu, Iu>;
/// Reads `renaming[unit]` for each renamed unit, in the whole tree; chains of renamings are followed.
void renameUnits(OperatorPtr& root, const UnitRenaming& renaming);
void renameUnits(Expression& expression, const UnitRenaming& renaming);
void renameUnits(Plan& plan, const UnitRenaming& renaming);
/// A scan of all columns of the shared plan; adds to `renaming` what its columns are called.
OperatorPtr scanOf(Plan& plan, const SharedPlan& shared, UnitRenaming& renaming);

}  // namespace gnomon::sql
