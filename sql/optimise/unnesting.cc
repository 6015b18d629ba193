#include "sql/optimise/unnesting.h"

#include <algorithm>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/optimise/correlation.h"
#include "sql/optimise/left_domain.h"
#include "sql/optimise/on_demand.h"
#include "sql/optimise/repeated_values.h"
#include "sql/optimise/row_numbering.h"
#include "sql/optimise/row_uniqueness.h"
#include "sql/optimise/shared_plans.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;
using JoinKind = Join::JoinKind;
using Predicates = std::vector<ExpressionPtr>;

/// Whether something in the subquery reads the outer units otherwise than by equalities, or by what can be lifted out
/// of it. `is_liftable`: so far nothing above groups, limits or joins outer.
bool needsDomain(Operator& op, const UnitSet& outer, bool is_liftable) {
  bool is_needed = false;
  const auto test = [&](const Expression& expression) {
    if (!readsAny(expression, outer)) return;
    if (op.kind == Kind::Selection || op.kind == Kind::Join) {
      if (is_liftable) return;
      std::vector<ExpressionPtr> conjuncts;
      splitConjunction(expression.clone(), conjuncts);
      for (const ExpressionPtr& conjunct : conjuncts) {
        if (!readsAny(*conjunct, outer)) continue;
        const bool is_equality =
            isEquality(*conjunct) && readsAny(*conjunct->children[0], outer) != readsAny(*conjunct->children[1], outer);
        is_needed = is_needed || !is_equality;
      }
    } else {
      is_needed = is_needed || op.kind != Kind::Map || !is_liftable;
    }
  };
  forEachExpression(op, [&](ExpressionPtr& expression) { test(*expression); });
  if (is_needed) return true;
  const bool passes = op.kind == Kind::Selection || op.kind == Kind::Map || op.kind == Kind::Join;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const bool is_inner = op.kind != Kind::Join || static_cast<Join&>(op).join_kind == JoinKind::Inner || i == 0;
    if (needsDomain(*op.inputs[i], outer, is_liftable && passes && is_inner)) return true;
  }
  // Those under it belong to groups that may be empty, or to rows of several inputs.
  const bool is_group = op.kind == Kind::Aggregation && static_cast<Aggregation&>(op).keys.empty();
  const bool is_united = op.kind == Kind::Union || op.kind == Kind::Recursion;
  return (is_united || (is_group && !is_liftable)) && readsOuter(op, outer);
}

class Unnester {
 public:
  Unnester(Plan& plan, const TableStatistics& statistics) : plan_(plan), statistics_(statistics) {}
  void run() {
    // What only an unread subquery read is unread as well.
    bool has_dropped = true;
    while (has_dropped) {
      reads_.clear();
      forEachRoot(plan_, [this](OperatorPtr& root) { countReads(root); });
      has_dropped = false;
      forEachRoot(plan_, [&](OperatorPtr& root) { has_dropped |= dropUnread(root); });
    }
    markOnDemand(plan_);
    for (place_ = plan_.shared.begin(); place_ != plan_.shared.end(); ++place_)
      if (place_->root) visit(place_->root);
    visit(plan_.root);
    makePostponed();
    working_numbers_.make();
  }

 private:
  void countReads(OperatorPtr& root);
  void countExtended(Operator& op);
  bool dropUnread(OperatorPtr& op);
  void visit(OperatorPtr& op, bool is_correlated = false);
  void useMarks(OperatorPtr& op);
  static void passBelowSubqueries(OperatorPtr& op);
  bool useMark(OperatorPtr& selection, Predicates& conjuncts, size_t number);
  void visitJoin(OperatorPtr& op);
  [[nodiscard]] RepeatedValues repeatedValues(RepeatedValues::Kind kind = RepeatedValues::Kind::Volatile) const {
    return {constant_, reads_, kind};
  }
  [[nodiscard]] bool isPostponed(Join& join) const;
  void makeIndependent(Join& join);
  bool numberLeftRows(Join& join, Iu row);
  void makePostponed();
  void liftColumns(Join& join, const UnitSet& left);
  std::vector<Map::Computed> liftExtended(Join& join, std::vector<Map::Computed>& computed, Iu matched);
  void addAbove(std::vector<Map::Computed> computed);
  Aggregation& liftFromGroup(Join& join);
  [[nodiscard]] static bool isOneGroup(const Join& join, size_t guards);
  void simplifyKind(Join& join);

  Plan& plan_;
  const TableStatistics& statistics_;
  std::unordered_map<Iu, size_t> reads_;   ///< of each unit, in the plan as it was bound
  std::vector<OperatorPtr> above_;         ///< maps that are to stand above the join at hand, lowest first
  std::list<SharedPlan>::iterator place_;  ///< the tree at hand; the end: the plan's own
  UnitRenaming renaming_;                  ///< of units of a left input that is shared now, to be done
  const Operator* shared_left_ = nullptr;
  bool has_postponed_ = false;
  ConstantSubqueries constant_;
  std::unordered_map<const Join*, size_t> guards_;
  WorkingNumbers working_numbers_;
};

/// The join below that adds the mark; null: it is not in the selection's chain of subqueries.
Join* joinOfMark(Operator& op, Iu mark) {
  Operator* below = &op;
  while (below->kind == Kind::Join && static_cast<Join*>(below)->join_kind != JoinKind::Inner) {
    auto& join = static_cast<Join&>(*below);
    if (join.mark == mark) return &join;
    below = join.inputs[0].get();
  }
  return nullptr;
}

void Unnester::countReads(OperatorPtr& root) {
  std::vector<Iu> units;
  forEachOperator(root, [&](OperatorPtr& op) {
    forEachExpression(*op, [&](ExpressionPtr& expression) { expression->collectUnits(units); });
    forEachNamedUnit(*op, [&](Iu& unit) { units.push_back(unit); });
  });
  for (const Iu unit : units) ++reads_[unit];
  countExtended(*root);
}

/// Units that go up through a join count where they are read above it; the others go no further.
void Unnester::countExtended(Operator& op) {
  if (op.kind == Kind::Join) {
    auto& join = static_cast<Join&>(op);
    for (auto* extended : {&join.null_extended, &join.left_extended}) {
      std::erase_if(*extended, [&](const auto& units) { return reads_[units.second] == 0; });
      for (const auto& [below, above] : *extended) ++reads_[below];
    }
  }
  for (const OperatorPtr& input : op.inputs) countExtended(*input);
}

/// Subqueries whose value nobody reads are not executed. Whether there was one.
bool Unnester::dropUnread(OperatorPtr& op) {
  bool has_dropped = false;
  while (op->kind == Kind::Join) {
    auto& join = static_cast<Join&>(*op);
    const bool is_unread = (join.join_kind == JoinKind::Single && join.null_extended.empty()) ||
                           (join.join_kind == JoinKind::Mark && reads_[join.mark] == 0);
    if (!is_unread || isVolatile(join.inputs[1])) break;
    OperatorPtr left = std::move(join.inputs[0]);
    op = std::move(left);
    has_dropped = true;
  }
  for (OperatorPtr& input : op->inputs) has_dropped |= dropUnread(input);
  return has_dropped;
}

/// `is_correlated`: the tree stands in a subquery that reads rows around it.
void Unnester::visit(OperatorPtr& op, bool is_correlated) {
  if (op->kind == Kind::Selection) useMarks(op);
  if (op->kind == Kind::Selection) passBelowSubqueries(op);
  const bool is_dependent = op->kind == Kind::Join && static_cast<Join&>(*op).is_dependent;
  for (size_t i = 0; i < op->inputs.size(); ++i) visit(op->inputs[i], is_correlated || (is_dependent && i == 1));
  if (op->kind != Kind::Join) return;
  // What is computed again for each row around is not to be shared before it is known for which.
  if (is_correlated && is_dependent && repeatedValues().areIn(*op->inputs[0]))
    has_postponed_ = true;
  else
    visitJoin(op);
}

/// The join's left input reads rows around it, but its values are asked for.
bool Unnester::isPostponed(Join& join) const {
  if (freeUnits(*join.inputs[0]).empty()) return false;
  return repeatedValues().areIn(*join.inputs[1]) || needsDomain(*join.inputs[1], unitSet(*join.inputs[0]), true);
}

/// The conjunct is a mark that nobody else reads, or the negation of one: the join tests rows itself.
bool Unnester::useMark(OperatorPtr& selection, Predicates& conjuncts, size_t number) {
  const Expression* condition = conjuncts[number].get();
  const bool is_negated = condition->kind == Expression::Kind::Not;
  if (is_negated) condition = condition->children[0].get();
  if (condition->kind != Expression::Kind::Column) return false;
  const Iu mark = condition->iu;
  if (reads_[mark] != 1) return false;
  Join* const join = joinOfMark(*selection->inputs[0], mark);
  if (!join || join->is_on_demand) return false;
  if (is_negated && join->compared && join->compared->nullable) return false;
  join->join_kind = is_negated ? JoinKind::Anti : JoinKind::Semi;
  join->mark = nullptr;
  if (join->compared) splitConjunction(std::move(join->compared), join->conditions);
  conjuncts.erase(conjuncts.begin() + static_cast<ptrdiff_t>(number));
  return true;
}

void Unnester::useMarks(OperatorPtr& op) {
  auto& selection = static_cast<Selection&>(*op);
  Predicates conjuncts;
  for (ExpressionPtr& condition : selection.conditions) splitConjunction(std::move(condition), conjuncts);
  for (size_t i = 0; i < conjuncts.size();)
    if (!useMark(op, conjuncts, i)) ++i;
  selection.conditions = std::move(conjuncts);
  if (!selection.conditions.empty()) return;
  OperatorPtr input = std::move(op->inputs[0]);
  op = std::move(input);
  if (op->kind == Kind::Selection) useMarks(op);
}

/// Conditions over the rows that subqueries are joined to are tested before: what the domain is made of should be no
/// more than the query asks for.
void Unnester::passBelowSubqueries(OperatorPtr& op) {
  const auto passes = [](const Operator& below) {
    if (below.kind != Kind::Join) return false;
    const auto& join = static_cast<const Join&>(below);
    return join.is_dependent || (join.join_kind != JoinKind::Inner && join.join_kind != JoinKind::FullOuter);
  };
  auto& conditions = static_cast<Selection&>(*op).conditions;
  Predicates kept;
  std::unordered_map<OperatorPtr*, Predicates> passed;
  for (ExpressionPtr& condition : conditions) {
    // No further than below the last subquery that depends on the rows.
    OperatorPtr* place = &op->inputs[0];
    OperatorPtr* below = place;
    while (passes(**below) && readsOnly(*condition, unitSet(*(*below)->inputs[0]))) {
      const bool is_dependent = static_cast<Join&>(**below).is_dependent;
      below = &(*below)->inputs[0];
      if (is_dependent) place = below;
    }
    const bool stays = place == &op->inputs[0] || condition->isVolatile() || readsNone(*condition);
    (stays ? kept : passed[place]).push_back(std::move(condition));
  }
  for (auto& [place, predicates] : passed) {
    auto selection = std::make_unique<Selection>();
    selection->conditions = std::move(predicates);
    selection->inputs.push_back(std::move(*place));
    *place = std::move(selection);
  }
  conditions = std::move(kept);
  if (!conditions.empty()) return;
  OperatorPtr input = std::move(op->inputs[0]);
  op = std::move(input);
}

/// Subqueries in subqueries whose left input reads rows around it: now it does no more.
void Unnester::makePostponed() {
  // Each round ends at least the outermost of those that stand in one another.
  while (std::exchange(has_postponed_, false)) {
    bool is_any = false;
    for (place_ = plan_.shared.begin();; ++place_) {
      const bool is_last = place_ == plan_.shared.end();
      if (!is_last && !place_->root) continue;
      forEachOperator(is_last ? plan_.root : place_->root, [&](OperatorPtr& op) {
        if (op->kind != Kind::Join || !static_cast<Join&>(*op).is_dependent) return;
        visitJoin(op);
        is_any = is_any || op->kind != Kind::Join || !static_cast<Join&>(*op).is_dependent;
      });
      if (is_last) break;
    }
    if (has_postponed_ && !is_any) throwNotSupported("this kind of correlated subquery");
  }
}

/// How many conditions a subquery has as it was bound: it is asked for only where they hold.
size_t guardsOf(const Join& join) {
  return join.join_kind == JoinKind::Single || join.join_kind == JoinKind::Mark ? join.conditions.size() : 0;
}

/// Where a subquery is asked for is no matter when it is executed once, and has one row at most.
void dropGuards(Join& join) {
  if (join.is_dependent || join.is_on_demand) return;
  const bool is_value = join.join_kind == JoinKind::Single && rowBound(*join.inputs[1]) != RowBound::Any;
  if (is_value || join.join_kind == JoinKind::Mark) join.conditions.clear();
}

void Unnester::visitJoin(OperatorPtr& op) {
  auto& join = static_cast<Join&>(*op);
  dropGuards(join);
  if (join.is_dependent) guards_.try_emplace(&join, guardsOf(join));
  if (join.compared && !join.compared->nullable && !join.is_on_demand)
    splitConjunction(std::move(join.compared), join.conditions);
  const bool is_subquery = join.join_kind == JoinKind::Single || join.testsLeftRows();
  if (is_subquery && freeUnits(*join.inputs[1]).empty()) constant_.insert(&join);
  simplifyKind(join);
  if (join.is_dependent && isPostponed(join)) {
    has_postponed_ = true;
    return;
  }
  if (join.is_dependent) makeIndependent(join);
  for (OperatorPtr& map : above_) {
    map->inputs.push_back(std::move(op));
    op = std::move(map);
  }
  above_.clear();
  if (renaming_.empty()) return;
  forEachRoot(plan_, [this](OperatorPtr& root) {
    if (root.get() != shared_left_) renameUnits(root, renaming_);
  });
  renaming_.clear();
}

/// The units seen above the join as what is computed from those below, once these are seen above it themselves.
std::vector<Map::Computed> takeExtended(Join& join) {
  std::vector<Map::Computed> computed;
  for (const auto& [below, above] : join.null_extended) computed.push_back({above, Expression::column(below)});
  join.null_extended.clear();
  return computed;
}

/// Kinds that have less to find out, where rows can be matched once only.
void Unnester::simplifyKind(Join& join) {
  if (join.is_on_demand) return;
  if (join.join_kind == JoinKind::Semi && !join.is_dependent &&
      isUniqueOn(*join.inputs[1], unitsEqualToLeft(join), statistics_))
    join.join_kind = JoinKind::Inner;
  if (join.join_kind != JoinKind::Single) return;
  const RowBound bound = rowBound(*join.inputs[1]);
  if (bound == RowBound::One && join.conditions.empty() && !join.is_dependent) {
    join.join_kind = JoinKind::Inner;
    addAbove(takeExtended(join));
  } else if (bound != RowBound::Any || isUniqueOn(*join.inputs[1], unitsEqualToLeft(join), statistics_)) {
    join.join_kind = JoinKind::LeftOuter;
  }
}

/// EXISTS asks for a row alone.
void dropLimit(Join& join) {
  OperatorPtr& right = join.inputs[1];
  if (!join.testsLeftRows() || right->kind != Kind::Limit) return;
  const auto& limit = static_cast<const Limit&>(*right);
  const bool is_positive = !limit.limit || (limit.limit->isConstant() && limit.limit->value.asInt() > 0);
  const bool is_compared = join.compared || !join.conditions.empty();
  if (!is_positive || limit.offset || is_compared) return;
  OperatorPtr below = std::move(right->inputs[0]);
  right = std::move(below);
}

/// The order of the right input is nobody's business.
void dropSort(OperatorPtr& op) {
  if (op->kind != Kind::Sort || static_cast<Sort&>(*op).limit || static_cast<Sort&>(*op).offset) return;
  OperatorPtr below = std::move(op->inputs[0]);
  op = std::move(below);
}

/// The map computes what the join's conditions read: they would compute it again.
bool isComparedVolatile(const Join& join, const Map& map) {
  UnitSet computed;
  for (const Map::Computed& column : map.computed)
    if (column.expression->isVolatile()) computed.insert(column.iu);
  const auto reads = [&](const ExpressionPtr& condition) { return condition && readsAny(*condition, computed); };
  return reads(join.compared) || std::ranges::any_of(join.conditions, reads);
}

/// Columns that read the left row, on top of the right input, are computed above the join.
void Unnester::liftColumns(Join& join, const UnitSet& left) {
  const auto reads_left = [&](const Map::Computed& computed) { return readsAny(*computed.expression, left); };
  std::vector<std::vector<Map::Computed>> lifted;
  // Only a match has this unit, which is always TRUE.
  const Iu matched = plan_.makeUnit("matched", Type::of(TypeKind::Boolean), false);
  while (join.inputs[1]->kind == Kind::Map) {
    auto* const map = static_cast<Map*>(join.inputs[1].get());
    if (std::ranges::none_of(map->computed, reads_left) || isComparedVolatile(join, *map)) break;
    const OperatorPtr held = std::move(join.inputs[1]);
    join.inputs[1] = std::move(map->inputs[0]);
    map->inputs.clear();
    Substitution substitution;
    for (const Map::Computed& computed : map->computed) substitution.add(computed.iu, *computed.expression);
    for (ExpressionPtr& condition : join.conditions) substitution.apply(condition);
    if (join.compared) substitution.apply(join.compared);
    liftConditions(join.inputs[1], left, join.conditions);
    if (join.extendsWithNulls()) lifted.push_back(liftExtended(join, map->computed, matched));
    if (join.join_kind == JoinKind::Inner) lifted.push_back(std::move(map->computed));
  }
  if (join.extendsWithNulls() && !lifted.empty()) {
    auto map = std::make_unique<Map>();
    map->computed.push_back({matched, booleanConstant(true)});
    map->inputs.push_back(std::move(join.inputs[1]));
    join.inputs[1] = std::move(map);
  }
  // Those further down are read by those above them.
  for (auto computed = lifted.rbegin(); computed != lifted.rend(); ++computed) addAbove(std::move(*computed));
}

void Unnester::addAbove(std::vector<Map::Computed> computed) {
  if (computed.empty()) return;
  auto map = std::make_unique<Map>();
  map->computed = std::move(computed);
  above_.push_back(std::move(map));
}

/// The same, where left rows without a match must have NULLs.
std::vector<Map::Computed> Unnester::liftExtended(Join& join, std::vector<Map::Computed>& computed, Iu matched) {
  const UnitSet right = unitSet(*join.inputs[1]);
  std::vector<Map::Computed> lifted;
  for (Map::Computed& column : computed) {
    const auto pair = std::ranges::find(join.null_extended, column.iu, &std::pair<Iu, Iu>::first);
    if (pair == join.null_extended.end()) continue;
    const Iu above = pair->second;
    join.null_extended.erase(pair);
    Substitution substitution;
    std::vector<Iu> read;
    column.expression->collectUnits(read);
    std::vector<ExpressionPtr> columns;
    for (const Iu unit : read) {
      if (!right.contains(unit)) continue;
      columns.push_back(Expression::column(extendedUnit(plan_, join, unit)));
      substitution.add(unit, *columns.back());
    }
    substitution.apply(column.expression);
    auto value = std::make_unique<Expression>();
    value->kind = Expression::Kind::Case;
    value->type = above->type;
    std::vector<ExpressionPtr> tested;
    tested.push_back(Expression::column(extendedUnit(plan_, join, matched)));
    value->children.push_back(Expression::logic(Expression::Kind::IsNotNull, std::move(tested)));
    value->children.push_back(std::move(column.expression));
    value->children.push_back(Expression::constant(Value::null(above->type)));
    lifted.push_back({above, std::move(value)});
  }
  return lifted;
}

/// The right input is one group, perhaps with columns computed from it. Of conditions there are only the guards, which
/// say for which left rows it is asked for.
bool Unnester::isOneGroup(const Join& join, size_t guards) {
  if (join.testsLeftRows() || join.conditions.size() != guards) return false;
  const Operator* below = join.inputs[1].get();
  while (below->kind == Kind::Map) below = below->inputs[0].get();
  return below->kind == Kind::Aggregation && static_cast<const Aggregation*>(below)->keys.empty();
}

/// Of such a one: a left join with the groups of all left rows, whose values are those of an empty group where there is
/// none. What is computed from the group is computed above.
Aggregation& Unnester::liftFromGroup(Join& join) {
  std::vector<std::vector<Map::Computed>> computed;
  while (join.inputs[1]->kind == Kind::Map) {
    OperatorPtr map = std::move(join.inputs[1]);
    join.inputs[1] = std::move(map->inputs[0]);
    computed.push_back(std::move(static_cast<Map&>(*map).computed));
  }
  std::vector<Map::Computed> results = takeExtended(join);
  join.join_kind = JoinKind::LeftOuter;
  auto& groups = static_cast<Aggregation&>(*join.inputs[1]);
  addAbove(extendGroups(plan_, join, groups));
  for (auto map = computed.rbegin(); map != computed.rend(); ++map) addAbove(std::move(*map));
  addAbove(std::move(results));
  return groups;
}

/// The left rows are numbered where something still reads that.
bool Unnester::numberLeftRows(Join& join, Iu row) {
  const UnitSet number{row};
  bool is_read = readsOuter(*join.inputs[1], number);
  forEachExpression(join, [&](ExpressionPtr& expression) { is_read = is_read || readsAny(*expression, number); });
  if (!is_read) return false;
  if (readsWorkingRows(*join.inputs[0])) {
    working_numbers_.read(plan_, *join.inputs[0], row);
  } else {
    numberRows(join.inputs[0], row);
  }
  return true;
}

void Unnester::makeIndependent(Join& join) {
  UnitSet left = unitSet(*join.inputs[0]);
  dropLimit(join);
  dropSort(join.inputs[1]);
  Iu row = nullptr;
  // Rows for which the value is not asked for are not to raise an error; those of no left row, where there was one.
  const size_t guards = guards_.contains(&join) ? guards_.at(&join) : 0;
  const bool may_raise = guards == 0 && !plan_.subqueries_on_demand;
  const RepeatedValues repeated =
      repeatedValues(may_raise ? RepeatedValues::Kind::Volatile : RepeatedValues::Kind::VolatileOrRaise);
  if (repeated.areIn(*join.inputs[1])) {
    row = plan_.makeUnit("row", Type::of(TypeKind::Bigint), false);
    left.insert(row);
    repeated.tie(join.inputs[1], row);
  }
  liftConditions(join.inputs[1], left, join.conditions);
  Aggregation* const groups = isOneGroup(join, guards) ? &liftFromGroup(join) : nullptr;
  if (!groups) liftColumns(join, left);
  if (row) {
    // They are computed for each row there as it is.
    for (OperatorPtr& map : above_)
      forEachExpression(*map, [&](ExpressionPtr& expression) { untieFromRow(expression, row); });
    if (!numberLeftRows(join, row)) row = nullptr;
  }
  LeftDomain domain(plan_, place_, join, row);
  for (const Correlation& correlation :
       groups ? decorrelateGroups(plan_, *groups, left, domain) : decorrelate(plan_, join.inputs[1], left, domain))
    join.conditions.push_back(conditionOf(correlation));
  join.is_dependent = false;
  renaming_ = domain.takeRenaming();
  shared_left_ = domain.sharedLeft();
  simplifyKind(join);
}

}  // namespace

void unnest(Plan& plan, const TableStatistics& statistics) {
  Unnester(plan, statistics).run();
}

}  // namespace gnomon::sql
