#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sql/regex/code_point_set.h"

namespace gnomon::sql {

/// What matches nothing, at some places only.
enum class RegexAssertion : uint8_t {
  TextBegin,
  TextEnd,
  LineBegin,
  LineEnd,
  WordBegin,
  WordEnd,
  WordEdge,
  NoWordEdge
};

/// Whether a quantifier takes as much as it can; {m} leaves it to what it repeats.
enum class RegexPreference : uint8_t { None, Longer, Shorter };

struct RegexPiece;

/// Alternatives, each a sequence of pieces.
struct RegexBranches {
  std::vector<std::vector<RegexPiece>> branches;
};

/// An atom and its quantifier, or a constraint.
struct RegexPiece {
  enum class Kind : uint8_t {
    Characters,     ///< one of `set`
    Assertion,      ///< `assertion`
    LookAround,     ///< `inner`, `is_behind`, `is_negated`
    Group,          ///< `inner`, `number` (0: captures nothing)
    BackReference,  ///< to group `number`
  };
  static constexpr int kUnlimited = -1;

  Kind kind = Kind::Characters;
  RegexAssertion assertion = RegexAssertion::TextBegin;
  bool is_behind = false;
  bool is_negated = false;
  RegexPreference preference = RegexPreference::None;
  int low = 1;
  int high = 1;  ///< kUnlimited: any number
  uint32_t number = 0;
  CodePointSet set = {};
  std::unique_ptr<RegexBranches> inner = nullptr;
};

/// A parsed expression.
struct RegexTree {
  RegexBranches root;
  uint32_t group_count = 0;  ///< that capture
  bool has_back_references = false;
  bool is_caseless = false;  ///< back references are compared so
};

}  // namespace gnomon::sql
