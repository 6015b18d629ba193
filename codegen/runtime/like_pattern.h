#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon::codegen::rt {

/// A LIKE pattern taken apart once: the literal pieces between the % signs.
///
/// Source: PostgreSQL's LIKE (like_match.c) for meaning. Every piece is matched at its first occurrence, which is
/// enough because % is greedy-free; `_` matches one character.
/// Ownership: whoever built it, for as long as the plan; read by any number of threads.
/// Failure to build: 22025 "LIKE pattern must not end with escape character"; 22025 "invalid escape string".
class LikePattern {
 public:
  /// `escape` is one character or empty (no escape).
  LikePattern(std::string_view pattern, std::string_view escape, bool ignores_case);
  explicit LikePattern(std::string_view pattern, bool ignores_case = false)
      : LikePattern(pattern, "\\", ignores_case) {}
  LikePattern(const LikePattern&) = delete;
  LikePattern& operator=(const LikePattern&) = delete;

  [[nodiscard]] bool matches(std::string_view text) const;
  /// The bytes every matching text begins with (case-sensitive patterns): the bound of an index range.
  [[nodiscard]] std::string_view prefix() const;
  /// The pattern is a plain text: matching is equality with prefix().
  [[nodiscard]] bool isExact() const;

 private:
  /// Shape: `bytes` as they must appear; where `wildcards` (empty or as long) is set, the byte stands for one
  /// character.
  struct Piece {
    std::string bytes;
    std::vector<bool> wildcards;
    [[nodiscard]] bool hasWildcard() const { return !wildcards.empty(); }
  };

  [[nodiscard]] bool matchesFolded(std::string_view text) const;
  [[nodiscard]] static bool matchesAt(const Piece& piece, std::string_view text, size_t offset, size_t& end);
  [[nodiscard]] static size_t find(const Piece& piece, std::string_view text, size_t offset, size_t& end);
  [[nodiscard]] static bool matchesEnd(const Piece& piece, std::string_view text, size_t offset);

  std::vector<Piece> pieces_;  ///< between %; the first is anchored at the start, the last at the end; empty when %
  size_t length_min_ = 0;      ///< bytes a matching text has at least
  bool ignores_case_;
};

bool likeMatch(const LikePattern* pattern, uint64_t lo, uint64_t hi);
/// With a pattern known only at run time; the two-argument forms escape with a backslash.
bool likeStrings(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi);
bool ilikeStrings(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi);
bool likeStringsEscape(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi, uint64_t escape_lo,
                       uint64_t escape_hi);
bool ilikeStringsEscape(uint64_t lo, uint64_t hi, uint64_t pattern_lo, uint64_t pattern_hi, uint64_t escape_lo,
                        uint64_t escape_hi);

}  // namespace gnomon::codegen::rt
