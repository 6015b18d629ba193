#include "sql/bind/polymorphic_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/coercion.h"

namespace gnomon::sql {
namespace {

/// Without modifier, and as values outside of expressions have it.
Type bare(Type type) {
  return Type::of(type.kind, type.isDefined() ? type.typmod : -1);
}

Type arrayOfType(Type element) {
  if (element.isArray() || element.isVector())
    throw SqlError(sqlstate::kUndefinedObject,
                   fmt::format("could not find array type for data type {}", element.baseName()));
  return element.array();
}

bool isCompatible(Type actual, Type wanted) {
  const ExpressionPtr value = Expression::constant(Value::null(actual));
  return Coercion::isPossible(*value, wanted, CastContext::Implicit);
}

}  // namespace

void PolymorphicCall::add(Type declared, Type actual) {
  wants_enum_ = wants_enum_ || (declared.isPolymorphic() && polymorphicOf(declared) == Polymorphic::AnyEnum);
  if (declared.isPolymorphic() && actual.kind != TypeKind::Unknown) given_.push_back({declared, bare(actual)});
}

/// Nothing: no argument says it.
std::optional<Type> PolymorphicCall::element() const {
  for (const Given& each : given_)
    if (!isPolymorphicCompatible(each.declared))
      return isPolymorphicArray(each.declared) && each.actual.isArray() ? each.actual.element() : each.actual;
  return std::nullopt;
}

/// Unknown: there is none in common. Nothing: no argument says it.
std::optional<Type> PolymorphicCall::compatible() const {
  std::vector<ExpressionPtr> values;
  for (const Given& each : given_) {
    if (!isPolymorphicCompatible(each.declared)) continue;
    const bool is_array = isPolymorphicArray(each.declared) && each.actual.isArray();
    values.push_back(Expression::constant(Value::null(is_array ? each.actual.element() : each.actual)));
  }
  if (values.empty()) return std::nullopt;
  std::vector<const Expression*> views;
  for (const ExpressionPtr& value : values) views.push_back(value.get());
  return bare(Coercion::commonType(views, {}).type());
}

bool PolymorphicCall::fits() const {
  const std::optional<Type> one = element(), common = compatible();
  if (wants_enum_ && !one) return false;
  return std::ranges::all_of(given_, [&](const Given& each) {
    if (isPolymorphicArray(each.declared) && !each.actual.isArray()) return false;
    const Type actual = isPolymorphicArray(each.declared) ? each.actual.element() : each.actual;
    switch (polymorphicOf(each.declared)) {
      case Polymorphic::AnyArray:
      case Polymorphic::AnyElement:
        return actual.isSameAs(*one);
      case Polymorphic::AnyNonArray:
        return actual.isSameAs(*one) && !actual.isArray();
      case Polymorphic::AnyEnum:
        return actual.isSameAs(*one) && actual.isEnum();
      case Polymorphic::AnyCompatibleNonArray:
        if (common->isArray()) return false;
        break;
      default:
        break;
    }
    return common->kind != TypeKind::Unknown && isCompatible(actual, *common);
  });
}

Type PolymorphicCall::resolve(Type declared) const {
  if (!declared.isPolymorphic()) return declared;
  if (!fits()) {
    const Type first = element().value_or(given_.front().actual);
    const auto other = std::ranges::find_if(given_, [&](const Given& each) { return !each.actual.isSameAs(first); });
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("arguments declared \"{}\" are not all alike",
                               isPolymorphicCompatible(declared) ? "anycompatible" : "anyelement"))
        .detail(
            fmt::format("{} versus {}", first.baseName(), (other == given_.end() ? first : other->actual).baseName()));
  }
  const bool is_compatible = isPolymorphicCompatible(declared);
  std::optional<Type> known = is_compatible ? compatible() : element();
  if (!known && is_compatible) known = Type::of(TypeKind::Text);
  if (!known)
    throw SqlError(sqlstate::kDatatypeMismatch, "could not determine polymorphic type because input has type unknown");
  return isPolymorphicArray(declared) ? arrayOfType(*known) : *known;
}

namespace {

std::shared_ptr<RoutineEntry> resolved(const RoutineEntry& routine, const PolymorphicCall& call) {
  auto concrete = std::make_shared<RoutineEntry>(routine);
  for (RoutineEntry::Parameter& parameter : concrete->parameters) parameter.type = call.resolve(parameter.type);
  concrete->result = call.resolve(routine.result);
  return concrete;
}

}  // namespace

TablePtr concreteRoutine(const TablePtr& entry, const PolymorphicCall& call) {
  auto concrete = std::make_shared<TableEntry>(*entry);
  std::shared_ptr<RoutineEntry> routine = resolved(*entry->routine, call);
  routine->generic = entry->routine;
  concrete->routine = std::move(routine);
  return concrete;
}

TablePtr concreteRoutine(const TablePtr& entry, std::span<const Type> inputs) {
  PolymorphicCall call;
  const std::vector<const RoutineEntry::Parameter*> parameters = entry->routine->inputs();
  for (size_t i = 0; i < inputs.size() && i < parameters.size(); ++i) call.add(parameters[i]->type, inputs[i]);
  auto concrete = std::make_shared<TableEntry>(*entry);
  std::shared_ptr<RoutineEntry> routine = resolved(*entry->routine, call);
  routine->generic = entry->routine;
  size_t next = 0;
  for (RoutineEntry::Parameter& parameter : routine->parameters) {
    if (!parameter.isInput() || next >= inputs.size()) continue;
    if (takesAnyRow(parameter.type) && inputs[next].isRecord()) parameter.type = inputs[next];
    ++next;
  }
  concrete->routine = std::move(routine);
  return concrete;
}

bool takesAnyRow(Type declared) {
  return declared.isRecord() && declared.definition() == 0;
}

RoutineEntry withIntegers(const RoutineEntry& routine) {
  RoutineEntry result = routine;
  result.generic = std::make_shared<const RoutineEntry>(routine);
  const auto replace = [](Type& type) {
    if (!type.isPolymorphic()) return;
    const Type integer = Type::of(TypeKind::Integer);
    type = isPolymorphicArray(type) ? integer.array() : integer;
  };
  for (RoutineEntry::Parameter& parameter : result.parameters) replace(parameter.type);
  replace(result.result);
  return result;
}

std::string undeterminedResult(Type result, std::span<const RoutineEntry::Parameter* const> inputs) {
  if (!result.isPolymorphic()) return {};
  const bool is_compatible = isPolymorphicCompatible(result);
  const bool is_known = std::ranges::any_of(inputs, [&](const RoutineEntry::Parameter* input) {
    return input->type.isPolymorphic() && isPolymorphicCompatible(input->type) == is_compatible;
  });
  if (is_known) return {};
  return fmt::format("A result of type {} requires at least one input of type {}.", result.baseName(),
                     is_compatible ? "anycompatible, anycompatiblearray, anycompatiblenonarray, "
                                     "anycompatiblerange, or anycompatiblemultirange"
                                   : "anyelement, anyarray, anynonarray, anyenum, anyrange, or anymultirange");
}

}  // namespace gnomon::sql
