#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon::sql {

/// What a pattern is made of: characters of UTF-8, letters without regard to case, or bytes (of bytea).
enum class LikeUnit : uint8_t { Character, CaselessCharacter, Byte };

/// A LIKE pattern taken apart once: the literal pieces between the % signs.
///
/// Source: PostgreSQL's LIKE (like_match.c) for meaning. Every piece between two % is matched at its first occurrence:
/// a later one leaves less for the pieces that follow. `_` matches one
/// character, of bytea one byte.
/// Ownership: whoever built it, for as long as the plan; read by any number of threads.
/// Failure to build: 22025 "invalid escape string". Matching throws 22025 "LIKE pattern must not end with escape
/// character" when the match gets as far as that character, as PostgreSQL does.
class LikePattern {
 public:
  /// `escape` is one character or empty (no escape).
  LikePattern(std::string_view pattern, std::string_view escape, LikeUnit unit);
  explicit LikePattern(std::string_view pattern, LikeUnit unit = LikeUnit::Character)
      : LikePattern(pattern, "\\", unit) {}
  LikePattern(const LikePattern&) = delete;
  LikePattern& operator=(const LikePattern&) = delete;

  [[nodiscard]] bool matches(std::string_view text) const;
  /// The bytes every matching text begins with (case-sensitive patterns): the bound of an index range.
  [[nodiscard]] std::string_view prefix() const;
  /// The pattern is a plain text: matching is equality with prefix().
  [[nodiscard]] bool isExact() const;

 private:
  /// What stands between two %: literal characters and `_`.
  struct Piece {
    std::string bytes;            ///< the literals; one byte for a `_`
    std::vector<bool> wildcards;  ///< empty when there is no `_`, else whether the byte is one
    size_t characters = 0;
    LikeUnit unit = LikeUnit::Character;
    [[nodiscard]] bool hasWildcard() const { return !wildcards.empty(); }
    [[nodiscard]] bool isAllWildcards() const;
    void addLiteral(std::string_view character);
    void addWildcard();
    /// Matches at `offset`; `end` is the offset behind.
    [[nodiscard]] bool matchesAt(std::string_view text, size_t offset, size_t& end) const;
    /// The first match at or behind `offset`. False: none.
    [[nodiscard]] bool find(std::string_view text, size_t offset, size_t& end) const;
    /// Matches at the end of the text, no earlier than `offset`.
    [[nodiscard]] bool matchesEnd(std::string_view text, size_t offset) const;
  };

  [[nodiscard]] bool matchesCase(std::string_view text) const;
  [[nodiscard]] bool matchesUpToEscape(std::string_view text) const;

  std::vector<Piece> pieces_;  ///< one more than there are %; the first is anchored at the start, the last at the end
  LikeUnit unit_;
  bool ends_with_escape_ = false;
};

}  // namespace gnomon::sql
