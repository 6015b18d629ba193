#include "wal/merged_cursor.h"

#include <algorithm>

#include "base/assert.h"

namespace gnomon::wal {

namespace {

constexpr Gsn kAtEnd{UINT64_MAX};

}  // namespace

void MergedCursor::add(std::unique_ptr<LogCursor> cursor) {
  CHECK(!has_begun_, "logs come before their records");
  sources_.push_back({.log = std::make_unique<LogReadAhead>(std::move(cursor), contents_), .block = nullptr});
  heads_.push_back(kAtEnd);
}

void MergedCursor::advance(size_t index) {
  Source& source = sources_[index];
  if (source.block && ++source.index < source.block->records().size()) {
    heads_[index] = source.block->records()[source.index].gsn;
    return;
  }
  source.block = source.log->next();
  source.index = 0;
  heads_[index] = source.block ? source.block->records()[0].gsn : kAtEnd;
}

bool MergedCursor::next(LogRecord& record) {
  if (!has_begun_) {
    for (size_t index = 0; index < sources_.size(); ++index) advance(index);
    has_begun_ = true;
  } else if (delivered_ != kNone) {
    advance(delivered_);
  }
  const auto first = std::ranges::min_element(heads_);
  delivered_ = first == heads_.end() || *first == kAtEnd ? kNone : static_cast<size_t>(first - heads_.begin());
  if (delivered_ == kNone) return false;
  record = sources_[delivered_].block->records()[sources_[delivered_].index];
  return true;
}

}  // namespace gnomon::wal
