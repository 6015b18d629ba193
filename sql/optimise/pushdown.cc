#include "sql/optimise/pushdown.h"

#include <algorithm>
#include <iterator>

#include "base/assert.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/window.h"
#include "sql/optimise/condition_order.h"
#include "sql/optimise/equivalence.h"
#include "sql/optimise/simplify.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;
using Predicates = std::vector<ExpressionPtr>;

/// Predicates that would grow beyond this stay above the map whose columns they read.
constexpr size_t kPredicateNodesMax = 500;

OperatorPtr push(OperatorPtr op, Predicates predicates);

void append(Predicates& predicates, Predicates more) {
  std::ranges::move(more, std::back_inserter(predicates));
}

bool letsNothingPass(const Predicates& predicates) {
  return std::ranges::any_of(predicates,
                             [](const ExpressionPtr& predicate) { return isRejectingConstant(*predicate); });
}

OperatorPtr withoutRows(std::vector<Iu> units) {
  auto values = std::make_unique<Values>();
  values->columns = std::move(units);
  return values;
}

OperatorPtr select(OperatorPtr input, Predicates predicates) {
  if (predicates.empty()) return input;
  auto selection = std::make_unique<Selection>();
  selection->conditions = std::move(predicates);
  orderConditions(selection->conditions);
  selection->inputs.push_back(std::move(input));
  return selection;
}

/// Takes out the predicates for which `belongs` holds, in order.
template <typename Belongs>
Predicates extract(Predicates& predicates, Belongs belongs) {
  Predicates taken;
  Predicates rest;
  for (ExpressionPtr& predicate : predicates) (belongs(*predicate) ? taken : rest).push_back(std::move(predicate));
  predicates = std::move(rest);
  return taken;
}

void pushInto(OperatorPtr& input, Predicates predicates) {
  input = push(std::move(input), std::move(predicates));
}

bool isVolatile(const Expression& expression) {
  return expression.isVolatile();
}

/// It is the same for all rows there are.
bool isTestedOnce(const Expression& predicate) {
  return readsNone(predicate) && !predicate.isVolatile();
}

/// The input where the predicates hold, which are tested before any of it is computed: a limit of no rows where they do
/// not.
OperatorPtr selectOnce(OperatorPtr input, Predicates predicates) {
  const Type count = Type::of(TypeKind::Bigint);
  orderConditions(predicates);
  ExpressionPtr limit = Expression::constant(Value::null(count));
  for (auto predicate = predicates.rbegin(); predicate != predicates.rend(); ++predicate) {
    auto tested = std::make_unique<Expression>();
    tested->kind = Expression::Kind::Case;
    tested->type = count;
    tested->children.push_back(std::move(*predicate));
    tested->children.push_back(std::move(limit));
    tested->children.push_back(Expression::constant(Value::fromInt(count, 0)));
    limit = std::move(tested);
  }
  auto op = std::make_unique<Limit>();
  op->limit = std::move(limit);
  op->inputs.push_back(std::move(input));
  return op;
}

/// Whether the predicate reads a column whose value is another each time it is computed.
bool readsVolatile(const Expression& predicate, const Map& map) {
  UnitSet units;
  for (const Map::Computed& computed : map.computed)
    if (computed.expression->isVolatile()) units.insert(computed.iu);
  std::vector<Iu> read;
  if (!units.empty()) predicate.collectUnits(read);
  return std::ranges::any_of(read, [&](Iu unit) { return units.contains(unit); });
}

OperatorPtr pushIntoScan(OperatorPtr op, Predicates predicates) {
  auto& scan = static_cast<TableScan&>(*op);
  append(scan.filters, std::move(predicates));
  scan.filters = simplifyConditions(std::move(scan.filters));
  if (letsNothingPass(scan.filters)) return withoutRows(scan.units());
  orderConditions(scan.filters);
  return op;
}

Substitution substitutionOf(const Map& map) {
  Substitution substitution;
  for (const Map::Computed& computed : map.computed) substitution.add(computed.iu, *computed.expression);
  return substitution;
}

OperatorPtr pushIntoMap(OperatorPtr op, Predicates predicates) {
  const auto& map = static_cast<const Map&>(*op);
  const Substitution substitution = substitutionOf(map);
  Predicates below = extract(predicates, [&](const Expression& predicate) {
    if (readsVolatile(predicate, map)) return false;
    return substitution.nodeCountAfter(predicate) <= kPredicateNodesMax ||
           readsOnly(predicate, unitSet(*op->inputs[0]));
  });
  for (ExpressionPtr& predicate : below) substitution.apply(predicate);
  pushInto(op->inputs[0], simplifyConditions(std::move(below)));
  return select(std::move(op), std::move(predicates));
}

OperatorPtr pushIntoAggregation(OperatorPtr op, Predicates predicates) {
  auto& aggregation = static_cast<Aggregation&>(*op);
  Substitution substitution;
  UnitSet keys;
  for (const Aggregation::Key& key : aggregation.keys) {
    if (key.expression->isVolatile()) continue;
    substitution.add(key.iu, *key.expression);
    keys.insert(key.iu);
  }
  Predicates below = extract(predicates, [&](const Expression& predicate) {
    return !aggregation.keys.empty() && readsOnly(predicate, keys) &&
           substitution.nodeCountAfter(predicate) <= kPredicateNodesMax;
  });
  for (ExpressionPtr& predicate : below) substitution.apply(predicate);
  pushInto(op->inputs[0], simplifyConditions(std::move(below)));
  return select(std::move(op), std::move(predicates));
}

/// A maximal group of inner joins, with the selections and maps between them.
struct Region {
  std::vector<OperatorPtr> inputs;
  Predicates predicates;
  std::vector<Map::Computed> computed;  ///< over the inputs' units; to stand above the joins
};

/// The operator is a map over inner joins: it can be computed above the region instead.
bool isMapOverJoin(const Operator& op) {
  if (op.kind != Kind::Map) return false;
  const Operator* below = op.inputs[0].get();
  while (below->kind == Kind::Selection || below->kind == Kind::Map) below = below->inputs[0].get();
  return below->kind == Kind::Join && static_cast<const Join*>(below)->join_kind == Join::JoinKind::Inner;
}

/// Puts the map's columns in place wherever the region reads them. False, and nothing done, when that grows too much.
bool mergeMap(Map& map, Region& region) {
  if (std::ranges::any_of(map.computed, [](const auto& computed) { return computed.expression->isVolatile(); }))
    return false;
  const Substitution substitution = substitutionOf(map);
  const auto small = [&](const Expression& expression) {
    return substitution.nodeCountAfter(expression) <= kPredicateNodesMax;
  };
  for (const ExpressionPtr& predicate : region.predicates)
    if (!small(*predicate)) return false;
  for (const Map::Computed& computed : region.computed)
    if (!small(*computed.expression)) return false;
  for (ExpressionPtr& predicate : region.predicates) substitution.apply(predicate);
  for (Map::Computed& computed : region.computed) substitution.apply(computed.expression);
  std::ranges::move(map.computed, std::back_inserter(region.computed));
  return true;
}

/// Opens the tree into the region. Predicates that read a map's columns are found before the map is.
void collect(OperatorPtr op, Region& region) {
  if (op->kind == Kind::Selection) {
    append(region.predicates, std::move(static_cast<Selection&>(*op).conditions));
    return collect(std::move(op->inputs[0]), region);
  }
  if (op->kind == Kind::Join && static_cast<Join&>(*op).join_kind == Join::JoinKind::Inner) {
    append(region.predicates, std::move(static_cast<Join&>(*op).conditions));
    OperatorPtr right = std::move(op->inputs[1]);
    collect(std::move(op->inputs[0]), region);
    return collect(std::move(right), region);
  }
  if (isMapOverJoin(*op) && mergeMap(static_cast<Map&>(*op), region)) return collect(std::move(op->inputs[0]), region);
  region.inputs.push_back(std::move(op));
}

/// Adds what single inputs can be told beforehand.
void derive(Region& region, const std::vector<UnitSet>& units) {
  Predicates derived = derivePredicates(region.predicates);
  for (const ExpressionPtr& predicate : region.predicates) {
    if (predicate->kind != Expression::Kind::Or) continue;
    for (const UnitSet& input : units) {
      if (readsOnly(*predicate, input)) continue;
      if (ExpressionPtr implied = impliedByDisjunction(*predicate, input)) derived.push_back(std::move(implied));
    }
  }
  append(region.predicates, std::move(derived));
  region.predicates = simplifyConditions(std::move(region.predicates));
}

/// Left-deep in the order as written; every predicate at the lowest join that has its units.
OperatorPtr joined(Region region, const std::vector<UnitSet>& units) {
  OperatorPtr tree = std::move(region.inputs[0]);
  UnitSet below = units[0];
  for (size_t i = 1; i < region.inputs.size(); ++i) {
    auto join = std::make_unique<Join>();
    below.insert(units[i].begin(), units[i].end());
    join->conditions =
        extract(region.predicates, [&](const Expression& predicate) { return readsOnly(predicate, below); });
    orderConditions(join->conditions);
    join->inputs.push_back(std::move(tree));
    join->inputs.push_back(std::move(region.inputs[i]));
    tree = std::move(join);
  }
  return tree;
}

OperatorPtr pushIntoRegion(OperatorPtr op, Predicates predicates) {
  std::vector<Iu> all_units = op->units();
  Region region;
  region.predicates = std::move(predicates);
  collect(std::move(op), region);
  std::vector<UnitSet> units;
  for (const OperatorPtr& input : region.inputs) units.push_back(unitSet(*input));
  Predicates once = simplifyConditions(extract(region.predicates, isTestedOnce));
  if (letsNothingPass(once)) return withoutRows(std::move(all_units));
  Predicates volatile_predicates = extract(region.predicates, isVolatile);
  region.predicates = simplifyConditions(std::move(region.predicates));
  derive(region, units);
  if (letsNothingPass(region.predicates)) return withoutRows(std::move(all_units));
  for (size_t i = 0; i < region.inputs.size(); ++i)
    pushInto(region.inputs[i],
             extract(region.predicates, [&](const Expression& predicate) { return readsOnly(predicate, units[i]); }));
  std::vector<Map::Computed> computed = std::move(region.computed);
  OperatorPtr tree = select(joined(std::move(region), units), std::move(volatile_predicates));
  if (!once.empty()) tree = selectOnce(std::move(tree), std::move(once));
  if (computed.empty()) return tree;
  auto map = std::make_unique<Map>();
  map->computed = std::move(computed);
  map->inputs.push_back(std::move(tree));
  return map;
}

/// What the right input of a join that is no inner one can be told: the join's own predicates over it, and what follows
/// for rows that match from the predicates its left input has passed.
Predicates rightPredicates(Join& join, const Predicates& left_predicates, const UnitSet& right) {
  const auto concernsRight = [&](const Expression& predicate) {
    return readsOnly(predicate, right) && !predicate.isVolatile();
  };
  Predicates known;
  for (const ExpressionPtr& condition : join.conditions)
    if (!condition->isVolatile()) known.push_back(condition->clone());
  for (const ExpressionPtr& predicate : left_predicates) known.push_back(predicate->clone());
  Predicates derived = derivePredicates(known);
  for (const ExpressionPtr& condition : join.conditions)
    if (!concernsRight(*condition))
      if (ExpressionPtr implied = impliedByDisjunction(*condition, right)) derived.push_back(std::move(implied));

  Predicates result = extract(join.conditions, concernsRight);
  append(result, extract(derived, concernsRight));
  return simplifyConditions(std::move(result));
}

OperatorPtr pushIntoOtherJoin(OperatorPtr op, Predicates predicates) {
  auto& join = static_cast<Join&>(*op);
  const UnitSet left = unitSet(*join.inputs[0]);
  const UnitSet right = unitSet(*join.inputs[1]);
  Predicates left_predicates =
      extract(predicates, [&](const Expression& predicate) { return readsOnly(predicate, left); });
  // Left rows that cannot have a match.
  if (join.join_kind == Join::JoinKind::Semi)
    append(left_predicates, extract(join.conditions, [&](const Expression& predicate) {
             return readsOnly(predicate, left) && !readsNone(predicate);
           }));
  Predicates right_predicates = rightPredicates(join, left_predicates, right);
  orderConditions(join.conditions);
  pushInto(join.inputs[0], std::move(left_predicates));
  pushInto(join.inputs[1], std::move(right_predicates));
  return select(std::move(op), std::move(predicates));
}

/// Each input is told in its own terms, where these do not become too large for one of them.
OperatorPtr pushIntoUnion(OperatorPtr op, Predicates predicates) {
  auto& node = static_cast<Union&>(*op);
  std::vector<Substitution> substitutions(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i)
    for (size_t column = 0; column < node.columns.size(); ++column)
      substitutions[i].add(node.columns[column], *node.values[i][column]);
  const auto isVolatileColumn = [&](const Expression& predicate) {
    std::vector<Iu> read;
    predicate.collectUnits(read);
    for (size_t column = 0; column < node.columns.size(); ++column)
      if (std::ranges::find(read, node.columns[column]) != read.end())
        for (const auto& values : node.values)
          if (values[column]->isVolatile()) return true;
    return false;
  };
  Predicates below = extract(predicates, [&](const Expression& predicate) {
    return !isVolatileColumn(predicate) && std::ranges::all_of(substitutions, [&](const Substitution& substitution) {
      return substitution.nodeCountAfter(predicate) <= kPredicateNodesMax;
    });
  });
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    Predicates own;
    for (const ExpressionPtr& predicate : below) {
      own.push_back(predicate->clone());
      substitutions[i].apply(own.back());
    }
    pushInto(node.inputs[i], simplifyConditions(std::move(own)));
  }
  return select(std::move(op), std::move(predicates));
}

/// What is the same in all of a partition takes whole partitions away.
OperatorPtr pushIntoWindow(OperatorPtr op, Predicates predicates) {
  UnitSet same;
  for (const ExpressionPtr& key : static_cast<const Window&>(*op).partition)
    if (key->kind == Expression::Kind::Column) same.insert(key->iu);
  Predicates below = extract(
      predicates, [&](const Expression& predicate) { return readsOnly(predicate, same) && !readsNone(predicate); });
  pushInto(op->inputs[0], std::move(below));
  return select(std::move(op), std::move(predicates));
}

/// What is asked of the rows for which the sets are made is asked before.
OperatorPtr pushIntoProjectSet(OperatorPtr op, Predicates predicates) {
  const UnitSet below = unitSet(*op->inputs[0]);
  Predicates passing = extract(
      predicates, [&](const Expression& predicate) { return readsOnly(predicate, below) && !readsNone(predicate); });
  pushInto(op->inputs[0], std::move(passing));
  return select(std::move(op), std::move(predicates));
}

bool passesThrough(const Operator& op) {
  if (op.kind != Kind::Sort) return false;
  const auto& sort = static_cast<const Sort&>(op);
  return sort.limit == nullptr && sort.offset == nullptr;
}

OperatorPtr push(OperatorPtr op, Predicates predicates) {
  if (letsNothingPass(predicates)) return withoutRows(op->units());
  // What answers otherwise each time is asked where it was written, once for each row there.
  if (op->kind != Kind::TableScan && op->kind != Kind::Selection &&
      std::ranges::any_of(predicates, [](const auto& each) { return each->isVolatile(); })) {
    Predicates kept = extract(predicates, isVolatile);
    return select(push(std::move(op), std::move(predicates)), std::move(kept));
  }
  if (op->kind != Kind::Selection &&
      std::ranges::any_of(predicates, [](const auto& each) { return isTestedOnce(*each); })) {
    Predicates once = extract(predicates, isTestedOnce);
    return selectOnce(push(std::move(op), std::move(predicates)), std::move(once));
  }
  switch (op->kind) {
    case Kind::Selection: {
      Predicates all = std::move(static_cast<Selection&>(*op).conditions);
      append(all, std::move(predicates));
      return push(std::move(op->inputs[0]), simplifyConditions(std::move(all)));
    }
    case Kind::TableScan:
      return pushIntoScan(std::move(op), std::move(predicates));
    case Kind::Map:
      return pushIntoMap(std::move(op), std::move(predicates));
    case Kind::Aggregation:
      return pushIntoAggregation(std::move(op), std::move(predicates));
    case Kind::Join:
      if (static_cast<Join&>(*op).join_kind == Join::JoinKind::Inner)
        return pushIntoRegion(std::move(op), std::move(predicates));
      if (static_cast<Join&>(*op).join_kind == Join::JoinKind::FullOuter) break;
      return pushIntoOtherJoin(std::move(op), std::move(predicates));
    case Kind::Window:
      return pushIntoWindow(std::move(op), std::move(predicates));
    case Kind::ProjectSet:
      return pushIntoProjectSet(std::move(op), std::move(predicates));
    case Kind::Union:
      return pushIntoUnion(std::move(op), std::move(predicates));
    default:
      break;
  }
  if (passesThrough(*op)) {
    CHECK(op->inputs.size() == 1, "predicates go one way");
    pushInto(op->inputs[0], std::move(predicates));
    return op;
  }
  for (OperatorPtr& input : op->inputs) pushInto(input, Predicates());
  return select(std::move(op), std::move(predicates));
}

}  // namespace

void pushDownPredicates(Plan& plan) {
  forEachRoot(plan, [](OperatorPtr& root) { root = push(std::move(root), {}); });
}

}  // namespace gnomon::sql
