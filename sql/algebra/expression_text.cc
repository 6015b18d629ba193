#include "sql/algebra/expression_text.h"

#include <array>

#include "sql/functions/value_function.h"
#include "sql/json/json_functions.h"
#include "sql/pg_catalog/functions.h"
#include "sql/types/text_io.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

/// In the order of FunctionId.
constexpr auto kFunctionTexts = std::to_array<std::string_view>({
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "-",
    "abs",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "ceil",
    "floor",
    "round",
    "trunc",
    "sign",
    "sqrt",
    "exp",
    "ln",
    "log",
    "||",
    "~~",
    "~~*",
    "length",
    "octet_length",
    "lower",
    "upper",
    "substring",
    "strpos",
    "btrim",
    "ltrim",
    "rtrim",
    "replace",
    "left",
    "right",
    "lpad",
    "rpad",
    "repeat",
    "reverse",
    "starts_with",
    "split_part",
    "ascii",
    "chr",
    "initcap",
    "overlay",
    "bit_length",
    "md5",
    "get_byte",
    "set_byte",
    "get_bit",
    "set_bit",
    "bit_count",
    "encode",
    "decode",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "convert",
    "convert_from",
    "convert_to",
    "length",
    "extract",
    "date_part",
    "date_trunc",
    "age",
    "make_date",
    "make_time",
    "to_timestamp",
    "timezone",
    "justify_days",
    "justify_hours",
    "justify_interval",
    "isfinite",
    "output_text",
    "list_entry",
    "concat_ws",
    "format",
    "quote_ident",
    "quote_literal",
    "translate",
    "to_hex",
    "collation_key",
    "collated_text",
    "lower",
    "upper",
    "initcap",
    "~",
    "~*",
    "similar_to_escape",
    "substring",
    "regexp_replace",
    "regexp_like",
    "regexp_count",
    "regexp_instr",
    "regexp_match",
    "regexp_split_to_array",
    "regexp_substr",
    "&",
    "|",
    "#",
    "~",
    "<<",
    ">>",
    "cbrt",
    "degrees",
    "radians",
    "pi",
    "sin",
    "cos",
    "tan",
    "cot",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sind",
    "cosd",
    "tand",
    "cotd",
    "asind",
    "acosd",
    "atand",
    "atan2d",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "div",
    "gcd",
    "lcm",
    "factorial",
    "width_bucket",
    "scale",
    "min_scale",
    "trim_scale",
    "ARRAY",
    "ARRAY",
    "subscript",
    "slice",
    "assign",
    "array_length",
    "array_lower",
    "array_upper",
    "array_ndims",
    "array_dims",
    "cardinality",
    "array_append",
    "array_prepend",
    "array_cat",
    "array_remove",
    "array_replace",
    "array_position",
    "array_positions",
    "array_to_string",
    "string_to_array",
    "array_fill",
    "trim_array",
    "@>",
    "<@",
    "&&",
    "width_bucket",
    "array_to_text_list",
    "num_nulls",
    "num_nonnulls",
    "ROW",
    "field",
    "assign",
    "is null",
    "is not null",
    "row",
    "enum_first",
    "enum_last",
    "enum_range",
    "domain",
});
static_assert(kFunctionTexts.size() == static_cast<size_t>(FunctionId::BackendPid));

/// What the session is asked, from BackendPid on.
constexpr auto kSessionTexts = std::to_array<std::string_view>({"pg_backend_pid",
                                                                "now",
                                                                "statement_timestamp",
                                                                "pg_cancel_backend",
                                                                "pg_terminate_backend",
                                                                "pg_advisory_lock",
                                                                "pg_advisory_lock_shared",
                                                                "pg_advisory_xact_lock",
                                                                "pg_advisory_xact_lock_shared",
                                                                "pg_try_advisory_lock",
                                                                "pg_try_advisory_lock_shared",
                                                                "pg_try_advisory_xact_lock",
                                                                "pg_try_advisory_xact_lock_shared",
                                                                "pg_advisory_unlock",
                                                                "pg_advisory_unlock_shared",
                                                                "pg_advisory_unlock_all",
                                                                "nextval",
                                                                "nextval",
                                                                "currval",
                                                                "lastval",
                                                                "setval",
                                                                "clock_timestamp",
                                                                "timeofday",
                                                                "random",
                                                                "setseed",
                                                                "set_config",
                                                                "pg_sleep",
                                                                "pg_sleep_for",
                                                                "pg_sleep_until",
                                                                "txid_current",
                                                                "txid_current_if_assigned",
                                                                "gen_random_uuid"});
static_assert(kFunctionTexts.size() + kSessionTexts.size() == static_cast<size_t>(FunctionId::GenerateUuid) + 1);

const std::string& unitName(Iu unit, const UnitNames& names) {
  const auto found = names.find(unit);
  return found == names.end() ? unit->name : found->second;
}

void appendList(const Expression& expression, size_t first, std::string_view separator, std::string& text,
                const UnitNames& names) {
  for (size_t i = first; i < expression.children.size(); ++i) {
    if (i > first) text += separator;
    appendExpression(*expression.children[i], text, names);
  }
}

void appendCall(const Expression& call, std::string& text, const UnitNames& names) {
  const bool is_binning =
      call.function == FunctionId::DateTruncate && call.children[0]->type.kind == TypeKind::Interval;
  const std::string_view name = is_binning ? "date_bin" : functionText(call.function);
  if (isInfix(call.function) && call.children.size() == 2) {
    text += '(';
    appendExpression(*call.children[0], text, names);
    text.append(" ").append(name).append(" ");
    appendExpression(*call.children[1], text, names);
    text += ')';
    return;
  }
  if (call.function == FunctionId::Negate) {
    text += "(- ";
    appendExpression(*call.children[0], text, names);
    text += ')';
    return;
  }
  text.append(name).append("(");
  appendList(call, 0, ", ", text, names);
  text += ')';
}

void appendArrayCall(const Expression& call, std::string& text, const UnitNames& names) {
  if (isInfix(call.function) && call.children.size() == 2) return appendCall(call, text, names);
  if (isComparableMoment(call.function)) return appendExpression(*call.children[0], text, names);
  const bool is_constructor = call.function == FunctionId::MakeArray || call.function == FunctionId::MakeNestedArray;
  text.append(functionText(call.function)).append(is_constructor ? "[" : "(");
  appendList(call, 0, ", ", text, names);
  text += is_constructor ? ']' : ')';
}

/// value op ANY (array)
void appendAnyOf(const Expression& expression, std::string& text, const UnitNames& names) {
  text += '(';
  appendExpression(*expression.children[0], text, names);
  text.append(" ").append(functionText(expression.function));
  text += expression.kind == Kind::AnyOf ? " ANY (" : " ALL (";
  appendExpression(*expression.children[1], text, names);
  text += "))";
}

void appendCase(const Expression& expression, std::string& text, const UnitNames& names) {
  text += "CASE";
  const size_t arms = expression.children.size() / 2;
  for (size_t i = 0; i < arms; ++i) {
    text += " WHEN ";
    appendExpression(*expression.children[2 * i], text, names);
    text += " THEN ";
    appendExpression(*expression.children[2 * i + 1], text, names);
  }
  text += " ELSE ";
  appendExpression(*expression.children.back(), text, names);
  text += " END";
}

void appendCast(const Expression& cast, std::string& text, const UnitNames& names) {
  const bool bare = cast.children[0]->kind == Kind::Column;
  if (!bare) text += '(';
  appendExpression(*cast.children[0], text, names);
  if (!bare) text += ')';
  text.append("::").append(cast.type.name());
}

void appendEnclosed(std::string_view head, const Expression& expression, std::string_view separator, std::string& text,
                    const UnitNames& names) {
  text += head;
  appendList(expression, 0, separator, text, names);
  text += ')';
}

}  // namespace

std::string_view testText(Kind kind) {
  switch (kind) {
    case Kind::IsNull:
      return " IS NULL";
    case Kind::IsNotNull:
      return " IS NOT NULL";
    case Kind::IsTrue:
      return " IS TRUE";
    case Kind::IsNotTrue:
      return " IS NOT TRUE";
    case Kind::IsFalse:
      return " IS FALSE";
    case Kind::IsNotFalse:
      return " IS NOT FALSE";
    default:
      return "";
  }
}

std::string_view functionText(FunctionId function) {
  if (function == kCallRoutine) return "call";
  if (isJsonFunction(function)) return jsonFunction(function).shownName();
  if (isCatalogFunction(function)) return pg_catalog::catalogFunction(function).name;
  if (isValueFunction(function)) return valueFunction(function).name;
  const auto index = static_cast<size_t>(function);
  return isSessionFunction(function) ? kSessionTexts[index - kFunctionTexts.size()] : kFunctionTexts[index];
}

bool isComparableMoment(FunctionId function) {
  return functionText(function).starts_with("$comparable_");
}

bool isInfix(FunctionId function) {
  if (isJsonFunction(function)) return jsonFunction(function).isOperator();
  switch (function) {
    case FunctionId::Add:
    case FunctionId::Subtract:
    case FunctionId::Multiply:
    case FunctionId::Divide:
    case FunctionId::Modulo:
    case FunctionId::Power:
    case FunctionId::Concat:
    case FunctionId::Like:
    case FunctionId::ILike:
    case FunctionId::RegexMatch:
    case FunctionId::RegexMatchCaseless:
    case FunctionId::BitAnd:
    case FunctionId::BitOr:
    case FunctionId::BitXor:
    case FunctionId::ShiftLeft:
    case FunctionId::ShiftRight:
      return true;
    default:
      return function >= FunctionId::Equal && function <= FunctionId::GreaterEqual;
  }
}

std::string_view aggregateText(AggregateId function) {
  constexpr auto kTexts = std::to_array<std::string_view>({"count",
                                                           "count",
                                                           "sum",
                                                           "avg",
                                                           "min",
                                                           "max",
                                                           "bit_and",
                                                           "bit_or",
                                                           "bit_xor",
                                                           "var_pop",
                                                           "var_samp",
                                                           "stddev_pop",
                                                           "stddev_samp",
                                                           "regr_count",
                                                           "regr_avgx",
                                                           "regr_avgy",
                                                           "regr_sxx",
                                                           "regr_syy",
                                                           "regr_sxy",
                                                           "regr_slope",
                                                           "regr_intercept",
                                                           "regr_r2",
                                                           "covar_pop",
                                                           "covar_samp",
                                                           "corr",
                                                           "any_value",
                                                           "string_agg",
                                                           "array_agg",
                                                           "array_agg",
                                                           "percentile_cont",
                                                           "percentile_disc",
                                                           "mode"});
  return kTexts[static_cast<size_t>(function)];
}

std::string literalText(const Value& value) {
  if (value.is_null) return value.type.kind == TypeKind::Unknown ? "NULL" : "NULL::" + value.type.baseName();
  if (value.type.kind == TypeKind::Boolean) return value.lo != 0 ? "true" : "false";
  std::string text = toText(value);
  if (value.type.isInteger() || value.type.kind == TypeKind::Numeric) {
    const bool is_whole = value.type.scale == 0 && text.find('.') == std::string::npos;
    const bool is_nan = value.type.may_be_nan != 0 && text == "NaN";
    if (value.type.kind == TypeKind::Numeric && (is_whole || is_nan)) return "'" + text + "'::numeric";
    return text;
  }
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'::" + value.type.baseName();
}

void appendExpression(const Expression& expression, std::string& text, const UnitNames& names) {
  switch (expression.kind) {
    case Kind::Constant:
      text += literalText(expression.value);
      return;
    case Kind::Column:
      text += unitName(expression.iu, names);
      return;
    case Kind::Parameter:
      text.append("$").append(std::to_string(expression.parameter + 1));
      return;
    case Kind::Call:
      return appendCall(expression, text, names);
    case Kind::ArrayCall:
      return appendArrayCall(expression, text, names);
    case Kind::AnyOf:
    case Kind::AllOf:
      return appendAnyOf(expression, text, names);
    case Kind::Cast:
      return appendCast(expression, text, names);
    case Kind::And:
      return appendEnclosed("(", expression, " AND ", text, names);
    case Kind::Or:
      return appendEnclosed("(", expression, " OR ", text, names);
    case Kind::Not:
      return appendEnclosed("(NOT ", expression, "", text, names);
    case Kind::IsDistinct:
      return appendEnclosed("(", expression, " IS DISTINCT FROM ", text, names);
    case Kind::IsNotDistinct:
      return appendEnclosed("(", expression, " IS NOT DISTINCT FROM ", text, names);
    case Kind::Case:
      return appendCase(expression, text, names);
    case Kind::Coalesce:
      return appendEnclosed("COALESCE(", expression, ", ", text, names);
    case Kind::Greatest:
      return appendEnclosed("GREATEST(", expression, ", ", text, names);
    case Kind::Least:
      return appendEnclosed("LEAST(", expression, ", ", text, names);
    case Kind::Let:
      text.append("(LET ").append(unitName(expression.iu, names)).append(" = ");
      appendExpression(*expression.children[0], text, names);
      text += " IN ";
      appendExpression(*expression.children[1], text, names);
      text += ')';
      return;
    case Kind::InList:
      text += '(';
      appendExpression(*expression.children[0], text, names);
      text += " IN (";
      appendList(expression, 1, ", ", text, names);
      text += "))";
      return;
    default:
      text += '(';
      appendExpression(*expression.children[0], text, names);
      text.append(testText(expression.kind)).append(")");
  }
}

}  // namespace gnomon::sql
