#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/collation.h"
#include "sql/bind/comparable.h"
#include "sql/bind/element_assignment.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/ordered_aggregates.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/stored_expression.h"
#include "sql/functions/overload.h"
#include "sql/types/collation.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;
using NodeKind = ast::Expression::Kind;

/// A function over arrays of any type. Letters of `arguments` and `result`:
///   A an array, E its element; both of one type with all others of the function
///   a, e the same, of the type that they have in common
///   i integer, t text, I integer[], T text[], b boolean
struct ArraySignature {
  std::string_view name;
  FunctionId function;
  std::string_view arguments;
  char result;
};

constexpr ArraySignature kFunctions[] = {
    {"array_length", FunctionId::ArrayLength, "Ai", 'i'},
    {"array_lower", FunctionId::ArrayLower, "Ai", 'i'},
    {"array_upper", FunctionId::ArrayUpper, "Ai", 'i'},
    {"array_ndims", FunctionId::ArrayDimensions, "A", 'i'},
    {"array_dims", FunctionId::ArrayBounds, "A", 't'},
    {"cardinality", FunctionId::ArrayCardinality, "A", 'i'},
    {"array_append", FunctionId::ArrayAppend, "ae", 'a'},
    {"array_prepend", FunctionId::ArrayPrepend, "ea", 'a'},
    {"array_cat", FunctionId::ArrayConcatenate, "aa", 'a'},
    {"array_remove", FunctionId::ArrayRemove, "ae", 'a'},
    {"array_replace", FunctionId::ArrayReplace, "aee", 'a'},
    {"array_position", FunctionId::ArrayPosition, "ae", 'i'},
    {"array_position", FunctionId::ArrayPosition, "aei", 'i'},
    {"array_positions", FunctionId::ArrayPositions, "ae", 'I'},
    {"array_to_string", FunctionId::ArrayToText, "At", 't'},
    {"array_to_string", FunctionId::ArrayToText, "Att", 't'},
    {"string_to_array", FunctionId::TextToArray, "tt", 'T'},
    {"string_to_array", FunctionId::TextToArray, "ttt", 'T'},
    {"array_fill", FunctionId::ArrayFill, "EI", 'A'},
    {"array_fill", FunctionId::ArrayFill, "EII", 'A'},
    {"trim_array", FunctionId::ArrayTrim, "Ai", 'A'},
    {"arraycontains", FunctionId::ArrayContains, "AA", 'b'},
    {"arraycontained", FunctionId::ArrayContainedBy, "AA", 'b'},
    {"arrayoverlap", FunctionId::ArrayOverlaps, "AA", 'b'},
    {"width_bucket", FunctionId::ArrayBucket, "ea", 'i'},
};

constexpr ArraySignature kOperators[] = {
    {"@>", FunctionId::ArrayContains, "AA", 'b'}, {"<@", FunctionId::ArrayContainedBy, "AA", 'b'},
    {"&&", FunctionId::ArrayOverlaps, "AA", 'b'}, {"||", FunctionId::ArrayConcatenate, "aa", 'a'},
    {"||", FunctionId::ArrayAppend, "ae", 'a'},   {"||", FunctionId::ArrayPrepend, "ea", 'a'},
};

constexpr std::pair<std::string_view, FunctionId> kComparisons[] = {
    {"=", FunctionId::Equal},      {"<>", FunctionId::NotEqual}, {"<", FunctionId::Less},
    {"<=", FunctionId::LessEqual}, {">", FunctionId::Greater},   {">=", FunctionId::GreaterEqual},
};

bool isPolymorphic(char letter) {
  return letter == 'A' || letter == 'E' || letter == 'a' || letter == 'e';
}
bool isArrayLetter(char letter) {
  return letter == 'A' || letter == 'a';
}

/// What a letter means, `element` being the polymorphic type.
WantedKind kindOf(char letter, WantedKind element) {
  switch (letter) {
    case 'A':
    case 'a':
      return element.type().array();
    case 'E':
    case 'e':
      return element;
    case 'i':
      return TypeKind::Integer;
    case 'I':
      return arrayOf(TypeKind::Integer);
    case 'T':
      return arrayOf(TypeKind::Text);
    case 'b':
      return TypeKind::Boolean;
    default:
      return TypeKind::Text;
  }
}

/// The element's kind with which the arguments fit. Unknown: all of them are open.
std::optional<WantedKind> matchArguments(const ArraySignature& signature, std::span<const ExpressionPtr> arguments,
                                         const Coercion& coercion) {
  if (signature.arguments.size() != arguments.size()) return std::nullopt;
  std::vector<ExpressionPtr> elements;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const char letter = signature.arguments[i];
    const TypeKind kind = arguments[i]->type.kind;
    if (!isPolymorphic(letter)) {
      if (!coercesImplicitly(kind, kindOf(letter, TypeKind::Unknown).kind)) return std::nullopt;
      continue;
    }
    if (kind == TypeKind::Unknown) continue;
    if (isArrayLetter(letter) != isArrayKind(kind)) return std::nullopt;
    const Type type = arguments[i]->type;
    elements.push_back(
        Expression::constant(Value::null(WantedKind(isArrayLetter(letter) ? type.element() : type).type())));
  }
  if (elements.empty()) return WantedKind(TypeKind::Unknown);
  const bool is_common = std::ranges::any_of(signature.arguments, [](char letter) { return letter == 'a'; });
  std::vector<const Expression*> views;
  for (const ExpressionPtr& element : elements) views.push_back(element.get());
  if (is_common) {
    const WantedKind common = coercion.commonType(views, "");
    const bool fits = common.kind != TypeKind::Unknown && std::ranges::all_of(views, [&](const Expression* view) {
                        return Coercion::isPossible(*view, common, CastContext::Implicit);
                      });
    return fits ? std::optional(common) : std::nullopt;
  }
  const Type first = views[0]->type;
  const bool are_same = std::ranges::all_of(views, [&](const Expression* view) { return view->type.isSameAs(first); });
  return are_same ? std::optional(WantedKind(first)) : std::nullopt;
}

bool isOpen(const Expression& expression) {
  return expression.type.kind == TypeKind::Unknown;
}

ExpressionPtr negation(ExpressionPtr condition) {
  std::vector<ExpressionPtr> operand;
  operand.push_back(std::move(condition));
  return Expression::logic(Kind::Not, std::move(operand));
}

}  // namespace

Type arrayTypeOf(WantedKind element) {
  if (element.kind == TypeKind::Void)
    throw SqlError(sqlstate::kUndefinedObject, "could not find array type for data type void");
  return element.type().array();
}

/// As arrays hold it: numerics are Big.
ExpressionPtr ExpressionBinder::toElement(ExpressionPtr value, WantedKind wanted) {
  value = coercion_.toKind(std::move(value), wanted);
  return wanted.kind == TypeKind::Numeric ? coercion_.toBig(std::move(value)) : std::move(value);
}

ExpressionPtr ExpressionBinder::bindArray(const ast::Expression& node, const Type* target) {
  Arguments elements;
  bool is_nested = false;
  for (const ast::ExpressionPtr& child : node.children) {
    ExpressionPtr element = child->kind == NodeKind::Array ? bindArray(*child, target) : bind(*child);
    if (element->position < 0) element->position = child->position;
    is_nested = is_nested || element->type.isArray();
    elements.push_back(std::move(element));
  }
  if (elements.empty() && target == nullptr)
    throw SqlError(sqlstate::kIndeterminateDatatype, "cannot determine type of empty array")
        .hint("Explicitly cast to the desired type, for example ARRAY[]::integer[].")
        .position(node.position);
  if (target != nullptr) {
    for (ExpressionPtr& element : elements) {
      const Type type = is_nested ? *target : target->element();
      const int32_t position = element->position;
      element = coercion_.castExplicitly(std::move(element), type, position);
      if (!is_nested) element = toElement(std::move(element), type);
    }
  } else {
    std::vector<ExpressionPtr*> all;
    for (ExpressionPtr& element : elements) all.push_back(&element);
    coercion_.unify(all, "ARRAY");
  }
  if (is_nested) return bindNestedArray(std::move(elements), node.position);
  const WantedKind wanted = target != nullptr ? target->element() : elements[0]->type;
  for (ExpressionPtr& element : elements) element = toElement(std::move(element), wanted);
  const Type type = arrayTypeOf(wanted);
  ExpressionPtr array = Expression::arrayCall(FunctionId::MakeArray, type, std::move(elements));
  array->position = node.position;
  return array;
}

ExpressionPtr ExpressionBinder::bindNestedArray(Arguments arrays, int32_t position) {
  const Type type = WantedKind(arrays[0]->type).type();
  ExpressionPtr array = Expression::arrayCall(FunctionId::MakeNestedArray, type, std::move(arrays));
  array->position = position;
  return array;
}

/// The rows of the query, in its order, as an array; without rows an empty one.
ExpressionPtr ExpressionBinder::bindArrayQuery(const ast::Expression& node) {
  std::vector<Iu> columns;
  OperatorPtr query = bindQuery(node, columns);
  if (columns.size() != 1)
    throw SqlError(sqlstate::kSyntaxError, "subquery must return only one column").position(node.position);
  ExpressionPtr result = collectArray(std::move(query), columns.front());
  result->position = node.position;
  return result;
}

ExpressionPtr ExpressionBinder::collectArray(OperatorPtr query, Iu column) {
  ExpressionPtr value = Expression::column(column);
  const WantedKind wanted = value->type;
  const bool is_nested = value->type.isArray();
  const Type type = is_nested ? wanted.type() : arrayTypeOf(wanted);
  if (!is_nested) value = toElement(std::move(value), wanted);
  auto groups = std::make_unique<Aggregation>();
  const Iu collected = state_.plan->makeUnit("array", type, true);
  Aggregation::Aggregate aggregate{collected, is_nested ? AggregateId::ConcatenateArrays : AggregateId::CollectArray,
                                   std::move(value)};
  aggregate.order = orderOf(*query);
  groups->aggregates.push_back(std::move(aggregate));
  groups->inputs.push_back(std::move(query));
  auto join = std::make_unique<Join>();
  join->join_kind = Join::JoinKind::Single;
  join->inputs.push_back(orderAggregates(*state_.plan, std::move(groups)));
  join->null_extended.emplace_back(collected, state_.plan->makeUnit("array", type, true));
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Coalesce;
  result->type = type;
  result->nullable = false;
  result->children.push_back(Expression::column(join->null_extended.front().second));
  result->children.push_back(Expression::arrayCall(FunctionId::MakeArray, type, {}));
  subqueriesHere().add(std::move(join));
  return result;
}

ExpressionPtr ExpressionBinder::bindArrayBound(const ast::Expression& node) {
  ExpressionPtr value = bind(node);
  if (!Coercion::isPossible(*value, TypeKind::Integer, CastContext::Assignment))
    throw SqlError(sqlstate::kDatatypeMismatch, "array subscript must have type integer")
        .position(leftmostPosition(*value));
  return coercion_.toKind(std::move(value), TypeKind::Integer);
}

bool isSlice(const ast::Expression& part) {
  return part.text.contains('s');
}

void requireSubscripts(Type type, int32_t position) {
  if (type.isArray() || type.kind == TypeKind::Jsonb) return;
  throw SqlError(sqlstate::kDatatypeMismatch,
                 fmt::format("cannot subscript type {} because it does not support subscripting", type.baseName()))
      .position(position);
}

void requireElement(const Expression& value, Type wanted, std::string_view column, int32_t position) {
  if (Coercion::isPossible(value, wanted, CastContext::Assignment)) return;
  throw SqlError(sqlstate::kDatatypeMismatch,
                 fmt::format("subscripted assignment to \"{}\" requires type {} but expression is of type {}", column,
                             wanted.baseName(), value.type.baseName()))
      .hint("You will need to rewrite or cast the expression.")
      .position(position);
}

/// Beside slices a plain subscript is a slice from 1.
void ExpressionBinder::addSliceBounds(const ast::Expression& node, Arguments& arguments) {
  const auto addBound = [&](const ast::Expression* bound) {
    arguments.push_back(bound != nullptr ? bindArrayBound(*bound)
                                         : Expression::constant(Value::null(Type::of(TypeKind::Void))));
  };
  for (size_t i = 0; i < node.text.size(); ++i) {
    if (node.text[i] == 'e')
      arguments.push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Integer), 1)));
    else
      addBound(node.children[1 + 2 * i].get());
    addBound(node.children[2 + 2 * i].get());
  }
}

ExpressionPtr ExpressionBinder::bindElementAssignment(const ast::Expression& part, ExpressionPtr column,
                                                      ExpressionPtr value, std::string_view name) {
  const Type type = column->type;
  const bool is_json = type.kind == TypeKind::Jsonb;
  requireSubscripts(type, part.position);
  const bool is_slice = isSlice(part);
  if (is_slice && is_json) throwJsonSlice(part);
  const Type element = is_json || is_slice ? type : type.element();
  requireElement(*value, element, name, part.position);
  Arguments arguments;
  arguments.push_back(std::move(column));
  arguments.push_back(coercion_.toType(std::move(value), element, false));
  if (is_slice) addSliceBounds(part, arguments);
  for (size_t i = 0; i < part.text.size() && !is_slice; ++i) {
    const ast::Expression& subscript = *part.children[2 + 2 * i];
    arguments.push_back(is_json ? bindJsonStep(subscript) : bindArrayBound(subscript));
  }
  if (is_json) return callJson("$assign", type, std::move(arguments), -1);
  return Expression::arrayCall(FunctionId::ArrayAssign, type, std::move(arguments));
}

ExpressionPtr ExpressionBinder::bindSubscript(const ast::Expression& node) {
  ExpressionPtr array = coercion_.vectorAsArray(bind(*node.children[0]));
  if (array->type.kind == TypeKind::Jsonb) return bindJsonSubscript(node, std::move(array));
  requireSubscripts(array->type, leftmostPosition(*array));
  const bool is_slice = isSlice(node);
  const Type type = array->type;
  Arguments arguments;
  arguments.push_back(std::move(array));
  if (is_slice) addSliceBounds(node, arguments);
  for (size_t i = 0; i < node.text.size() && !is_slice; ++i)
    arguments.push_back(bindArrayBound(*node.children[2 + 2 * i]));
  return is_slice ? Expression::arrayCall(FunctionId::ArraySlice, type, std::move(arguments))
                  : Expression::arrayCall(FunctionId::ArraySubscript, type.element(), std::move(arguments));
}

/// x op ALL (array) of a negated operator is NOT (x op ANY (array)) of the plain one.
ExpressionPtr ExpressionBinder::bindQuantifiedArray(const ast::Expression& node) {
  ExpressionPtr value = bind(*node.children[0]);
  ExpressionPtr array = coercion_.vectorAsArray(bind(*node.children[1]));
  if (!isOpen(*array) && !array->type.isArray())
    throw SqlError(sqlstate::kWrongObjectType, "op ANY/ALL (array) requires array on right side")
        .position(node.position);
  const Type element = isOpen(*array) ? Type::of(TypeKind::Unknown) : array->type.element();
  const Iu unit = state_.plan->makeUnit("element", element, true);
  Arguments sides;
  sides.push_back(std::move(value));
  sides.push_back(isOpen(*array) ? Expression::constant(Value::null(element)) : Expression::column(unit));
  ExpressionPtr compared = bindOperator(node.text, std::move(sides), node.position);
  const bool is_negated = compared->kind == Kind::Not;
  if (is_negated) {
    ExpressionPtr inner = std::move(compared->children[0]);
    compared = std::move(inner);
  }
  if (compared->type.kind != TypeKind::Boolean)
    throw SqlError(sqlstate::kWrongObjectType, "op ANY/ALL (array) requires operator to yield boolean")
        .position(node.position);
  const bool is_plain = compared->kind == Kind::Call && compared->children.size() == 2;
  const Expression& right = *compared->children.back();
  const Expression* source = &right;
  while (source->kind == Kind::Cast) source = source->children[0].get();
  const bool is_element = source->kind == Kind::Column || source->kind == Kind::Constant;
  if (!is_plain || !is_element) throwNotSupported("ANY and ALL with this operator", node.position);
  // Integers and floats of several widths compare as they are.
  const bool are_numbers = (compared->children[0]->type.isInteger() && element.isInteger()) ||
                           (compared->children[0]->type.isFloat() && element.isFloat());
  if (!are_numbers) array = coercion_.toKind(std::move(array), WantedKind(right.type).type().array());
  Arguments operands;
  operands.push_back(std::move(compared->children[0]));
  operands.push_back(std::move(array));
  ExpressionPtr result = Expression::logic(node.is_all != is_negated ? Kind::AllOf : Kind::AnyOf, std::move(operands));
  result->function = compared->function;
  result->nullable = true;
  result->position = node.position;
  return is_negated ? negation(std::move(result)) : std::move(result);
}

ExpressionPtr ExpressionBinder::callArrayFunction(FunctionId function, std::string_view letters, char result,
                                                  WantedKind element, Arguments& arguments, int32_t position) {
  Arguments converted;
  for (size_t i = 0; i < arguments.size(); ++i)
    converted.push_back(toElement(std::move(arguments[i]), kindOf(letters[i], element)));
  ExpressionPtr call = Expression::arrayCall(function, kindOf(result, element).type(), std::move(converted));
  call->position = position;
  return call;
}

ExpressionPtr ExpressionBinder::bindArrayFunction(std::string_view name, Arguments& arguments, int32_t position) {
  if (std::ranges::find(kFunctions, name, &ArraySignature::name) != std::end(kFunctions))
    for (ExpressionPtr& argument : arguments) argument = coercion_.vectorAsArray(std::move(argument));
  for (const ArraySignature& signature : kFunctions) {
    if (signature.name != name) continue;
    const auto element = matchArguments(signature, arguments, coercion_);
    if (!element) continue;
    const bool is_polymorphic = std::ranges::any_of(signature.arguments, isPolymorphic);
    if (is_polymorphic && element->kind == TypeKind::Unknown) {
      // width_bucket has other forms.
      if (signature.function == FunctionId::ArrayBucket) continue;
      throw SqlError(sqlstate::kDatatypeMismatch,
                     "could not determine polymorphic type because input has type unknown");
    }
    if (signature.function == FunctionId::ArrayBucket && isOpen(*arguments[1])) continue;
    if (signature.function == FunctionId::ArrayToText) noteTextsOf(state_, arguments);
    return callArrayFunction(signature.function, signature.arguments, signature.result, *element, arguments, position);
  }
  return nullptr;
}

ExpressionPtr ExpressionBinder::bindArrayOperator(std::string_view name, Arguments& arguments, int32_t position) {
  const auto isArray = [](const ExpressionPtr& argument) { return argument->type.isArray(); };
  const auto isVector = [](const ExpressionPtr& argument) { return argument->type.isVector(); };
  if (arguments.size() == 2 && std::ranges::any_of(arguments, isVector)) {
    const TypeKind kind = (isVector(arguments[0]) ? arguments[0] : arguments[1])->type.kind;
    for (ExpressionPtr& argument : arguments)
      argument = coercion_.vectorAsArray(isOpen(*argument) ? coercion_.toKind(std::move(argument), kind)
                                                           : std::move(argument));
  }
  if (arguments.size() != 2 || std::ranges::none_of(arguments, isArray)) return nullptr;
  for (const auto& [comparison, function] : kComparisons) {
    if (comparison != name) continue;
    const Type type = (isArray(arguments[0]) ? arguments[0] : arguments[1])->type;
    if (std::ranges::any_of(arguments, [&](const ExpressionPtr& argument) {
          return !isOpen(*argument) && !argument->type.isSameAs(type);
        }))
      return nullptr;
    requireEquality(type.element(), -1);
    Arguments sides;
    for (ExpressionPtr& argument : arguments) sides.push_back(coercion_.toKind(std::move(argument), type));
    const bool is_ordered = function != FunctionId::Equal && function != FunctionId::NotEqual;
    if (state_.has_collations && is_ordered && isCollatable(type) && isOfIcu(comparisonCollation(sides)))
      throwNotSupported("the order of arrays by a collation of ICU", position);
    ExpressionPtr call = Expression::call(function, Type::of(TypeKind::Boolean), std::move(sides));
    call->position = position;
    return call;
  }
  for (const ArraySignature& signature : kOperators) {
    if (signature.name != name) continue;
    const auto element = matchArguments(signature, arguments, coercion_);
    if (!element) continue;
    return callArrayFunction(signature.function, signature.arguments, signature.result, *element, arguments, position);
  }
  return nullptr;
}

}  // namespace gnomon::sql
