#include "sql/optimise/unnesting.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sql/algebra/rewrite.h"
#include "sql/optimise/correlation.h"
#include "sql/optimise/row_uniqueness.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;
using JoinKind = Join::JoinKind;
using Predicates = std::vector<ExpressionPtr>;

class Unnester {
 public:
  Unnester(Plan& plan, const TableStatistics& statistics) : plan_(plan), statistics_(statistics) {}
  void run() {
    countReads();
    visit(plan_.root);
  }

 private:
  void countReads();
  void countExtended(Operator& op);
  void visit(OperatorPtr& op);
  void useMarks(OperatorPtr& op);
  bool useMark(OperatorPtr& selection, Predicates& conjuncts, size_t number);
  void visitJoin(OperatorPtr& op);
  void makeIndependent(Join& join);
  void liftColumns(Join& join, const UnitSet& left);
  std::vector<Map::Computed> liftExtended(Join& join, std::vector<Map::Computed>& computed, Iu matched);
  void addAbove(std::vector<Map::Computed> computed);
  bool groupByLeftRows(Join& join, const UnitSet& left);
  void extendGroups(Join& join, Aggregation& groups);
  void simplifyKind(Join& join);
  Iu extended(Join& join, Iu below);

  Plan& plan_;
  const TableStatistics& statistics_;
  std::unordered_map<Iu, size_t> reads_;  ///< of each unit, in the plan as it was bound
  std::vector<OperatorPtr> above_;        ///< maps that are to stand above the join at hand, lowest first
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

void Unnester::countReads() {
  std::vector<Iu> units;
  forEachOperator(plan_.root, [&](OperatorPtr& op) {
    forEachExpression(*op, [&](ExpressionPtr& expression) { expression->collectUnits(units); });
  });
  if (plan_.root->kind == Kind::Output)
    for (const Output::Column& column : static_cast<Output&>(*plan_.root).columns) units.push_back(column.iu);
  for (const Iu unit : units) ++reads_[unit];
  countExtended(*plan_.root);
}

/// Units that go up through a join count where they are read above it; the others go no further.
void Unnester::countExtended(Operator& op) {
  if (op.kind == Kind::Join) {
    auto& extended = static_cast<Join&>(op).null_extended;
    std::erase_if(extended, [&](const auto& units) { return reads_[units.second] == 0; });
    for (const auto& [below, above] : extended) ++reads_[below];
  }
  for (const OperatorPtr& input : op.inputs) countExtended(*input);
}

void Unnester::visit(OperatorPtr& op) {
  if (op->kind == Kind::Selection) useMarks(op);
  for (OperatorPtr& input : op->inputs) visit(input);
  if (op->kind == Kind::Join) visitJoin(op);
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
  if (!join) return false;
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

void Unnester::visitJoin(OperatorPtr& op) {
  auto& join = static_cast<Join&>(*op);
  if (join.compared && !join.compared->nullable) splitConjunction(std::move(join.compared), join.conditions);
  simplifyKind(join);
  if (join.is_dependent) makeIndependent(join);
  for (OperatorPtr& map : above_) {
    map->inputs.push_back(std::move(op));
    op = std::move(map);
  }
  above_.clear();
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

Iu Unnester::extended(Join& join, Iu below) {
  for (const auto& [low, high] : join.null_extended)
    if (low == below) return high;
  const Iu above = plan_.makeUnit(below->name, below->type, true);
  join.null_extended.emplace_back(below, above);
  return above;
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

/// Columns that read the left row, on top of the right input, are computed above the join.
void Unnester::liftColumns(Join& join, const UnitSet& left) {
  const auto reads_left = [&](const Map::Computed& computed) { return readsAny(*computed.expression, left); };
  std::vector<std::vector<Map::Computed>> lifted;
  // Only a match has this unit, which is always TRUE.
  const Iu matched = plan_.makeUnit("matched", Type::of(TypeKind::Boolean), false);
  while (join.inputs[1]->kind == Kind::Map) {
    auto* const map = static_cast<Map*>(join.inputs[1].get());
    if (std::ranges::none_of(map->computed, reads_left)) break;
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
      columns.push_back(Expression::column(extended(join, unit)));
      substitution.add(unit, *columns.back());
    }
    substitution.apply(column.expression);
    auto value = std::make_unique<Expression>();
    value->kind = Expression::Kind::Case;
    value->type = above->type;
    std::vector<ExpressionPtr> tested;
    tested.push_back(Expression::column(extended(join, matched)));
    value->children.push_back(Expression::logic(Expression::Kind::IsNotNull, std::move(tested)));
    value->children.push_back(std::move(column.expression));
    value->children.push_back(Expression::constant(Value::null(above->type)));
    lifted.push_back({above, std::move(value)});
  }
  return lifted;
}

/// The right input is one group, perhaps with columns computed from it: a left join with the groups of all left rows,
/// whose values are those of an empty group where there is none.
bool Unnester::groupByLeftRows(Join& join, const UnitSet& left) {
  if (join.testsLeftRows() || !join.conditions.empty()) return false;
  const Operator* below = join.inputs[1].get();
  while (below->kind == Kind::Map) below = below->inputs[0].get();
  if (below->kind != Kind::Aggregation || !static_cast<const Aggregation*>(below)->keys.empty()) return false;
  std::vector<std::vector<Map::Computed>> computed;
  while (join.inputs[1]->kind == Kind::Map) {
    OperatorPtr map = std::move(join.inputs[1]);
    join.inputs[1] = std::move(map->inputs[0]);
    computed.push_back(std::move(static_cast<Map&>(*map).computed));
  }
  std::vector<Map::Computed> results = takeExtended(join);
  join.join_kind = JoinKind::LeftOuter;
  auto& groups = static_cast<Aggregation&>(*join.inputs[1]);
  for (const Correlation& correlation : decorrelateGroups(plan_, groups, left))
    join.conditions.push_back(conditionOf(correlation));
  extendGroups(join, groups);
  for (auto map = computed.rbegin(); map != computed.rend(); ++map) addAbove(std::move(*map));
  addAbove(std::move(results));
  return true;
}

void Unnester::extendGroups(Join& join, Aggregation& groups) {
  std::vector<Map::Computed> values;
  for (Aggregation::Aggregate& aggregate : groups.aggregates) {
    const Iu seen = std::exchange(aggregate.iu, plan_.makeUnit(aggregate.iu->name, aggregate.iu->type, true));
    ExpressionPtr value = Expression::column(extended(join, aggregate.iu));
    if (isCount(aggregate.function)) {
      auto count = std::make_unique<Expression>();
      count->kind = Expression::Kind::Coalesce;
      count->type = seen->type;
      count->nullable = false;
      count->children.push_back(std::move(value));
      count->children.push_back(Expression::constant(Value::fromInt(seen->type, 0)));
      value = std::move(count);
    }
    values.push_back({seen, std::move(value)});
  }
  addAbove(std::move(values));
}

void Unnester::makeIndependent(Join& join) {
  const UnitSet left = unitSet(*join.inputs[0]);
  dropLimit(join);
  dropSort(join.inputs[1]);
  liftConditions(join.inputs[1], left, join.conditions);
  if (!groupByLeftRows(join, left)) {
    liftColumns(join, left);
    for (const Correlation& correlation : decorrelate(plan_, join.inputs[1], left))
      join.conditions.push_back(conditionOf(correlation));
  }
  join.is_dependent = false;
  simplifyKind(join);
}

}  // namespace

void unnest(Plan& plan, const TableStatistics& statistics) {
  Unnester(plan, statistics).run();
}

}  // namespace gnomon::sql
