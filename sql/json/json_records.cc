/// Rows that are made of objects: of `$json_record` and its kin. Their arguments are the JSON, the row to begin with,
/// and, where the result is of no relation, the names of its fields, each with a zero behind it, and a value of the
/// type of each.
#include <fmt/format.h>

#include "base/sql_error.h"
#include "sql/json/json_functions.h"
#include "sql/json/json_populate.h"
#include "sql/types/array_value.h"
#include "sql/types/json_text.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;

constexpr size_t kJson = 0, kBase = 1, kNames = 2, kFirstField = 3;

[[noreturn]] void fail(std::string_view function, std::string_view what) {
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("cannot call {} on {}", function, what));
}

std::string textOf(const JsonCall& call) {
  std::string text;
  if (call.type(kJson).kind == Jsonb) {
    appendJsonbText(call.jsonb(kJson), text);
    return text;
  }
  requireMeaning(call.text(kJson));
  return std::string(call.text(kJson));
}

/// Failure: 0A000 where neither the call nor the row says it.
PopulatedShape shapeOf(const JsonCall& call, Type result, std::string_view function) {
  if (result.definition() != 0) return populatedShape(result.definition());
  if (call.size() <= kNames) {
    if (!call.isNull(kBase)) return populatedShape(call.arguments()[kBase].value);
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("could not determine row type for result of {}", function))
        .hint(
            "Provide a non-null record argument, or call the function in the FROM clause using a column definition "
            "list.");
  }
  PopulatedShape shape;
  shape.names = call.text(kNames);
  std::string_view names = shape.names;
  for (size_t i = kFirstField; i < call.size(); ++i) {
    const std::string_view name = names.substr(0, names.find('\0'));
    shape.fields.push_back({std::string(name), call.type(i)});
    names.remove_prefix(name.size() + 1);
  }
  return shape;
}

const StringValue* baseOf(const JsonCall& call) {
  return call.isNull(kBase) ? nullptr : &call.arguments()[kBase].value;
}

/// Without an object the row is what it was.
void record(JsonCall& call, std::string_view function) {
  const PopulatedShape shape = shapeOf(call, call.result(), function);
  if (call.isNull(kJson)) {
    if (baseOf(call) != nullptr) call.givePart(kBase, call.text(kBase));
    return;
  }
  const std::string text = textOf(call);
  const JsonKind kind = jsonKindOf(text);
  // PostgreSQL names the function that does it for all.
  if (kind != JsonKind::Object) fail("populate_composite", kind == JsonKind::Array ? "an array" : "a scalar");
  call.giveBytes(populateRecord(shape, baseOf(call), text));
}

/// An array of rows; NULL for no JSON.
void recordSet(JsonCall& call, std::string_view function) {
  const Type element = call.result().element();
  const PopulatedShape shape = shapeOf(call, element, function);
  if (call.isNull(kJson)) return;
  const std::string text = textOf(call);
  const JsonKind kind = jsonKindOf(text);
  if (kind != JsonKind::Array)
    fail(function, call.type(kJson).kind == Jsonb ? "a non-array"
                   : kind == JsonKind::Object     ? "an object"
                                                  : "a scalar");
  ArrayBuilder builder(element);
  forEachJsonElement(text, [&](std::string_view object) {
    if (jsonKindOf(object) != JsonKind::Object)
      throw SqlError(sqlstate::kInvalidParameterValue,
                     fmt::format("argument of {} must be an array of objects", function));
    builder.add(Value::fromString(element, populateRecord(shape, baseOf(call), object)));
    return true;
  });
  call.giveBytes(builder.finish());
}

}  // namespace

void addJsonRecords(JsonFunctions& functions) {
  const auto add = [&](std::string_view name, void (*answer)(JsonCall&)) {
    functions.push_back({name, {}, Json, answer, false, true, JsonFunction::Arity::Any, name.substr(1)});
  };
  add("$json_to_record", [](JsonCall& call) { record(call, "json_to_record"); });
  add("$jsonb_to_record", [](JsonCall& call) { record(call, "jsonb_to_record"); });
  add("$json_to_recordset", [](JsonCall& call) { recordSet(call, "json_to_recordset"); });
  add("$jsonb_to_recordset", [](JsonCall& call) { recordSet(call, "jsonb_to_recordset"); });
  add("$json_populate_record", [](JsonCall& call) { record(call, "json_populate_record"); });
  add("$jsonb_populate_record", [](JsonCall& call) { record(call, "jsonb_populate_record"); });
  add("$json_populate_recordset", [](JsonCall& call) { recordSet(call, "json_populate_recordset"); });
  add("$jsonb_populate_recordset", [](JsonCall& call) { recordSet(call, "jsonb_populate_recordset"); });
}

}  // namespace gnomon::sql
