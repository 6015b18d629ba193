#include "sql/regex/regex_matcher.h"

#include <algorithm>

#include "base/cancel_scope.h"
#include "sql/regex/regex_iteration.h"
#include "sql/types/text.h"

namespace gnomon::sql {

RegexMatcher::RegexMatcher(const RegexProgram& program)
    : program_(program),
      groups_(program.group_count + 1),
      search_(std::make_unique<RegexAutomaton>(program, program.root.fragment, true)),
      whole_(std::make_unique<RegexAutomaton>(program, program.root.fragment, false)),
      look_around_results_(program.look_arounds.size()) {}

void RegexMatcher::setText(std::string_view text) {
  text_ = text;
  for (LookAroundResults& results : look_around_results_) results = {};
}

bool RegexMatcher::find(size_t start, Wanted wanted) {
  return program_.has_back_references ? findByDividing(start) : findByAutomaton(start, wanted);
}

/// The first end of any match, and where no match had begun before it, say where the first match can begin.
bool RegexMatcher::findByAutomaton(size_t start, Wanted wanted) {
  size_t begin = 0;
  const size_t close = search_->shortest(text_, start, start, text_.size(), *this, &begin);
  if (close == kNone) return false;
  if (wanted == Wanted::Existence) return true;
  size_t end = kNone;
  for (; begin <= close; begin = behind(begin)) {
    pollCancel();
    end = program_.root.prefers_shorter ? whole_->shortest(text_, begin, begin, text_.size(), *this)
                                        : whole_->longest(text_, begin, text_.size(), *this);
    if (end != kNone) break;
  }
  std::ranges::fill(groups_, Span());
  groups_[0] = {begin, end};
  return wanted == Wanted::Extent || program_.group_count == 0 || divide(program_.root, begin, end);
}

/// As in PostgreSQL, the end of the text is no place to begin at once what might have begun before it has failed.
bool RegexMatcher::findByDividing(size_t start) {
  do {
    size_t begin = 0;
    const size_t close = search_->shortest(text_, start, start, text_.size(), *this, &begin);
    if (close == kNone) return false;
    for (; begin <= close; begin = behind(begin))
      if (divideFrom(begin)) return true;
    start = behind(close);
  } while (start < text_.size());
  return false;
}

/// Tries every end that the automaton knows for matches from here on.
bool RegexMatcher::divideFrom(size_t begin) {
  size_t least = begin;
  size_t limit = text_.size();
  for (;;) {
    pollCancel();
    const size_t end = program_.root.prefers_shorter ? whole_->shortest(text_, begin, least, limit, *this)
                                                     : whole_->longest(text_, begin, limit, *this);
    if (end == kNone) return false;
    std::ranges::fill(groups_, Span());
    if (divide(program_.root, begin, end)) {
      groups_[0] = {begin, end};
      return true;
    }
    if (program_.root.prefers_shorter) {
      if (end == limit) return false;
      least = behind(end);
    } else {
      if (end == begin) return false;
      limit = before(end);
    }
  }
}

size_t RegexMatcher::before(size_t at) const {
  do --at;
  while (at > 0 && (static_cast<unsigned char>(text_[at]) & 0xc0) == 0x80);
  return at;
}

size_t RegexMatcher::behind(size_t at) const {
  return at < text_.size() ? at + characterBytes(static_cast<unsigned char>(text_[at])) : at + 1;
}

RegexAutomaton& RegexMatcher::automatonOf(const RegexNode& node) {
  return automatonOf(node.fragment, false);
}

RegexAutomaton& RegexMatcher::automatonOf(const RegexFragment& fragment, bool is_search) {
  std::unique_ptr<RegexAutomaton>& automaton = automata_[{fragment.entry, fragment.exit}];
  if (!automaton) automaton = std::make_unique<RegexAutomaton>(program_, fragment, is_search);
  return *automaton;
}

bool RegexMatcher::spans(const RegexNode& node, size_t begin, size_t end) {
  return automatonOf(node).longest(text_, begin, end, *this) == end;
}

bool RegexMatcher::holds(uint32_t number, size_t at) {
  const RegexLookAround& look_around = program_.look_arounds[number];
  RegexAutomaton& automaton = automatonOf(look_around.fragment, look_around.is_behind);
  LookAroundResults& results = look_around_results_[number];
  if (look_around.is_behind) return lookBehind(automaton, results, at) != look_around.is_negated;
  if (results.known.empty()) {
    results.known.resize(text_.size() + 1);
    results.held.resize(text_.size() + 1);
  }
  if (!results.known[at]) {
    results.held[at] = automaton.shortest(text_, at, at, text_.size(), *this) != kNone;
    results.known[at] = true;
  }
  return results.held[at] != look_around.is_negated;
}

/// All places up to twice as far are worked out at once, so that a walk through the text costs its length.
bool RegexMatcher::lookBehind(RegexAutomaton& automaton, LookAroundResults& results, size_t at) {
  constexpr size_t kLeast = 256;
  if (at >= results.held.size()) {
    const size_t limit = std::min(std::max(2 * at, kLeast), text_.size());
    std::vector<uint32_t> ends;
    automaton.allEnds(text_, 0, 0, limit, *this, ends);
    results.held.assign(limit + 1, false);
    for (const uint32_t end : ends) results.held[end] = true;
  }
  return results.held[at];
}

bool RegexMatcher::divide(const RegexNode& node, size_t begin, size_t end) {
  if (!divideContent(node, begin, end)) return false;
  if (node.capture != 0) groups_[node.capture] = {begin, end};
  return true;
}

bool RegexMatcher::divideContent(const RegexNode& node, size_t begin, size_t end) {
  using Kind = RegexNode::Kind;
  switch (node.kind) {
    case Kind::Plain:
      return true;
    case Kind::Concatenation:
      return divideConcatenation(node, begin, end);
    case Kind::Alternation:
      return divideAlternation(node, begin, end);
    case Kind::Iteration:
      return RegexIteration(*this, node, begin, end).run();
    case Kind::BackReference:
      return divideBackReference(node, begin, end);
    case Kind::Capture:
      return divide(node.children[0], begin, end);
  }
  return false;
}

bool RegexMatcher::divideConcatenation(const RegexNode& node, size_t begin, size_t end) {
  const RegexNode& left = node.children[0];
  RegexAutomaton& automaton = automatonOf(left);
  const size_t first = left.prefers_shorter ? automaton.shortest(text_, begin, begin, end, *this)
                                            : automaton.longest(text_, begin, end, *this);
  if (first == kNone) return false;
  if (divideAt(node, begin, first, end)) return true;
  std::vector<uint32_t> others;
  if (left.prefers_shorter) {
    if (first == end) return false;
    automaton.allEnds(text_, begin, behind(first), end, *this, others);
  } else {
    if (first == begin) return false;
    automaton.allEnds(text_, begin, begin, before(first), *this, others);
    std::ranges::reverse(others);
  }
  return std::ranges::any_of(others, [&](uint32_t middle) { return divideAt(node, begin, middle, end); });
}

bool RegexMatcher::divideAt(const RegexNode& node, size_t begin, size_t middle, size_t end) {
  pollCancel();
  const RegexNode& left = node.children[0];
  if (!spans(node.children[1], middle, end) || !divide(left, begin, middle)) return false;
  if (divide(node.children[1], middle, end)) return true;
  clearGroups(left);
  return false;
}

bool RegexMatcher::divideAlternation(const RegexNode& node, size_t begin, size_t end) {
  return std::ranges::any_of(
      node.children, [&](const RegexNode& child) { return spans(child, begin, end) && divide(child, begin, end); });
}

bool RegexMatcher::divideBackReference(const RegexNode& node, size_t begin, size_t end) {
  const Span group = groups_[node.reference];
  if (!group.isSet()) return false;
  if (group.isEmpty()) return begin == end;
  if (begin == end) return node.low == 0;
  const size_t bytes = group.bytes();
  if ((end - begin) % bytes != 0) return false;
  const size_t count = (end - begin) / bytes;
  if (count < static_cast<size_t>(node.low)) return false;
  if (node.high >= 0 && count > static_cast<size_t>(node.high)) return false;
  const std::string_view wanted = text_.substr(group.begin, bytes);
  for (; begin < end; begin += bytes)
    if (!areEqual(text_.substr(begin, bytes), wanted)) return false;
  return true;
}

/// Of one length in bytes: letters of other cases are as long in the locale C.
bool RegexMatcher::areEqual(std::string_view left, std::string_view right) const {
  if (!program_.is_caseless) return left == right;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(left, right, {}, lower, lower);
}

void RegexMatcher::clearGroups(const RegexNode& node) {
  if (!node.has_captures) return;
  if (node.capture != 0) groups_[node.capture] = {};
  for (const RegexNode& child : node.children) clearGroups(child);
}

}  // namespace gnomon::sql
