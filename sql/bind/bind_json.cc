#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sql_error.h"
#include "sql/bind/comparable.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/json_rows.h"
#include "sql/bind/no_function.h"
#include "sql/functions/overload.h"
#include "sql/json/json_functions.h"

namespace gnomon::sql {
namespace {

[[noreturn]] void throwPolymorphic() {
  throw SqlError(sqlstate::kDatatypeMismatch, "could not determine polymorphic type because input has type unknown");
}

/// Functions of a value, and of a list of values, of any types.
constexpr std::string_view kOfValue[] = {"to_json", "to_jsonb"};
constexpr std::string_view kOfList[] = {"json_build_array", "jsonb_build_array", "json_build_object",
                                        "jsonb_build_object"};
/// Functions of a value and the steps of a path as texts.
constexpr std::string_view kOfSteps[] = {"json_extract_path", "json_extract_path_text", "jsonb_extract_path",
                                         "jsonb_extract_path_text"};

template <size_t count>
bool isOneOf(const std::string_view (&names)[count], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

}  // namespace

void throwJsonSlice(const ast::Expression& node) {
  throw SqlError(sqlstate::kDatatypeMismatch, "jsonb subscript does not support slices").position(node.position);
}

ExpressionPtr ExpressionBinder::callJson(std::string_view name, Type result, Arguments arguments, int32_t position) {
  const FunctionId function = jsonFunctionNamed(name);
  if (jsonFunction(function).is_stable) state_.is_immutable = false;
  ExpressionPtr call = Expression::arrayCall(function, result, std::move(arguments));
  call->position = position;
  return call;
}

ExpressionPtr ExpressionBinder::bindJsonFunction(const ast::Expression& node, std::string_view name,
                                                 Arguments& arguments) {
  const auto result = [&] { return Type::of(jsonFunction(jsonFunctionNamed(name)).result); };
  if (isJsonRows(node)) return bindJsonRows(state_, node, std::move(arguments));
  if (isOneOf(kOfValue, name) && arguments.size() == 1) {
    if (arguments[0]->type.kind == TypeKind::Unknown) throwPolymorphic();
    return callJson(name, result(), std::move(arguments), node.position);
  }
  if (name == "array_to_json" && (arguments.size() == 1 || arguments.size() == 2)) {
    arguments[0] = coercion_.vectorAsArray(std::move(arguments[0]));
    if (arguments[0]->type.kind == TypeKind::Unknown) throwPolymorphic();
    const bool fits = arguments[0]->type.isArray() &&
                      (arguments.size() == 1 || coercesImplicitly(arguments[1]->type.kind, TypeKind::Boolean));
    if (!fits) return nullptr;
    if (arguments.size() == 2) arguments[1] = coercion_.toKind(std::move(arguments[1]), TypeKind::Boolean);
    return callJson(name, result(), std::move(arguments), node.position);
  }
  if (name == "row_to_json" && (arguments.size() == 1 || arguments.size() == 2)) {
    const bool fits = arguments[0]->type.isRecord() &&
                      (arguments.size() == 1 || coercesImplicitly(arguments[1]->type.kind, TypeKind::Boolean));
    if (!fits) return nullptr;
    if (arguments.size() == 2) arguments[1] = coercion_.toKind(std::move(arguments[1]), TypeKind::Boolean);
    return callJson(name, result(), std::move(arguments), node.position);
  }
  if (isOneOf(kOfList, name)) {
    if (node.is_variadic) {
      if (arguments.size() != 1) return nullptr;
      arguments[0] = variadicArray(std::move(arguments[0]));
      return callJson(fmt::format("${}", name), result(), std::move(arguments), node.position);
    }
    for (ExpressionPtr& argument : arguments) argument = coercion_.settle(std::move(argument));
    return callJson(name, result(), std::move(arguments), node.position);
  }
  if (isOneOf(kOfSteps, name) && arguments.size() >= 2 && !node.is_variadic) {
    const TypeKind kind = name.starts_with("jsonb") ? TypeKind::Jsonb : TypeKind::Json;
    const bool fits = coercesImplicitly(arguments[0]->type.kind, kind) &&
                      std::all_of(arguments.begin() + 1, arguments.end(), [](const ExpressionPtr& step) {
                        return coercesImplicitly(step->type.kind, TypeKind::Text);
                      });
    if (!fits) return nullptr;
    Arguments steps;
    for (size_t i = 1; i < arguments.size(); ++i)
      steps.push_back(coercion_.toKind(std::move(arguments[i]), TypeKind::Text));
    arguments.resize(1);
    arguments[0] = coercion_.toKind(std::move(arguments[0]), kind);
    arguments.push_back(
        Expression::arrayCall(FunctionId::MakeArray, Type::of(arrayOf(TypeKind::Text)), std::move(steps)));
    return callJson(name, result(), std::move(arguments), node.position);
  }
  return nullptr;
}

std::string_view ExpressionBinder::bindJsonAggregate(const ast::Expression& node, std::string_view name,
                                                     Arguments& arguments, const ExpressionPtr& filter) {
  const bool is_object = name.ends_with("_object_agg");
  if (!is_object && name != "json_agg" && name != "jsonb_agg") return {};
  const bool is_binary = name.starts_with("jsonb");
  const Type type = Type::of(is_binary ? TypeKind::Jsonb : TypeKind::Json);
  if (arguments.size() != (is_object ? 2 : 1) || node.is_star)
    throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
  Arguments value;
  if (is_object) {
    if (node.is_distinct) throwNotSupported("DISTINCT in an aggregate of two arguments", node.position);
    for (ExpressionPtr& argument : arguments) value.push_back(coercion_.settle(std::move(argument)));
    ExpressionPtr pair = callJson(is_binary ? "$jsonb_pair" : "$json_pair", type, std::move(value), -1);
    arguments.clear();
    arguments.push_back(whereTrue(std::move(pair), filter.get()));
    return is_binary ? "$jsonb_object_agg" : "$json_object_agg";
  }
  if (arguments[0]->type.kind == TypeKind::Unknown) throwPolymorphic();
  // Of arrays there are no arrays of one dimension.
  const bool is_nested = arguments[0]->type.isArray() || arguments[0]->type.isVector();
  const bool has_lines = is_nested || arguments[0]->type.isRecord();
  if (is_nested) {
    if (node.is_distinct) throwNotSupported("DISTINCT in an aggregate of arrays", node.position);
    value.push_back(std::move(arguments[0]));
    arguments[0] = callJson(is_binary ? "to_jsonb" : "to_json", type, std::move(value), -1);
  }
  return is_binary ? "$jsonb_agg" : has_lines ? "$json_agg_lines" : "$json_agg";
}

/// An integer or a text.
ExpressionPtr ExpressionBinder::bindJsonStep(const ast::Expression& node) {
  ExpressionPtr step = bind(node);
  const TypeKind kind = step->type.kind;
  if (kind == TypeKind::Unknown) return coercion_.toKind(std::move(step), TypeKind::Text);
  const bool is_integer = coercesImplicitly(kind, TypeKind::Integer);
  const bool is_text = coercesImplicitly(kind, TypeKind::Text);
  if (is_integer == is_text)
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("subscript type {} is not supported", step->type.baseName()))
        .hint(is_text ? "jsonb subscript must be coercible to only one type, integer or text."
                      : "jsonb subscript must be coercible to either integer or text.")
        .position(leftmostPosition(*step));
  return coercion_.toKind(std::move(step), is_integer ? TypeKind::Integer : TypeKind::Text);
}

ExpressionPtr ExpressionBinder::bindJsonSubscript(const ast::Expression& node, ExpressionPtr value) {
  Arguments arguments;
  arguments.push_back(std::move(value));
  for (size_t i = 0; i < node.text.size(); ++i) {
    if (node.text[i] == 's') throwJsonSlice(node);
    arguments.push_back(bindJsonStep(*node.children[2 + 2 * i]));
  }
  return callJson("$subscript", Type::of(TypeKind::Jsonb), std::move(arguments), node.position);
}

}  // namespace gnomon::sql
