#include "sql/regex/regex_automaton.h"

#include <algorithm>

#include "base/cancel_scope.h"
#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

using Instruction = RegexInstruction;

/// Places after which a walk asks whether the statement is cancelled.
constexpr size_t kPlacesPerPoll = 1 << 16;

/// A character of valid UTF-8 that is not one of ASCII.
char32_t decode(std::string_view text, size_t at, uint32_t& bytes) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  bytes = static_cast<uint32_t>(std::min<size_t>(characterBytes(lead), text.size() - at));
  char32_t c = lead & (0xffU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) c = c << 6 | (byte(i) & 0x3fU);
  return c;
}

}  // namespace

RegexAutomaton::RegexAutomaton(const RegexProgram& program, const RegexFragment& fragment, bool is_search)
    : program_(program), classes_(*program.classes), fragment_(fragment), is_search_(is_search) {
  kinds_.assign(classes_.count(), 0);
  for (unsigned char c = 0; c < 128; ++c) {
    uint32_t& kind = kinds_[classes_.ofAscii(c)];
    if (program.sees_lines && c == '\n') kind |= kNewline;
    if (program.sees_words && codePointClass("word")->contains(c)) kind |= kWord;
  }
  kinds_[classes_.endOfText()] = kTextEdge;
  for (const Instruction& instruction : program.instructions)
    sees_edges_ |= instruction.kind == Instruction::Kind::Assertion;
  marks_.assign(program.instructions.size(), 0);
  forget();
}

size_t RegexAutomaton::KeyHash::operator()(const std::vector<uint32_t>& key) const {
  uint64_t hash = key.size();
  for (const uint32_t part : key) hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
  return static_cast<size_t>(hash ^ hash >> 32);
}

void RegexAutomaton::forget() {
  numbers_.clear();
  // State 0 is that nothing can follow.
  states_.assign(1, nullptr);
  transitions_.assign(classes_.count(), 0);
  std::ranges::fill(begin_states_, 0);
  state_bytes_ = 0;
  ++generation_;
}

RegexAutomaton::Seen RegexAutomaton::seenAt(std::string_view text, size_t at) const {
  if (at >= text.size()) return {classes_.endOfText(), 0};
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {classes_.ofAscii(lead), 1};
  Seen seen{};
  seen.code_class = classes_.of(decode(text, at, seen.bytes));
  return seen;
}

/// Characters beyond ASCII are of no kind.
uint32_t RegexAutomaton::kindBefore(std::string_view text, size_t at) const {
  if (!sees_edges_) return 0;
  if (at == 0) return kTextEdge;
  const auto last = static_cast<unsigned char>(text[at - 1]);
  return last < 0x80 ? kindOf(classes_.ofAscii(last)) : 0;
}

bool RegexAutomaton::holds(RegexAssertion which, uint32_t before, uint32_t after) const {
  const bool is_word_before = (before & kWord) != 0;
  const bool is_word_after = (after & kWord) != 0;
  switch (which) {
    case RegexAssertion::TextBegin:
      return (before & kTextEdge) != 0;
    case RegexAssertion::TextEnd:
      return (after & kTextEdge) != 0;
    case RegexAssertion::LineBegin:
      return (before & (kTextEdge | kNewline)) != 0;
    case RegexAssertion::LineEnd:
      return (after & (kTextEdge | kNewline)) != 0;
    case RegexAssertion::WordBegin:
      return !is_word_before && is_word_after;
    case RegexAssertion::WordEnd:
      return is_word_before && !is_word_after;
    case RegexAssertion::WordEdge:
      return is_word_before != is_word_after;
    case RegexAssertion::NoWordEdge:
      return is_word_before == is_word_after;
  }
  return false;
}

void RegexAutomaton::add(uint32_t instruction) {
  if (instruction == Instruction::kNowhere || marks_[instruction] == round_) return;
  marks_[instruction] = round_;
  pending_.push_back(instruction);
}

void RegexAutomaton::addReached(uint32_t first) {
  add(first);
  while (!pending_.empty()) {
    const uint32_t at = pending_.back();
    pending_.pop_back();
    const Instruction& instruction = program_.instructions[at];
    if (at != fragment_.exit && instruction.kind == Instruction::Kind::Nothing) {
      add(instruction.next);
    } else if (instruction.kind == Instruction::Kind::Split) {
      add(instruction.next);
      add(instruction.other);
    } else {
      reached_.push_back(at);
    }
  }
}

uint32_t RegexAutomaton::intern(uint32_t kind) {
  // What waits for the text's beginning waits in vain, now and for ever.
  if ((kind & kTextEdge) == 0)
    std::erase_if(reached_, [&](uint32_t number) {
      const Instruction& instruction = program_.instructions[number];
      return instruction.kind == Instruction::Kind::Assertion &&
             instruction.operand == static_cast<uint32_t>(RegexAssertion::TextBegin);
    });
  if (reached_.empty()) return 0;
  std::ranges::sort(reached_);
  std::vector<uint32_t> key;
  key.reserve(reached_.size() + 1);
  key.push_back(kind);
  key.insert(key.end(), reached_.begin(), reached_.end());
  const auto [found, is_new] = numbers_.try_emplace(std::move(key), static_cast<uint32_t>(states_.size()));
  if (is_new) {
    states_.push_back(&found->first);
    transitions_.resize(transitions_.size() + classes_.count(), 0);
    state_bytes_ += (found->first.size() + classes_.count()) * sizeof(uint32_t) + 64;
  }
  return found->second;
}

uint32_t RegexAutomaton::beginState(std::string_view text, size_t begin) {
  const uint32_t kind = kindBefore(text, begin);
  uint32_t& state = begin_states_[kind];
  if (state != 0) return state;
  ++round_;
  reached_.clear();
  addReached(fragment_.entry);
  return state = intern(kind);
}

RegexAutomaton::Transition RegexAutomaton::step(uint32_t state, uint32_t code_class, size_t at,
                                                RegexLookAroundTest& test) {
  const std::vector<uint32_t> key = *states_[state];
  const uint32_t before = key[0];
  const uint32_t after = kindOf(code_class);
  // First what holds at this place is followed as far as it goes, then the character is taken.
  bool ends = false;
  bool depends_on_place = false;
  ++round_;
  reached_.clear();
  for (size_t i = 1; i < key.size(); ++i) addReached(key[i]);
  std::vector<uint32_t> targets;
  for (size_t i = 0; i < reached_.size(); ++i) {
    const uint32_t number = reached_[i];
    const Instruction& instruction = program_.instructions[number];
    switch (instruction.kind) {
      case Instruction::Kind::Characters:
        if (code_class != classes_.endOfText() && classes_.isMember(instruction.operand, code_class))
          targets.push_back(instruction.next);
        break;
      case Instruction::Kind::Assertion:
        if (holds(static_cast<RegexAssertion>(instruction.operand), before, after)) addReached(instruction.next);
        break;
      case Instruction::Kind::LookAround:
        depends_on_place = true;
        if (test.holds(instruction.operand, at)) addReached(instruction.next);
        break;
      default:
        ends |= number == fragment_.exit;
    }
  }
  ++round_;
  reached_.clear();
  for (const uint32_t target : targets) addReached(target);
  const bool goes_on = code_class != classes_.endOfText();
  const bool is_fresh = is_search_ && targets.empty();
  if (is_search_ && goes_on) addReached(fragment_.entry);
  if (state_bytes_ > kStateBytesMax) forget();
  const uint32_t next = goes_on ? intern(sees_edges_ ? after : 0) : 0;
  return next << kStateShift | (is_fresh ? kIsFresh : 0) | (ends ? kEnds : 0) | (depends_on_place ? 0 : kIsKnown);
}

/// From `place` on, the first place at which something else happens than in this transition from a state to itself.
size_t RegexAutomaton::behindLoop(std::string_view text, size_t place, size_t limit, const Transition* row,
                                  Transition loop) const {
  for (; place < limit; ++place) {
    const auto lead = static_cast<unsigned char>(text[place]);
    if (lead >= 0x80 || row[classes_.ofAscii(lead)] != loop) break;
  }
  return place;
}

template <typename At>
void RegexAutomaton::walk(std::string_view text, size_t begin, size_t limit, RegexLookAroundTest& test, At&& at) {
  uint32_t state = beginState(text, begin);
  size_t place = begin;
  size_t next_poll = begin + kPlacesPerPoll;
  const uint32_t width = classes_.count();
  while (state != 0) {
    const Seen seen = seenAt(text, place);
    Transition transition = transitions_[size_t{state} * width + seen.code_class];
    if ((transition & kIsKnown) == 0) {
      const uint32_t generation = generation_;
      transition = step(state, seen.code_class, place, test);
      // Unless all states were forgotten on the way.
      if (generation_ == generation && (transition & kIsKnown) != 0)
        transitions_[size_t{state} * width + seen.code_class] = transition;
    }
    if (!at(place, transition) || place >= limit) return;
    const size_t next_place = place + seen.bytes;
    const uint32_t next = transition >> kStateShift;
    place = next_place;
    if (next == state && (transition & (kEnds | kIsKnown)) == kIsKnown) {
      place = behindLoop(text, place, std::min(limit, next_poll), &transitions_[size_t{state} * width], transition);
      if (place > next_place) at(place - 1, transition);
    }
    state = next;
    if (place >= next_poll) {
      pollCancel();
      next_poll = place + kPlacesPerPoll;
    }
  }
}

size_t RegexAutomaton::longest(std::string_view text, size_t begin, size_t limit, RegexLookAroundTest& test) {
  size_t last = kNone;
  walk(text, begin, limit, test, [&](size_t place, Transition transition) {
    if ((transition & kEnds) != 0) last = place;
    return true;
  });
  return last;
}

size_t RegexAutomaton::shortest(std::string_view text, size_t begin, size_t least, size_t limit,
                                RegexLookAroundTest& test, size_t* fresh) {
  size_t first = kNone;
  size_t last_ignored = kNone;
  walk(text, begin, limit, test, [&](size_t place, Transition transition) {
    if ((transition & kEnds) != 0 && place >= least) {
      first = place;
      return false;
    }
    if ((transition & kIsFresh) != 0) last_ignored = place;
    return true;
  });
  if (fresh != nullptr) *fresh = last_ignored == kNone ? begin : last_ignored + seenAt(text, last_ignored).bytes;
  return first;
}

void RegexAutomaton::allEnds(std::string_view text, size_t begin, size_t least, size_t limit, RegexLookAroundTest& test,
                             std::vector<uint32_t>& ends) {
  walk(text, begin, limit, test, [&](size_t place, Transition transition) {
    if ((transition & kEnds) != 0 && place >= least) ends.push_back(static_cast<uint32_t>(place));
    return true;
  });
}

}  // namespace gnomon::sql
