#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sql/regex/regex_options.h"
#include "sql/regex/regex_program.h"

namespace gnomon::sql {

class RegexMatcher;

/// A regular expression, compiled: PostgreSQL's AREs, EREs, BREs and literal texts, with its rules of what is matched.
///
/// Threads: any, at once.
class Regex {
 public:
  /// Failure: 2201B.
  Regex(std::string_view pattern, const RegexOptions& options);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  [[nodiscard]] uint32_t groupCount() const { return program_.group_count; }
  [[nodiscard]] const RegexOptions& options() const { return options_; }
  /// Failure: 57014.
  [[nodiscard]] bool isMatch(std::string_view text) const;

 private:
  friend class RegexScan;

  std::unique_ptr<RegexMatcher> takeMatcher() const;
  void giveBack(std::unique_ptr<RegexMatcher> matcher) const;

  /// Matchers that nobody uses: what they have learnt of the expression is of use to the next. A thread looks into
  /// one place of these alone.
  static constexpr size_t kPlaces = 16;

  const RegexOptions options_;
  const RegexProgram program_;
  mutable std::array<std::atomic<RegexMatcher*>, kPlaces> idle_{};
};

/// The matches of an expression in a text, both of which outlive it. Threads: one.
class RegexScan {
 public:
  /// Bytes of the text; begin kNone: the group took no part.
  struct Span {
    static constexpr size_t kNone = SIZE_MAX;
    size_t begin = kNone;
    size_t end = kNone;

    [[nodiscard]] bool isSet() const { return begin != kNone; }
    [[nodiscard]] bool isEmpty() const { return begin == end; }
    [[nodiscard]] size_t bytes() const { return end - begin; }
  };
  /// What is wanted of a match: cheaper from right to left.
  enum class Wanted : uint8_t { Existence, Extent, Groups };

  RegexScan(const Regex& regex, std::string_view text, Wanted wanted);
  ~RegexScan();
  RegexScan(const RegexScan&) = delete;
  RegexScan& operator=(const RegexScan&) = delete;

  /// The first match that begins at this byte or behind it, which is at the beginning of a character or the text's end.
  /// What stands before it is seen by ^, \y and lookbehinds. Failure: 57014.
  bool find(size_t start);
  /// Of the match found last: 0 is the whole. A group's number is at most the expression's count.
  [[nodiscard]] Span group(size_t number) const;
  [[nodiscard]] std::string_view textOf(Span span) const { return text_.substr(span.begin, span.bytes()); }
  /// Where to look for the next match: behind this one, or a character on when it is empty. Nothing: nowhere.
  [[nodiscard]] std::optional<size_t> nextStart() const;

 private:
  const Regex& regex_;
  const std::string_view text_;
  const Wanted wanted_;
  std::unique_ptr<RegexMatcher> matcher_;
};

/// The expression of a pattern, with options, that this thread has used lately, or a new one; it is there until the
/// next call.
const Regex& recentRegex(std::string_view pattern, const RegexOptions& options);

}  // namespace gnomon::sql
