#pragma once

#include <unordered_set>
#include <vector>

#include "sql/regex/regex_matcher.h"

namespace gnomon::sql {

/// Divides a text among the repetitions of a node's child.
///
/// Ends of repetitions are tried from the first on, the longest, or shortest, first; a repetition of nothing only
/// where the least number cannot be had otherwise. Once they reach the end, the repetitions are divided themselves.
/// Where that cannot fail, for want of back references, only the last one is, and dead ends are remembered.
class RegexIteration {
 public:
  RegexIteration(RegexMatcher& matcher, const RegexNode& node, size_t begin, size_t end);

  /// Sets the groups of the last repetition.
  bool run();

 private:
  static constexpr size_t kNone = RegexAutomaton::kNone;

  bool search();
  [[nodiscard]] size_t findEnd();
  bool isDeadEnd(size_t number, size_t end);
  /// Gives the last repetition that has one another end to try, and those behind it up. False: none has.
  bool stepBack();
  void giveUp();
  bool divideRepetitions();
  /// Repetition `number` may be of nothing at this place.
  [[nodiscard]] bool mayBeEmpty(size_t number, size_t at) const;
  [[nodiscard]] uint64_t keyOf(size_t number, size_t begin) const;

  RegexMatcher& matcher_;
  const RegexNode& node_;
  const RegexNode& child_;
  const size_t begin_, end_;
  const size_t low_;
  const bool is_shorter_;
  std::vector<size_t> ends_;  ///< the beginning of the first repetition, then the ends of those so far
  size_t limit_;              ///< where the next one ends at most, or, the shortest first, at least
  size_t divided_ = 0;        ///< repetitions that are
  std::unordered_set<uint64_t> dead_ends_;
};

}  // namespace gnomon::sql
