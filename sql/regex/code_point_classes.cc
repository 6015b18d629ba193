#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "sql/regex/regex_program.h"

namespace gnomon::sql {

CodePointClasses::CodePointClasses(const std::vector<CodePointSet>& sets) {
  cut(sets);
  for (unsigned char c = 0; c < 128; ++c) ascii_[c] = of(c);
  members_.resize((sets.size() * count_ + 63) / 64);
  for (size_t set = 0; set < sets.size(); ++set)
    for (size_t i = 0; i < begins_.size(); ++i) {
      if (!sets[set].contains(begins_[i])) continue;
      const size_t bit = set * count_ + classes_[i];
      members_[bit / 64] |= uint64_t{1} << (bit % 64);
    }
}

/// Each set in turn parts the classes so far into what it contains and what not.
void CodePointClasses::cut(const std::vector<CodePointSet>& sets) {
  begins_.push_back(0);
  for (const CodePointSet& set : sets)
    for (const auto& [first, last] : set.ranges()) {
      begins_.push_back(first);
      if (last < CodePointSet::kMax) begins_.push_back(last + 1);
    }
  std::ranges::sort(begins_);
  begins_.erase(std::ranges::unique(begins_).begin(), begins_.end());
  classes_.assign(begins_.size(), 0);
  uint32_t next_class = 1;
  for (const CodePointSet& set : sets) {
    std::unordered_map<uint32_t, uint32_t> parted;
    for (const auto& [first, last] : set.ranges()) {
      auto i = static_cast<size_t>(std::ranges::lower_bound(begins_, first) - begins_.begin());
      for (; i < begins_.size() && begins_[i] <= last; ++i) {
        const auto [found, is_new] = parted.try_emplace(classes_[i], next_class);
        if (is_new) ++next_class;
        classes_[i] = found->second;
      }
    }
  }
  // Classes all of whose members went to others are no more.
  std::unordered_map<uint32_t, uint32_t> numbers;
  for (uint32_t& code_class : classes_)
    code_class = numbers.try_emplace(code_class, static_cast<uint32_t>(numbers.size())).first->second;
  count_ = static_cast<uint32_t>(numbers.size()) + 1;
}

uint32_t CodePointClasses::of(char32_t c) const {
  if (c >= begins_.back()) return classes_.back();
  const auto behind = std::ranges::upper_bound(begins_, c);
  return classes_[static_cast<size_t>(behind - begins_.begin()) - 1];
}

}  // namespace gnomon::sql
