#include "sql/algebra/expression.h"

#include <algorithm>

#include "base/assert.h"
#include "sql/algebra/expression_text.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

bool neverNull(Kind kind) {
  switch (kind) {
    case Kind::IsNull:
    case Kind::IsNotNull:
    case Kind::IsTrue:
    case Kind::IsNotTrue:
    case Kind::IsFalse:
    case Kind::IsNotFalse:
    case Kind::IsDistinct:
    case Kind::IsNotDistinct:
      return true;
    default:
      return false;
  }
}

bool anyNullable(const std::vector<ExpressionPtr>& children) {
  return std::ranges::any_of(children, [](const ExpressionPtr& child) { return child->nullable; });
}

bool sameValue(const Value& one, const Value& other) {
  if (one.is_null != other.is_null || one.type != other.type) return false;
  return one.is_null || (one.lo == other.lo && one.hi == other.hi && one.bytes == other.bytes);
}

/// The units that the Lets of two expressions bind.
using BoundPairs = std::vector<std::pair<Iu, Iu>>;

bool sameUnit(Iu one, Iu other, const BoundPairs& bound) {
  const auto found =
      std::ranges::find_if(bound, [&](const auto& pair) { return pair.first == one || pair.second == other; });
  return found == bound.end() ? one == other : *found == std::pair(one, other);
}

/// Equality of what stands in the node itself.
bool sameNode(const Expression& one, const Expression& other, const BoundPairs& bound) {
  if (one.kind != other.kind || one.type != other.type || one.children.size() != other.children.size()) return false;
  switch (one.kind) {
    case Kind::Constant:
      return sameValue(one.value, other.value);
    case Kind::Column:
      return sameUnit(one.iu, other.iu, bound);
    case Kind::Parameter:
      return one.parameter == other.parameter;
    case Kind::Call:
    case Kind::ArrayCall:
    case Kind::AnyOf:
    case Kind::AllOf:
      return one.function == other.function;
    case Kind::Cast:
      return one.is_explicit == other.is_explicit && one.is_collate == other.is_collate &&
             one.type.collation == other.type.collation;
    default:
      return true;
  }
}

ExpressionPtr copyNode(const Expression& source) {
  auto copy = std::make_unique<Expression>();
  copy->kind = source.kind;
  copy->is_explicit = source.is_explicit;
  copy->is_collate = source.is_collate;
  copy->function = source.function;
  copy->type = source.type;
  copy->nullable = source.nullable;
  copy->position = source.position;
  copy->parameter = source.parameter;
  copy->iu = source.iu;
  copy->bound = source.bound;
  copy->value = source.value;
  return copy;
}

}  // namespace

Expression::~Expression() {
  std::vector<ExpressionPtr> pending = std::move(children);
  while (!pending.empty()) {
    const ExpressionPtr last = std::move(pending.back());
    pending.pop_back();
    if (last == nullptr) continue;
    for (ExpressionPtr& child : last->children) pending.push_back(std::move(child));
    last->children.clear();
  }
}

ExpressionPtr Expression::constant(Value value) {
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Constant;
  result->type = value.type;
  result->nullable = value.is_null;
  result->value = std::move(value);
  return result;
}

ExpressionPtr Expression::column(Iu iu) {
  ASSERT(iu != nullptr, "a column reads a unit");
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Column;
  result->type = iu->type;
  result->nullable = iu->nullable;
  result->iu = iu;
  return result;
}

ExpressionPtr Expression::call(FunctionId function, Type type, std::vector<ExpressionPtr> arguments) {
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Call;
  result->function = function;
  result->type = type;
  result->nullable = anyNullable(arguments);
  result->children = std::move(arguments);
  return result;
}

ExpressionPtr Expression::arrayCall(FunctionId function, Type type, std::vector<ExpressionPtr> arguments) {
  ExpressionPtr result = call(function, type, std::move(arguments));
  result->kind = Kind::ArrayCall;
  switch (function) {
    case FunctionId::MakeArray:
    case FunctionId::MakeNestedArray:
    case FunctionId::MakeRecord:
    case FunctionId::RecordAssign:
    case FunctionId::RecordIsNull:
    case FunctionId::RecordIsNotNull:
      result->nullable = false;
      break;
    default:
      result->nullable = true;
  }
  return result;
}

ExpressionPtr Expression::cast(ExpressionPtr input, Type type, bool is_explicit) {
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Cast;
  result->type = type;
  // The time of day of an infinite timestamp is NULL.
  const TypeKind from = input->type.kind;
  const bool is_time = type.kind == TypeKind::Time || type.kind == TypeKind::TimeTz;
  const bool makes_null = is_time && (from == TypeKind::Timestamp || from == TypeKind::TimestampTz);
  result->nullable = input->nullable || makes_null;
  result->is_explicit = is_explicit;
  result->position = input->position;
  result->children.push_back(std::move(input));
  return result;
}

ExpressionPtr Expression::logic(Kind kind, std::vector<ExpressionPtr> children) {
  ASSERT(!children.empty(), "logic has operands");
  auto result = std::make_unique<Expression>();
  result->kind = kind;
  result->type = Type::of(TypeKind::Boolean);
  result->nullable = !neverNull(kind) && anyNullable(children);
  result->children = std::move(children);
  return result;
}

ExpressionPtr Expression::let(std::shared_ptr<const InformationUnit> unit, ExpressionPtr value, ExpressionPtr body) {
  ASSERT(unit->nullable && unit->type == value->type, "a bound unit can hold the value");
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Let;
  result->iu = unit.get();
  result->bound = std::move(unit);
  result->type = body->type;
  result->nullable = body->nullable;
  result->position = body->position;
  result->children.push_back(std::move(value));
  result->children.push_back(std::move(body));
  return result;
}

ExpressionPtr Expression::clone() const {
  ExpressionPtr result = copyNode(*this);
  std::vector<std::pair<const Expression*, Expression*>> pending{{this, result.get()}};
  while (!pending.empty()) {
    const auto [source, copy] = pending.back();
    pending.pop_back();
    copy->children.reserve(source->children.size());
    for (const ExpressionPtr& child : source->children) {
      copy->children.push_back(copyNode(*child));
      pending.emplace_back(child.get(), copy->children.back().get());
    }
  }
  return result;
}

bool Expression::equals(const Expression& other) const {
  BoundPairs pairs;
  std::vector<std::pair<const Expression*, const Expression*>> pending{{this, &other}};
  while (!pending.empty()) {
    const auto [one, two] = pending.back();
    pending.pop_back();
    if (!sameNode(*one, *two, pairs)) return false;
    if (one->kind == Kind::Let) pairs.emplace_back(one->iu, two->iu);
    for (size_t i = 0; i < one->children.size(); ++i)
      pending.emplace_back(one->children[i].get(), two->children[i].get());
  }
  return true;
}

void Expression::collectUnits(std::vector<Iu>& units) const {
  const size_t before = units.size();
  std::vector<Iu> own;
  std::vector<const Expression*> pending{this};
  while (!pending.empty()) {
    const Expression* last = pending.back();
    pending.pop_back();
    if (last->kind == Kind::Column) units.push_back(last->iu);
    if (last->kind == Kind::Let) own.push_back(last->iu);
    for (const ExpressionPtr& child : last->children) pending.push_back(child.get());
  }
  if (own.empty()) return;
  const auto is_bound = [&](Iu unit) { return std::ranges::find(own, unit) != own.end(); };
  units.erase(std::remove_if(units.begin() + static_cast<ptrdiff_t>(before), units.end(), is_bound), units.end());
}

std::string Expression::toString() const {
  std::string text;
  appendExpression(*this, text);
  return text;
}

namespace {

/// A routine that a user made, or one of the functions for which the test holds.
bool hasCall(const Expression& expression, bool (*is_such)(FunctionId)) {
  std::vector<const Expression*> pending{&expression};
  while (!pending.empty()) {
    const Expression* last = pending.back();
    pending.pop_back();
    if (last->kind == Expression::Kind::Call && is_such(last->function)) return true;
    if (last->kind == Expression::Kind::ArrayCall && last->function == kCallRoutine) return true;
    for (const ExpressionPtr& child : last->children) pending.push_back(child.get());
  }
  return false;
}

}  // namespace

bool Expression::isVolatile() const {
  return hasCall(*this, isVolatileFunction);
}

bool Expression::hasEffect() const {
  return hasCall(*this, sql::hasEffect);
}

}  // namespace gnomon::sql
