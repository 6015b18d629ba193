/// What makes of a value another one.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/sql_error.h"
#include "sql/json/json_functions.h"
#include "sql/json/json_path_change.h"
#include "sql/types/array_value.h"
#include "sql/types/json_text.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;

[[noreturn]] void fail(const char* message) {
  throw SqlError(sqlstate::kInvalidParameterValue, message);
}

void addElements(JsonbView value, JsonbBuilder& builder) {
  if (!value.isArray()) return builder.value(value);
  for (size_t i = 0; i < value.size(); ++i) builder.value(value.at(i));
}

void addPair(JsonbView object, size_t index, JsonbBuilder& builder) {
  builder.key(object.key(index));
  builder.value(object.value(index));
}

void concatenate(JsonCall& call) {
  const JsonbView left = call.jsonb(0);
  const JsonbView right = call.jsonb(1);
  JsonbBuilder builder;
  if (left.isObject() && right.isObject()) {
    builder.beginObject();
    for (const JsonbView& object : {left, right})
      for (size_t i = 0; i < object.size(); ++i) addPair(object, i, builder);
    builder.endObject();
  } else {
    builder.beginArray();
    addElements(left, builder);
    addElements(right, builder);
    builder.endArray();
  }
  call.giveBytes(builder.finish());
}

/// Without the keys, or the strings of an array, of which `is_gone` says so.
template <typename IsGone>
void deleteKeys(JsonCall& call, const IsGone& is_gone) {
  const JsonbView value = call.jsonb(0);
  if (value.isScalar()) fail("cannot delete from scalar");
  JsonbBuilder builder;
  if (value.isObject()) {
    builder.beginObject();
    for (size_t i = 0; i < value.size(); ++i)
      if (!is_gone(value.key(i))) addPair(value, i, builder);
    builder.endObject();
  } else {
    builder.beginArray();
    for (size_t i = 0; i < value.size(); ++i)
      if (value.at(i).kind() != JsonKind::String || !is_gone(value.at(i).payload())) builder.value(value.at(i));
    builder.endArray();
  }
  call.giveBytes(builder.finish());
}

void deleteKey(JsonCall& call) {
  deleteKeys(call, [&](std::string_view key) { return key == call.text(1); });
}

void requireOneDimension(const JsonCall& call, size_t index) {
  const ArrayView array(Type::of(Text), call.arguments()[index].value);
  if (array.dimensions().size() > 1) throw SqlError(sqlstate::kArraySubscriptError, "wrong number of array subscripts");
}

void deleteListed(JsonCall& call) {
  requireOneDimension(call, 1);
  const auto keys = call.texts(1);
  deleteKeys(call, [&](std::string_view key) {
    return std::ranges::any_of(keys, [&](const auto& listed) { return !listed.first && listed.second == key; });
  });
}

void deleteElement(JsonCall& call) {
  const JsonbView value = call.jsonb(0);
  if (value.isScalar()) fail("cannot delete from scalar");
  if (value.isObject()) fail("cannot delete from object using integer index");
  const auto count = static_cast<int64_t>(value.size());
  const int64_t index = call.integer(1) < 0 ? call.integer(1) + count : call.integer(1);
  JsonbBuilder builder;
  builder.beginArray();
  for (int64_t i = 0; i < count; ++i)
    if (i != index) builder.value(value.at(static_cast<size_t>(i)));
  builder.endArray();
  call.giveBytes(builder.finish());
}

JsonPathSteps stepsAt(const JsonCall& call, size_t index) {
  requireOneDimension(call, index);
  JsonPathSteps steps;
  for (auto& [is_null, text] : call.texts(index))
    steps.push_back(is_null ? std::nullopt : std::optional(std::move(text)));
  return steps;
}

void change(JsonCall& call, JsonPathChange kind, const JsonPathSteps& steps, std::optional<JsonbView> value) {
  const JsonbView target = call.jsonb(0);
  if (steps.empty()) return call.givePart(0, target.bytes());
  call.giveBytes(changeJsonPath(target, steps, kind, value));
}

void deletePath(JsonCall& call) {
  const JsonPathSteps steps = stepsAt(call, 1);
  if (call.jsonb(0).isScalar()) fail("cannot delete path in scalar");
  if (call.jsonb(0).size() == 0) return call.givePart(0, call.text(0));
  change(call, JsonPathChange::Delete, steps, std::nullopt);
}

void setPath(JsonCall& call) {
  const bool creates = call.size() < 4 || call.boolean(3);
  const JsonPathSteps steps = stepsAt(call, 1);
  if (call.jsonb(0).isScalar()) fail("cannot set path in scalar");
  if (call.jsonb(0).size() == 0 && !creates) return call.givePart(0, call.text(0));
  change(call, creates ? JsonPathChange::Create : JsonPathChange::Replace, steps, call.jsonb(2));
}

void insertPath(JsonCall& call) {
  const JsonPathSteps steps = stepsAt(call, 1);
  if (call.jsonb(0).isScalar()) fail("cannot set path in scalar");
  const bool is_after = call.size() > 3 && call.boolean(3);
  change(call, is_after ? JsonPathChange::InsertAfter : JsonPathChange::InsertBefore, steps, call.jsonb(2));
}

/// jsonb_set with another answer to a new value that is NULL.
void setPathLax(JsonCall& call) {
  if (call.isNull(0) || call.isNull(1) || (call.size() > 3 && call.isNull(3))) return;
  const bool says = call.size() > 4;
  constexpr const char* kChoices =
      "null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"";
  if (says && call.isNull(4)) fail(kChoices);
  if (!call.isNull(2)) return setPath(call);
  const std::string_view treatment = says ? call.text(4) : "use_json_null";
  if (treatment == "raise_exception")
    throw SqlError(sqlstate::kNullValueNotAllowed, "JSON value must not be null")
        .detail("Exception was raised because null_value_treatment is \"raise_exception\".")
        .hint("To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed.");
  if (treatment == "return_target") return call.givePart(0, call.text(0));
  if (treatment == "delete_key") return deletePath(call);
  if (treatment != "use_json_null") fail(kChoices);
  JsonbBuilder builder;
  builder.null();
  const std::string null = builder.finish();
  const bool creates = call.size() < 4 || call.boolean(3);
  const JsonPathSteps steps = stepsAt(call, 1);
  if (call.jsonb(0).isScalar()) fail("cannot set path in scalar");
  if (call.jsonb(0).size() == 0 && !creates) return call.givePart(0, call.text(0));
  change(call, creates ? JsonPathChange::Create : JsonPathChange::Replace, steps, JsonbView(null));
}

/// column[step]... = value: (column, value, step ...). Both may be NULL.
void assign(JsonCall& call) {
  JsonPathSteps steps;
  for (size_t i = 2; i < call.size(); ++i) {
    if (call.isNull(i))
      throw SqlError(sqlstate::kNullValueNotAllowed, "jsonb subscript in assignment must not be null");
    steps.emplace_back(call.type(i).kind == Integer ? std::to_string(call.integer(i)) : std::string(call.text(i)));
  }
  JsonbBuilder builder;
  if (call.isNull(1))
    builder.null();
  else
    builder.value(call.jsonb(1));
  const std::string value = builder.finish();
  std::string target;
  if (call.isNull(0)) {
    const bool is_array = call.type(2).kind == Integer;
    is_array ? builder.beginArray() : builder.beginObject();
    is_array ? builder.endArray() : builder.endObject();
    target = builder.finish();
  }
  const JsonbView old = call.isNull(0) ? JsonbView(target) : call.jsonb(0);
  call.giveBytes(changeJsonPath(old, steps, JsonPathChange::Assign, JsonbView(value)));
}

void addWithoutNulls(JsonbView value, JsonbBuilder& builder) {
  if (value.isScalar()) return builder.value(value);
  if (value.isArray()) {
    builder.beginArray();
    for (size_t i = 0; i < value.size(); ++i) addWithoutNulls(value.at(i), builder);
    return builder.endArray();
  }
  builder.beginObject();
  for (size_t i = 0; i < value.size(); ++i) {
    if (value.value(i).isNull()) continue;
    builder.key(value.key(i));
    addWithoutNulls(value.value(i), builder);
  }
  builder.endObject();
}

void stripNulls(JsonCall& call) {
  requireMeaning(call.text(0));
  std::string text;
  appendCompactJson(call.text(0), true, text);
  call.giveBytes(std::move(text));
}

void stripJsonbNulls(JsonCall& call) {
  JsonbBuilder builder;
  addWithoutNulls(call.jsonb(0), builder);
  call.giveBytes(builder.finish());
}

void pretty(JsonCall& call) {
  std::string text;
  appendJsonbPretty(call.jsonb(0), text);
  call.giveBytes(std::move(text));
}

}  // namespace

void addJsonChanges(JsonFunctions& functions) {
  const TypeKind texts = arrayOf(Text);
  for (const std::string_view name : {"||", "jsonb_concat"})
    functions.push_back({name, {Jsonb, Jsonb}, Jsonb, concatenate});
  for (const std::string_view name : {"-", "jsonb_delete"}) {
    functions.push_back({name, {Jsonb, Text}, Jsonb, deleteKey});
    functions.push_back({name, {Jsonb, Integer}, Jsonb, deleteElement});
    functions.push_back({name, {Jsonb, texts}, Jsonb, deleteListed});
  }
  for (const std::string_view name : {"#-", "jsonb_delete_path"})
    functions.push_back({name, {Jsonb, texts}, Jsonb, deletePath});
  functions.push_back({"jsonb_set", {Jsonb, texts, Jsonb}, Jsonb, setPath});
  functions.push_back({"jsonb_set", {Jsonb, texts, Jsonb, Boolean}, Jsonb, setPath});
  functions.push_back({"jsonb_insert", {Jsonb, texts, Jsonb}, Jsonb, insertPath});
  functions.push_back({"jsonb_insert", {Jsonb, texts, Jsonb, Boolean}, Jsonb, insertPath});
  functions.push_back({"jsonb_set_lax", {Jsonb, texts, Jsonb}, Jsonb, setPathLax, false});
  functions.push_back({"jsonb_set_lax", {Jsonb, texts, Jsonb, Boolean}, Jsonb, setPathLax, false});
  functions.push_back({"jsonb_set_lax", {Jsonb, texts, Jsonb, Boolean, Text}, Jsonb, setPathLax, false});
  functions.push_back({"$assign", {Jsonb, Jsonb}, Jsonb, assign, false, false, JsonFunction::Arity::Any});
  functions.push_back({"json_strip_nulls", {Json}, Json, stripNulls});
  functions.push_back({"jsonb_strip_nulls", {Jsonb}, Jsonb, stripJsonbNulls});
  functions.push_back({"jsonb_pretty", {Jsonb}, Text, pretty});
}

}  // namespace gnomon::sql
