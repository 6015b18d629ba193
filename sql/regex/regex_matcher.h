#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/regex/regex.h"
#include "sql/regex/regex_automaton.h"

namespace gnomon::sql {

/// Finds matches in a text and divides them among the groups.
///
/// Source: PostgreSQL's rules ("Regular Expression Matching Rules" in its documentation): the match that begins first;
/// of those the longest, or shortest, as the expression prefers; inside, what begins earlier takes as much, or as
/// little, as it can while the rest still matches. As there, an atom is divided in one way alone, even where a back
/// reference behind it would match if it were divided in another.
/// Cost: without back references polynomial. Threads: one.
class RegexMatcher : public RegexLookAroundTest {
 public:
  using Span = RegexScan::Span;
  using Wanted = RegexScan::Wanted;

  explicit RegexMatcher(const RegexProgram& program);

  void setText(std::string_view text);
  bool find(size_t start, Wanted wanted);
  [[nodiscard]] Span group(size_t number) const { return groups_[number]; }

  bool holds(uint32_t number, size_t at) override;

 private:
  static constexpr size_t kNone = RegexAutomaton::kNone;

  /// Whether a look around holds at each place. Lookbehinds are known as far as `held` goes.
  struct LookAroundResults {
    std::vector<bool> known, held;
  };

  bool findByAutomaton(size_t start, Wanted wanted);
  bool findByDividing(size_t start);
  bool divideFrom(size_t begin);
  RegexAutomaton& automatonOf(const RegexNode& node);
  RegexAutomaton& automatonOf(const RegexFragment& fragment, bool is_search);
  [[nodiscard]] bool spans(const RegexNode& node, size_t begin, size_t end);
  bool lookBehind(RegexAutomaton& automaton, LookAroundResults& results, size_t at);

  /// Whether what the node may match from `begin` to `end` can be divided; sets the groups.
  bool divide(const RegexNode& node, size_t begin, size_t end);
  bool divideContent(const RegexNode& node, size_t begin, size_t end);
  bool divideConcatenation(const RegexNode& node, size_t begin, size_t end);
  bool divideAt(const RegexNode& node, size_t begin, size_t middle, size_t end);
  bool divideAlternation(const RegexNode& node, size_t begin, size_t end);
  bool divideBackReference(const RegexNode& node, size_t begin, size_t end);
  bool areEqual(std::string_view left, std::string_view right) const;
  void clearGroups(const RegexNode& node);
  [[nodiscard]] size_t before(size_t at) const;
  [[nodiscard]] size_t behind(size_t at) const;

  friend class RegexIteration;

  const RegexProgram& program_;
  std::string_view text_;
  std::vector<Span> groups_;
  std::unique_ptr<RegexAutomaton> search_, whole_;
  std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<RegexAutomaton>> automata_;
  std::vector<LookAroundResults> look_around_results_;
};

}  // namespace gnomon::sql
