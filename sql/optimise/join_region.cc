#include "sql/optimise/join_region.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/assert.h"
#include "sql/algebra/verify.h"
#include "sql/optimise/condition_order.h"
#include "sql/optimise/join_keys.h"

namespace gnomon::sql {
namespace {

RelationSet single(size_t relation) {
  return RelationSet{1} << relation;
}
bool isSubset(RelationSet inner, RelationSet outer) {
  return (inner & ~outer) == 0;
}

}  // namespace

JoinRegion::JoinRegion(std::vector<OperatorPtr> inputs, std::vector<ExpressionPtr> predicates,
                       const Cardinality& cardinality)
    : inputs_(std::move(inputs)), cardinality_(cardinality) {
  ASSERT(inputs_.size() <= kRelationsMax, "a region fits a relation set");
  for (const OperatorPtr& input : inputs_) units_.push_back(unitSet(*input));
  classify(std::move(predicates));
  addClasses();
  compareKeys();
  addCompositeKeys();
}

RelationSet JoinRegion::relationsOf(const Expression& expression) const {
  std::vector<Iu> read;
  expression.collectUnits(read);
  RelationSet result = 0;
  for (const Iu unit : read)
    for (size_t i = 0; i < units_.size(); ++i)
      if (units_[i].contains(unit)) result |= single(i);
  return result;
}

double JoinRegion::baseRows(size_t relation) const {
  double rows = 1;
  for (const Class& each : classes_)
    for (const Member& member : each.members) {
      if (member.relation != relation) continue;
      std::vector<Iu> read;
      member.expression->collectUnits(read);
      for (const Iu unit : read) rows = std::max(rows, cardinality_.baseRows(unit));
    }
  return rows;
}

void JoinRegion::filterInput(size_t relation, ExpressionPtr predicate) {
  OperatorPtr& input = inputs_[relation];
  std::vector<ExpressionPtr>* conditions = nullptr;
  if (input->kind == Operator::Kind::TableScan) conditions = &static_cast<TableScan&>(*input).filters;
  if (input->kind == Operator::Kind::Selection) conditions = &static_cast<Selection&>(*input).conditions;
  if (conditions == nullptr) {
    auto selection = std::make_unique<Selection>();
    selection->estimated_rows = input->estimated_rows;
    conditions = &selection->conditions;
    selection->inputs.push_back(std::move(input));
    input = std::move(selection);
  }
  for (const ExpressionPtr& condition : *conditions)
    if (condition->equals(*predicate)) return;
  input->estimated_rows = std::max(1.0, input->estimated_rows * cardinality_.selectivity(*predicate));
  conditions->push_back(std::move(predicate));
  orderConditions(*conditions);
}

void JoinRegion::addResidual(ExpressionPtr predicate, RelationSet relations) {
  Residual residual;
  residual.relations = relations;
  residual.selectivity = cardinality_.selectivity(*predicate);
  // What an OR says about single inputs they were told before: it must not count twice.
  for (size_t i = 0; i < units_.size(); ++i)
    if (const ExpressionPtr implied = impliedByDisjunction(*predicate, units_[i]))
      residual.selectivity = std::min(1.0, residual.selectivity / cardinality_.selectivity(*implied));
  if (isKeyCondition(*predicate)) {
    const RelationSet left = relationsOf(*predicate->children[0]);
    const RelationSet right = relationsOf(*predicate->children[1]);
    if (left != 0 && right != 0 && (left & right) == 0) {
      residual.left = left;
      residual.right = right;
    }
  }
  residual.predicate = std::move(predicate);
  residuals_.push_back(std::move(residual));
}

void JoinRegion::classify(std::vector<ExpressionPtr> predicates) {
  for (ExpressionPtr& predicate : predicates) {
    const RelationSet relations = relationsOf(*predicate);
    if (relations == 0) {
      unit_free_.push_back(std::move(predicate));
    } else if (std::has_single_bit(relations)) {
      filterInput(static_cast<size_t>(std::countr_zero(relations)), std::move(predicate));
    } else if (equivalences_.add(*predicate)) {
      equalities_.push_back(std::move(predicate));
    } else {
      addResidual(std::move(predicate), relations);
    }
  }
}

/// Of several equal columns of one input the first stands for all; the input compares the others with it.
void JoinRegion::addClasses() {
  for (const EquivalenceClasses::Class& members : equivalences_.classes()) {
    Class result;
    result.domain = std::numeric_limits<double>::max();
    const bool is_counted =
        std::ranges::all_of(members, [&](const Expression* member) { return cardinality_.isCounted(*member); });
    for (const Expression* member : members) {
      const RelationSet relations = relationsOf(*member);
      const auto relation = static_cast<size_t>(std::countr_zero(relations));
      // Guesses are too high for columns that refer to a key; of counted columns the one with most values is the key.
      const double distinct = cardinality_.distinctValues(*member);
      const bool is_first = result.relations == 0;
      result.domain = is_first     ? distinct
                      : is_counted ? std::max(result.domain, distinct)
                                   : std::min(result.domain, distinct);
      if ((result.relations & relations) == 0) {
        result.members.push_back({member, relation});
        result.relations |= relations;
        continue;
      }
      const auto first =
          std::ranges::find_if(result.members, [&](const Member& other) { return other.relation == relation; });
      std::vector<ExpressionPtr> sides;
      sides.push_back(first->expression->clone());
      sides.push_back(member->clone());
      filterInput(relation, Expression::call(FunctionId::Equal, Type::of(TypeKind::Boolean), std::move(sides)));
    }
    classes_.push_back(std::move(result));
  }
}

/// With the sample when the input is a table and its values' hashes can be compared.
KeyColumn JoinRegion::keyColumn(const Member& member, double domain) const {
  KeyColumn key;
  key.relation = member.relation;
  key.distinct_values = std::min(domain, cardinality_.distinctValues(*member.expression));
  const Operator& input = *inputs_[member.relation];
  const Expression* column = member.expression;
  while (column->kind == Expression::Kind::Cast) column = column->children[0].get();
  if (input.kind != Operator::Kind::TableScan || !KeyColumn::canCompare(column->type)) return key;
  const auto& scan = static_cast<const TableScan&>(input);
  const auto found = std::ranges::find(scan.columns, column->iu, &TableScan::Column::iu);
  if (found == scan.columns.end()) return key;
  auto rows = cardinality_.sampledRows(scan);
  if (rows == nullptr || found->index >= rows->snapshot->schema().size()) return key;
  key.rows = std::move(rows);
  key.column = static_cast<uint32_t>(found->index);
  key.table_rows = cardinality_.baseRows(column->iu);
  return key;
}

void JoinRegion::compareKeys() {
  for (Class& each : classes_) {
    std::vector<KeyColumn> keys;
    for (const Member& member : each.members) keys.push_back(keyColumn(member, each.domain));
    each.matches.emplace(keys, each.domain);
  }
}

void JoinRegion::addCompositeKeys() {
  for (size_t one = 0; one < inputs_.size(); ++one) {
    for (size_t other = one + 1; other < inputs_.size(); ++other) {
      double product = 1;
      size_t shared = 0;
      for (const Class& each : classes_) {
        if (!isSubset(single(one) | single(other), each.relations)) continue;
        ++shared;
        product *= each.domain;
      }
      const double rows = std::min(baseRows(one), baseRows(other));
      if (shared > 1 && product > rows) composite_keys_.push_back({one, other, product / rows});
    }
  }
}

double JoinRegion::compositeFactor(RelationSet set) const {
  double factor = 1;
  std::vector<size_t> group(inputs_.size());
  std::iota(group.begin(), group.end(), size_t{0});
  for (const CompositeKey& key : composite_keys_) {
    if (!isSubset(single(key.one) | single(key.other), set) || group[key.one] == group[key.other]) continue;
    factor *= key.factor;
    const size_t merged = group[key.other];
    for (size_t& number : group)
      if (number == merged) number = group[key.one];
  }
  return factor;
}

double JoinRegion::estimateRows(RelationSet set) {
  double rows = composite_keys_.empty() ? 1 : compositeFactor(set);
  for (RelationSet rest = set; rest != 0; rest &= rest - 1)
    rows *= std::max(1.0, inputs_[static_cast<size_t>(std::countr_zero(rest))]->estimated_rows);
  for (Class& each : classes_) rows *= each.matches->share(set);
  for (const Residual& residual : residuals_)
    if (isSubset(residual.relations, set)) rows *= residual.selectivity;
  // Below one row it still says which set has less.
  constexpr double kRowsMin = 1e-9;
  return std::max(kRowsMin, rows);
}

JoinGraph JoinRegion::graph() {
  JoinGraph result;
  result.relation_count = inputs_.size();
  for (const Class& each : classes_)
    for (size_t i = 0; i < each.members.size(); ++i)
      for (size_t j = i + 1; j < each.members.size(); ++j)
        result.edges.push_back({single(each.members[i].relation), single(each.members[j].relation), true});
  for (const Residual& residual : residuals_) {
    if (residual.left != 0) {
      result.edges.push_back({residual.left, residual.right, true});
    } else if (std::popcount(residual.relations) == 2) {
      const RelationSet first = residual.relations & -residual.relations;
      result.edges.push_back({first, residual.relations & ~first, false});
    }
  }
  result.rows = [this](RelationSet set) {
    const auto [entry, is_new] = rows_.try_emplace(set, 0);
    if (is_new) entry->second = estimateRows(set);
    return entry->second;
  };
  return result;
}

/// One key for each class with members on both sides; a pair of the same type if there is one.
void JoinRegion::addClassKeys(Join& join, RelationSet left, RelationSet right) const {
  for (const Class& each : classes_) {
    if ((each.relations & left) == 0 || (each.relations & right) == 0) continue;
    const Expression* chosen_left = nullptr;
    const Expression* chosen_right = nullptr;
    bool exact = false;
    for (const Member& one : each.members) {
      for (const Member& other : each.members) {
        if ((single(one.relation) & left) == 0 || (single(other.relation) & right) == 0) continue;
        const bool same = sameKeyType(one.expression->type, other.expression->type) &&
                          one.expression->kind == Expression::Kind::Column &&
                          other.expression->kind == Expression::Kind::Column;
        if (chosen_left != nullptr && (exact || !same)) continue;
        chosen_left = one.expression;
        chosen_right = other.expression;
        exact = same;
      }
    }
    Join::Key key{chosen_left->clone(), chosen_right->clone()};
    const bool aligned = alignKeyTypes(key.left, key.right);
    CHECK(aligned, "members of a class are of one kind");
    join.keys.push_back(std::move(key));
  }
}

void JoinRegion::addResiduals(Join& join, RelationSet left, RelationSet right) {
  for (Residual& residual : residuals_) {
    if (residual.predicate == nullptr || !isSubset(residual.relations, left | right)) continue;
    const bool straight = residual.left != 0 && isSubset(residual.left, left) && isSubset(residual.right, right);
    const bool crossed = residual.left != 0 && isSubset(residual.left, right) && isSubset(residual.right, left);
    if (!straight && !crossed) {
      join.conditions.push_back(std::move(residual.predicate));
      continue;
    }
    auto& sides = residual.predicate->children;
    Join::Key key{std::move(sides[crossed ? 1 : 0]), std::move(sides[crossed ? 0 : 1])};
    key.is_null_safe = residual.predicate->kind == Expression::Kind::IsNotDistinct;
    alignKeyTypes(key.left, key.right);
    join.keys.push_back(std::move(key));
    residual.predicate = nullptr;
  }
}

OperatorPtr JoinRegion::build(const JoinTree& tree) {
  if (tree.left == nullptr) return std::move(inputs_[static_cast<size_t>(std::countr_zero(tree.relations))]);
  auto join = std::make_unique<Join>();
  join->inputs.push_back(build(*tree.left));
  join->inputs.push_back(build(*tree.right));
  addClassKeys(*join, tree.left->relations, tree.right->relations);
  addResiduals(*join, tree.left->relations, tree.right->relations);
  orderConditions(join->conditions);
  join->estimated_rows = std::max(1.0, tree.rows);
  return join;
}

OperatorPtr JoinRegion::order() {
  const JoinGraph join_graph = graph();
  const std::unique_ptr<JoinTree> tree = findJoinOrder(join_graph);
  OperatorPtr root = build(*tree);
  if (unit_free_.empty()) return root;
  auto& conditions = static_cast<Join&>(*root).conditions;
  std::ranges::move(unit_free_, std::back_inserter(conditions));
  return root;
}

}  // namespace gnomon::sql
