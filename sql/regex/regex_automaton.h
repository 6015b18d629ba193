#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sql/regex/regex_program.h"

namespace gnomon::sql {

/// Says whether a look around holds at a byte of the text.
class RegexLookAroundTest {
 public:
  virtual ~RegexLookAroundTest() = default;
  virtual bool holds(uint32_t number, size_t at) = 0;
};

/// A fragment of a program as a deterministic automaton, whose states are made when a text first leads there.
///
/// A state is the set of instructions at which the fragment may be, and what kind of character was read last, where
/// assertions ask for it. Whether the fragment ends at a place is known when the next character is seen.
/// Shape: transitions are 32 bits: the next state (29, 0: none) | is fresh | ends before the character | is known.
/// Positions are bytes, at the beginning of characters. Threads: one.
class RegexAutomaton {
 public:
  /// `is_search`: the fragment may begin anywhere at or behind the beginning.
  RegexAutomaton(const RegexProgram& program, const RegexFragment& fragment, bool is_search);

  static constexpr size_t kNone = SIZE_MAX;

  /// The last end of a match from `begin` on that is at most `limit`; kNone: there is none.
  size_t longest(std::string_view text, size_t begin, size_t limit, RegexLookAroundTest& test);
  /// The first end that is at least `least`. `fresh`, if not null: the last place up to it where no match had begun.
  size_t shortest(std::string_view text, size_t begin, size_t least, size_t limit, RegexLookAroundTest& test,
                  size_t* fresh = nullptr);
  /// Every end from `least` to `limit`, ascending.
  void allEnds(std::string_view text, size_t begin, size_t least, size_t limit, RegexLookAroundTest& test,
               std::vector<uint32_t>& ends);

 private:
  using Transition = uint32_t;
  static constexpr Transition kIsKnown = 1;
  static constexpr Transition kEnds = 2;
  static constexpr Transition kIsFresh = 4;
  static constexpr unsigned kStateShift = 3;
  static constexpr size_t kStateBytesMax = 4 << 20;

  /// Kinds of characters, and of the text's ends, as assertions see them.
  static constexpr uint32_t kTextEdge = 1;
  static constexpr uint32_t kNewline = 2;
  static constexpr uint32_t kWord = 4;

  /// What is at a place of the text.
  struct Seen {
    uint32_t code_class;
    uint32_t bytes;
  };

  /// Calls at(place, transition) for the places from `begin` to `limit`, until it returns false or nothing can follow.
  /// Of places in a row at which a state leads to itself, and nothing ends, the first and the last will do.
  template <typename At>
  void walk(std::string_view text, size_t begin, size_t limit, RegexLookAroundTest& test, At&& at);
  [[nodiscard]] size_t behindLoop(std::string_view text, size_t place, size_t limit, const Transition* row,
                                  Transition loop) const;
  [[nodiscard]] Seen seenAt(std::string_view text, size_t at) const;
  [[nodiscard]] uint32_t kindBefore(std::string_view text, size_t at) const;
  [[nodiscard]] uint32_t kindOf(uint32_t code_class) const { return kinds_[code_class]; }
  uint32_t beginState(std::string_view text, size_t begin);
  Transition step(uint32_t state, uint32_t code_class, size_t at, RegexLookAroundTest& test);
  /// Adds what is reached from an instruction without a look at the text.
  void addReached(uint32_t instruction);
  void add(uint32_t instruction);
  [[nodiscard]] bool holds(RegexAssertion which, uint32_t before, uint32_t after) const;
  uint32_t intern(uint32_t kind);
  void forget();

  struct KeyHash {
    size_t operator()(const std::vector<uint32_t>& key) const;
  };

  const RegexProgram& program_;
  const CodePointClasses& classes_;
  const RegexFragment fragment_;
  const bool is_search_;
  bool sees_edges_ = false;      ///< kinds matter at all
  std::vector<uint32_t> kinds_;  ///< by class
  /// A state's key: the kind before it, then its instructions, ascending.
  std::unordered_map<std::vector<uint32_t>, uint32_t, KeyHash> numbers_;
  std::vector<const std::vector<uint32_t>*> states_;
  std::vector<Transition> transitions_;  ///< a row a state
  uint32_t begin_states_[8] = {};        ///< by the kind before; 0: not made yet
  size_t state_bytes_ = 0;
  uint32_t generation_ = 0;  ///< how often all states were forgotten
  // Of the step at hand.
  std::vector<uint32_t> reached_, pending_;
  std::vector<uint32_t> marks_;  ///< by instruction: the last round that met it
  uint32_t round_ = 0;
};

}  // namespace gnomon::sql
