#include "sql/json/json_path_change.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

constexpr int32_t kBeforeAll = std::numeric_limits<int32_t>::min();

/// As strtol reads it.
std::optional<int32_t> integerIn(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || (text.front() >= '\t' && text.front() <= '\r')))
    text.remove_prefix(1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class Changer {
 public:
  Changer(const JsonPathSteps& steps, JsonPathChange change, std::optional<JsonbView> value)
      : steps_(steps), change_(change), value_(value) {}

  std::string run(JsonbView target) {
    add(target, 0);
    return builder_.finish();
  }

 private:
  /// The value, changed at the end of the steps from `level` on.
  void add(JsonbView value, size_t level) {
    if (!steps_[level])
      throw SqlError(sqlstate::kNullValueNotAllowed, fmt::format("path element at position {} is null", level + 1));
    if (value.isObject()) return addObject(value, level);
    if (value.isArray()) return addArray(value, level);
    if (fills())
      throw SqlError(sqlstate::kInvalidParameterValue, "cannot replace existing key")
          .detail("The path assumes key is a composite object, but it is a scalar value.");
    builder_.value(value);
  }

  void addObject(JsonbView object, size_t level) {
    const std::string& wanted = *steps_[level];
    const auto found = object.findKey(wanted);
    builder_.beginObject();
    for (size_t i = 0; i < object.size(); ++i) {
      if (i != found) {
        builder_.key(object.key(i));
        builder_.value(object.value(i));
        continue;
      }
      if (!isLast(level)) {
        builder_.key(wanted);
        add(object.value(i), level + 1);
        continue;
      }
      if (inserts())
        throw SqlError(sqlstate::kInvalidParameterValue, "cannot replace existing key")
            .hint("Try using the function jsonb_set to replace key value.");
      if (change_ == JsonPathChange::Delete) continue;
      builder_.key(wanted);
      builder_.value(*value_);
    }
    if (!found && isLast(level) && createsOrInserts()) {
      builder_.key(wanted);
      builder_.value(*value_);
    } else if (!found && !isLast(level) && fills()) {
      builder_.key(wanted);
      addMissing(level + 1);
    }
    builder_.endObject();
  }

  void addArray(JsonbView array, size_t level) {
    const auto count = static_cast<int32_t>(array.size());
    const int32_t index = elementIndex(count, level);
    builder_.beginArray();
    const bool is_first = (index == kBeforeAll || count == 0) && isLast(level) && createsOrInserts();
    if (is_first) {
      if (fills() && count == 0) addNulls(index);
      builder_.value(*value_);
    }
    bool is_done = is_first;
    for (int32_t i = 0; i < count; ++i) {
      const JsonbView element = array.at(static_cast<size_t>(i));
      if (i != index) {
        builder_.value(element);
        continue;
      }
      is_done = true;
      isLast(level) ? changeElement(element) : add(element, level + 1);
    }
    if (!is_done && isLast(level) && createsOrInserts()) {
      if (fills()) addNulls(index - count);
      builder_.value(*value_);
    } else if (!is_done && !isLast(level) && fills()) {
      if (index > 0) addNulls(index - count);
      addMissing(level + 1);
    }
    builder_.endArray();
  }

  int32_t elementIndex(int32_t count, size_t level) const {
    const auto given = integerIn(*steps_[level]);
    if (!given)
      throw SqlError(sqlstate::kInvalidTextRepresentation,
                     fmt::format("path element at position {} is not an integer: \"{}\"", level + 1, *steps_[level]));
    if (*given < 0 && -int64_t{*given} > count) {
      if (fills())
        throw SqlError(sqlstate::kInvalidParameterValue,
                       fmt::format("path element at position {} is out of range: {}", level + 1, *given));
      return kBeforeAll;
    }
    const int32_t index = *given < 0 ? *given + count : *given;
    return !fills() && index > count ? count : index;
  }

  void changeElement(JsonbView element) {
    const bool is_before = change_ == JsonPathChange::InsertBefore;
    if (change_ == JsonPathChange::InsertAfter) builder_.value(element);
    if (change_ != JsonPathChange::Delete) builder_.value(*value_);
    if (is_before) builder_.value(element);
  }

  /// The objects and arrays that the remaining steps name, and the value in the innermost.
  void addMissing(size_t level) {
    if (level == steps_.size() || !steps_[level]) return builder_.value(*value_);
    if (const auto index = integerIn(*steps_[level])) {
      builder_.beginArray();
      addNulls(*index);
      addMissing(level + 1);
      return builder_.endArray();
    }
    builder_.beginObject();
    builder_.key(*steps_[level]);
    addMissing(level + 1);
    builder_.endObject();
  }

  void addNulls(int32_t count) {
    for (int32_t i = 0; i < count; ++i) builder_.null();
  }

  [[nodiscard]] bool isLast(size_t level) const { return level + 1 == steps_.size(); }
  [[nodiscard]] bool fills() const { return change_ == JsonPathChange::Assign; }
  [[nodiscard]] bool inserts() const {
    return change_ == JsonPathChange::InsertBefore || change_ == JsonPathChange::InsertAfter;
  }
  [[nodiscard]] bool createsOrInserts() const { return fills() || inserts() || change_ == JsonPathChange::Create; }

  const JsonPathSteps& steps_;
  const JsonPathChange change_;
  const std::optional<JsonbView> value_;
  JsonbBuilder builder_;
};

}  // namespace

std::string changeJsonPath(JsonbView target, const JsonPathSteps& steps, JsonPathChange change,
                           std::optional<JsonbView> value) {
  return Changer(steps, change, value).run(target);
}

}  // namespace gnomon::sql
