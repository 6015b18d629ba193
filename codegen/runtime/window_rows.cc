#include "codegen/runtime/window_rows.h"

#include <algorithm>
#include <cstring>

#include "base/sql_error.h"

namespace gnomon::codegen {

uint64_t WindowRows::endOfEqual(const RowComparator& order, uint64_t row, uint64_t end) const {
  if (!order) return end;
  const std::vector<char*>& rows = sorter_.rows();
  const char* const first = rows[row];
  // Groups are small as a rule: steps of doubling length find the piece in which this one ends.
  uint64_t begin = row + 1;
  uint64_t step = 1;
  while (begin < end && !order(first, rows[std::min(begin + step, end) - 1])) {
    begin = std::min(begin + step, end);
    step *= 2;
  }
  if (begin >= end) return end;
  const auto last = rows.begin() + static_cast<ptrdiff_t>(std::min(begin + step, end));
  const auto found = std::partition_point(rows.begin() + static_cast<ptrdiff_t>(begin), last,
                                          [&](const char* other) { return !order(first, other); });
  return static_cast<uint64_t>(found - rows.begin());
}

uint64_t WindowRows::partitionEnd(uint64_t row) const {
  return endOfEqual(partitions, row, sorter_.rows().size());
}

bool WindowRows::next(Morsel& morsel) {
  if (morsel.end == morsel.claimed_end) {
    const std::scoped_lock guard(mutex_);
    const uint64_t count = sorter_.rows().size();
    if (claimed_ == count) return false;
    morsel.data = sorter_.rows().data();
    morsel.end = claimed_;
    claimed_ = std::min(claimed_ + kMorselRows, count);
    if (claimed_ < count) claimed_ = partitionEnd(claimed_ - 1);
    morsel.claimed_end = claimed_;
  }
  morsel.begin = morsel.end;
  morsel.end = std::min(morsel.begin + kMorselRows, morsel.claimed_end);
  return true;
}

WindowStates::WindowStates(MemoryAccount& memory, uint64_t state_bytes, size_t list_count)
    : memory_(memory),
      block_((sizeof(WindowCursor) + state_bytes + sizeof(Unit) - 1) / sizeof(Unit)),
      lists_(list_count) {
  clear();
}

void WindowStates::clear() {
  std::memset(static_cast<void*>(block_.data()), 0, block_.size() * sizeof(Unit));
  cursor()->owner = this;
}

WindowStates::~WindowStates() {
  memory_.release(charged_bytes_);
}

char* WindowStates::list(size_t number, uint64_t bytes) {
  std::vector<Unit>& units = lists_[number];
  const uint64_t count = (bytes + sizeof(Unit) - 1) / sizeof(Unit);
  if (units.size() < count) {
    const uint64_t grown = (count - units.size()) * sizeof(Unit);
    memory_.charge(grown);
    charged_bytes_ += grown;
    units.resize(count);
  }
  if (count == 0) return nullptr;
  char* const memory = reinterpret_cast<char*>(units.data());
  std::memset(memory, 0, bytes);
  return memory;
}

void rt::windowAdvance(const WindowRows* rows, WindowCursor* cursor, int64_t row) {
  if (row >= cursor->partition_end) {
    cursor->owner->clear();
    cursor->partition_begin = row;
    cursor->partition_end = static_cast<int64_t>(rows->partitionEnd(static_cast<uint64_t>(row)));
  } else {
    ++cursor->peer_group;
  }
  cursor->peers_begin = row;
  cursor->peers_end = windowPeersEnd(rows, row, cursor->partition_end);
}

int64_t rt::windowPeersEnd(const WindowRows* rows, int64_t row, int64_t end) {
  return static_cast<int64_t>(rows->endOfEqual(rows->peers, static_cast<uint64_t>(row), static_cast<uint64_t>(end)));
}

char* rt::windowList(WindowCursor* cursor, uint64_t number, uint64_t bytes) {
  return cursor->owner->list(number, bytes);
}

void rt::zeroBytes(char* memory, uint64_t bytes) {
  std::memset(memory, 0, bytes);
}

int64_t rt::checkedFrameOffset(int64_t offset, bool is_null, bool is_start) {
  const char* const which = is_start ? "starting" : "ending";
  if (is_null)
    throw SqlError(sqlstate::kNullValueNotAllowed, std::string("frame ") + which + " offset must not be null");
  if (offset < 0)
    throw SqlError(sqlstate::kInvalidPrecedingOrFollowingSize,
                   std::string("frame ") + which + " offset must not be negative");
  return offset;
}

void rt::checkRangeOffset(bool is_invalid, bool is_null, bool is_start) {
  checkedFrameOffset(0, is_null, is_start);
  if (is_invalid)
    throw SqlError(sqlstate::kInvalidPrecedingOrFollowingSize,
                   "invalid preceding or following size in window function");
}

int32_t rt::windowTile(int32_t buckets, int64_t position, int64_t count) {
  if (buckets <= 0) throw SqlError(sqlstate::kInvalidArgumentForNtile, "argument of ntile must be greater than zero");
  // The first `larger` buckets have a row more than the others.
  const int64_t rows = count / buckets;
  const int64_t larger = count % buckets;
  const int64_t in_larger = larger * (rows + 1);
  if (position < in_larger) return static_cast<int32_t>(position / (rows + 1) + 1);
  return static_cast<int32_t>(larger + (position - in_larger) / rows + 1);
}

void rt::checkNthValue(int32_t number) {
  if (number <= 0)
    throw SqlError(sqlstate::kInvalidArgumentForNthValue, "argument of nth_value must be greater than zero");
}

}  // namespace gnomon::codegen
