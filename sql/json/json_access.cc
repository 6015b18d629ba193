/// What takes values apart, or asks what they are.
#include <charconv>
#include <cstring>
#include <optional>

#include "base/sql_error.h"
#include "sql/json/json_functions.h"
#include "sql/types/big_numeric.h"
#include "sql/types/json_text.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;

constexpr std::string_view kKindNames[] = {"null", "string", "number", "boolean", "array", "object"};

/// An integer as a path names an element.
std::optional<int64_t> indexIn(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || (text.front() >= '\t' && text.front() <= '\r')))
    text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  int32_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

void giveJson(JsonCall& call, std::string_view part) {
  if (call.result().kind == Json) return call.givePart(0, part);
  switch (jsonKindOf(part)) {
    case JsonKind::Null:
      return;
    case JsonKind::String:
      return call.giveBytes(jsonStringText(part));
    default:
      return call.givePart(0, part);
  }
}

void giveJsonb(JsonCall& call, JsonbView part) {
  if (call.result().kind == Jsonb) return call.givePart(0, part.bytes());
  if (part.isNull()) return;
  if (part.kind() == JsonKind::String) return call.givePart(0, part.payload());
  std::string text;
  appendJsonbText(part, text);
  call.giveBytes(std::move(text));
}

void jsonField(JsonCall& call) {
  requireMeaning(call.text(0));
  if (jsonKindOf(call.text(0)) != JsonKind::Object) return;
  if (const auto found = findJsonField(call.text(0), call.text(1))) giveJson(call, *found);
}

void jsonElementAt(JsonCall& call) {
  requireMeaning(call.text(0));
  if (jsonKindOf(call.text(0)) != JsonKind::Array) return;
  if (const auto found = jsonElement(call.text(0), call.integer(1))) giveJson(call, *found);
}

void jsonbField(JsonCall& call) {
  if (!call.jsonb(0).isObject()) return;
  if (const auto found = call.jsonb(0).find(call.text(1))) giveJsonb(call, *found);
}

/// To PostgreSQL a scalar that stands alone is an array of one here, and only here.
void jsonbElementAt(JsonCall& call) {
  const int64_t index = call.integer(1);
  if (call.jsonb(0).isScalar() && (index == 0 || index == -1)) return giveJsonb(call, call.jsonb(0));
  if (!call.jsonb(0).isArray()) return;
  if (const auto found = call.jsonb(0).element(index)) giveJsonb(call, *found);
}

void jsonPath(JsonCall& call) {
  requireMeaning(call.text(0));
  std::string_view at = trimmedJson(call.text(0));
  for (const auto& [is_null, step] : call.texts(1)) {
    if (is_null) return;
    const JsonKind kind = jsonKindOf(at);
    std::optional<std::string_view> found;
    if (kind == JsonKind::Object) found = findJsonField(at, step);
    if (kind == JsonKind::Array)
      if (const auto index = indexIn(step)) found = jsonElement(at, *index);
    if (!found) return;
    at = *found;
  }
  giveJson(call, at);
}

void jsonbPath(JsonCall& call) {
  JsonbView at = call.jsonb(0);
  for (const auto& [is_null, step] : call.texts(1)) {
    if (is_null) return;
    std::optional<JsonbView> found;
    if (at.isObject()) found = at.find(step);
    if (at.isArray())
      if (const auto index = indexIn(step)) found = at.element(*index);
    if (!found) return;
    at = *found;
  }
  giveJsonb(call, at);
}

/// jsonb[key or index]...: a step that is an integer or a text.
void jsonbSubscript(JsonCall& call) {
  JsonbView at = call.jsonb(0);
  for (size_t i = 1; i < call.size(); ++i) {
    if (call.isNull(i)) return;
    std::optional<JsonbView> found;
    const bool is_integer = call.type(i).kind == Integer;
    if (at.isObject()) found = at.find(is_integer ? std::to_string(call.integer(i)) : std::string(call.text(i)));
    if (at.isArray()) {
      const auto index = is_integer ? std::optional(call.integer(i)) : indexIn(call.text(i));
      if (index) found = at.element(*index);
    }
    if (!found) return;
    at = *found;
  }
  call.givePart(0, at.bytes());
}

void jsonTypeName(JsonCall& call) {
  call.giveBytes(std::string(kKindNames[static_cast<size_t>(jsonKindOf(call.text(0)))]));
}

void jsonbTypeName(JsonCall& call) {
  call.giveBytes(std::string(kKindNames[static_cast<size_t>(call.jsonb(0).kind())]));
}

[[noreturn]] void throwNoLength(bool is_object) {
  throw SqlError(sqlstate::kInvalidParameterValue,
                 is_object ? "cannot get array length of a non-array" : "cannot get array length of a scalar");
}

void jsonArrayLength(JsonCall& call) {
  const JsonKind kind = jsonKindOf(call.text(0));
  if (kind != JsonKind::Array) throwNoLength(kind == JsonKind::Object);
  int64_t count = 0;
  forEachJsonElement(call.text(0), [&](std::string_view) { return ++count > 0; });
  call.giveInteger(count);
}

void jsonbArrayLength(JsonCall& call) {
  const JsonbView value = call.jsonb(0);
  if (!value.isArray()) throwNoLength(value.isObject());
  call.giveInteger(static_cast<int64_t>(value.size()));
}

void jsonbContains(JsonCall& call) {
  const bool are_objects = call.jsonb(0).isObject() == call.jsonb(1).isObject();
  call.giveBoolean(are_objects && containsJsonb(call.jsonb(0), call.jsonb(1)));
}

void jsonbContainedBy(JsonCall& call) {
  const bool are_objects = call.jsonb(0).isObject() == call.jsonb(1).isObject();
  call.giveBoolean(are_objects && containsJsonb(call.jsonb(1), call.jsonb(0)));
}

/// A key of an object, a string in an array, or the string itself.
bool hasKey(JsonbView value, std::string_view key) {
  if (value.isObject()) return value.findKey(key).has_value();
  if (!value.isArray()) return value.kind() == JsonKind::String && value.payload() == key;
  for (size_t i = 0; i < value.size(); ++i)
    if (value.at(i).kind() == JsonKind::String && value.at(i).payload() == key) return true;
  return false;
}

void jsonbExists(JsonCall& call) {
  call.giveBoolean(hasKey(call.jsonb(0), call.text(1)));
}

void jsonbExistsAny(JsonCall& call) {
  for (const auto& [is_null, key] : call.texts(1))
    if (!is_null && hasKey(call.jsonb(0), key)) return call.giveBoolean(true);
  call.giveBoolean(false);
}

void jsonbExistsAll(JsonCall& call) {
  for (const auto& [is_null, key] : call.texts(1))
    if (!is_null && !hasKey(call.jsonb(0), key)) return call.giveBoolean(false);
  call.giveBoolean(true);
}

/// The bytes that hold a value, of which equal ones are the same.
void bytesOf(JsonCall& call) {
  if (call.type(0).physical() == Physical::String) return call.givePart(0, call.text(0));
  const RegisterPair pair = call.arguments()[0].registers();
  std::string bytes(sizeof(pair), 0);
  // The second word of a float means nothing.
  std::memcpy(bytes.data(), &pair, call.type(0).isFloat() ? sizeof(pair.lo) : sizeof(pair));
  call.giveBytes(std::move(bytes));
}

/// The value that they hold.
void heldIn(JsonCall& call) {
  if (call.result().physical() == Physical::String) return call.givePart(0, call.text(0));
  RegisterPair pair{};
  std::memcpy(&pair, call.text(0).data(), sizeof(pair));
  call.give(pair);
}

void compared(JsonCall& call) {
  call.giveInteger(compareJsonb(call.jsonb(0), call.jsonb(1)));
}

}  // namespace

void addJsonAccess(JsonFunctions& functions) {
  for (const TypeKind result : {Json, Text}) {
    const bool is_text = result == Text;
    const TypeKind binary = is_text ? Text : Jsonb;
    const TypeKind texts = arrayOf(Text);
    functions.push_back({is_text ? "->>" : "->", {Json, Text}, result, jsonField});
    functions.push_back({is_text ? "->>" : "->", {Json, Integer}, result, jsonElementAt});
    functions.push_back({is_text ? "#>>" : "#>", {Json, texts}, result, jsonPath});
    functions.push_back({is_text ? "->>" : "->", {Jsonb, Text}, binary, jsonbField});
    functions.push_back({is_text ? "->>" : "->", {Jsonb, Integer}, binary, jsonbElementAt});
    functions.push_back({is_text ? "#>>" : "#>", {Jsonb, texts}, binary, jsonbPath});
    functions.push_back({is_text ? "json_object_field_text" : "json_object_field", {Json, Text}, result, jsonField});
    functions.push_back(
        {is_text ? "json_array_element_text" : "json_array_element", {Json, Integer}, result, jsonElementAt});
    functions.push_back(
        {is_text ? "jsonb_object_field_text" : "jsonb_object_field", {Jsonb, Text}, binary, jsonbField});
    functions.push_back(
        {is_text ? "jsonb_array_element_text" : "jsonb_array_element", {Jsonb, Integer}, binary, jsonbElementAt});
    // The binder makes an array of the steps.
    functions.push_back({is_text ? "json_extract_path_text" : "json_extract_path", {Json, texts}, result, jsonPath});
    functions.push_back(
        {is_text ? "jsonb_extract_path_text" : "jsonb_extract_path", {Jsonb, texts}, binary, jsonbPath});
  }
  functions.push_back({"$subscript", {Jsonb}, Jsonb, jsonbSubscript, true, false, JsonFunction::Arity::Any});
  functions.push_back({"json_typeof", {Json}, Text, jsonTypeName});
  functions.push_back({"jsonb_typeof", {Jsonb}, Text, jsonbTypeName});
  functions.push_back({"json_array_length", {Json}, Integer, jsonArrayLength});
  functions.push_back({"jsonb_array_length", {Jsonb}, Integer, jsonbArrayLength});
  for (const std::string_view name : {"@>", "jsonb_contains"})
    functions.push_back({name, {Jsonb, Jsonb}, Boolean, jsonbContains});
  for (const std::string_view name : {"<@", "jsonb_contained"})
    functions.push_back({name, {Jsonb, Jsonb}, Boolean, jsonbContainedBy});
  for (const std::string_view name : {"?", "jsonb_exists"})
    functions.push_back({name, {Jsonb, Text}, Boolean, jsonbExists});
  for (const std::string_view name : {"?|", "jsonb_exists_any"})
    functions.push_back({name, {Jsonb, arrayOf(Text)}, Boolean, jsonbExistsAny});
  for (const std::string_view name : {"?&", "jsonb_exists_all"})
    functions.push_back({name, {Jsonb, arrayOf(Text)}, Boolean, jsonbExistsAll});
  // Of and to any type.
  functions.push_back({"$bytes", {Jsonb}, Bytea, bytesOf});
  functions.push_back({"$of_bytes", {Bytea}, Jsonb, heldIn});
  functions.push_back({"jsonb_cmp", {Jsonb, Jsonb}, Integer, compared});
}

}  // namespace gnomon::sql
