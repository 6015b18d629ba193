#include "sql/functions/regex_values.h"

#include <optional>

#include "base/sql_error.h"
#include "sql/types/array_value.h"
#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;
using Wanted = RegexScan::Wanted;

void add(ArrayBuilder& builder, std::string_view text) {
  const StringValue value = StringValue::refer(text, StringValue::Storage::Transient);
  builder.add(value.lo(), value.hi());
}

RegexOptions optionsOf(Arguments arguments) {
  return arguments.size() > 2 ? parseRegexFlags(arguments[2].bytes) : RegexOptions();
}

/// An array of arrays, which SQL has not: whoever takes the elements knows their type.
Value allMatches(Arguments arguments, Type result) {
  const RegexOptions options = optionsOf(arguments);
  const Regex& regex = recentRegex(arguments[1].bytes, options);
  ArrayBuilder builder(Type::of(Text));
  RegexScan scan(regex, arguments[0].bytes, regex.groupCount() > 0 ? Wanted::Groups : Wanted::Extent);
  for (std::optional<size_t> at = 0; at && scan.find(*at); at = scan.nextStart()) {
    add(builder, matchedGroups(regex, scan));
    if (!options.is_global) break;
  }
  return Value::fromString(result, builder.finish());
}

Value piecesForTable(Arguments arguments, Type result) {
  const RegexOptions options = optionsOf(arguments);
  if (options.is_global)
    throw SqlError(sqlstate::kInvalidParameterValue, "regexp_split_to_table() does not support the \"global\" option");
  return Value::fromString(result, splitByRegex(recentRegex(arguments[1].bytes, options), arguments[0].bytes));
}

/// Without an escape character the backslash is it.
Value similarEscape(Arguments arguments, Type result) {
  if (arguments[0].is_null) return Value::null(result);
  const std::string_view escape = arguments[1].is_null ? "\\" : std::string_view(arguments[1].bytes);
  return Value::fromString(result, checkedSimilarPattern(arguments[0].bytes, escape));
}

}  // namespace

std::string matchedGroups(const Regex& regex, const RegexScan& scan) {
  ArrayBuilder builder(Type::of(Text));
  const uint32_t count = regex.groupCount();
  for (uint32_t group = count > 0 ? 1 : 0; group <= count; ++group) {
    const RegexScan::Span span = scan.group(group);
    span.isSet() ? add(builder, scan.textOf(span)) : builder.addNull();
  }
  return builder.finish();
}

std::string splitByRegex(const Regex& regex, std::string_view text) {
  ArrayBuilder builder(Type::of(Text));
  size_t begin = 0;
  RegexScan scan(regex, text, Wanted::Extent);
  for (std::optional<size_t> at = 0; at && scan.find(*at); at = scan.nextStart()) {
    const RegexScan::Span match = scan.group(0);
    const bool splits = !match.isEmpty() || (match.begin > begin && match.begin < text.size());
    if (!splits) continue;
    add(builder, text.substr(begin, match.begin - begin));
    begin = match.end;
  }
  add(builder, text.substr(begin));
  return builder.finish();
}

void addRegexFunctions(std::vector<ValueFunction>& functions) {
  for (const auto& [name, answer] :
       {std::pair("$regexp_matches", &allMatches), std::pair("$regexp_split_to_table", &piecesForTable)}) {
    functions.push_back({name, {Text, Text}, arrayOf(Text), answer});
    functions.push_back({name, {Text, Text, Text}, arrayOf(Text), answer});
  }
  functions.push_back({"similar_escape", {Text, Text}, Text, similarEscape, Volatility::Immutable, false});
}

}  // namespace gnomon::sql
