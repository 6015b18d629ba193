#include "sql/functions/keyword_functions.h"

#include "sql/parse/keywords.h"
#include "sql/types/array_value.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

template <typename Field>
Value column(TypeKind element, Type result, Field&& field) {
  const Type type = Type::of(element);
  ArrayBuilder builder(type);
  for (const Keyword& keyword : keywords()) builder.add(field(type, keyword));
  return Value::fromString(result, builder.finish());
}

std::string_view describe(char category) {
  switch (category) {
    case 'U':
      return "unreserved";
    case 'C':
      return "unreserved (cannot be function or type name)";
    case 'T':
      return "reserved (can be function or type name)";
    default:
      return "reserved";
  }
}

Value words(Arguments, Type result) {
  return column(Text, result, [](Type type, const Keyword& keyword) { return Value::fromString(type, keyword.word); });
}
Value categories(Arguments, Type result) {
  return column(InternalChar, result,
                [](Type type, const Keyword& keyword) { return Value::fromString(type, {&keyword.category, 1}); });
}
Value bareLabels(Arguments, Type result) {
  return column(Boolean, result,
                [](Type type, const Keyword& keyword) { return Value::fromInt(type, keyword.is_bare_label ? 1 : 0); });
}
Value categoryTexts(Arguments, Type result) {
  return column(Text, result,
                [](Type type, const Keyword& keyword) { return Value::fromString(type, describe(keyword.category)); });
}
Value bareLabelTexts(Arguments, Type result) {
  return column(Text, result, [](Type type, const Keyword& keyword) {
    return Value::fromString(type, keyword.is_bare_label ? "can be bare label" : "requires AS");
  });
}

}  // namespace

void addKeywordFunctions(std::vector<ValueFunction>& functions) {
  functions.push_back({"$pg_get_keywords.word", {}, arrayOf(Text), words});
  functions.push_back({"$pg_get_keywords.catcode", {}, arrayOf(InternalChar), categories});
  functions.push_back({"$pg_get_keywords.barelabel", {}, arrayOf(Boolean), bareLabels});
  functions.push_back({"$pg_get_keywords.catdesc", {}, arrayOf(Text), categoryTexts});
  functions.push_back({"$pg_get_keywords.baredesc", {}, arrayOf(Text), bareLabelTexts});
}

}  // namespace gnomon::sql
