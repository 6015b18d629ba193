#include "codegen/runtime/expression_support.h"

#include <algorithm>
#include <bit>

#include "sql/types/text.h"

namespace gnomon::codegen::rt {
namespace {

struct Civil {
  int64_t year;
  int64_t month;
  int64_t day;
};

/// Source: Neri and Schneider, "Euclidean affine functions and their application to calendar algorithms" (2022),
/// figure 12. Departure: the first division is of 64 bits, for PostgreSQL's 5.8 million years.
Civil civilOf(int32_t date) {
  constexpr int64_t kEras = 100;             // of 400 years, so that every day is positive
  constexpr int64_t kDaysToEpoch = 730'425;  // from 0000-03-01 to 2000-01-01
  constexpr int64_t kDaysPerEra = 146'097;
  const auto days = static_cast<uint64_t>(int64_t{date} + kDaysToEpoch + kEras * kDaysPerEra);
  const uint64_t quarters = 4 * days + 3;
  const uint64_t century = quarters / kDaysPerEra;
  const auto century_quarters = static_cast<uint32_t>(quarters % kDaysPerEra) | 3u;
  const uint64_t product = uint64_t{2'939'745} * century_quarters;
  const uint64_t year_of_century = product >> 32;
  const uint32_t day_of_year = static_cast<uint32_t>(product) / 2'939'745 / 4;
  const uint32_t affine = 2'141 * day_of_year + 197'913;
  const uint32_t month = affine >> 16;
  const bool is_next_year = day_of_year >= 306;
  return {static_cast<int64_t>(100 * century + year_of_century) - 400 * kEras + (is_next_year ? 1 : 0),
          is_next_year ? month - 12 : month, (affine & 0xffff) / 2'141 + 1};
}

}  // namespace

IntegerSet::IntegerSet(const std::vector<int64_t>& members) {
  const size_t capacity = std::bit_ceil(std::max<size_t>(2 * members.size(), 2));
  shift_ = static_cast<unsigned>(64 - std::countr_zero(capacity));
  slots_.resize(capacity);
  used_.resize(capacity);
  for (const int64_t member : members) {
    size_t slot = (static_cast<uint64_t>(member) * kMultiplier) >> shift_;
    while (used_[slot] && slots_[slot] != member) slot = (slot + 1) & (capacity - 1);
    used_[slot] = true;
    slots_[slot] = member;
  }
}

bool IntegerSet::contains(int64_t value) const {
  size_t slot = (static_cast<uint64_t>(value) * kMultiplier) >> shift_;
  while (used_[slot]) {
    if (slots_[slot] == value) return true;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return false;
}

WideSet::WideSet(std::vector<int128> members) : members_(std::move(members)) {
  std::ranges::sort(members_);
}

bool WideSet::contains(int128 value) const {
  return std::ranges::binary_search(members_, value);
}

StringSet::StringSet(const std::vector<std::string>& members, bool ignores_blanks) : ignores_blanks_(ignores_blanks) {
  for (const std::string& member : members)
    members_.emplace(ignores_blanks ? sql::trimBlanks(member) : std::string_view(member));
}

bool StringSet::contains(std::string_view text) const {
  return members_.contains(ignores_blanks_ ? sql::trimBlanks(text) : text);
}

bool containsInteger(const IntegerSet* set, int64_t value) {
  return set->contains(value);
}

bool containsWide(const WideSet* set, int128 value) {
  return set->contains(value);
}

bool containsString(const StringSet* set, uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return set->contains(text.view());
}

int64_t yearOfDate(int32_t date) {
  const int64_t year = civilOf(date).year;
  return year > 0 ? year : year - 1;
}

int64_t monthOfDate(int32_t date) {
  return civilOf(date).month;
}

int64_t dayOfDate(int32_t date) {
  return civilOf(date).day;
}

double bigintToReal(int64_t value) {
  return static_cast<double>(static_cast<float>(value));
}

StringValue copyIntoArena(uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue text(lo, hi);
  if (text.isInline()) return text;
  return StringValue::refer(arena->copy(text.view()), StringValue::Storage::Temporary);
}

}  // namespace gnomon::codegen::rt
