#include "codegen/runtime/distinct_rows.h"

#include <algorithm>
#include <cstring>

#include "base/string_value.h"

namespace gnomon::codegen {

DistinctRows::~DistinctRows() {
  memory_.release(entries_.size() * sizeof(Entry));
}

/// At most half of the entries are taken.
void DistinctRows::grow() {
  const size_t size = std::max(kEntriesMin, 2 * entries_.size());
  memory_.charge((size - entries_.size()) * sizeof(Entry));
  std::vector<Entry> larger(size);
  for (const Entry& entry : entries_) {
    if (!entry.row) continue;
    size_t place = entry.hash & (size - 1);
    while (larger[place].row) place = (place + 1) & (size - 1);
    larger[place] = entry;
  }
  entries_ = std::move(larger);
}

char* DistinctRows::admit(const char* row, uint64_t hash) {
  const std::scoped_lock guard(mutex_);
  if (2 * (count_ + 1) > entries_.size()) grow();
  const size_t mask = entries_.size() - 1;
  size_t place = hash & mask;
  for (; entries_[place].row; place = (place + 1) & mask)
    if (entries_[place].hash == hash && equality_(entries_[place].row, row)) return nullptr;
  auto* const copy = static_cast<char*>(arena_.allocate(row_bytes_));
  std::memcpy(copy, row, row_bytes_);
  for (const int64_t offset : strings_) {
    uint64_t words[2];
    std::memcpy(words, copy + offset, sizeof(words));
    const StringValue text(words[0], words[1]);
    if (text.isInline() || text.storage() != StringValue::Storage::Transient) continue;
    const StringValue kept = StringValue::refer(arena_.copy(text.view()), StringValue::Storage::Temporary);
    words[0] = kept.lo();
    words[1] = kept.hi();
    std::memcpy(copy + offset, words, sizeof(words));
  }
  entries_[place] = {hash, copy};
  ++count_;
  return copy;
}

char* rt::distinctAdmit(DistinctRows* rows, const char* row, int64_t hash) {
  return rows->admit(row, static_cast<uint64_t>(hash));
}

}  // namespace gnomon::codegen
