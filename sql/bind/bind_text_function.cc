#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/no_function.h"
#include "sql/bind/stored_expression.h"
#include "sql/functions/overload.h"
#include "sql/types/text_list.h"

/// Functions that take any number of arguments of any types, some of which may be NULL: in terms of strict calls.
namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;
using Arguments = std::vector<ExpressionPtr>;

const Type kText = Type::of(TypeKind::Text);

Arguments listOf(ExpressionPtr first, ExpressionPtr second) {
  Arguments list;
  list.push_back(std::move(first));
  list.push_back(std::move(second));
  return list;
}

ExpressionPtr textOf(std::string_view text) {
  return Expression::constant(Value::fromString(kText, text));
}

/// The text, or another one instead of NULL.
ExpressionPtr orText(ExpressionPtr text, std::string_view otherwise) {
  if (!text->nullable) return text;
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Coalesce;
  result->type = kText;
  result->nullable = false;
  result->children = listOf(std::move(text), textOf(otherwise));
  return result;
}

/// Joined in pairs, so that no text is copied more than a few times.
ExpressionPtr joined(Arguments texts) {
  while (texts.size() > 1) {
    Arguments halves;
    for (size_t i = 0; i + 1 < texts.size(); i += 2)
      halves.push_back(
          Expression::call(FunctionId::Concat, kText, listOf(std::move(texts[i]), std::move(texts[i + 1]))));
    if (texts.size() % 2 == 1) halves.push_back(std::move(texts.back()));
    texts = std::move(halves);
  }
  return texts.empty() ? textOf("") : std::move(texts[0]);
}

bool isText(const Expression& expression) {
  return coercesImplicitly(expression.type.kind, TypeKind::Text);
}

}  // namespace

ExpressionPtr ExpressionBinder::outputText(ExpressionPtr value) {
  value = coercion_.settleAny(std::move(value));
  const TypeKind kind = value->type.kind;
  if (kind == TypeKind::Text || kind == TypeKind::Unknown) return value;
  if (kind != TypeKind::Boolean && kind != TypeKind::Inet && !value->type.isString()) {
    const int32_t position = value->position;
    return coercion_.castExplicitly(std::move(value), kText, position);
  }
  Arguments arguments;
  arguments.push_back(std::move(value));
  return Expression::call(FunctionId::OutputText, kText, std::move(arguments));
}

ExpressionPtr ExpressionBinder::textList(Arguments values) {
  Arguments entries;
  for (ExpressionPtr& value : values) {
    Arguments text;
    text.push_back(outputText(std::move(value)));
    entries.push_back(orText(Expression::call(FunctionId::ListEntry, kText, std::move(text)), kNullListEntry));
  }
  return joined(std::move(entries));
}

/// concat, concat_ws, format: stable, because the texts of some types depend on settings.
ExpressionPtr ExpressionBinder::bindJoinedTexts(std::string_view name, Arguments& arguments) {
  if (arguments.empty()) return nullptr;
  if (name == "concat") {
    noteTextsOf(state_, arguments);
    for (ExpressionPtr& argument : arguments) argument = orText(outputText(std::move(argument)), "");
    return joined(std::move(arguments));
  }
  const bool is_format = name == "format";
  if (!is_format && (name != "concat_ws" || arguments.size() < 2)) return nullptr;
  if (!isText(*arguments[0])) return nullptr;
  noteTextsOf(state_, arguments);
  ExpressionPtr first = coercion_.toKind(std::move(arguments[0]), TypeKind::Text);
  arguments.erase(arguments.begin());
  ExpressionPtr list = textList(std::move(arguments));
  return Expression::call(is_format ? FunctionId::Format : FunctionId::ConcatWithSeparator, kText,
                          listOf(std::move(first), std::move(list)));
}

/// quote_literal(any), quote_nullable(any): of its text.
ExpressionPtr ExpressionBinder::bindQuotation(std::string_view name, Arguments& arguments, int32_t position) {
  if ((name != "quote_literal" && name != "quote_nullable") || arguments.size() != 1) return nullptr;
  if (!isText(*arguments[0]) && castContext(arguments[0]->type.kind, TypeKind::Text) == CastContext::None)
    return nullptr;
  if (!isText(*arguments[0])) state_.is_immutable = false;
  Arguments text;
  text.push_back(isText(*arguments[0]) ? coercion_.toKind(std::move(arguments[0]), TypeKind::Text)
                                       : coercion_.castExplicitly(std::move(arguments[0]), kText, position));
  ExpressionPtr quoted = Expression::call(FunctionId::QuoteLiteral, kText, std::move(text));
  return name == "quote_literal" ? std::move(quoted) : orText(std::move(quoted), "NULL");
}

/// num_nulls, num_nonnulls: a sum of ones.
ExpressionPtr ExpressionBinder::bindNullCount(std::string_view name, Arguments& arguments) {
  if ((name != "num_nulls" && name != "num_nonnulls") || arguments.empty()) return nullptr;
  const Type integer = Type::of(TypeKind::Integer);
  ExpressionPtr sum;
  for (ExpressionPtr& argument : arguments) {
    Arguments tested;
    tested.push_back(coercion_.settleAny(std::move(argument)));
    auto count = std::make_unique<Expression>();
    count->kind = Kind::Case;
    count->type = integer;
    count->nullable = false;
    count->children = listOf(Expression::logic(name == "num_nulls" ? Kind::IsNull : Kind::IsNotNull, std::move(tested)),
                             Expression::constant(Value::fromInt(integer, 1)));
    count->children.push_back(Expression::constant(Value::fromInt(integer, 0)));
    sum = sum == nullptr ? std::move(count)
                         : Expression::call(FunctionId::Add, integer, listOf(std::move(sum), std::move(count)));
  }
  return sum;
}

/// The array of a VARIADIC argument, of elements of any type.
ExpressionPtr ExpressionBinder::variadicArray(ExpressionPtr argument) {
  argument = coercion_.vectorAsArray(std::move(argument));
  if (!argument->type.isArray())
    throw SqlError(sqlstate::kDatatypeMismatch, "VARIADIC argument must be an array")
        .position(leftmostPosition(*argument));
  return argument;
}

ExpressionPtr ExpressionBinder::bindVariadicCall(const ast::Expression& node, std::string_view name,
                                                 Arguments& arguments) {
  const bool is_count = name == "num_nulls" || name == "num_nonnulls";
  const bool is_alone = is_count || name == "concat";
  const bool is_second = name == "concat_ws" || name == "format";
  const bool fits =
      (is_alone && arguments.size() == 1) || (is_second && arguments.size() == 2 && isText(*arguments[0]));
  if (!fits) throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
  arguments.back() = variadicArray(std::move(arguments.back()));
  ExpressionPtr& last = arguments.back();
  if (!is_count) noteTextsOf(state_, arguments);
  if (is_second) arguments[0] = coercion_.toKind(std::move(arguments[0]), TypeKind::Text);
  ExpressionPtr result;
  if (is_count) {
    result = Expression::arrayCall(name == "num_nulls" ? FunctionId::ArrayCountNulls : FunctionId::ArrayCountNonNulls,
                                   Type::of(TypeKind::Integer), std::move(arguments));
  } else if (name == "format") {
    Arguments array;
    array.push_back(std::move(last));
    // Without a list there are no arguments.
    ExpressionPtr list = orText(Expression::arrayCall(FunctionId::ArrayToTextList, kText, std::move(array)), "");
    result = Expression::call(FunctionId::Format, kText, listOf(std::move(arguments[0]), std::move(list)));
  } else {
    ExpressionPtr separator = is_second ? std::move(arguments[0]) : textOf("");
    result = Expression::arrayCall(FunctionId::ArrayToText, kText, listOf(std::move(last), std::move(separator)));
  }
  result->position = node.position;
  return result;
}

ExpressionPtr ExpressionBinder::bindTextFunction(std::string_view name, Arguments& arguments, int32_t position) {
  ExpressionPtr result = bindJoinedTexts(name, arguments);
  if (result == nullptr) result = bindQuotation(name, arguments, position);
  if (result == nullptr) result = bindNullCount(name, arguments);
  if (result != nullptr) result->position = position;
  return result;
}

}  // namespace gnomon::sql
