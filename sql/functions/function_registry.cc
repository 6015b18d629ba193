#include "sql/functions/function_registry.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "sql/functions/value_function.h"
#include "sql/json/json_functions.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Id = FunctionId;
using Rule = ResultRule;

Signature row(std::string_view name, Id function, std::initializer_list<TypeKind> arguments, TypeKind result,
              Rule rule = Rule::Fixed, Volatility volatility = Volatility::Immutable) {
  Signature signature{name, function, static_cast<uint8_t>(arguments.size()), {}, result, rule, volatility};
  size_t i = 0;
  for (const TypeKind argument : arguments) signature.arguments[i++] = argument;
  return signature;
}

/// Signatures by name, in the order they were added.
class Table {
 public:
  void add(Signature signature) { rows_[signature.name].push_back(signature); }
  [[nodiscard]] std::span<const Signature> find(std::string_view name) const {
    const auto found = rows_.find(name);
    return found == rows_.end() ? std::span<const Signature>() : found->second;
  }

 private:
  std::map<std::string_view, std::vector<Signature>> rows_;
};

constexpr TypeKind kIntegers[] = {Smallint, Integer, Bigint};
constexpr TypeKind kFloats[] = {Real, Double};
constexpr TypeKind kNumbers[] = {Smallint, Integer, Bigint, Numeric, Real, Double};

constexpr TypeKind wider(TypeKind left, TypeKind right) {
  return left < right ? right : left;
}

/// The same operator over numbers: integers mix, floats mix, numeric stands alone.
void addArithmetic(Table& table, std::string_view name, Id function, Rule numeric_rule) {
  for (const TypeKind left : kIntegers)
    for (const TypeKind right : kIntegers) table.add(row(name, function, {left, right}, wider(left, right)));
  for (const TypeKind left : kFloats)
    for (const TypeKind right : kFloats) table.add(row(name, function, {left, right}, wider(left, right)));
  table.add(row(name, function, {Numeric, Numeric}, Numeric, numeric_rule));
}

void addComparisons(Table& table) {
  static constexpr std::pair<std::string_view, Id> kComparisons[] = {{"=", Id::Equal},   {"<>", Id::NotEqual},
                                                                     {"<", Id::Less},    {"<=", Id::LessEqual},
                                                                     {">", Id::Greater}, {">=", Id::GreaterEqual}};
  static constexpr TypeKind kAlone[] = {Boolean,  Numeric, Text,         Char,   Bytea, Time,   Interval, Uuid,
                                        Oid,      Name,    InternalChar, TimeTz, Bit,   VarBit, Inet,     MacAddr,
                                        MacAddr8, PgLsn,   Jsonb,        Money,  Xid8,  Tid};
  static constexpr TypeKind kDates[] = {Date, Timestamp, TimestampTz};
  for (const auto& [name, function] : kComparisons) {
    if (function == Id::Equal || function == Id::NotEqual)
      for (const auto& [left, right] : {std::pair(Xid, Xid), std::pair(Xid, Integer), std::pair(OidVector, OidVector)})
        table.add(row(name, function, {left, right}, Boolean));
    for (const TypeKind kind : kAlone) table.add(row(name, function, {kind, kind}, Boolean));
    for (const TypeKind left : kIntegers)
      for (const TypeKind right : kIntegers) table.add(row(name, function, {left, right}, Boolean));
    for (const TypeKind left : kFloats)
      for (const TypeKind right : kFloats) table.add(row(name, function, {left, right}, Boolean));
    for (const TypeKind left : kDates)
      for (const TypeKind right : kDates) {
        // Beside a timestamp with time zone the others are read in the session's.
        const bool asks_zone = (left == TimestampTz) != (right == TimestampTz);
        table.add(row(name, function, {left, right}, Boolean, Rule::Fixed,
                      asks_zone ? Volatility::Stable : Volatility::Immutable));
      }
  }
}

void addDateArithmetic(Table& table) {
  table.add(row("+", Id::Add, {Date, Integer}, Date));
  table.add(row("+", Id::Add, {Integer, Date}, Date));
  table.add(row("+", Id::Add, {Date, Interval}, Timestamp));
  table.add(row("+", Id::Add, {Interval, Date}, Timestamp));
  table.add(row("+", Id::Add, {Timestamp, Interval}, Timestamp));
  table.add(row("+", Id::Add, {Interval, Timestamp}, Timestamp));
  table.add(row("+", Id::Add, {TimestampTz, Interval}, TimestampTz, Rule::Fixed, Volatility::Stable));
  table.add(row("+", Id::Add, {Interval, TimestampTz}, TimestampTz, Rule::Fixed, Volatility::Stable));
  table.add(row("+", Id::Add, {Date, Time}, Timestamp));
  table.add(row("+", Id::Add, {Time, Date}, Timestamp));
  table.add(row("+", Id::Add, {Time, Interval}, Time));
  table.add(row("+", Id::Add, {Interval, Time}, Time));
  table.add(row("+", Id::Add, {Interval, Interval}, Interval));
  table.add(row("-", Id::Subtract, {Date, Date}, Integer));
  table.add(row("-", Id::Subtract, {Date, Integer}, Date));
  table.add(row("-", Id::Subtract, {Date, Interval}, Timestamp));
  table.add(row("-", Id::Subtract, {Timestamp, Interval}, Timestamp));
  table.add(row("-", Id::Subtract, {Timestamp, Timestamp}, Interval));
  table.add(row("-", Id::Subtract, {TimestampTz, Interval}, TimestampTz, Rule::Fixed, Volatility::Stable));
  table.add(row("-", Id::Subtract, {TimestampTz, TimestampTz}, Interval));
  table.add(row("-", Id::Subtract, {Time, Interval}, Time));
  table.add(row("-", Id::Subtract, {Time, Time}, Interval));
  table.add(row("-", Id::Subtract, {Interval, Interval}, Interval));
  table.add(row("*", Id::Multiply, {Interval, Double}, Interval));
  table.add(row("*", Id::Multiply, {Double, Interval}, Interval));
  table.add(row("/", Id::Divide, {Interval, Double}, Interval));
}

void addBitOperators(Table& table) {
  for (const TypeKind kind : kIntegers) {
    table.add(row("&", Id::BitAnd, {kind, kind}, kind));
    table.add(row("|", Id::BitOr, {kind, kind}, kind));
    table.add(row("#", Id::BitXor, {kind, kind}, kind));
    table.add(row("~", Id::BitNot, {kind}, kind));
    table.add(row("<<", Id::ShiftLeft, {kind, Integer}, kind));
    table.add(row(">>", Id::ShiftRight, {kind, Integer}, kind));
  }
}

/// Those that are operators, or those that are not.
void addValueFunctions(Table& table, bool are_operators) {
  const std::vector<ValueFunction>& functions = valueFunctions();
  for (size_t i = 0; i < functions.size(); ++i) {
    const ValueFunction& function = functions[i];
    if (function.is_operator != are_operators || function.name.starts_with('$')) continue;
    Signature signature{
        function.name, valueFunctionId(i), static_cast<uint8_t>(function.arguments.size()), {}, function.result,
        Rule::Fixed,   function.volatility};
    std::ranges::copy(function.arguments, signature.arguments.begin());
    table.add(signature);
  }
}

/// The operators, or the functions, that JSON has of arguments of certain types.
void addJson(Table& table, bool are_operators) {
  const auto& functions = jsonFunctions();
  for (size_t i = 0; i < functions.size(); ++i) {
    const JsonFunction& function = functions[i];
    const bool is_internal = function.name.starts_with('$') || function.arity == JsonFunction::Arity::Any;
    if (function.isOperator() != are_operators || is_internal) continue;
    Signature signature{function.name,
                        jsonFunctionId(i),
                        static_cast<uint8_t>(function.arguments.size()),
                        {},
                        function.result,
                        Rule::Fixed,
                        function.is_stable ? Volatility::Stable : Volatility::Immutable};
    std::ranges::copy(function.arguments, signature.arguments.begin());
    table.add(signature);
  }
}

Table makeOperators() {
  Table table;
  addBitOperators(table);
  addArithmetic(table, "+", Id::Add, Rule::Sum);
  addArithmetic(table, "-", Id::Subtract, Rule::Sum);
  addArithmetic(table, "*", Id::Multiply, Rule::Product);
  addArithmetic(table, "/", Id::Divide, Rule::Quotient);
  for (const TypeKind kind : kIntegers) table.add(row("%", Id::Modulo, {kind, kind}, kind));
  table.add(row("%", Id::Modulo, {Numeric, Numeric}, Numeric, Rule::Remainder));
  table.add(row("^", Id::Power, {Double, Double}, Double));
  addJson(table, true);
  table.add(row("^", Id::Power, {Numeric, Numeric}, Numeric, Rule::Big));
  table.add(row("|/", Id::SquareRoot, {Double}, Double));
  table.add(row("||/", Id::CubeRoot, {Double}, Double));
  for (const TypeKind kind : kNumbers) {
    const Rule rule = kind == Numeric ? Rule::Same : Rule::Fixed;
    table.add(row("-", Id::Negate, {kind}, kind, rule));
    table.add(row("@", Id::Absolute, {kind}, kind, rule));
  }
  table.add(row("-", Id::Negate, {Interval}, Interval));
  addDateArithmetic(table);
  addComparisons(table);
  for (const TypeKind kind : {Text, Char}) {
    table.add(row("~~", Id::Like, {kind, Text}, Boolean));
    table.add(row("!~~", Id::Like, {kind, Text}, Boolean));
    table.add(row("~~*", Id::ILike, {kind, Text}, Boolean));
    table.add(row("!~~*", Id::ILike, {kind, Text}, Boolean));
  }
  for (const TypeKind kind : {Text, Char}) {
    table.add(row("~", Id::RegexMatch, {kind, Text}, Boolean));
    table.add(row("!~", Id::RegexMatch, {kind, Text}, Boolean));
    table.add(row("~*", Id::RegexMatchCaseless, {kind, Text}, Boolean));
    table.add(row("!~*", Id::RegexMatchCaseless, {kind, Text}, Boolean));
  }
  table.add(row("~~", Id::Like, {Bytea, Bytea}, Boolean));
  table.add(row("!~~", Id::Like, {Bytea, Bytea}, Boolean));
  table.add(row("||", Id::Concat, {Text, Text}, Text));
  table.add(row("||", Id::Concat, {Bytea, Bytea}, Bytea));
  table.add(row("^@", Id::StartsWith, {Text, Text}, Boolean));
  addValueFunctions(table, true);
  return table;
}

void addMathematics(Table& table) {
  for (const TypeKind kind : kNumbers)
    table.add(row("abs", Id::Absolute, {kind}, kind, kind == Numeric ? Rule::Same : Rule::Fixed));
  for (const TypeKind kind : kIntegers) table.add(row("mod", Id::Modulo, {kind, kind}, kind));
  table.add(row("mod", Id::Modulo, {Numeric, Numeric}, Numeric, Rule::Remainder));
  static constexpr std::pair<std::string_view, Id> kIntegral[] = {
      {"ceil", Id::Ceil}, {"ceiling", Id::Ceil}, {"floor", Id::Floor}, {"round", Id::Round}, {"trunc", Id::Truncate}};
  for (const auto& [name, function] : kIntegral) {
    table.add(row(name, function, {Numeric}, Numeric, Rule::Integral));
    table.add(row(name, function, {Double}, Double));
  }
  table.add(row("round", Id::Round, {Numeric, Integer}, Numeric, Rule::Digits));
  table.add(row("trunc", Id::Truncate, {Numeric, Integer}, Numeric, Rule::Digits));
  table.add(row("sign", Id::Sign, {Numeric}, Numeric, Rule::Sign));
  table.add(row("sign", Id::Sign, {Double}, Double));
  static constexpr std::pair<std::string_view, Id> kReal[] = {{"sqrt", Id::SquareRoot},
                                                              {"exp", Id::Exponential},
                                                              {"ln", Id::NaturalLogarithm},
                                                              {"log", Id::Logarithm},
                                                              {"log10", Id::Logarithm}};
  for (const auto& [name, function] : kReal) {
    table.add(row(name, function, {Numeric}, Numeric, Rule::Big));
    table.add(row(name, function, {Double}, Double));
  }
  table.add(row("log", Id::Logarithm, {Numeric, Numeric}, Numeric, Rule::Big));
  for (const std::string_view name : {"power", "pow"}) {
    table.add(row(name, Id::Power, {Numeric, Numeric}, Numeric, Rule::Big));
    table.add(row(name, Id::Power, {Double, Double}, Double));
  }
}

void addTrigonometry(Table& table) {
  static constexpr std::pair<std::string_view, Id> kOfOne[] = {{"cbrt", Id::CubeRoot},
                                                               {"degrees", Id::Degrees},
                                                               {"radians", Id::Radians},
                                                               {"sin", Id::Sine},
                                                               {"cos", Id::Cosine},
                                                               {"tan", Id::Tangent},
                                                               {"cot", Id::Cotangent},
                                                               {"asin", Id::ArcSine},
                                                               {"acos", Id::ArcCosine},
                                                               {"atan", Id::ArcTangent},
                                                               {"sind", Id::SineOfDegrees},
                                                               {"cosd", Id::CosineOfDegrees},
                                                               {"tand", Id::TangentOfDegrees},
                                                               {"cotd", Id::CotangentOfDegrees},
                                                               {"asind", Id::ArcSineInDegrees},
                                                               {"acosd", Id::ArcCosineInDegrees},
                                                               {"atand", Id::ArcTangentInDegrees},
                                                               {"sinh", Id::HyperbolicSine},
                                                               {"cosh", Id::HyperbolicCosine},
                                                               {"tanh", Id::HyperbolicTangent},
                                                               {"asinh", Id::InverseHyperbolicSine},
                                                               {"acosh", Id::InverseHyperbolicCosine},
                                                               {"atanh", Id::InverseHyperbolicTangent}};
  for (const auto& [name, function] : kOfOne) table.add(row(name, function, {Double}, Double));
  table.add(row("pi", Id::Pi, {}, Double));
  table.add(row("atan2", Id::ArcTangentOfQuotient, {Double, Double}, Double));
  table.add(row("atan2d", Id::ArcTangentOfQuotientInDegrees, {Double, Double}, Double));
}

void addNumberTheory(Table& table) {
  table.add(row("div", Id::IntegralQuotient, {Numeric, Numeric}, Numeric, Rule::Big));
  static constexpr std::pair<std::string_view, Id> kCommon[] = {{"gcd", Id::GreatestCommonDivisor},
                                                                {"lcm", Id::LeastCommonMultiple}};
  for (const auto& [name, function] : kCommon) {
    table.add(row(name, function, {Integer, Integer}, Integer));
    table.add(row(name, function, {Bigint, Bigint}, Bigint));
    table.add(row(name, function, {Numeric, Numeric}, Numeric, Rule::Big));
  }
  table.add(row("factorial", Id::Factorial, {Bigint}, Numeric, Rule::Big));
  table.add(row("width_bucket", Id::WidthBucket, {Double, Double, Double, Integer}, Integer));
  table.add(row("width_bucket", Id::WidthBucket, {Numeric, Numeric, Numeric, Integer}, Integer));
  table.add(row("scale", Id::ScaleOf, {Numeric}, Integer));
  table.add(row("min_scale", Id::MinimumScale, {Numeric}, Integer));
  table.add(row("trim_scale", Id::TrimScale, {Numeric}, Numeric, Rule::Big));
}

void addStrings(Table& table) {
  for (const std::string_view name : {"length", "char_length", "character_length"})
    table.add(row(name, Id::Length, {Text}, Integer));
  table.add(row("octet_length", Id::OctetLength, {Text}, Integer));
  table.add(row("octet_length", Id::OctetLength, {Char}, Integer));
  table.add(row("lower", Id::Lower, {Text}, Text));
  table.add(row("upper", Id::Upper, {Text}, Text));
  table.add(row("initcap", Id::Initcap, {Text}, Text));
  for (const std::string_view name : {"substring", "substr"}) {
    table.add(row(name, Id::Substring, {Text, Integer}, Text));
    table.add(row(name, Id::Substring, {Text, Integer, Integer}, Text));
  }
  for (const std::string_view name : {"position", "strpos"}) table.add(row(name, Id::Position, {Text, Text}, Integer));
  static constexpr std::pair<std::string_view, Id> kTrims[] = {
      {"btrim", Id::TrimBoth}, {"ltrim", Id::TrimLeft}, {"rtrim", Id::TrimRight}};
  for (const auto& [name, function] : kTrims) {
    table.add(row(name, function, {Text}, Text));
    table.add(row(name, function, {Text, Text}, Text));
  }
  table.add(row("replace", Id::Replace, {Text, Text, Text}, Text));
  table.add(row("left", Id::Left, {Text, Integer}, Text));
  table.add(row("right", Id::Right, {Text, Integer}, Text));
  table.add(row("lpad", Id::PadLeft, {Text, Integer}, Text));
  table.add(row("lpad", Id::PadLeft, {Text, Integer, Text}, Text));
  table.add(row("rpad", Id::PadRight, {Text, Integer}, Text));
  table.add(row("rpad", Id::PadRight, {Text, Integer, Text}, Text));
  table.add(row("repeat", Id::Repeat, {Text, Integer}, Text));
  table.add(row("reverse", Id::Reverse, {Text}, Text));
  table.add(row("starts_with", Id::StartsWith, {Text, Text}, Boolean));
  table.add(row("split_part", Id::SplitPart, {Text, Text, Integer}, Text));
  table.add(row("ascii", Id::Ascii, {Text}, Integer));
  table.add(row("chr", Id::Character, {Integer}, Text));
  table.add(row("textcat", Id::Concat, {Text, Text}, Text));
  table.add(row("quote_ident", Id::QuoteIdentifier, {Text}, Text));
  table.add(row("translate", Id::Translate, {Text, Text, Text}, Text));
  table.add(row("to_hex", Id::ToHexadecimal, {Integer}, Text));
  table.add(row("to_hex", Id::ToHexadecimal, {Bigint}, Text));
}

void addRegularExpressions(Table& table) {
  table.add(row("substring", Id::RegexSubstring, {Text, Text}, Text));
  table.add(row("similar_to_escape", Id::SimilarPattern, {Text}, Text));
  table.add(row("similar_to_escape", Id::SimilarPattern, {Text, Text}, Text));
  table.add(row("regexp_replace", Id::RegexReplace, {Text, Text, Text}, Text));
  table.add(row("regexp_replace", Id::RegexReplace, {Text, Text, Text, Text}, Text));
  table.add(row("regexp_replace", Id::RegexReplace, {Text, Text, Text, Integer}, Text));
  table.add(row("regexp_replace", Id::RegexReplace, {Text, Text, Text, Integer, Integer}, Text));
  table.add(row("regexp_replace", Id::RegexReplace, {Text, Text, Text, Integer, Integer, Text}, Text));
  for (const auto& [name, function] :
       {std::pair("regexp_match", Id::RegexMatchArray), std::pair("regexp_split_to_array", Id::RegexSplitArray)}) {
    table.add(row(name, function, {Text, Text}, arrayOf(Text)));
    table.add(row(name, function, {Text, Text, Text}, arrayOf(Text)));
  }
  table.add(row("regexp_like", Id::RegexLike, {Text, Text}, Boolean));
  table.add(row("regexp_like", Id::RegexLike, {Text, Text, Text}, Boolean));
  table.add(row("regexp_count", Id::RegexCount, {Text, Text}, Integer));
  table.add(row("regexp_count", Id::RegexCount, {Text, Text, Integer}, Integer));
  table.add(row("regexp_count", Id::RegexCount, {Text, Text, Integer, Text}, Integer));
  table.add(row("regexp_instr", Id::RegexPosition, {Text, Text}, Integer));
  table.add(row("regexp_instr", Id::RegexPosition, {Text, Text, Integer}, Integer));
  table.add(row("regexp_instr", Id::RegexPosition, {Text, Text, Integer, Integer}, Integer));
  table.add(row("regexp_instr", Id::RegexPosition, {Text, Text, Integer, Integer, Integer}, Integer));
  table.add(row("regexp_instr", Id::RegexPosition, {Text, Text, Integer, Integer, Integer, Text}, Integer));
  table.add(row("regexp_instr", Id::RegexPosition, {Text, Text, Integer, Integer, Integer, Text, Integer}, Integer));
  table.add(row("regexp_substr", Id::RegexSubstr, {Text, Text}, Text));
  table.add(row("regexp_substr", Id::RegexSubstr, {Text, Text, Integer}, Text));
  table.add(row("regexp_substr", Id::RegexSubstr, {Text, Text, Integer, Integer}, Text));
  table.add(row("regexp_substr", Id::RegexSubstr, {Text, Text, Integer, Integer, Text}, Text));
  table.add(row("regexp_substr", Id::RegexSubstr, {Text, Text, Integer, Integer, Text, Integer}, Text));
}

/// What strings and bytea have alike, and bytea's own. Names of encodings are of type name in PostgreSQL.
void addBytes(Table& table) {
  table.add(row("length", Id::Length, {Bytea}, Integer));
  table.add(row("length", Id::EncodedLength, {Bytea, Text}, Integer, Rule::Fixed, Volatility::Stable));
  table.add(row("octet_length", Id::OctetLength, {Bytea}, Integer));
  for (const std::string_view name : {"substring", "substr"}) {
    table.add(row(name, Id::Substring, {Bytea, Integer}, Bytea));
    table.add(row(name, Id::Substring, {Bytea, Integer, Integer}, Bytea));
  }
  table.add(row("position", Id::Position, {Bytea, Bytea}, Integer));
  table.add(row("btrim", Id::TrimBoth, {Bytea, Bytea}, Bytea));
  table.add(row("ltrim", Id::TrimLeft, {Bytea, Bytea}, Bytea));
  table.add(row("rtrim", Id::TrimRight, {Bytea, Bytea}, Bytea));
  table.add(row("byteacat", Id::Concat, {Bytea, Bytea}, Bytea));
  for (const TypeKind kind : {Text, Bytea}) {
    table.add(row("overlay", Id::Overlay, {kind, kind, Integer}, kind));
    table.add(row("overlay", Id::Overlay, {kind, kind, Integer, Integer}, kind));
    table.add(row("bit_length", Id::BitLength, {kind}, Integer));
    table.add(row("md5", Id::Md5, {kind}, Text));
  }
  table.add(row("get_byte", Id::GetByte, {Bytea, Integer}, Integer));
  table.add(row("set_byte", Id::SetByte, {Bytea, Integer, Integer}, Bytea));
  table.add(row("get_bit", Id::GetBit, {Bytea, Bigint}, Integer));
  table.add(row("set_bit", Id::SetBit, {Bytea, Bigint, Integer}, Bytea));
  table.add(row("bit_count", Id::BitCount, {Bytea}, Bigint));
  table.add(row("encode", Id::Encode, {Bytea, Text}, Text));
  table.add(row("decode", Id::Decode, {Text, Text}, Bytea));
  static constexpr std::pair<std::string_view, Id> kDigests[] = {
      {"sha224", Id::Sha224}, {"sha256", Id::Sha256}, {"sha384", Id::Sha384}, {"sha512", Id::Sha512}};
  for (const auto& [name, function] : kDigests) table.add(row(name, function, {Bytea}, Bytea));
  table.add(row("convert", Id::Convert, {Bytea, Text, Text}, Bytea, Rule::Fixed, Volatility::Stable));
  table.add(row("convert_from", Id::ConvertFrom, {Bytea, Text}, Text, Rule::Fixed, Volatility::Stable));
  table.add(row("convert_to", Id::ConvertTo, {Text, Text}, Bytea, Rule::Fixed, Volatility::Stable));
}

void addDates(Table& table) {
  for (const TypeKind source : {Date, Timestamp, TimestampTz, Time, Interval}) {
    const Volatility volatility = source == TimestampTz ? Volatility::Stable : Volatility::Immutable;
    table.add(row("extract", Id::Extract, {Text, source}, Numeric, Rule::ExtractField, volatility));
    table.add(row("date_part", Id::DatePart, {Text, source}, Double, Rule::Fixed, volatility));
  }
  const auto addStable = [&table](std::string_view name, Id function, std::initializer_list<TypeKind> arguments,
                                  TypeKind result) {
    table.add(row(name, function, arguments, result, Rule::Fixed, Volatility::Stable));
  };
  addStable("date_trunc", Id::DateTruncate, {Text, TimestampTz}, TimestampTz);
  addStable("date_trunc", Id::DateTruncate, {Text, TimestampTz, Text}, TimestampTz);
  table.add(row("age", Id::Age, {TimestampTz, TimestampTz}, Interval));
  for (const TypeKind zone : {Text, Interval}) {
    table.add(row("timezone", Id::Timezone, {zone, Timestamp}, TimestampTz));
    table.add(row("timezone", Id::Timezone, {zone, TimestampTz}, Timestamp));
  }
  addStable("now", Id::TransactionTime, {}, TimestampTz);
  addStable("transaction_timestamp", Id::TransactionTime, {}, TimestampTz);
  addStable("statement_timestamp", Id::StatementTime, {}, TimestampTz);
  table.add(row("clock_timestamp", Id::ClockTime, {}, TimestampTz, Rule::Fixed, Volatility::Volatile));
  table.add(row("timeofday", Id::TimeOfDay, {}, Text, Rule::Fixed, Volatility::Volatile));
  table.add(row("to_timestamp", Id::ToTimestamp, {Double}, TimestampTz));
  table.add(row("make_time", Id::MakeTime, {Integer, Integer, Double}, Time));
  table.add(row("justify_days", Id::JustifyDays, {Interval}, Interval));
  table.add(row("justify_hours", Id::JustifyHours, {Interval}, Interval));
  table.add(row("justify_interval", Id::JustifyInterval, {Interval}, Interval));
  for (const TypeKind kind : {Date, Timestamp, TimestampTz, Interval})
    table.add(row("isfinite", Id::IsFinite, {kind}, Boolean));
  table.add(row("date_trunc", Id::DateTruncate, {Text, Timestamp}, Timestamp));
  table.add(row("date_trunc", Id::DateTruncate, {Text, Interval}, Interval));
  table.add(row("age", Id::Age, {Timestamp, Timestamp}, Interval));
  // Until the day that begins now: the binder adds it.
  addStable("age", Id::Age, {Timestamp}, Interval);
  addStable("age", Id::Age, {TimestampTz}, Interval);
  for (const TypeKind kind : {Timestamp, TimestampTz})
    table.add(row("date_bin", Id::DateTruncate, {TypeKind::Interval, kind, kind}, kind));
  table.add(row("make_date", Id::MakeDate, {Integer, Integer, Integer}, Date));
}

/// Their arguments are NULL for NULL, and then they do nothing.
void addSessions(Table& table) {
  const auto add = [&table](std::string_view name, Id function, std::initializer_list<TypeKind> arguments,
                            TypeKind result) {
    table.add(row(name, function, arguments, result, Rule::Fixed, Volatility::Volatile));
  };
  table.add(row("pg_backend_pid", Id::BackendPid, {}, Integer, Rule::Fixed, Volatility::Stable));
  add("pg_cancel_backend", Id::CancelBackend, {Integer}, Boolean);
  add("pg_terminate_backend", Id::TerminateBackend, {Integer}, Boolean);
  add("pg_terminate_backend", Id::TerminateBackend, {Integer, Bigint}, Boolean);
  struct Lock {
    std::string_view name;
    Id function;
    TypeKind result;
  };
  static constexpr Lock kLocks[] = {
      {"pg_advisory_lock", Id::LockSession, Void},
      {"pg_advisory_lock_shared", Id::LockSessionShared, Void},
      {"pg_advisory_xact_lock", Id::LockTransaction, Void},
      {"pg_advisory_xact_lock_shared", Id::LockTransactionShared, Void},
      {"pg_try_advisory_lock", Id::TryLockSession, Boolean},
      {"pg_try_advisory_lock_shared", Id::TryLockSessionShared, Boolean},
      {"pg_try_advisory_xact_lock", Id::TryLockTransaction, Boolean},
      {"pg_try_advisory_xact_lock_shared", Id::TryLockTransactionShared, Boolean},
      {"pg_advisory_unlock", Id::Unlock, Boolean},
      {"pg_advisory_unlock_shared", Id::UnlockShared, Boolean},
  };
  for (const Lock& lock : kLocks) {
    add(lock.name, lock.function, {Bigint}, lock.result);
    add(lock.name, lock.function, {Integer, Integer}, lock.result);
  }
  add("pg_advisory_unlock_all", Id::UnlockAll, {}, Void);
  for (const TypeKind sequence : {Text, Regclass}) {
    add("nextval", Id::NextValue, {sequence}, Bigint);
    add("$nextval.identity", Id::NextIdentityValue, {sequence}, Bigint);
    add("currval", Id::CurrentValue, {sequence}, Bigint);
    add("setval", Id::SetValue, {sequence, Bigint}, Bigint);
    add("setval", Id::SetValue, {sequence, Bigint, Boolean}, Bigint);
  }
  add("lastval", Id::LastValue, {}, Bigint);
  add("random", Id::Random, {}, Double);
  add("gen_random_uuid", Id::GenerateUuid, {}, Uuid);
  add("setseed", Id::SetSeed, {Double}, Void);
  add("set_config", Id::SetConfig, {Text, Text, Boolean}, Text);
  add("pg_sleep", Id::Sleep, {Double}, Void);
  add("pg_sleep_for", Id::SleepFor, {TypeKind::Interval}, Void);
  add("pg_sleep_until", Id::SleepUntil, {TypeKind::TimestampTz}, Void);
  add("txid_current", Id::TransactionNumber, {}, Bigint);
  add("txid_current_if_assigned", Id::TransactionNumberIfAny, {}, Bigint);
}

Table makeFunctions() {
  Table table;
  addMathematics(table);
  addTrigonometry(table);
  addNumberTheory(table);
  addStrings(table);
  addRegularExpressions(table);
  addBytes(table);
  addDates(table);
  addSessions(table);
  addValueFunctions(table, false);
  addJson(table, false);
  return table;
}

using AggregateTable = std::map<std::string_view, std::vector<AggregateSignature>>;

AggregateTable makeAggregates() {
  AggregateTable table;
  const auto add = [&](std::string_view name, AggregateId id, TypeKind argument, TypeKind result) {
    table[name].push_back({name, id, argument, result, false});
  };
  table["count"].push_back({"count", AggregateId::Count, Unknown, Bigint, true});
  static constexpr std::pair<TypeKind, TypeKind> kSums[] = {{Smallint, Bigint},   {Integer, Bigint}, {Bigint, Numeric},
                                                            {Numeric, Numeric},   {Real, Real},      {Double, Double},
                                                            {Interval, Interval}, {Money, Money}};
  for (const auto& [argument, result] : kSums) add("sum", AggregateId::Sum, argument, result);
  static constexpr std::pair<TypeKind, TypeKind> kAverages[] = {
      {Smallint, Numeric}, {Integer, Numeric}, {Bigint, Numeric},   {Numeric, Numeric},
      {Real, Double},      {Double, Double},   {Interval, Interval}};
  for (const auto& [argument, result] : kAverages) add("avg", AggregateId::Average, argument, result);
  for (const TypeKind kind : {Smallint,    Integer, Bigint,   Numeric, Real,   Double, Text,  Char,  Date, Timestamp,
                              TimestampTz, Time,    Interval, Oid,     TimeTz, Inet,   PgLsn, Money, Xid8, Tid}) {
    add("min", AggregateId::Minimum, kind, kind);
    add("max", AggregateId::Maximum, kind, kind);
  }
  // Of booleans FALSE is the least: all of them hold when it holds, one of them does when the greatest does.
  add("bool_and", AggregateId::Minimum, Boolean, Boolean);
  add("every", AggregateId::Minimum, Boolean, Boolean);
  add("bool_or", AggregateId::Maximum, Boolean, Boolean);
  static constexpr std::pair<std::string_view, AggregateId> kBits[] = {
      {"bit_and", AggregateId::BitAnd}, {"bit_or", AggregateId::BitOr}, {"bit_xor", AggregateId::BitXor}};
  for (const auto& [name, id] : kBits)
    for (const TypeKind kind : kIntegers) add(name, id, kind, kind);
  static constexpr std::pair<std::string_view, AggregateId> kVariances[] = {
      {"variance", AggregateId::VarianceSample},     {"var_samp", AggregateId::VarianceSample},
      {"var_pop", AggregateId::VariancePopulation},  {"stddev", AggregateId::DeviationSample},
      {"stddev_samp", AggregateId::DeviationSample}, {"stddev_pop", AggregateId::DeviationPopulation}};
  for (const auto& [name, id] : kVariances)
    for (const TypeKind kind : kNumbers) add(name, id, kind, kind == Real || kind == Double ? Double : Numeric);
  static constexpr std::pair<std::string_view, AggregateId> kPairs[] = {
      {"regr_avgx", AggregateId::RegressionAverageX},
      {"regr_avgy", AggregateId::RegressionAverageY},
      {"regr_sxx", AggregateId::RegressionSumXX},
      {"regr_syy", AggregateId::RegressionSumYY},
      {"regr_sxy", AggregateId::RegressionSumXY},
      {"regr_slope", AggregateId::RegressionSlope},
      {"regr_intercept", AggregateId::RegressionIntercept},
      {"regr_r2", AggregateId::RegressionR2},
      {"covar_pop", AggregateId::CovariancePopulation},
      {"covar_samp", AggregateId::CovarianceSample},
      {"corr", AggregateId::Correlation}};
  for (const auto& [name, id] : kPairs) add(name, id, Double, Double);
  table["string_agg"].push_back({"string_agg", AggregateId::JoinTexts, Text, Text, false});
  table["array_agg"].push_back({"array_agg", AggregateId::CollectArray, Unknown, Unknown, true});
  // Collected by the binder in an array, of which their value is made (sql/bind/bind_json.cc).
  for (const auto& [name, result] : {std::pair("json_agg", Json), std::pair("jsonb_agg", Jsonb),
                                     std::pair("json_object_agg", Json), std::pair("jsonb_object_agg", Jsonb)})
    table[name].push_back({name, AggregateId::CollectArray, Unknown, result, true});
  table["percentile_cont"].push_back({"percentile_cont", AggregateId::PercentileContinuous, Double, Double, false});
  table["percentile_disc"].push_back({"percentile_disc", AggregateId::PercentileDiscrete, Unknown, Unknown, true});
  table["mode"].push_back({"mode", AggregateId::MostFrequent, Unknown, Unknown, true});
  add("regr_count", AggregateId::RegressionCount, Double, Bigint);
  return table;
}

}  // namespace

std::span<const Signature> operatorSignatures(std::string_view name) {
  static const Table table = makeOperators();
  return table.find(name);
}

std::span<const Signature> functionSignatures(std::string_view name) {
  static const Table table = makeFunctions();
  return table.find(name);
}

std::span<const AggregateSignature> aggregateSignatures(std::string_view name) {
  static const AggregateTable table = makeAggregates();
  const auto found = table.find(name);
  return found == table.end() ? std::span<const AggregateSignature>() : found->second;
}

}  // namespace gnomon::sql
