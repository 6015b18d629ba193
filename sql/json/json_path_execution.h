#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sql/json/json_path_datetime.h"
#include "sql/types/json_path.h"
#include "sql/types/jsonb_value.h"

namespace gnomon::sql {

/// Runs a path over a value.
///
/// Source: PostgreSQL's jsonpath_exec.c, whose order of evaluation decides which errors are met.
class JsonPathExecution {
 public:
  struct Options {
    bool is_silent = false;  ///< errors of the path's make no answer
    bool has_zone = false;   ///< the session's zone is asked
    /// An object with the variables' values; nothing: every variable is null.
    std::optional<JsonbView> variables = std::nullopt;
  };

  JsonPathExecution(const JsonPath& path, JsonbView root, Options options);

  /// The values that the path leads to, which live as long as this; silently, those before an error.
  /// Failure, unless silent: 2203A, 22033, 22036, 22038, 22039, 2203B, 2203C, 22012 and others of arithmetic; always
  /// 42704 for a variable that is not there, 0A000.
  std::vector<JsonbView> query();
  /// Whether there is one; nothing: an error, silently.
  std::optional<bool> exists();

 private:
  enum class Outcome : uint8_t { Ok, NotFound, Error };
  enum class Truth : uint8_t { False, True, Unknown };
  using Items = std::vector<JsonbView>;
  using Node = JsonPathNode;

  // Values. `found`: where they go; null: all that is asked is whether there are some.
  Outcome run(const Node& node, JsonbView value, Items* found);
  Outcome runUnwrapping(const Node& node, JsonbView value, Items* found, bool unwraps);
  Outcome runLiteral(const Node& node, Items* found);
  Outcome runNext(const Node& node, JsonbView value, Items* found);
  /// On each element of an array, or value of an object, down to a level.
  Outcome runOnParts(const Node* node, JsonbView container, Items* found, uint32_t level, uint32_t first, uint32_t last,
                     bool ignores_structure, bool unwraps);
  Outcome runOnElements(const Node& node, JsonbView array, Items* found);
  /// The values with arrays replaced by their elements, in lax mode.
  Outcome runOperand(const Node& node, JsonbView value, bool unwraps, Items* found);
  Outcome runSilently(const Node& node, JsonbView value, bool unwraps, Items* found);
  Outcome runKey(const Node& node, JsonbView value, Items* found, bool unwraps);
  Outcome runAnyElement(const Node& node, JsonbView value, Items* found);
  Outcome runAnyKey(const Node& node, JsonbView value, Items* found, bool unwraps);
  Outcome runIndex(const Node& node, JsonbView value, Items* found);
  std::optional<int32_t> elementIndex(const Node& node, JsonbView value);
  Outcome runAny(const Node& node, JsonbView value, Items* found);
  Outcome runFilter(const Node& node, JsonbView value, Items* found, bool unwraps);
  Outcome runArithmetic(const Node& node, JsonbView value, Items* found);
  Outcome runSign(const Node& node, JsonbView value, Items* found);
  Outcome runMethod(const Node& node, JsonbView value, Items* found, bool unwraps);
  Outcome runType(const Node& node, JsonbView value, Items* found);
  Outcome runSize(const Node& node, JsonbView value, Items* found);
  Outcome runDatetime(const Node& node, JsonbView value, Items* found);
  [[nodiscard]] std::optional<JsonPathDatetime> datetimeByTemplate(std::string_view text,
                                                                   std::string_view picture) const;
  Outcome runNumeric(const Node& node, JsonbView value, Items* found);
  Outcome runDouble(const Node& node, JsonbView value, Items* found);
  Outcome runKeyValue(const Node& node, JsonbView value, Items* found);
  JsonbView variable(std::string_view name);

  // Predicates
  Truth test(const Node& node, JsonbView value);
  Truth testNested(const Node& node, JsonbView value);
  Truth testPair(const Node& node, JsonbView value);
  Truth testExists(const Node& node, JsonbView value);
  Truth holds(const Node& node, JsonbView left, std::optional<JsonbView> right);
  [[nodiscard]] Truth compare(JsonPathKind kind, JsonbView left, JsonbView right) const;
  [[nodiscard]] std::optional<int> orderOf(JsonbView left, JsonbView right) const;
  [[nodiscard]] Truth matches(const Node& node, JsonbView text) const;
  /// A text, and none that datetime() has made.
  [[nodiscard]] bool isText(JsonbView value) const {
    return value.kind() == JsonKind::String && datetimeOf(value) == nullptr;
  }
  /// Null: it is none.
  [[nodiscard]] const JsonPathDatetime* datetimeOf(JsonbView value) const {
    const auto found = datetimes_.find(value.bytes().data());
    return found == datetimes_.end() ? nullptr : &found->second;
  }

  /// A value that is made here.
  JsonbView keep(std::string bytes) { return JsonbView(made_.emplace_back(std::move(bytes))); }
  Outcome failed(const char (&state)[6], std::string message) const;
  [[nodiscard]] bool isStrict() const { return !path_.isLax(); }

  const JsonPath& path_;
  const JsonbView root_;
  const Options options_;
  bool throws_;
  bool ignores_structure_;  ///< errors of the structure, as lax mode does
  JsonbView current_;       ///< @
  std::optional<size_t> array_size_;
  /// Of what objects' ids in keyvalue() are told.
  struct Base {
    JsonbView object;
    int64_t number = 0;
  };
  Base base_;
  int64_t made_objects_;
  unsigned depth_ = 0;
  std::deque<std::string> made_;
  /// What datetime() has made, by where its text, among those, is.
  std::unordered_map<const char*, JsonPathDatetime> datetimes_;
};

}  // namespace gnomon::sql
