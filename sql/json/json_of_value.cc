#include "sql/json/json_of_value.h"

#include <algorithm>
#include <span>

#include "base/sql_error.h"
#include "sql/types/array_value.h"
#include "sql/types/date.h"
#include "sql/types/json_parser.h"
#include "sql/types/json_scanner.h"
#include "sql/types/json_text.h"
#include "sql/types/record_value.h"
#include "sql/types/timestamp.h"
#include "sql/types/timestamptz.h"

namespace gnomon::sql {
namespace {

StringValue stringOf(RegisterPair value) {
  return {value.lo, value.hi};
}

/// ISO 8601: a T before the time, minutes in the offset.
std::string datetimeText(Type type, RegisterPair value) {
  char buffer[kTimestampTzTextBytesMax];
  const auto number = static_cast<int64_t>(value.lo);
  if (type.kind == TypeKind::Date) return {buffer, printDate(static_cast<int32_t>(number), buffer)};
  if (type.kind == TypeKind::Timestamp) {
    std::string text(buffer, printTimestamp(number, buffer));
    if (isFiniteTimestamp(number)) text[text.find(' ')] = 'T';
    return text;
  }
  std::string text(buffer, printTimestampTz(number, buffer));
  if (!isFiniteTimestamp(number)) return text;
  const size_t time = text.find(' ');
  text[time] = 'T';
  const size_t offset = text.find_first_of("+-", time);
  const size_t end = std::min(text.find(' ', offset), text.size());
  constexpr size_t kHoursOnly = 3;
  if (end - offset == kHoursOnly) text.insert(end, ":00");
  return text;
}

bool isWrittenAsDatetime(TypeKind kind) {
  return kind == TypeKind::Date || kind == TypeKind::Timestamp || kind == TypeKind::TimestampTz;
}

std::string shownText(Type type, RegisterPair value) {
  std::string text;
  appendText(type, value.lo, value.hi, text);
  return text;
}

Type arrayElement(Type type) {
  return type.isVector() ? type.vectorArray().element() : type.element();
}

/// Visits an array's elements by dimension: what begins and ends, and each element.
template <typename Sink>
void walkArray(const ArrayView& array, size_t dimension, size_t& next, Sink& sink) {
  sink.begin(dimension);
  const auto dimensions = array.dimensions();
  const auto length = dimensions.empty() ? 0 : static_cast<size_t>(dimensions[dimension].length);
  for (size_t i = 0; i < length; ++i) {
    sink.separate(dimension, i);
    if (dimension + 1 < dimensions.size()) {
      walkArray(array, dimension + 1, next, sink);
      continue;
    }
    array.isNull(next) ? sink.null() : sink.value(array.element(), array.at(next));
    ++next;
  }
  sink.end();
}

struct TextSink {
  std::string& out;
  bool has_lines;
  void begin(size_t) { out += '['; }
  void separate(size_t dimension, size_t index) {
    if (index > 0) out += has_lines && dimension == 0 ? ",\n " : ",";
  }
  void end() { out += ']'; }
  void null() { out += "null"; }
  void value(Type type, RegisterPair value) { appendValueAsJson(type, value, out); }
};

struct BuilderSink {
  JsonbBuilder& builder;
  void begin(size_t) { builder.beginArray(); }
  void separate(size_t, size_t) {}
  void end() { builder.endArray(); }
  void null() { builder.null(); }
  void value(Type type, RegisterPair value) { addValueAsJsonb(type, value, builder); }
};

}  // namespace

void appendArrayAsJson(Type element, StringValue array, bool has_lines, std::string& out) {
  const ArrayView view(element, array);
  TextSink sink{out, has_lines};
  size_t next = 0;
  walkArray(view, 0, next, sink);
}

void appendRecordAsJson(StringValue record, bool has_lines, std::string& out) {
  const RecordView view(record);
  const std::vector<std::string> names = view.names();
  out += '{';
  for (size_t i = 0; i < view.size(); ++i) {
    if (i > 0) out += has_lines ? ",\n " : ",";
    appendJsonString(names[i], out);
    out += ':';
    if (view.isNull(i))
      out += "null";
    else
      appendValueAsJson(view.type(i), view.at(i), out);
  }
  out += '}';
}

void appendValueAsJson(Type type, RegisterPair value, std::string& out) {
  if (type.isRecord()) return appendRecordAsJson(stringOf(value), false, out);
  if (type.isArray() || type.isVector()) return appendArrayAsJson(arrayElement(type), stringOf(value), false, out);
  if (type.kind == TypeKind::Boolean) {
    out += (value.lo & 1) != 0 ? "true" : "false";
    return;
  }
  if (isWrittenAsDatetime(type.kind)) return appendJsonString(datetimeText(type, value), out);
  const std::string text = shownText(type, value);
  const bool is_json = type.kind == TypeKind::Json || type.kind == TypeKind::Jsonb;
  if (is_json || (type.isNumber() && isJsonNumber(text)))
    out += text;
  else
    appendJsonString(text, out);
}

namespace {

void addRecordAsJsonb(StringValue record, JsonbBuilder& builder) {
  const RecordView view(record);
  const std::vector<std::string> names = view.names();
  builder.beginObject();
  for (size_t i = 0; i < view.size(); ++i) {
    builder.key(names[i]);
    if (view.isNull(i))
      builder.null();
    else
      addValueAsJsonb(view.type(i), view.at(i), builder);
  }
  builder.endObject();
}

}  // namespace

void addValueAsJsonb(Type type, RegisterPair value, JsonbBuilder& builder) {
  if (type.isRecord()) return addRecordAsJsonb(stringOf(value), builder);
  if (type.isArray() || type.isVector()) {
    const ArrayView view(arrayElement(type), stringOf(value));
    BuilderSink sink{builder};
    size_t next = 0;
    return walkArray(view, 0, next, sink);
  }
  const StringValue string = stringOf(value);
  if (type.kind == TypeKind::Boolean) return builder.boolean((value.lo & 1) != 0);
  if (isWrittenAsDatetime(type.kind)) return builder.string(datetimeText(type, value));
  if (type.kind == TypeKind::Jsonb) return builder.value(JsonbView(string.view()));
  if (type.kind == TypeKind::Json) return parseJsonb(string.view(), builder);
  const std::string text = shownText(type, value);
  if (type.isNumber() && isJsonNumber(text))
    builder.number(BigNumeric::parse(text));
  else
    builder.string(text);
}

std::string jsonKeyText(Type type, RegisterPair value) {
  if (type.isArray() || type.isVector() || type.isRecord() || type.kind == TypeKind::Json ||
      type.kind == TypeKind::Jsonb)
    throw SqlError(sqlstate::kInvalidParameterValue, "key value must be scalar, not array, composite, or json");
  if (type.kind == TypeKind::Boolean) return (value.lo & 1) != 0 ? "true" : "false";
  return isWrittenAsDatetime(type.kind) ? datetimeText(type, value) : shownText(type, value);
}

}  // namespace gnomon::sql
