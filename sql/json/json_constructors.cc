/// What makes JSON of other values, and of many.
#include <fmt/format.h>

#include <vector>

#include "base/sql_error.h"
#include "sql/json/json_functions.h"
#include "sql/json/json_of_value.h"
#include "sql/types/array_value.h"
#include "sql/types/json_text.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;

void appendArgument(const JsonArgument& argument, std::string& out) {
  if (argument.is_null)
    out += "null";
  else
    appendValueAsJson(argument.type, argument.registers(), out);
}

void addArgument(const JsonArgument& argument, JsonbBuilder& builder) {
  if (argument.is_null)
    builder.null();
  else
    addValueAsJsonb(argument.type, argument.registers(), builder);
}

void toJson(JsonCall& call) {
  std::string text;
  appendArgument(call.arguments()[0], text);
  call.giveBytes(std::move(text));
}

void toJsonb(JsonCall& call) {
  JsonbBuilder builder;
  addArgument(call.arguments()[0], builder);
  call.giveBytes(builder.finish());
}

void arrayToJson(JsonCall& call) {
  std::string text;
  const bool has_lines = call.size() > 1 && call.boolean(1);
  appendArrayAsJson(call.type(0).element(), call.arguments()[0].value, has_lines, text);
  call.giveBytes(std::move(text));
}

void rowToJson(JsonCall& call) {
  std::string text;
  const bool has_lines = call.size() > 1 && call.boolean(1);
  appendRecordAsJson(call.arguments()[0].value, has_lines, text);
  call.giveBytes(std::move(text));
}

void buildArray(JsonCall& call) {
  std::string text = "[";
  for (size_t i = 0; i < call.size(); ++i) {
    if (i > 0) text += ", ";
    appendArgument(call.arguments()[i], text);
  }
  call.giveBytes(text + "]");
}

void buildJsonbArray(JsonCall& call) {
  JsonbBuilder builder;
  builder.beginArray();
  for (const JsonArgument& argument : call.arguments()) addArgument(argument, builder);
  builder.endArray();
  call.giveBytes(builder.finish());
}

void requirePairs(const JsonCall& call, std::string_view name) {
  if (call.size() % 2 != 0)
    throw SqlError(sqlstate::kInvalidParameterValue, "argument list must have even number of elements")
        .hint(fmt::format("The arguments of {}() must consist of alternating keys and values.", name));
}

void buildObject(JsonCall& call) {
  requirePairs(call, "json_build_object");
  std::string text = "{";
  for (size_t i = 0; i < call.size(); i += 2) {
    if (i > 0) text += ", ";
    if (call.isNull(i))
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("argument {} cannot be null", i + 1))
          .hint("Object keys should be text.");
    appendJsonString(jsonKeyText(call.type(i), call.arguments()[i].registers()), text);
    text += " : ";
    appendArgument(call.arguments()[i + 1], text);
  }
  call.giveBytes(text + "}");
}

void buildJsonbObject(JsonCall& call) {
  requirePairs(call, "jsonb_build_object");
  JsonbBuilder builder;
  builder.beginObject();
  for (size_t i = 0; i < call.size(); i += 2) {
    if (call.isNull(i))
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("argument {}: key must not be null", i + 1));
    builder.key(jsonKeyText(call.type(i), call.arguments()[i].registers()));
    addArgument(call.arguments()[i + 1], builder);
  }
  builder.endObject();
  call.giveBytes(builder.finish());
}

/// Of the elements of an array.
template <void (*build)(JsonCall&)>
void buildOfElements(JsonCall& call) {
  const ArrayView elements(call.type(0).element(), call.arguments()[0].value);
  std::vector<JsonArgument> arguments;
  arguments.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    const bool is_null = elements.isNull(i);
    const RegisterPair pair = is_null ? RegisterPair{} : elements.at(i);
    arguments.push_back({elements.element(), is_null, StringValue(pair.lo, pair.hi)});
  }
  JsonCall built(call.result(), arguments);
  build(built);
  call.giveBytes(built.bytes());
}

/// Keys and values of json_object: texts or NULL.
struct TextPair {
  std::string key;
  bool is_null;
  std::string value;
};

[[noreturn]] void throwArray(const char* message) {
  throw SqlError(sqlstate::kArraySubscriptError, message);
}

std::vector<TextPair> pairsOf(const JsonCall& call) {
  const ArrayView keys(Type::of(Text), call.arguments()[0].value);
  const auto textAt = [](const ArrayView& array, size_t index) {
    const RegisterPair pair = array.at(index);
    const StringValue text(pair.lo, pair.hi);
    return std::string(text.view());
  };
  std::vector<TextPair> pairs;
  const auto add = [&](size_t key, const ArrayView& values, size_t value) {
    if (keys.isNull(key)) throw SqlError(sqlstate::kNullValueNotAllowed, "null value not allowed for object key");
    pairs.push_back({textAt(keys, key), values.isNull(value), values.isNull(value) ? "" : textAt(values, value)});
  };
  const auto dimensions = keys.dimensions();
  if (call.size() > 1) {
    const ArrayView values(Type::of(Text), call.arguments()[1].value);
    if (dimensions.size() > 1 || dimensions.size() != values.dimensions().size())
      throwArray("wrong number of array subscripts");
    if (keys.size() != values.size()) throwArray("mismatched array dimensions");
    for (size_t i = 0; i < keys.size(); ++i) add(i, values, i);
    return pairs;
  }
  if (dimensions.size() == 1 && dimensions[0].length % 2 != 0) throwArray("array must have even number of elements");
  if (dimensions.size() == 2 && dimensions[1].length != 2) throwArray("array must have two columns");
  if (dimensions.size() > 2) throwArray("wrong number of array subscripts");
  for (size_t i = 0; i < keys.size(); i += 2) add(i, keys, i + 1);
  return pairs;
}

void objectOfTexts(JsonCall& call) {
  std::string text = "{";
  for (const TextPair& pair : pairsOf(call)) {
    if (text.size() > 1) text += ", ";
    appendJsonString(pair.key, text);
    text += " : ";
    if (pair.is_null)
      text += "null";
    else
      appendJsonString(pair.value, text);
  }
  call.giveBytes(text + "}");
}

void jsonbObjectOfTexts(JsonCall& call) {
  JsonbBuilder builder;
  builder.beginObject();
  for (const TextPair& pair : pairsOf(call)) {
    builder.key(pair.key);
    pair.is_null ? builder.null() : builder.string(pair.value);
  }
  builder.endObject();
  call.giveBytes(builder.finish());
}

// Of aggregates, which collect their values in an array.

void appendCollected(JsonCall& call, std::string_view begin, std::string_view end, bool has_lines = false) {
  const ArrayView values(call.type(0).element(), call.arguments()[0].value);
  std::string text(begin);
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += has_lines && !values.isNull(i) ? ", \n " : ", ";
    if (values.isNull(i))
      text += "null";
    else
      appendValueAsJson(values.element(), values.at(i), text);
  }
  call.giveBytes(text.append(end));
}

void collectedArray(JsonCall& call) {
  appendCollected(call, "[", "]");
}

void collectedLines(JsonCall& call) {
  appendCollected(call, "[", "]", true);
}

/// Of pairs as `jsonPair` makes them.
void collectedObject(JsonCall& call) {
  appendCollected(call, "{ ", " }");
}

void collectedJsonbArray(JsonCall& call) {
  const ArrayView values(call.type(0).element(), call.arguments()[0].value);
  JsonbBuilder builder;
  builder.beginArray();
  for (size_t i = 0; i < values.size(); ++i)
    values.isNull(i) ? builder.null() : addValueAsJsonb(values.element(), values.at(i), builder);
  builder.endArray();
  call.giveBytes(builder.finish());
}

/// Of pairs as `jsonbPair` makes them.
void collectedJsonbObject(JsonCall& call) {
  const ArrayView pairs(Type::of(Jsonb), call.arguments()[0].value);
  JsonbBuilder builder;
  builder.beginObject();
  for (size_t i = 0; i < pairs.size(); ++i) {
    const RegisterPair registers = pairs.at(i);
    const StringValue bytes(registers.lo, registers.hi);
    const JsonbView pair(bytes.view());
    builder.key(pair.at(0).payload());
    builder.value(pair.at(1));
  }
  builder.endObject();
  call.giveBytes(builder.finish());
}

std::string keyOf(const JsonCall& call) {
  if (call.isNull(0)) throw SqlError(sqlstate::kInvalidParameterValue, "field name must not be null");
  return jsonKeyText(call.type(0), call.arguments()[0].registers());
}

void jsonPair(JsonCall& call) {
  std::string text;
  appendJsonString(keyOf(call), text);
  text += " : ";
  appendArgument(call.arguments()[1], text);
  call.giveBytes(std::move(text));
}

void jsonbPair(JsonCall& call) {
  JsonbBuilder builder;
  builder.beginArray();
  builder.string(keyOf(call));
  addArgument(call.arguments()[1], builder);
  builder.endArray();
  call.giveBytes(builder.finish());
}

}  // namespace

void addJsonConstructors(JsonFunctions& functions) {
  constexpr auto kAny = JsonFunction::Arity::Any;
  const auto any = [&](std::string_view name, TypeKind result, auto answer, bool is_strict,
                       std::string_view shown = {}) {
    functions.push_back({name, {}, result, answer, is_strict, true, kAny, shown});
  };
  any("to_json", Json, toJson, true);
  any("to_jsonb", Jsonb, toJsonb, true);
  any("array_to_json", Json, arrayToJson, true);
  any("row_to_json", Json, rowToJson, true);
  any("json_build_array", Json, buildArray, false);
  any("jsonb_build_array", Jsonb, buildJsonbArray, false);
  any("json_build_object", Json, buildObject, false);
  any("jsonb_build_object", Jsonb, buildJsonbObject, false);
  any("$json_build_array", Json, buildOfElements<buildArray>, true, "json_build_array");
  any("$jsonb_build_array", Jsonb, buildOfElements<buildJsonbArray>, true, "jsonb_build_array");
  any("$json_build_object", Json, buildOfElements<buildObject>, true, "json_build_object");
  any("$jsonb_build_object", Jsonb, buildOfElements<buildJsonbObject>, true, "jsonb_build_object");
  for (const auto& [name, result, answer] :
       {std::tuple("json_object", Json, &objectOfTexts), std::tuple("jsonb_object", Jsonb, &jsonbObjectOfTexts)}) {
    functions.push_back({name, {arrayOf(Text)}, result, answer});
    functions.push_back({name, {arrayOf(Text), arrayOf(Text)}, result, answer});
  }
  any("$json_agg", Json, collectedArray, true, "json_agg");
  any("$json_agg_lines", Json, collectedLines, true, "json_agg");
  any("$jsonb_agg", Jsonb, collectedJsonbArray, true, "jsonb_agg");
  any("$json_object_agg", Json, collectedObject, true, "json_object_agg");
  any("$jsonb_object_agg", Jsonb, collectedJsonbObject, true, "jsonb_object_agg");
  any("$json_pair", Json, jsonPair, false, "json_pair");
  any("$jsonb_pair", Jsonb, jsonbPair, false, "jsonb_pair");
}

}  // namespace gnomon::sql
