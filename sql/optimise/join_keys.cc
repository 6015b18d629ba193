#include "sql/optimise/join_keys.h"

#include <algorithm>
#include <optional>

#include "sql/algebra/verify.h"

namespace gnomon::sql {
namespace {

/// The numeric type that holds every value of both.
Type commonNumeric(Type left, Type right) {
  if (left.isBig() || right.isBig() || left.may_be_nan != 0 || right.may_be_nan != 0) return Type::bigNumeric();
  const int scale = std::max(left.scale, right.scale);
  const int whole = std::max(left.precision - left.scale, right.precision - right.scale);
  if (whole + scale > static_cast<int>(Type::kWideDigitsMax)) return Type::bigNumeric();
  return Type::decimal(static_cast<unsigned>(std::max(1, whole + scale)), static_cast<unsigned>(scale));
}

std::optional<Type> commonType(Type left, Type right) {
  if (sameKeyType(left, right)) return left;
  if (left.kind == TypeKind::Numeric && right.kind == TypeKind::Numeric) return commonNumeric(left, right);
  if (left.isInteger() && right.isInteger()) return Type::of(std::max(left.kind, right.kind));
  if (left.isFloat() && right.isFloat()) return Type::of(TypeKind::Double);
  return std::nullopt;
}

void castTo(ExpressionPtr& expression, Type type) {
  if (!sameKeyType(expression->type, type)) expression = Expression::cast(std::move(expression), type, false);
}

bool readsSome(const Expression& expression, const UnitSet& units) {
  return !readsNone(expression) && readsOnly(expression, units);
}

}  // namespace

bool canAlign(Type left, Type right) {
  return commonType(left, right).has_value();
}

bool isNullSafeKey(const Expression& condition) {
  return condition.kind == Expression::Kind::IsNotDistinct &&
         sameKeyType(condition.children[0]->type, condition.children[1]->type);
}

bool isKeyCondition(const Expression& condition) {
  if (!isEquality(condition) && !isNullSafeKey(condition)) return false;
  return canAlign(condition.children[0]->type, condition.children[1]->type);
}

bool alignKeyTypes(ExpressionPtr& left, ExpressionPtr& right) {
  const std::optional<Type> type = commonType(left->type, right->type);
  if (!type) return false;
  if (sameKeyType(left->type, right->type)) return true;
  castTo(left, *type);
  castTo(right, *type);
  return true;
}

void extractKeys(Join& join) {
  const UnitSet left = unitSet(*join.inputs[0]);
  const UnitSet right = unitSet(*join.inputs[1]);
  std::vector<ExpressionPtr> rest;
  for (ExpressionPtr& condition : join.conditions) {
    const bool is_key = isKeyCondition(*condition);
    const bool is_null_safe = is_key && isNullSafeKey(*condition);
    const bool straight =
        is_key && readsSome(*condition->children[0], left) && readsSome(*condition->children[1], right);
    const bool crossed =
        is_key && readsSome(*condition->children[0], right) && readsSome(*condition->children[1], left);
    if (!straight && !crossed) {
      rest.push_back(std::move(condition));
      continue;
    }
    Join::Key key{std::move(condition->children[crossed ? 1 : 0]), std::move(condition->children[crossed ? 0 : 1])};
    key.is_null_safe = is_null_safe;
    alignKeyTypes(key.left, key.right);
    join.keys.push_back(std::move(key));
  }
  join.conditions = std::move(rest);
  // The only thing that is compared decides by a key, too.
  if (!join.compared || !join.keys.empty() || !join.conditions.empty() || !isEquality(*join.compared)) return;
  auto& sides = join.compared->children;
  if (!readsSome(*sides[0], left) || !readsSome(*sides[1], right) || !canAlign(sides[0]->type, sides[1]->type)) return;
  Join::Key key{.left = std::move(sides[0]), .right = std::move(sides[1]), .is_compared = true};
  alignKeyTypes(key.left, key.right);
  join.keys.push_back(std::move(key));
  join.compared = nullptr;
}

}  // namespace gnomon::sql
