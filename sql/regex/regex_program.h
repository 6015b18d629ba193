#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "sql/regex/regex_tree.h"

namespace gnomon::sql {

/// The code points, cut into classes whose members no set of an expression tells apart.
class CodePointClasses {
 public:
  /// Of sets that are distinct.
  explicit CodePointClasses(const std::vector<CodePointSet>& sets);

  /// Beside those of code points there is one more, the text's end.
  [[nodiscard]] uint32_t count() const { return count_; }
  [[nodiscard]] uint32_t endOfText() const { return count_ - 1; }
  [[nodiscard]] uint32_t ofAscii(unsigned char c) const { return ascii_[c]; }
  [[nodiscard]] uint32_t of(char32_t c) const;
  [[nodiscard]] bool isMember(uint32_t set, uint32_t code_class) const {
    const size_t bit = size_t{set} * count_ + code_class;
    return (members_[bit / 64] >> (bit % 64) & 1) != 0;
  }

 private:
  void cut(const std::vector<CodePointSet>& sets);

  std::vector<char32_t> begins_;   ///< of ranges of one class each, ascending from 0 on
  std::vector<uint32_t> classes_;  ///< of those
  uint32_t count_ = 0;
  std::array<uint32_t, 128> ascii_{};
  std::vector<uint64_t> members_;  ///< a bit a set and class
};

/// One step of a nondeterministic automaton.
struct RegexInstruction {
  enum class Kind : uint8_t {
    Nothing,     ///< goes on
    Split,       ///< goes on in two ways
    Characters,  ///< takes one of set `operand`
    Assertion,   ///< `operand`: a RegexAssertion
    LookAround,  ///< `operand`: its number
  };
  static constexpr uint32_t kNowhere = UINT32_MAX;

  Kind kind = Kind::Nothing;
  uint32_t operand = 0;
  uint32_t next = kNowhere;
  uint32_t other = kNowhere;  ///< of Split
};

/// A part of a program: it matches what leads from `entry` to `exit`.
struct RegexFragment {
  uint32_t entry = 0;
  uint32_t exit = 0;
};

/// A part of the expression with captures, back references or mixed preferences inside; how a match of it is divided
/// among its children.
struct RegexNode {
  enum class Kind : uint8_t {
    Plain,          ///< nothing to divide
    Concatenation,  ///< of two
    Alternation,
    Iteration,      ///< of its child, `low` to `high` times
    BackReference,  ///< to group `reference`, `low` to `high` times
    Capture,        ///< of its child, which captures, too
  };

  Kind kind = Kind::Plain;
  bool prefers_shorter = false;
  bool has_captures = false;         ///< here or below
  bool has_back_references = false;  ///< likewise
  int low = 1;
  int high = 1;
  uint32_t capture = 0;  ///< the group that this is; 0: none
  uint32_t reference = 0;
  RegexFragment fragment;
  std::vector<RegexNode> children;
};

struct RegexLookAround {
  RegexFragment fragment;
  bool is_behind = false;
  bool is_negated = false;
};

/// An expression as an automaton, and as the tree by which PostgreSQL divides a match.
struct RegexProgram {
  /// Failure: 2201B, as too complex.
  explicit RegexProgram(const RegexTree& tree);

  static constexpr size_t kInstructionsMax = 65'000;

  std::vector<RegexInstruction> instructions;
  std::vector<CodePointSet> sets;
  std::vector<RegexLookAround> look_arounds;
  RegexNode root;
  uint32_t group_count = 0;
  bool has_back_references = false;
  bool is_caseless = false;
  bool sees_lines = false;  ///< assertions ask for newlines, for characters of words
  bool sees_words = false;
  std::optional<CodePointClasses> classes;
};

}  // namespace gnomon::sql
