#include "sql/json/json_populate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <unordered_map>

#include "base/sql_error.h"
#include "sql/types/array_text.h"
#include "sql/types/array_value.h"
#include "sql/types/json_text.h"
#include "sql/types/record_value.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;

/// The value that stands in the JSON text, which is not null. `key`: of which field, for messages.
Value valueOf(Type type, std::string_view key, const StringValue* base, std::string_view json);

/// A JSON array becomes one of SQL.
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
      const JsonKind kind = jsonKindOf(element);
      // Behind the first value that is none, arrays as deep as that are values, too.
      const bool is_array = kind == JsonKind::Array && (depth_ == 0 || level + 1 < depth_);
      if (depth_ == 0 && !is_array) depth_ = level + 1;
      place_.push_back(length++);
      if (is_array) {
        add(element, level + 1);
      } else {
        if (level + 1 < depth_) throwNoArray();
        kind == JsonKind::Null ? builder_.addNull() : builder_.add(valueOf(element_, key_, nullptr, element));
      }
      place_.pop_back();
      return true;
    });
    if (depth_ == 0) depth_ = level + 1;
    if (dimensions_.size() <= level) dimensions_.resize(level + 1);
    int32_t& known = dimensions_[level].length;
    if (known != 0 && known != length) throwMalformed();
    known = length;
  }
  [[noreturn]] void throwNoArray() const {
    throw SqlError(sqlstate::kInvalidTextRepresentation, "expected JSON array")
        .hint(fmt::format("See the array element [{}] of key \"{}\".", fmt::join(place_, "]["), key_));
  }
  [[noreturn]] static void throwMalformed() {
    throw SqlError(sqlstate::kInvalidTextRepresentation, "malformed JSON array")
        .detail("Multidimensional arrays must have sub-arrays with matching dimensions.");
  }

  const Type element_;
  const std::string_view key_;
  ArrayBuilder builder_;
  std::vector<ArrayDimension> dimensions_;
  std::vector<int32_t> place_;  ///< of what is read, from 0
  size_t depth_ = 0;            ///< of the elements; 0: none has been seen
};

std::string arrayOfJson(Type type, std::string_view key, std::string_view json) {
  if (jsonKindOf(json) != JsonKind::Array)
    throw SqlError(sqlstate::kInvalidTextRepresentation, "expected JSON array")
        .hint(fmt::format("See the value of key \"{}\".", key));
  return ArrayReader(type.element(), key).read(json);
}

std::string recordOfJson(Type type, const StringValue* base, std::string_view json) {
  const JsonKind kind = jsonKindOf(json);
  if (kind != JsonKind::Object)
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("cannot call populate_composite on {}",
                                                                 kind == JsonKind::Array ? "an array" : "a scalar"));
  return populateRecord(populatedShape(type.definition()), base, json);
}

Value valueOf(Type type, std::string_view key, const StringValue* base, std::string_view json) {
  const bool is_string = jsonKindOf(json) == JsonKind::String;
  if (type.isArray() && !is_string) return Value::fromString(type, arrayOfJson(type, key, json));
  if (type.isRecord() && type.definition() != 0 && !is_string)
    return Value::fromString(type, recordOfJson(type, base, json));
  if (type.isRecord() && type.definition() == 0)
    throw SqlError(sqlstate::kWrongObjectType, "record type has not been registered");
  const std::string_view trimmed = trimmedJson(json);
  const bool is_text = is_string && type.kind != Json && type.kind != Jsonb;
  return parseText(type, is_text ? jsonStringText(trimmed) : std::string(trimmed));
}

}  // namespace

PopulatedShape populatedShape(uint32_t definition) {
  return {definition, {}, recordFields(definition)};
}

PopulatedShape populatedShape(StringValue record) {
  const RecordView view(record);
  if (view.definition() != 0) return populatedShape(view.definition());
  PopulatedShape shape;
  const std::vector<std::string> names = view.names();
  for (size_t i = 0; i < view.size(); ++i) {
    shape.names.append(names[i]).push_back('\0');
    shape.fields.push_back({names[i], view.type(i)});
  }
  return shape;
}

std::string populateRecord(const PopulatedShape& shape, const StringValue* base, std::string_view object) {
  std::unordered_map<std::string, std::string_view> given;  // of keys that are the same the last one counts
  forEachJsonField(object, [&](std::string_view key, std::string_view value) {
    given[std::string(key)] = value;
    return true;
  });
  const std::string nothing = RecordBuilder(0).finish();
  const RecordView before(base != nullptr ? *base : StringValue::refer(nothing, StringValue::Storage::Temporary));
  RecordBuilder builder(shape.definition, shape.names);
  for (size_t i = 0; i < shape.fields.size(); ++i) {
    const RecordField& field = shape.fields[i];
    const bool was_there = i < before.size() && !before.isNull(i);
    const auto found = given.find(field.name);
    if (found == given.end()) {
      was_there ? builder.add(before.type(i), before.at(i)) : builder.addNull(field.type);
    } else if (jsonKindOf(found->second) == JsonKind::Null) {
      builder.addNull(field.type);
    } else {
      const RegisterPair pair = was_there ? before.at(i) : RegisterPair{};
      const StringValue record(pair.lo, pair.hi);
      builder.add(
          valueOf(field.type, field.name, was_there && field.type.isRecord() ? &record : nullptr, found->second));
    }
  }
  return builder.finish();
}

}  // namespace gnomon::sql
