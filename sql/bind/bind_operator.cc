#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/collation.h"
#include "sql/bind/comparable.h"
#include "sql/bind/expression_binder.h"
#include "sql/functions/overload.h"
#include "sql/functions/value_function.h"
#include "sql/types/big_numeric.h"
#include "sql/types/collation.h"
#include "sql/types/datetime_field.h"
#include "sql/types/decimal.h"
#include "sql/types/timestamp.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

std::vector<TypeKind> kindsOf(std::span<const ExpressionPtr> arguments) {
  std::vector<TypeKind> kinds;
  for (const ExpressionPtr& argument : arguments) kinds.push_back(argument->type.kind);
  return kinds;
}

std::string describeOperator(std::string_view name, std::span<const ExpressionPtr> arguments) {
  if (arguments.size() == 1) return fmt::format("{} {}", name, arguments[0]->type.baseName());
  return fmt::format("{} {} {}", arguments[0]->type.baseName(), name, arguments[1]->type.baseName());
}

[[noreturn]] void throwNoOperator(std::string_view name, std::span<const ExpressionPtr> arguments,
                                  OverloadOutcome outcome, int32_t position) {
  if (outcome == OverloadOutcome::Ambiguous)
    throw SqlError(sqlstate::kAmbiguousFunction,
                   fmt::format("operator is not unique: {}", describeOperator(name, arguments)))
        .hint("Could not choose a best candidate operator. You might need to add explicit type casts.")
        .position(position);
  throw SqlError(sqlstate::kUndefinedFunction,
                 fmt::format("operator does not exist: {}", describeOperator(name, arguments)))
      .hint(arguments.size() == 1
                ? "No operator matches the given name and argument type. You might need to add an explicit type cast."
                : "No operator matches the given name and argument types. You might need to add explicit type casts.")
      .position(position);
}

bool isComparison(FunctionId function) {
  return function >= FunctionId::Equal && function <= FunctionId::GreaterEqual;
}

/// Whether it is a date or timestamp that may be no timestamp with time zone, in some zone.
bool lacksMoment(const Expression& expression) {
  const bool is_date = expression.type.kind == TypeKind::Date;
  if (!is_date && expression.type.kind != TypeKind::Timestamp) return false;
  if (!expression.isConstant()) return true;
  if (expression.value.is_null) return false;
  constexpr int64_t kDaysFirst = kTimestampMin / kMicrosecondsPerDay + 1,
                    kDaysLast = kTimestampEnd / kMicrosecondsPerDay - 2;
  const int64_t value = expression.value.asInt();
  const int64_t days = is_date ? value : timestampDays(value);
  return days <= kDaysFirst || days >= kDaysLast;
}

/// What stands for it beside a timestamp with time zone.
ExpressionPtr comparableMoment(ExpressionPtr value) {
  const bool is_date = value->type.kind == TypeKind::Date;
  const bool nullable = value->nullable;
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(std::move(value));
  ExpressionPtr moment =
      Expression::arrayCall(internalFunction(is_date ? "$comparable_date" : "$comparable_timestamp", 1),
                            Type::of(TypeKind::TimestampTz), std::move(arguments));
  moment->nullable = nullable;
  return moment;
}

/// Operators for which both arguments have to be of one kind.
bool joinsKinds(FunctionId function) {
  return isComparison(function) || function == FunctionId::Add || function == FunctionId::Subtract ||
         function == FunctionId::Multiply || function == FunctionId::Divide || function == FunctionId::Modulo;
}

/// Functions that are NULL for some arguments that are not.
bool mayGiveNull(FunctionId function) {
  switch (function) {
    case FunctionId::Extract:
    case FunctionId::DatePart:
    case FunctionId::ScaleOf:
    case FunctionId::MinimumScale:
    case FunctionId::RegexSubstring:
    case FunctionId::RegexSubstr:
    case FunctionId::RegexMatchArray:
    case FunctionId::TransactionNumberIfAny:
      return true;
    default:
      return false;
  }
}

bool isPlainText(TypeKind kind) {
  return kind == TypeKind::Text || kind == TypeKind::Varchar;
}

/// Whether the collation makes no difference to the regular expression: it asks neither for classes of characters nor
/// for letters of either case.
bool meansTheSameEverywhere(FunctionId function, std::span<const ExpressionPtr> arguments) {
  const bool has_no_flags = (function == FunctionId::RegexMatch && arguments.size() == 2) ||
                            (function == FunctionId::RegexSubstring && arguments.size() == 2) ||
                            (function == FunctionId::RegexReplace && arguments.size() == 3);
  if (!has_no_flags) return false;
  const Expression* pattern = arguments[1].get();
  while (pattern->kind == Kind::Cast) pattern = pattern->children[0].get();
  if (!pattern->isConstant() || pattern->value.is_null) return false;
  const std::string& text = pattern->value.bytes;
  for (const std::string_view special : {"\\", "[:", "[=", "[.", "(?", "***"})
    if (text.find(special) != std::string::npos) return false;
  return true;
}

std::optional<int64_t> constantInteger(const Expression& expression) {
  if (expression.kind != Kind::Constant || expression.value.is_null || !expression.type.isInteger())
    return std::nullopt;
  return expression.value.asInt();
}

/// A constant NaN that is compared with a scaled decimal becomes one of its type, so that the other stays what it is.
void narrowNan(std::vector<ExpressionPtr>& arguments) {
  for (size_t i = 0; arguments.size() == 2 && i < 2; ++i) {
    const Type other = arguments[1 - i]->type;
    const Expression& constant = *arguments[i];
    if (!other.isFixedNumeric() || other.isCheckedDecimal() || constant.kind != Expression::Kind::Constant ||
        !constant.type.isBig() || constant.value.is_null || !BigNumeric::decode(constant.value.bytes).isNaN())
      continue;
    const int32_t position = constant.position;
    arguments[i] = Expression::constant(Value::fromInt128(other.withNan(true), decimalNan(other.form)));
    arguments[i]->position = position;
  }
}

}  // namespace

ExpressionPtr ExpressionBinder::bindOperator(std::string_view name, Arguments arguments, int32_t position) {
  if (ExpressionPtr result = bindArrayOperator(name, arguments, position)) return result;
  if (ExpressionPtr result = bindDefinedComparison(name, arguments, position)) return result;
  if (name == "||")
    if (ExpressionPtr result = bindConcatenation(arguments)) return result;
  if (name == "+" && arguments.size() == 1 && arguments[0]->type.isNumber()) {
    // The same number, but no longer of the column's modifier.
    Type plain = arguments[0]->type;
    plain.typmod = -1;
    return coercion_.toType(std::move(arguments[0]), plain, false);
  }
  const auto signatures = operatorSignatures(name);
  if (signatures.empty() && isMissingOperator(name)) throwNotSupported(fmt::format("operator \"{}\"", name), position);
  const Signature* chosen = nullptr;
  const OverloadOutcome outcome = chooseOperator(signatures, kindsOf(arguments), chosen);
  if (outcome != OverloadOutcome::Found) throwNoOperator(name, arguments, outcome, position);
  return makeCall(*chosen, std::move(arguments), position);
}

void ExpressionBinder::requireSortable(const ast::SortItem& item, const Expression& key, int32_t position) {
  const std::string& name = item.order_operator;
  if (name.empty()) return requireOrdering(key.type, position);
  Arguments sides;
  for (int i = 0; i < 2; ++i) sides.push_back(Expression::constant(Value::null(key.type)));
  bindOperator(name, std::move(sides), item.operator_position);
  if (name == "<" || name == ">") return;
  throw SqlError(SqlState("42809"), fmt::format("operator {} is not a valid ordering operator", name))
      .hint("Ordering operators must be \"<\" or \">\" members of btree operator families.")
      .position(item.operator_position);
}

ExpressionPtr ExpressionBinder::bindConcatenation(Arguments& arguments) {
  if (arguments.size() != 2) return nullptr;
  const auto isBytes = [](const ExpressionPtr& argument) {
    return argument->type.kind == TypeKind::Bytea || argument->type.kind == TypeKind::Unknown;
  };
  const auto isText = [](const ExpressionPtr& argument) { return argument->type.isString(); };
  if (std::ranges::any_of(arguments, [](const ExpressionPtr& argument) { return argument->type.isArray(); }))
    return nullptr;
  if (std::ranges::none_of(arguments, isText)) return nullptr;
  // An untyped literal beside a jsonb is one, too.
  const auto isJson = [](const ExpressionPtr& argument) {
    return argument->type.kind == TypeKind::Jsonb || argument->type.kind == TypeKind::Unknown;
  };
  if (std::ranges::all_of(arguments, isJson) && !std::ranges::all_of(arguments, isText)) return nullptr;
  // An untyped literal beside a bytea is one too.
  if (std::ranges::all_of(arguments, isBytes) && !std::ranges::all_of(arguments, isText)) return nullptr;
  Arguments texts;
  for (ExpressionPtr& argument : arguments) {
    const int32_t position = argument->position;
    texts.push_back(argument->type.kind == TypeKind::Unknown
                        ? coercion_.toKind(std::move(argument), TypeKind::Text)
                        : coercion_.castExplicitly(std::move(argument), Type::of(TypeKind::Text), position));
  }
  return Expression::call(FunctionId::Concat, Type::of(TypeKind::Text), std::move(texts));
}

ExpressionPtr ExpressionBinder::bindLike(const ast::Expression& node) {
  Arguments arguments = bindAll(node.children);
  ExpressionPtr escape;
  if (arguments.size() == 3) {
    // like_escape(pattern, escape) is of text unless one of them is bytea.
    const bool of_bytes = arguments[1]->type.kind == TypeKind::Bytea || arguments[2]->type.kind == TypeKind::Bytea;
    const TypeKind kind = of_bytes ? TypeKind::Bytea : TypeKind::Text;
    for (size_t i = 1; i < 3; ++i)
      if (!coercesImplicitly(arguments[i]->type.kind, kind))
        throw SqlError(sqlstate::kUndefinedFunction,
                       fmt::format("function pg_catalog.like_escape({}, {}) does not exist",
                                   arguments[1]->type.baseName(), arguments[2]->type.baseName()))
            .hint("No function matches the given name and argument types. You might need to add explicit type casts.")
            .position(node.position);
    escape = coercion_.toKind(std::move(arguments[2]), kind);
    arguments.pop_back();
    arguments[1] = coercion_.toKind(std::move(arguments[1]), kind);
  }
  ExpressionPtr call = bindOperator(node.text, std::move(arguments), node.position);
  if (escape == nullptr) return call;
  Expression& like = call->kind == Kind::Not ? *call->children[0] : *call;
  like.nullable = like.nullable || escape->nullable;
  call->nullable = like.nullable;
  like.children.push_back(std::move(escape));
  return call;
}

namespace {

/// Whether a function that PostgreSQL calls stable answers the same in every session: names are in English.
bool answersAlike(const Signature& signature) {
  const bool is_of_zone = signature.argument_count > 0 && signature.arguments[0] == TypeKind::TimestampTz;
  return (signature.name == "to_char" && !is_of_zone) || signature.name == "to_date" || signature.name == "to_number";
}

}  // namespace

ExpressionPtr ExpressionBinder::makeCall(const Signature& signature, Arguments arguments, int32_t position) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool stays_varchar = isComparison(signature.function) && isPlainText(arguments[i]->type.kind) &&
                               signature.arguments[i] == TypeKind::Text;
    if (!stays_varchar) arguments[i] = coercion_.toKind(std::move(arguments[i]), signature.arguments[i]);
  }
  alignKinds(signature, arguments);
  if (state_.has_collations)
    if (ExpressionPtr result = bindCollated(signature, arguments, position)) return result;
  const Type type = resultType(signature, arguments);
  if (signature.volatility != Volatility::Immutable && (state_.routine == nullptr || !answersAlike(signature)))
    state_.is_immutable = false;
  if (isValueFunction(signature.function)) {
    for (ExpressionPtr& argument : arguments)
      if (argument->type.kind == TypeKind::Numeric) argument = coercion_.toBig(std::move(argument));
    ExpressionPtr call = Expression::arrayCall(signature.function, type, std::move(arguments));
    call->position = position;
    return call;
  }
  ExpressionPtr call = isJsonFunction(signature.function)
                           ? Expression::arrayCall(signature.function, type, std::move(arguments))
                           : Expression::call(signature.function, type, std::move(arguments));
  call->position = position;
  if (mayGiveNull(signature.function)) call->nullable = true;
  if (!signature.name.starts_with('!')) return call;
  Arguments negated;
  negated.push_back(std::move(call));
  return Expression::logic(Kind::Not, std::move(negated));
}

/// The call where the arguments' collation decides what it means, or the order of bytes in its place; null: it does
/// not.
ExpressionPtr ExpressionBinder::bindCollated(const Signature& signature, Arguments& arguments, int32_t position) {
  const FunctionId function = signature.function;
  const bool is_compared = isComparison(function) && !arguments.empty() && isCollatable(arguments[0]->type);
  const auto isOneOf = [&](std::initializer_list<FunctionId> ids) {
    return std::ranges::find(ids, function) != ids.end();
  };
  const bool is_case = isOneOf({FunctionId::Lower, FunctionId::Upper, FunctionId::Initcap, FunctionId::ILike});
  if (!is_compared && !is_case && !isRegexFunction(function)) return nullptr;
  const uint16_t collation = comparisonCollation(arguments);
  if (is_compared) {
    const bool is_ordered = function != FunctionId::Equal && function != FunctionId::NotEqual;
    for (ExpressionPtr& argument : arguments)
      argument = is_ordered ? orderKey(std::move(argument), collation) : withoutCollate(std::move(argument));
    return nullptr;
  }
  if (!isOfIcu(collation)) return nullptr;
  if (isRegexFunction(function)) {
    if (meansTheSameEverywhere(function, arguments)) return nullptr;
    throwNotSupported("a regular expression with classes, flags or parameters by a collation of ICU", position);
  }
  const auto inLocale = [&](FunctionId in_locale, ExpressionPtr text) {
    const bool nullable = text->nullable;
    Arguments parts;
    parts.push_back(coercion_.toKind(withoutCollate(std::move(text)), TypeKind::Text));
    parts.push_back(
        Expression::constant(Value::fromString(Type::of(TypeKind::Text), knownCollation(collation).locale)));
    ExpressionPtr call = Expression::call(in_locale, Type::of(TypeKind::Text).collatedBy(collation), std::move(parts));
    call->nullable = nullable;
    call->position = position;
    return call;
  };
  if (function == FunctionId::ILike) {
    for (ExpressionPtr& argument : arguments) argument = inLocale(FunctionId::LowerIn, std::move(argument));
    ExpressionPtr call = Expression::call(FunctionId::Like, Type::of(TypeKind::Boolean), std::move(arguments));
    call->position = position;
    if (!signature.name.starts_with('!')) return call;
    Arguments negated;
    negated.push_back(std::move(call));
    return Expression::logic(Kind::Not, std::move(negated));
  }
  return inLocale(function == FunctionId::Lower   ? FunctionId::LowerIn
                  : function == FunctionId::Upper ? FunctionId::UpperIn
                                                  : FunctionId::InitcapIn,
                  std::move(arguments[0]));
}

void ExpressionBinder::alignKinds(const Signature& signature, Arguments& arguments) {
  if (arguments.size() != 2 || !joinsKinds(signature.function)) return;
  const TypeKind left = arguments[0]->type.kind;
  const TypeKind right = arguments[1]->type.kind;
  const bool both_numbers = arguments[0]->type.isNumber() && arguments[1]->type.isNumber();
  const bool both_dates = categoryOf(left) == TypeCategory::DateTime && categoryOf(right) == TypeCategory::DateTime;
  if (left == right || (!both_numbers && !both_dates)) return;
  if (left == TypeKind::Time || right == TypeKind::Time) return;
  const TypeKind wider = std::max(left, right);
  const bool compares_moments = wider == TypeKind::TimestampTz && isComparison(signature.function);
  for (ExpressionPtr& argument : arguments)
    argument = compares_moments && lacksMoment(*argument) ? comparableMoment(std::move(argument))
                                                          : coercion_.toKind(std::move(argument), wider);
}

Type ExpressionBinder::resultType(const Signature& signature, Arguments& arguments) {
  if (signature.argument_count == 0) return Type::of(signature.result);
  if (signature.rule == ResultRule::ExtractField) return fieldType(arguments);
  if (signature.function == FunctionId::DatePart) fieldType(arguments);
  const bool names_field = signature.function == FunctionId::DateTruncate && signature.arguments[0] == TypeKind::Text;
  if (names_field && arguments[0]->isConstant() && !arguments[0]->value.is_null)
    parseTruncateField(arguments[0]->value.bytes, arguments[1]->type.kind);
  if (isComparison(signature.function)) narrowNan(arguments);
  if (signature.arguments[0] == TypeKind::Numeric) coercion_.alignBig(arguments);
  const auto makeBig = [&] {
    for (ExpressionPtr& argument : arguments)
      if (argument->type.kind == TypeKind::Numeric) argument = coercion_.toBig(std::move(argument));
  };
  const bool may_be_nan =
      std::ranges::any_of(arguments, [](const ExpressionPtr& argument) { return argument->type.may_be_nan != 0; });
  if (signature.rule == ResultRule::Fixed) {
    if (may_be_nan && !isComparison(signature.function)) makeBig();
    return Type::of(signature.result);
  }
  std::vector<Type> types;
  for (const ExpressionPtr& argument : arguments)
    if (argument->type.kind == TypeKind::Numeric) types.push_back(argument->type);
  const auto digits = arguments.size() > 1 ? constantInteger(*arguments[1]) : std::nullopt;
  const Type result = coercion_.typing().result(signature.rule, types, digits);
  if (result.isBig() && (signature.rule != ResultRule::Quotient || may_be_nan)) makeBig();
  return result;
}

Type ExpressionBinder::fieldType(const Arguments& arguments) {
  const Expression& field = *arguments[0];
  if (!field.isConstant() || field.value.is_null)
    throwNotSupported("a field of extract or date_part that is not constant", field.position);
  const TypeKind source = arguments[1]->type.kind;
  const DatetimeField parsed = parseExtractField(field.value.bytes, source);
  // Infinity, which no decimal holds, has made the session bind again.
  const bool may_be_infinite = isGrowing(parsed) && source != TypeKind::Interval;
  if (may_be_infinite && state_.context.unlimited_numerics) return Type::bigNumeric();
  return extractType(parsed, source);
}

}  // namespace gnomon::sql
