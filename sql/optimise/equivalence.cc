#include "sql/optimise/equivalence.h"

#include <algorithm>

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

/// Enough: deriving more would cost more than it saves.
constexpr size_t kDerivedMax = 1000;

/// A column, or a column in a wider type: nothing that could raise an error.
bool canBeMember(const Expression& expression) {
  if (expression.kind == Kind::Column) return true;
  if (expression.kind != Kind::Cast || expression.children[0]->kind != Kind::Column) return false;
  const Type from = expression.children[0]->type;
  return from.isInteger() && expression.type.isInteger() && from.kind < expression.type.kind;
}

const Expression* columnBelow(const Expression& member) {
  return member.kind == Kind::Cast ? member.children[0].get() : &member;
}

/// The expression is a member, or what a member casts to a wider type.
bool concerns(const Expression& compared, const EquivalenceClasses::Class& members) {
  return std::ranges::any_of(members, [&](const Expression* member) {
    return member->equals(compared) || (member->kind == Kind::Cast && member->children[0]->equals(compared));
  });
}

/// The operands after the first are constants or parameters.
bool comparesWithConstants(const Expression& predicate) {
  if (!isComparison(predicate) && predicate.kind != Kind::InList) return false;
  if (predicate.kind == Kind::Call && predicate.function == FunctionId::NotEqual) return false;
  return std::all_of(predicate.children.begin() + 1, predicate.children.end(), [](const ExpressionPtr& operand) {
    return (operand->kind == Kind::Constant && !operand->value.is_null) || operand->kind == Kind::Parameter;
  });
}

/// The predicate over another member in place of its first operand.
ExpressionPtr transferred(const Expression& predicate, const Expression& member) {
  ExpressionPtr result = predicate.clone();
  result->children[0] = member.clone();
  for (size_t i = 1; i < result->children.size(); ++i) {
    ExpressionPtr& operand = result->children[i];
    if (!member.type.isInteger() || operand->type.kind == member.type.kind) continue;
    if (operand->kind != Kind::Constant) return nullptr;
    operand = Expression::constant(Value::fromInt(member.type, operand->value.asInt()));
  }
  result->nullable =
      std::ranges::any_of(result->children, [](const ExpressionPtr& operand) { return operand->nullable; });
  return result;
}

void deriveForClass(const Expression& predicate, const EquivalenceClasses::Class& members,
                    std::vector<ExpressionPtr>& derived) {
  for (const Expression* member : members) {
    if (member->equals(*predicate.children[0])) continue;
    const bool is_own_cast = member->kind == Kind::Cast && member->children[0]->equals(*predicate.children[0]);
    if (is_own_cast) continue;
    if (ExpressionPtr result = transferred(predicate, *member)) derived.push_back(std::move(result));
  }
}

}  // namespace

bool comparableAlike(Type left, Type right) {
  if (left.kind == right.kind) return true;
  return left.isString() && right.isString() && left.kind != TypeKind::Char && right.kind != TypeKind::Char;
}

size_t EquivalenceClasses::memberOf(const Expression& expression) {
  const size_t hash = structuralHash(expression);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto entry = first; entry != last; ++entry)
    if (members_[entry->second]->equals(expression)) return entry->second;
  by_hash_.emplace(hash, members_.size());
  class_of_.push_back(members_.size());
  members_.push_back(&expression);
  return members_.size() - 1;
}

bool EquivalenceClasses::add(const Expression& conjunct) {
  if (!isEquality(conjunct)) return false;
  const Expression& left = *conjunct.children[0];
  const Expression& right = *conjunct.children[1];
  if (!canBeMember(left) || !canBeMember(right) || !comparableAlike(left.type, right.type)) return false;
  const size_t one = class_of_[memberOf(left)];
  const size_t two = class_of_[memberOf(right)];
  for (size_t& number : class_of_)
    if (number == std::max(one, two)) number = std::min(one, two);
  return true;
}

std::vector<EquivalenceClasses::Class> EquivalenceClasses::classes() const {
  std::vector<Class> by_number(members_.size());
  for (size_t i = 0; i < members_.size(); ++i) by_number[class_of_[i]].push_back(members_[i]);
  std::erase_if(by_number, [](const Class& members) { return members.size() < 2; });
  return by_number;
}

std::optional<size_t> EquivalenceClasses::find(const Expression& expression) const {
  const auto [first, last] = by_hash_.equal_range(structuralHash(expression));
  for (auto entry = first; entry != last; ++entry)
    if (members_[entry->second]->equals(expression)) return class_of_[entry->second];
  return std::nullopt;
}

std::vector<ExpressionPtr> derivePredicates(const std::vector<ExpressionPtr>& conjuncts) {
  EquivalenceClasses equivalences;
  for (const ExpressionPtr& conjunct : conjuncts) equivalences.add(*conjunct);
  const std::vector<EquivalenceClasses::Class> classes = equivalences.classes();
  std::unordered_multimap<Iu, size_t> classes_by_unit;
  for (size_t i = 0; i < classes.size(); ++i)
    for (const Expression* member : classes[i]) classes_by_unit.emplace(columnBelow(*member)->iu, i);

  std::vector<ExpressionPtr> derived;
  for (const ExpressionPtr& conjunct : conjuncts) {
    if (!comparesWithConstants(*conjunct) || !canBeMember(*conjunct->children[0])) continue;
    const auto [first, last] = classes_by_unit.equal_range(columnBelow(*conjunct->children[0])->iu);
    std::vector<size_t> concerned;
    for (auto entry = first; entry != last; ++entry) concerned.push_back(entry->second);
    std::ranges::sort(concerned);
    concerned.erase(std::ranges::unique(concerned).begin(), concerned.end());
    for (const size_t number : concerned)
      if (concerns(*conjunct->children[0], classes[number])) deriveForClass(*conjunct, classes[number], derived);
    if (derived.size() > kDerivedMax) break;
  }
  return derived;
}

ExpressionPtr impliedByDisjunction(const Expression& disjunct_list, const UnitSet& units) {
  if (disjunct_list.kind != Kind::Or || disjunct_list.isVolatile()) return nullptr;
  std::vector<ExpressionPtr> branches;
  for (const ExpressionPtr& branch : disjunct_list.children) {
    std::vector<ExpressionPtr> conjuncts;
    splitConjunction(branch->clone(), conjuncts);
    std::erase_if(conjuncts,
                  [&](const ExpressionPtr& conjunct) { return readsNone(*conjunct) || !readsOnly(*conjunct, units); });
    if (conjuncts.empty()) return nullptr;
    branches.push_back(conjunction(std::move(conjuncts)));
  }
  return disjunction(std::move(branches));
}

}  // namespace gnomon::sql
