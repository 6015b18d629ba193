#include "sql/bind/collation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/sql_error.h"
#include "sql/types/collation.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

constexpr SqlState kCollationMismatch("42P21"), kIndeterminate("42P22");

[[noreturn]] void throwIndeterminate() {
  throw SqlError(kIndeterminate, "could not determine which collation to use for string comparison")
      .hint("Use the COLLATE clause to set the collation explicitly.");
}

}  // namespace

uint16_t declaredCollation(const std::string& column, Type type) {
  if (type.collation == kIndeterminateCollation)
    throw SqlError(kIndeterminate, fmt::format("no collation was derived for column \"{}\" with collatable type {}",
                                               column, type.baseName()))
        .hint("Use the COLLATE clause to set the collation explicitly.");
  return type.collation;
}

void mergeCollation(DerivedCollation& result, const DerivedCollation& other) {
  if (result.is_explicit && other.is_explicit && result.collation != other.collation)
    throw SqlError(kCollationMismatch,
                   fmt::format("collation mismatch between explicit collations \"{}\" and \"{}\"",
                               knownCollation(result.collation).name, knownCollation(other.collation).name));
  if (result.is_explicit || result.collation == other.collation) {
    result.is_explicit = result.is_explicit || other.is_explicit;
    return;
  }
  if (other.is_explicit || result.collation == 0)
    result = other;
  else if (other.collation != 0)
    result.collation = kIndeterminateCollation;
}

uint16_t resolveCollation(std::span<const std::string> names, int32_t position) {
  const bool in_catalog = names.size() == 1 || (names.size() == 2 && names[0] == "pg_catalog");
  const std::optional<uint16_t> found = in_catalog ? findCollation(names.back()) : std::nullopt;
  if (!found)
    throw SqlError(sqlstate::kUndefinedObject,
                   fmt::format("collation \"{}\" for encoding \"UTF8\" does not exist", fmt::join(names, ".")))
        .position(position);
  return *found;
}

bool isCollatable(Type type) {
  if (type.isArray()) type = type.element();
  return type.isString() && type.kind != TypeKind::InternalChar;
}

void requireCollatable(Type type, int32_t position) {
  if (isCollatable(type)) return;
  throw SqlError(sqlstate::kDatatypeMismatch, fmt::format("collations are not supported by type {}", type.baseName()))
      .position(position);
}

DerivedCollation derivedCollation(const Expression& expression) {
  if (!isCollatable(expression.type)) return {};
  switch (expression.kind) {
    case Kind::Constant:
    case Kind::Column:
    case Kind::Parameter:
      return {expression.type.collation, false};
    case Kind::Cast:
      if (expression.is_collate) return {expression.type.collation, true};
      break;
    default:
      break;
  }
  // What is known of it, as of a field or of a value of a domain, is nearer than what its parts say implicitly.
  const DerivedCollation derived = derivedCollation(expression.children);
  if (derived.is_explicit || expression.type.collation == 0) return derived;
  return {expression.type.collation, false};
}

DerivedCollation derivedCollation(std::span<const ExpressionPtr> expressions) {
  DerivedCollation result;
  for (const ExpressionPtr& expression : expressions)
    if (isCollatable(expression->type)) mergeCollation(result, derivedCollation(*expression));
  return result;
}

void raiseImplicitMismatch(uint16_t left, uint16_t right, const Expression& second) {
  const auto nameOf = [](uint16_t collation) {
    return collation == kIndeterminateCollation ? std::string("?") : knownCollation(collation).name;
  };
  throw SqlError(kCollationMismatch, fmt::format("collation mismatch between implicit collations \"{}\" and \"{}\"",
                                                 nameOf(left), nameOf(right)))
      .hint("You can choose the collation by applying the COLLATE clause to one or both expressions.")
      .position(second.position);
}

uint16_t comparisonCollation(std::span<const ExpressionPtr> expressions) {
  const DerivedCollation derived = derivedCollation(expressions);
  if (derived.collation == kIndeterminateCollation) throwIndeterminate();
  return derived.collation;
}

ExpressionPtr withoutCollate(ExpressionPtr value) {
  while (value->kind == Kind::Cast && value->is_collate) value = std::exchange(value->children[0], nullptr);
  return value;
}

ExpressionPtr orderKey(ExpressionPtr value) {
  const uint16_t collation = derivedCollation(*value).collation;
  if (collation == kIndeterminateCollation) throwIndeterminate();
  return orderKey(std::move(value), collation);
}

ExpressionPtr orderKey(ExpressionPtr value, uint16_t collation) {
  value = withoutCollate(std::move(value));
  if (!isOfIcu(collation)) return value;
  if (value->type.isArray()) throwNotSupported("the order of arrays by a collation of ICU", value->position);
  const int32_t position = value->position;
  const bool nullable = value->nullable;
  std::vector<ExpressionPtr> arguments;
  // Blanks at the end of char(n) do not count.
  if (value->type.kind == TypeKind::Char) value = Expression::cast(std::move(value), Type::of(TypeKind::Text), false);
  arguments.push_back(std::move(value));
  arguments.push_back(
      Expression::constant(Value::fromString(Type::of(TypeKind::Text), knownCollation(collation).locale)));
  ExpressionPtr key = Expression::call(FunctionId::CollationKey, Type::of(TypeKind::Bytea), std::move(arguments));
  key->nullable = nullable;
  key->position = position;
  return key;
}

WrittenPart writtenPart(const Expression& part) {
  if (part.kind != Kind::Call || part.function != FunctionId::CollationKey) return {&part, part.type};
  const Expression& value = *part.children[0];
  return {&value, value.type.collatedBy(findCollation(part.children[1]->value.bytes + "-x-icu").value_or(0))};
}

namespace {

/// A COLLATE clause where operands are compared by another collation than that of one of them.
void addCollate(Expression& comparison) {
  const bool is_keyed = comparison.kind == Kind::Call && comparison.children.size() == 2 &&
                        comparison.children[0]->kind == Kind::Call &&
                        comparison.children[0]->function == FunctionId::CollationKey;
  if (!is_keyed) return;
  const Type type = writtenPart(*comparison.children[0]).type;
  const auto has_it = [&](const ExpressionPtr& side) {
    return derivedCollation(*writtenPart(*side).value).collation == type.collation;
  };
  if (std::ranges::any_of(comparison.children, has_it)) return;
  ExpressionPtr& value = comparison.children[0]->children[0];
  value = Expression::cast(std::move(value), type, true);
  value->is_collate = true;
}

void removeKeys(ExpressionPtr& expression) {
  addCollate(*expression);
  for (ExpressionPtr& child : expression->children) removeKeys(child);
  if (expression->kind != Kind::Call) return;
  switch (expression->function) {
    case FunctionId::CollationKey: {
      ExpressionPtr value = std::move(expression->children[0]);
      expression = std::move(value);
      return;
    }
    case FunctionId::CollatedText: {
      ExpressionPtr value = std::move(expression->children[0]);
      expression = std::move(value);
      return;
    }
    case FunctionId::LowerIn:
      expression->function = FunctionId::Lower;
      break;
    case FunctionId::UpperIn:
      expression->function = FunctionId::Upper;
      break;
    case FunctionId::InitcapIn:
      expression->function = FunctionId::Initcap;
      break;
    default:
      return;
  }
  expression->children.pop_back();
}

}  // namespace

ExpressionPtr withoutKeys(const Expression& expression) {
  ExpressionPtr result = expression.clone();
  removeKeys(result);
  return result;
}

ExpressionPtr textOfKey(ExpressionPtr key, Type type) {
  const bool nullable = key->nullable;
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(std::move(key));
  ExpressionPtr text = Expression::call(FunctionId::CollatedText, type, std::move(arguments));
  text->nullable = nullable;
  return text;
}

}  // namespace gnomon::sql
