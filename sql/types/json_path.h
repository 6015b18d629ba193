#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/types/big_numeric.h"

namespace gnomon::sql {

/// What a part of a path is. Those from Or to Exists are predicates.
enum class JsonPathKind : uint8_t {
  // Predicates
  Or,
  And,
  Not,
  IsUnknown,
  Equal,
  NotEqual,
  Less,
  Greater,
  LessOrEqual,
  GreaterOrEqual,
  StartsWith,
  LikeRegex,  ///< text: the pattern; flags
  Exists,
  // Arithmetic
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  Plus,
  Minus,
  // Values
  Null,
  Boolean,
  Number,
  String,    ///< text
  Variable,  ///< text: its name
  Root,
  Current,
  Last,
  // Accessors and methods, behind others
  Key,         ///< text
  AnyKey,      ///< .*
  AnyElement,  ///< [*]
  Index,       ///< arguments in pairs: from, to (null: the same)
  Any,         ///< .**{first to last}
  Filter,      ///< the argument
  Type,
  Size,
  Absolute,
  Floor,
  Ceiling,
  Double,
  Datetime,  ///< an argument: the template
  KeyValue,
};

/// A node and what is applied to its values.
struct JsonPathNode {
  JsonPathKind kind{};
  std::string text = {};
  std::string flags = {};
  BigNumeric number = {};
  bool boolean = false;
  uint32_t first = 0, last = 0;  ///< of Any; kLastLevel: the deepest
  std::vector<std::unique_ptr<JsonPathNode>> arguments = {};
  std::unique_ptr<JsonPathNode> next = nullptr;

  [[nodiscard]] bool isPredicate() const { return kind <= JsonPathKind::Exists && next == nullptr; }
  static constexpr uint32_t kLastLevel = std::numeric_limits<uint32_t>::max();
};
using JsonPathNodePtr = std::unique_ptr<JsonPathNode>;

/// A path of the SQL/JSON path language, as PostgreSQL 15 has it.
class JsonPath {
 public:
  /// Failure: 42601, 22P02, 22P05, 2201B, 0A000; 54001 when it is nested too deeply.
  static JsonPath parse(std::string_view text);

  [[nodiscard]] const JsonPathNode& root() const { return *root_; }
  [[nodiscard]] bool isLax() const { return is_lax_; }
  /// In PostgreSQL's spelling, which parses to the same.
  [[nodiscard]] std::string text() const;

 private:
  friend class JsonPathParser;
  JsonPathNodePtr root_;
  bool is_lax_ = true;
};

/// As it is written: "+", "==", "&&".
std::string_view jsonPathOperator(JsonPathKind kind);
/// A method's name: "type", "size".
std::string_view jsonPathMethod(JsonPathKind kind);

/// The options of like_regex's flags.
struct RegexOptions;
RegexOptions jsonPathRegexOptions(std::string_view flags);

}  // namespace gnomon::sql
