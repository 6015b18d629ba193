#include "sql/regex/regex_iteration.h"

#include <algorithm>

#include "base/cancel_scope.h"

namespace gnomon::sql {

RegexIteration::RegexIteration(RegexMatcher& matcher, const RegexNode& node, size_t begin, size_t end)
    : matcher_(matcher),
      node_(node),
      child_(node.children[0]),
      begin_(begin),
      end_(end),
      low_(static_cast<size_t>(std::max(node.low, 1))),
      is_shorter_(child_.prefers_shorter),
      ends_{begin},
      limit_(is_shorter_ ? begin : end) {}

/// For a text of nothing no repetition at all is the shortest; else it is what is left when one of nothing is
/// impossible.
bool RegexIteration::run() {
  const bool may_be_none = node_.low == 0 && begin_ == end_;
  if (may_be_none && is_shorter_) return true;
  return search() || may_be_none;
}

bool RegexIteration::search() {
  for (;;) {
    const size_t end = findEnd();
    if (end == kNone) {
      giveUp();
      if (!stepBack()) return false;
      continue;
    }
    const size_t number = ends_.size();
    ends_.push_back(end);
    divided_ = std::min(divided_, number - 1);
    if (end == end_ && number >= low_ && divideRepetitions()) return true;
    if (end != end_ && !isDeadEnd(number, end)) {
      limit_ = is_shorter_ ? end : end_;
      continue;
    }
    if (!stepBack()) return false;
  }
}

size_t RegexIteration::findEnd() {
  pollCancel();
  const size_t number = ends_.size();
  const size_t begin = ends_.back();
  RegexAutomaton& automaton = matcher_.automatonOf(child_);
  if (!is_shorter_) return automaton.longest(matcher_.text_, begin, limit_, matcher_);
  if (limit_ == begin && limit_ != end_ && !mayBeEmpty(number, begin)) limit_ = matcher_.behind(limit_);
  if (node_.high >= 0 && number >= static_cast<size_t>(node_.high)) limit_ = end_;
  return automaton.shortest(matcher_.text_, begin, limit_, end_, matcher_);
}

/// Repetition `number` ends here, and that is not the end of all.
bool RegexIteration::isDeadEnd(size_t number, size_t end) {
  if (node_.high >= 0 && number >= static_cast<size_t>(node_.high)) {
    // One that ends earlier does not reach the end either.
    ends_.pop_back();
    giveUp();
    return true;
  }
  if (!is_shorter_ && end == ends_[number - 1] && !mayBeEmpty(number, end)) return true;
  return dead_ends_.contains(keyOf(number + 1, end));
}

/// The repetition behind the last one has no end that works.
void RegexIteration::giveUp() {
  if (!child_.has_back_references) dead_ends_.insert(keyOf(ends_.size(), ends_.back()));
}

bool RegexIteration::stepBack() {
  for (; ends_.size() > 1; giveUp()) {
    const size_t number = ends_.size() - 1;
    const size_t last = ends_.back();
    const size_t begin = ends_[number - 1];
    ends_.pop_back();
    if (is_shorter_) {
      if (last >= end_) continue;
      limit_ = matcher_.behind(last);
      return true;
    }
    if (last <= begin) continue;
    limit_ = matcher_.before(last);
    if (limit_ > begin || mayBeEmpty(number, begin)) return true;
  }
  return false;
}

bool RegexIteration::divideRepetitions() {
  const size_t count = ends_.size() - 1;
  for (size_t i = child_.has_back_references ? divided_ + 1 : count; i <= count; ++i) {
    matcher_.clearGroups(child_);
    if (!matcher_.divide(child_, ends_[i - 1], ends_[i])) {
      ends_.resize(i + 1);
      return false;
    }
    divided_ = i;
  }
  return true;
}

/// Only where the characters that are left are too few for the repetitions that are.
bool RegexIteration::mayBeEmpty(size_t number, size_t at) const {
  if (number >= low_) return false;
  size_t left = 0;
  for (; at < end_ && left <= low_; at = matcher_.behind(at)) ++left;
  return low_ - number >= left;
}

/// Without an upper bound what comes behind the least number is all the same.
uint64_t RegexIteration::keyOf(size_t number, size_t begin) const {
  const size_t counted = node_.high < 0 ? std::min(number, low_ + 1) : number;
  return uint64_t{begin} << 9 | counted;
}

}  // namespace gnomon::sql
