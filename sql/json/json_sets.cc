/// The rows of functions that return sets, as arrays.
#include <fmt/format.h>

#include "base/sql_error.h"
#include "sql/json/json_functions.h"
#include "sql/types/array_value.h"
#include "sql/types/json_text.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;

[[noreturn]] void fail(const std::string& message) {
  throw SqlError(sqlstate::kInvalidParameterValue, message);
}

void addString(ArrayBuilder& builder, std::string_view bytes) {
  const StringValue value = StringValue::refer(bytes, StringValue::Storage::Temporary);
  builder.add(value.lo(), value.hi());
}

/// As a json, or as its text: NULL of null.
void addJson(ArrayBuilder& builder, std::string_view value, bool is_text) {
  if (!is_text) return addString(builder, value);
  const JsonKind kind = jsonKindOf(value);
  if (kind == JsonKind::Null) return builder.addNull();
  kind == JsonKind::String ? addString(builder, jsonStringText(value)) : addString(builder, value);
}

void addJsonb(ArrayBuilder& builder, JsonbView value, bool is_text) {
  if (!is_text) return addString(builder, value.bytes());
  if (value.isNull()) return builder.addNull();
  if (value.kind() == JsonKind::String) return addString(builder, value.payload());
  std::string text;
  appendJsonbText(value, text);
  addString(builder, text);
}

template <bool is_text>
void jsonElements(JsonCall& call) {
  const JsonKind kind = jsonKindOf(call.text(0));
  if (kind != JsonKind::Array)
    fail(fmt::format("cannot call json_array_elements{} on a {}", is_text ? "_text" : "",
                     kind == JsonKind::Object ? "non-array" : "scalar"));
  if (is_text) requireMeaning(call.text(0));
  ArrayBuilder builder(call.result().element());
  forEachJsonElement(call.text(0), [&](std::string_view element) {
    addJson(builder, element, is_text);
    return true;
  });
  call.giveBytes(builder.finish());
}

template <bool is_text>
void jsonbElements(JsonCall& call) {
  const JsonbView value = call.jsonb(0);
  if (value.isScalar()) fail("cannot extract elements from a scalar");
  if (!value.isArray()) fail("cannot extract elements from an object");
  ArrayBuilder builder(call.result().element());
  for (size_t i = 0; i < value.size(); ++i) addJsonb(builder, value.at(i), is_text);
  call.giveBytes(builder.finish());
}

void jsonKeys(JsonCall& call) {
  const JsonKind kind = jsonKindOf(call.text(0));
  if (kind != JsonKind::Object)
    fail(kind == JsonKind::Array ? "cannot call json_object_keys on an array"
                                 : "cannot call json_object_keys on a scalar");
  requireMeaning(call.text(0));
  ArrayBuilder builder(call.result().element());
  forEachJsonField(call.text(0), [&](std::string_view key, std::string_view) {
    addString(builder, key);
    return true;
  });
  call.giveBytes(builder.finish());
}

void addKeys(JsonCall& call) {
  const JsonbView value = call.jsonb(0);
  ArrayBuilder builder(call.result().element());
  for (size_t i = 0; i < value.size(); ++i) addString(builder, value.key(i));
  call.giveBytes(builder.finish());
}

void jsonbKeys(JsonCall& call) {
  if (!call.jsonb(0).isObject())
    fail(call.jsonb(0).isArray() ? "cannot call jsonb_object_keys on an array"
                                 : "cannot call jsonb_object_keys on a scalar");
  addKeys(call);
}

void requireJsonObject(const JsonCall& call) {
  const JsonKind kind = jsonKindOf(call.text(0));
  if (kind == JsonKind::Array) fail("cannot deconstruct an array as an object");
  if (kind != JsonKind::Object) fail("cannot deconstruct a scalar");
}

/// The keys of json_each, the values beside them.
void jsonEachKeys(JsonCall& call) {
  requireJsonObject(call);
  jsonKeys(call);
}

template <bool is_text>
void jsonEachValues(JsonCall& call) {
  requireJsonObject(call);
  requireMeaning(call.text(0));
  ArrayBuilder builder(call.result().element());
  forEachJsonField(call.text(0), [&](std::string_view, std::string_view value) {
    addJson(builder, value, is_text);
    return true;
  });
  call.giveBytes(builder.finish());
}

template <bool is_text>
void jsonbEachKeys(JsonCall& call) {
  if (!call.jsonb(0).isObject()) fail(fmt::format("cannot call jsonb_each{} on a non-object", is_text ? "_text" : ""));
  addKeys(call);
}

template <bool is_text>
void jsonbEachValues(JsonCall& call) {
  if (!call.jsonb(0).isObject()) fail(fmt::format("cannot call jsonb_each{} on a non-object", is_text ? "_text" : ""));
  const JsonbView value = call.jsonb(0);
  ArrayBuilder builder(call.result().element());
  for (size_t i = 0; i < value.size(); ++i) addJsonb(builder, value.value(i), is_text);
  call.giveBytes(builder.finish());
}

}  // namespace

void addJsonSets(JsonFunctions& functions) {
  const auto add = [&](std::string_view name, TypeKind argument, TypeKind element, auto answer) {
    functions.push_back(
        {name, {argument}, arrayOf(element), answer, true, false, JsonFunction::Arity::Fixed, name.substr(1)});
  };
  add("$json_array_elements", Json, Json, jsonElements<false>);
  add("$json_array_elements_text", Json, Text, jsonElements<true>);
  add("$jsonb_array_elements", Jsonb, Jsonb, jsonbElements<false>);
  add("$jsonb_array_elements_text", Jsonb, Text, jsonbElements<true>);
  add("$json_object_keys", Json, Text, jsonKeys);
  add("$jsonb_object_keys", Jsonb, Text, jsonbKeys);
  add("$json_each_keys", Json, Text, jsonEachKeys);
  add("$json_each", Json, Json, jsonEachValues<false>);
  add("$json_each_text_keys", Json, Text, jsonEachKeys);
  add("$json_each_text", Json, Text, jsonEachValues<true>);
  add("$jsonb_each_keys", Jsonb, Text, jsonbEachKeys<false>);
  add("$jsonb_each", Jsonb, Jsonb, jsonbEachValues<false>);
  add("$jsonb_each_text_keys", Jsonb, Text, jsonbEachKeys<true>);
  add("$jsonb_each_text", Jsonb, Text, jsonbEachValues<true>);
}

}  // namespace gnomon::sql
