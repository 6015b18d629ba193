/// The objects whose fields become columns, and the arrays among their fields.
#include <fmt/format.h>

#include "base/sql_error.h"
#include "sql/json/json_functions.h"
#include "sql/types/array_text.h"
#include "sql/types/array_value.h"
#include "sql/types/json_text.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;

[[noreturn]] void fail(std::string_view function, std::string_view what) {
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("cannot call {} on {}", function, what));
}

void addString(ArrayBuilder& builder, std::string_view bytes) {
  const StringValue value = StringValue::refer(bytes, StringValue::Storage::Temporary);
  builder.add(value.lo(), value.hi());
}

JsonKind kindOf(const JsonCall& call) {
  return call.type(0).kind == Jsonb ? call.jsonb(0).kind() : jsonKindOf(call.text(0));
}

/// json_to_record: the argument, in an array.
void record(JsonCall& call) {
  ArrayBuilder builder(call.result().element());
  if (call.isNull(0)) {
    builder.addNull();
  } else {
    const JsonKind kind = kindOf(call);
    // PostgreSQL names the function that does it for all.
    if (kind != JsonKind::Object) fail("populate_composite", kind == JsonKind::Array ? "an array" : "a scalar");
    if (call.type(0).kind == Json) requireMeaning(call.text(0));
    addString(builder, call.text(0));
  }
  call.giveBytes(builder.finish());
}

[[noreturn]] void failOfElement(std::string_view function) {
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("argument of {} must be an array of objects", function));
}

/// json_to_recordset.
void recordSet(JsonCall& call) {
  const JsonKind kind = kindOf(call);
  if (kind != JsonKind::Array) fail("json_to_recordset", kind == JsonKind::Object ? "an object" : "a scalar");
  requireMeaning(call.text(0));
  ArrayBuilder builder(call.result().element());
  forEachJsonElement(call.text(0), [&](std::string_view element) {
    if (jsonKindOf(element) != JsonKind::Object) failOfElement("json_to_recordset");
    addString(builder, element);
    return true;
  });
  call.giveBytes(builder.finish());
}

void jsonbRecordSet(JsonCall& call) {
  if (kindOf(call) != JsonKind::Array) fail("jsonb_to_recordset", "a non-array");
  ArrayBuilder builder(call.result().element());
  for (size_t i = 0; i < call.jsonb(0).size(); ++i) {
    const JsonbView element = call.jsonb(0).at(i);
    if (!element.isObject()) failOfElement("jsonb_to_recordset");
    addString(builder, element.bytes());
  }
  call.giveBytes(builder.finish());
}

/// A null is NULL.
void recordField(JsonCall& call) {
  const auto found = findJsonField(call.text(0), call.text(1));
  if (found && jsonKindOf(*found) != JsonKind::Null) call.givePart(0, *found);
}

void jsonbRecordField(JsonCall& call) {
  const auto found = call.jsonb(0).find(call.text(1));
  if (found && !found->isNull()) call.givePart(0, found->bytes());
}

/// A JSON array becomes one of SQL, each element read as text.
class ArrayReader {
 public:
  ArrayReader(Type element, std::string_view key) : element_(element), key_(key), builder_(element) {}

  std::string read(std::string_view array) {
    add(array, 0);
    return builder_.size() == 0 ? builder_.finish() : builder_.finish(dimensions_);
  }

 private:
  void add(std::string_view array, size_t level) {
    if (level >= kArrayDimensionsMax) throwTooManyDimensions(level + 1);
    int32_t length = 0;
    forEachJsonElement(array, [&](std::string_view element) {
      ++length;
      const bool is_array = jsonKindOf(element) == JsonKind::Array;
      if (depth_ == 0 && !is_array) depth_ = level + 1;
      if (depth_ != 0 && is_array != (level + 1 < depth_)) is_array ? throwMalformed() : throwNoArray();
      is_array ? add(element, level + 1) : addElement(element);
      return true;
    });
    if (depth_ == 0) depth_ = level + 1;
    if (dimensions_.size() <= level) dimensions_.resize(level + 1);
    int32_t& known = dimensions_[level].length;
    if (known != 0 && known != length) throwMalformed();
    known = length;
  }
  void addElement(std::string_view element) {
    const JsonKind kind = jsonKindOf(element);
    if (kind == JsonKind::Null) return builder_.addNull();
    const bool is_text = kind == JsonKind::String && element_.kind != Json && element_.kind != Jsonb;
    builder_.add(parseText(element_, is_text ? jsonStringText(element) : std::string(element)));
  }
  [[noreturn]] void throwNoArray() const {
    throw SqlError(sqlstate::kInvalidTextRepresentation, "expected JSON array")
        .hint(fmt::format("See the value of key \"{}\".", key_));
  }
  [[noreturn]] static void throwMalformed() {
    throw SqlError(sqlstate::kInvalidTextRepresentation, "malformed JSON array")
        .detail("Multidimensional arrays must have sub-arrays with matching dimensions.");
  }

  const Type element_;
  const std::string_view key_;
  ArrayBuilder builder_;
  std::vector<ArrayDimension> dimensions_;
  size_t depth_ = 0;  ///< of the elements; 0: none has been seen
};

void toArray(JsonCall& call) {
  std::string text;
  if (call.type(0).kind == Jsonb)
    appendJsonbText(call.jsonb(0), text);
  else
    text = call.text(0);
  const Type element = call.result().element();
  switch (jsonKindOf(text)) {
    case JsonKind::String:
      return call.giveBytes(parseArrayText(element, jsonStringText(trimmedJson(text))));
    case JsonKind::Array:
      return call.giveBytes(ArrayReader(element, call.text(1)).read(text));
    default:
      throw SqlError(sqlstate::kInvalidTextRepresentation, "expected JSON array")
          .hint(fmt::format("See the value of key \"{}\".", call.text(1)));
  }
}

}  // namespace

void addJsonRecords(JsonFunctions& functions) {
  functions.push_back({"$json_record", {Json}, arrayOf(Json), record, false});
  functions.push_back({"$jsonb_record", {Jsonb}, arrayOf(Jsonb), record, false});
  functions.push_back({"$json_record_set", {Json}, arrayOf(Json), recordSet});
  functions.push_back({"$jsonb_record_set", {Jsonb}, arrayOf(Jsonb), jsonbRecordSet});
  functions.push_back({"$json_record_field", {Json, Text}, Json, recordField});
  functions.push_back({"$jsonb_record_field", {Jsonb, Text}, Jsonb, jsonbRecordField});
  functions.push_back({"$to_array", {}, Json, toArray, true, true, JsonFunction::Arity::Any});
}

}  // namespace gnomon::sql
