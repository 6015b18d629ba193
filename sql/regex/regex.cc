#include "sql/regex/regex.h"

#include <algorithm>
#include <string>

#include "sql/regex/regex_matcher.h"
#include "sql/regex/regex_parser.h"
#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

size_t placeOfThread(size_t places) {
  static std::atomic<size_t> next{0};
  thread_local const size_t own = next.fetch_add(1, std::memory_order_relaxed);
  return own % places;
}

}  // namespace

Regex::Regex(std::string_view pattern, const RegexOptions& options)
    : options_(options), program_(parseRegex(pattern, options)) {}

Regex::~Regex() {
  for (std::atomic<RegexMatcher*>& place : idle_) delete place.load();
}

std::unique_ptr<RegexMatcher> Regex::takeMatcher() const {
  std::unique_ptr<RegexMatcher> matcher(idle_[placeOfThread(kPlaces)].exchange(nullptr, std::memory_order_acq_rel));
  return matcher ? std::move(matcher) : std::make_unique<RegexMatcher>(program_);
}

void Regex::giveBack(std::unique_ptr<RegexMatcher> matcher) const {
  delete idle_[placeOfThread(kPlaces)].exchange(matcher.release(), std::memory_order_acq_rel);
}

bool Regex::isMatch(std::string_view text) const {
  return RegexScan(*this, text, RegexScan::Wanted::Existence).find(0);
}

RegexScan::RegexScan(const Regex& regex, std::string_view text, Wanted wanted)
    : regex_(regex), text_(text), wanted_(wanted), matcher_(regex.takeMatcher()) {
  matcher_->setText(text);
}

RegexScan::~RegexScan() {
  regex_.giveBack(std::move(matcher_));
}

bool RegexScan::find(size_t start) {
  return matcher_->find(start, wanted_);
}

RegexScan::Span RegexScan::group(size_t number) const {
  return matcher_->group(number);
}

std::optional<size_t> RegexScan::nextStart() const {
  const Span match = group(0);
  if (!match.isEmpty()) return match.end;
  if (match.end >= text_.size()) return {};
  return match.end + characterBytes(static_cast<unsigned char>(text_[match.end]));
}

const Regex& recentRegex(std::string_view pattern, const RegexOptions& options) {
  struct Kept {
    std::string pattern;
    RegexOptions options;
    std::unique_ptr<const Regex> regex;
  };
  constexpr size_t kKeptMax = 32;
  thread_local std::vector<Kept> kept;  // the one used last first
  auto found = std::ranges::find_if(
      kept, [&](const Kept& known) { return known.pattern == pattern && known.options == options; });
  if (found == kept.end()) {
    Kept made{std::string(pattern), options, std::make_unique<const Regex>(pattern, options)};
    if (kept.size() == kKeptMax) kept.pop_back();
    found = kept.insert(kept.end(), std::move(made));
  }
  std::rotate(kept.begin(), found, found + 1);
  return *kept.front().regex;
}

}  // namespace gnomon::sql
