/// The methods of paths, and like_regex.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/sql_error.h"
#include "sql/functions/datetime_picture.h"
#include "sql/json/json_path_execution.h"
#include "sql/regex/regex.h"
#include "sql/types/floating.h"
#include "sql/types/jsonb_builder.h"

namespace gnomon::sql {
namespace {

using Kind = JsonPathKind;

constexpr std::string_view kKindNames[] = {"null", "string", "number", "boolean", "array", "object"};

/// Where an object lies in PostgreSQL's own layout of a value, which keyvalue() shows as its id.
class PostgresLayout {
 public:
  static int64_t offsetOf(JsonbView object, JsonbView base) {
    PostgresLayout layout(object.bytes().data());
    layout.walk(base, 0);
    return layout.found_;
  }

 private:
  explicit PostgresLayout(const char* wanted) : wanted_(wanted) {}

  static int64_t aligned(int64_t offset) { return (offset + 3) & ~int64_t{3}; }
  /// The end of the array or object that begins there.
  int64_t walk(JsonbView container, int64_t begin) {
    if (container.bytes().data() == wanted_) found_ = begin;
    const auto count = static_cast<int64_t>(container.size());
    constexpr int64_t kHeader = 4, kEntry = 4;
    int64_t end = begin + kHeader + kEntry * (container.isObject() ? 2 * count : count);
    if (container.isObject())
      for (size_t i = 0; i < container.size(); ++i) end += static_cast<int64_t>(container.key(i).size());
    for (size_t i = 0; i < container.size(); ++i)
      end = part(container.isObject() ? container.value(i) : container.at(i), end);
    return end;
  }
  int64_t part(JsonbView value, int64_t begin) {
    switch (value.kind()) {
      case JsonKind::String:
        return begin + static_cast<int64_t>(value.payload().size());
      case JsonKind::Number:
        return aligned(begin) + numericBytes(BigNumeric::decode(value.payload()));
      case JsonKind::Array:
      case JsonKind::Object:
        return walk(value, aligned(begin));
      default:
        return begin;
    }
  }
  /// A header, and two bytes for each four digits beside the point but zeros at the ends.
  static int64_t numericBytes(const BigNumeric& number) {
    std::string text;
    number.absolute().appendText(text);
    const size_t point = std::min(text.find('.'), text.size());
    std::string digits = std::string((4 - point % 4) % 4, '0') + text.substr(0, point);
    const auto whole = static_cast<int64_t>(digits.size() / 4);
    if (point < text.size()) digits += text.substr(point + 1);
    digits.append((4 - digits.size() % 4) % 4, '0');
    int64_t first = 0, last = static_cast<int64_t>(digits.size() / 4);
    const auto isZero = [&](int64_t group) { return digits.compare(static_cast<size_t>(4 * group), 4, "0000") == 0; };
    while (first < last && isZero(first)) ++first;
    while (last > first && isZero(last - 1)) --last;
    const int64_t weight = first < last ? whole - first - 1 : 0;
    const bool is_short = number.scale() <= 63 && weight >= -64 && weight <= 63;
    return (is_short ? 6 : 8) + 2 * (last - first);
  }

  const char* const wanted_;
  int64_t found_ = 0;
};

}  // namespace

JsonPathExecution::Truth JsonPathExecution::matches(const Node& node, JsonbView text) const {
  if (!isText(text)) return Truth::Unknown;
  const Regex& regex = recentRegex(node.text, jsonPathRegexOptions(node.flags));
  return regex.isMatch(text.payload()) ? Truth::True : Truth::False;
}

JsonPathExecution::Outcome JsonPathExecution::runMethod(const Node& node, JsonbView value, Items* found, bool unwraps) {
  switch (node.kind) {
    case Kind::Type:
      return runType(node, value, found);
    case Kind::Size:
      return runSize(node, value, found);
    default:
      break;
  }
  if (unwraps && value.isArray()) return runOnElements(node, value, found);
  if (node.kind == Kind::KeyValue) return runKeyValue(node, value, found);
  if (node.kind == Kind::Datetime) return runDatetime(node, value, found);
  if (node.kind == Kind::Double && datetimeOf(value) != nullptr)
    return failed("22036", "jsonpath item method .double() can only be applied to a string or numeric value");
  return node.kind == Kind::Double ? runDouble(node, value, found) : runNumeric(node, value, found);
}

JsonPathExecution::Outcome JsonPathExecution::runType(const Node& node, JsonbView value, Items* found) {
  const JsonPathDatetime* const datetime = datetimeOf(value);
  const std::string_view name =
      datetime != nullptr ? jsonPathDatetimeName(datetime->kind) : kKindNames[static_cast<size_t>(value.kind())];
  return runNext(node, keep(jsonbString(name)), found);
}

JsonPathExecution::Outcome JsonPathExecution::runDatetime(const Node& node, JsonbView value, Items* found) {
  if (!isText(value)) return failed("22031", "jsonpath item method .datetime() can only be applied to a string");
  const auto datetime = node.arguments.empty() ? readJsonPathDatetime(value.payload())
                                               : datetimeByTemplate(value.payload(), node.arguments[0]->text);
  if (!datetime && !node.arguments.empty()) return Outcome::Error;
  if (!datetime) {
    if (!throws_) return Outcome::Error;
    throw SqlError(SqlState("22031"), fmt::format("datetime format is not recognized: \"{}\"", value.payload()))
        .hint("Use a datetime template argument to specify the input data format.");
  }
  const JsonbView made = keep(jsonbString(jsonPathDatetimeText(*datetime)));
  datetimes_.emplace(made.bytes().data(), *datetime);
  return runNext(node, made, found);
}

/// Nothing: an error, silently; but never one of the template.
std::optional<JsonPathDatetime> JsonPathExecution::datetimeByTemplate(std::string_view text,
                                                                      std::string_view picture) const {
  const std::vector<PictureNode>& nodes = standardDatetimePicture(picture);
  try {
    return readJsonPathDatetime(text, nodes);
  } catch (const SqlError&) {
    if (throws_) throw;
    return std::nullopt;
  }
}

JsonPathExecution::Outcome JsonPathExecution::runSize(const Node& node, JsonbView value, Items* found) {
  if (!value.isArray() && isStrict() && !ignores_structure_)
    return failed("22039", "jsonpath item method .size() can only be applied to an array");
  const size_t size = value.isArray() ? value.size() : 1;
  return runNext(node, keep(jsonbNumber(BigNumeric(static_cast<int128>(size)))), found);
}

JsonPathExecution::Outcome JsonPathExecution::runNumeric(const Node& node, JsonbView value, Items* found) {
  if (value.kind() != JsonKind::Number)
    return failed("22036", fmt::format("jsonpath item method .{}() can only be applied to a numeric value",
                                       jsonPathMethod(node.kind)));
  if (!node.next && found == nullptr) return Outcome::Ok;
  const BigNumeric number = BigNumeric::decode(value.payload());
  const BigNumeric result = node.kind == Kind::Absolute ? number.absolute()
                            : node.kind == Kind::Floor  ? number.floor()
                                                        : number.ceiling();
  return runNext(node, keep(jsonbNumber(result)), found);
}

JsonPathExecution::Outcome JsonPathExecution::runDouble(const Node& node, JsonbView value, Items* found) {
  const bool is_number = value.kind() == JsonKind::Number;
  if (!is_number && value.kind() != JsonKind::String)
    return failed("22036", "jsonpath item method .double() can only be applied to a string or numeric value");
  std::string text(value.payload());
  if (is_number) {
    text.clear();
    BigNumeric::decode(value.payload()).appendText(text);
  }
  double number = 0;
  try {
    number = parseDouble(text);
    if (!std::isfinite(number)) throw SqlError(sqlstate::kNumericValueOutOfRange, "");
  } catch (const SqlError&) {
    return failed("22036", is_number
                               ? "numeric argument of jsonpath item method .double() is out of range for type double "
                                 "precision"
                               : "string argument of jsonpath item method .double() is not a valid representation of "
                                 "a double precision number");
  }
  // A number stays as it is.
  const JsonbView result = is_number ? value : keep(jsonbNumber(BigNumeric::fromDouble(number)));
  return runNext(node, result, found);
}

JsonPathExecution::Outcome JsonPathExecution::runKeyValue(const Node& node, JsonbView value, Items* found) {
  if (!value.isObject()) return failed("2203C", "jsonpath item method .keyvalue() can only be applied to an object");
  if (value.size() == 0) return Outcome::NotFound;
  constexpr int64_t kObjectFactor = 10'000'000'000;
  const int64_t id = PostgresLayout::offsetOf(value, base_.object) + base_.number * kObjectFactor;
  Outcome outcome = Outcome::NotFound;
  for (size_t i = 0; i < value.size(); ++i) {
    outcome = Outcome::Ok;
    if (!node.next && found == nullptr) break;
    JsonbBuilder builder;
    builder.beginObject();
    builder.key("key");
    builder.string(value.key(i));
    builder.key("value");
    builder.value(value.value(i));
    builder.key("id");
    builder.number(BigNumeric(id));
    builder.endObject();
    const JsonbView pair = keep(builder.finish());
    const Base before = std::exchange(base_, Base{pair, made_objects_++});
    outcome = runNext(node, pair, found);
    base_ = before;
    if (outcome == Outcome::Error || (outcome == Outcome::Ok && found == nullptr)) break;
  }
  return outcome;
}

}  // namespace gnomon::sql
