#include "sql/bind/part_assignment.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/element_assignment.h"
#include "sql/catalog/domain_fields.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

bool isCall(const Expression& expression, FunctionId function) {
  return expression.kind == Kind::ArrayCall && expression.function == function;
}

ExpressionPtr nullOf(Type type) {
  return Expression::constant(Value::null(type));
}

/// Of a call of RecordAssign.
size_t fieldNumber(const Expression& assigned) {
  return static_cast<size_t>(assigned.children[1]->value.lo);
}

/// Where the record has the field, if it was assigned to just before; null: it was not. Behind a test of a domain
/// nothing changes any more.
ExpressionPtr* assignedBefore(Expression& record, size_t index) {
  for (Expression* node = &record; isCall(*node, FunctionId::RecordAssign); node = node->children[0].get())
    if (fieldNumber(*node) == index) return &node->children[2];
  return nullptr;
}

/// Of calls of ArrayAssign.
enum class Elements : uint8_t { Same, Others, Unknown };

Elements compareElements(const Expression& one, const Expression& other) {
  if (one.children.size() != other.children.size()) return Elements::Unknown;
  bool are_same = true;
  for (size_t i = 2; i < one.children.size(); ++i) {
    const Expression& left = *one.children[i];
    const Expression& right = *other.children[i];
    if (!left.isConstant() || !right.isConstant() || left.value.is_null || right.value.is_null)
      return Elements::Unknown;
    are_same = are_same && left.value.lo == right.value.lo;
  }
  return are_same ? Elements::Same : Elements::Others;
}

bool isSliceAssigned(const Expression& assigned) {
  return assigned.children[1]->type.isArray();
}

}  // namespace

void refuseDefault(const ast::TargetParts& parts, int32_t position) {
  if (parts.empty()) return;
  throw SqlError(sqlstate::kFeatureNotSupported, parts.front().subscripts ? "cannot set an array element to DEFAULT"
                                                                          : "cannot set a subfield to DEFAULT")
      .position(position);
}

Type PartAssignment::type(Type column) {
  Type found;
  assign(nullOf(column), 0, {column_.name}, [&](const Innermost& innermost) {
    found = innermost.type;
    return nullOf(innermost.type);
  });
  return found;
}

ExpressionPtr PartAssignment::convert(ExpressionPtr value, Type column) {
  ExpressionPtr result;
  assign(nullOf(column), 0, {column_.name}, [&](const Innermost& innermost) {
    result = converted(std::move(value), innermost);
    return nullOf(innermost.type);
  });
  return result;
}

ExpressionPtr PartAssignment::bind(ExpressionPtr before, ExpressionPtr value, uint32_t domain) {
  return assign(std::move(before), 0, {column_.name, domain},
                [&](const Innermost& innermost) { return converted(std::move(value), innermost); });
}

ExpressionPtr PartAssignment::converted(ExpressionPtr value, const Innermost& wanted) {
  if (wanted.is_element) requireElement(*value, wanted.type, wanted.name, column_.position);
  if (!Coercion::isPossible(*value, wanted.type, CastContext::Assignment))
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("subfield \"{}\" is of type {} but expression is of type {}", wanted.name,
                               wanted.type.baseName(), value->type.baseName()))
        .hint("You will need to rewrite or cast the expression.")
        .position(column_.position);
  return binder_.coercion().assign(std::move(value), wanted.type, wanted.name);
}

ExpressionPtr PartAssignment::assign(ExpressionPtr before, size_t step, Container container, const Give& give) {
  if (step == parts_.size()) return give({before->type, container.name, parts_.back().subscripts != nullptr});
  if (parts_[step].is_star)
    throw SqlError(sqlstate::kFeatureNotSupported, "row expansion via \"*\" is not supported here")
        .position(column_.position);
  return parts_[step].subscripts ? assignElement(std::move(before), step, container, give)
                                 : assignField(std::move(before), step, container, give);
}

ExpressionPtr PartAssignment::assignField(ExpressionPtr before, size_t step, Container container, const Give& give) {
  const std::string& field = parts_[step].field;
  const auto [index, found] = binder_.assignedField(field, *before, container.name, column_.position);
  const bool is_last = step + 1 == parts_.size();
  ExpressionPtr* const inside = is_last ? nullptr : assignedBefore(*before, index);
  if (inside != nullptr) {
    *inside =
        binder_.coercion().toDomain(assign(std::move(*inside), step + 1, {field, found.domain}, give), found.domain);
    return before;
  }
  ExpressionPtr value = is_last ? nullOf(found.type) : fieldBefore(*before, index, found.type);
  value = assign(std::move(value), step + 1, {field, found.domain}, give);
  return binder_.bindFieldAssignment(field, std::move(before), std::move(value), container.name, column_.position);
}

ExpressionPtr PartAssignment::assignElement(ExpressionPtr before, size_t step, Container container, const Give& give) {
  const ast::Expression& subscripts = *parts_[step].subscripts;
  const Type type = before->type;
  const bool is_column = step == 0 && !before->isConstant();
  requireSubscripts(type, is_column ? column_.position : -1);
  const Type element = type.isArray() && !isSlice(subscripts) ? type.element() : type;
  if (step + 1 == parts_.size())
    return binder_.bindElementAssignment(subscripts, std::move(before), give({element, container.name, true}),
                                         container.name);
  ExpressionPtr assigned =
      binder_.bindElementAssignment(subscripts, std::move(before), nullOf(element), container.name);
  const auto inside = [&](ExpressionPtr row) {
    row = assign(std::move(row), step + 1, {container.name}, give);
    return binder_.coercion().toDomain(std::move(row), elementDomain(container.domain));
  };
  // Others have no fields, which is going to be said.
  if (!element.isRecord()) return assign(nullOf(element), step + 1, {container.name}, give);
  Expression* node = assigned->children[0].get();
  for (; isCall(*node, FunctionId::ArrayAssign) && !isSliceAssigned(*node); node = node->children[0].get()) {
    const Elements elements = compareElements(*assigned, *node);
    if (elements == Elements::Unknown) break;
    if (elements == Elements::Others) continue;
    node->children[1] = inside(std::move(node->children[1]));
    return std::move(assigned->children[0]);
  }
  assigned->children[1] = inside(elementBefore(*assigned, *node));
  return assigned;
}

/// A field of the record as it has been made so far.
ExpressionPtr PartAssignment::fieldBefore(const Expression& record, size_t index, Type type) {
  const Expression* node = &record;
  for (;; node = node->children[0].get()) {
    if (isCall(*node, FunctionId::CheckDomain)) continue;
    if (!isCall(*node, FunctionId::RecordAssign)) break;
    if (fieldNumber(*node) != index) continue;
    if (node->children[2]->isVolatile())
      throwNotSupported("assignment to several parts of a volatile value of a domain", column_.position);
    return binder_.copy(*node->children[2]);
  }
  return node->isConstant() ? nullOf(type) : fieldAt(binder_.copy(*node), index, type);
}

/// The element that the call assigns to, as `array` has it.
ExpressionPtr PartAssignment::elementBefore(const Expression& assigned, const Expression& array) {
  const Type element = array.type.element();
  if (array.isConstant()) return nullOf(element);
  std::vector<ExpressionPtr> arguments;
  const auto add = [&](const Expression& argument) {
    if (argument.isVolatile())
      throwNotSupported("a volatile subscript before a field that is assigned to", column_.position);
    arguments.push_back(binder_.copy(argument));
  };
  add(array);
  for (size_t i = 2; i < assigned.children.size(); ++i) add(*assigned.children[i]);
  return Expression::arrayCall(FunctionId::ArraySubscript, element, std::move(arguments));
}

}  // namespace gnomon::sql
