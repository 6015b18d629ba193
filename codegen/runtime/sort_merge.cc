#include "codegen/runtime/sort_merge.h"

#include <algorithm>

namespace gnomon::codegen {

namespace {
constexpr uint64_t kReadBytes = uint64_t{32} << 10;
constexpr size_t kFanInMin = 8;
constexpr size_t kFanInMax = 512;
constexpr uint64_t kPollRows = 1024;
}  // namespace

SortMerge::SortMerge(std::vector<SpilledRun> runs, SpillArea& area, const RowComparator& comparator,
                     const CancelToken& cancel)
    : area_(area), comparator_(comparator), cancel_(cancel) {
  if (comparator_) {
    reduce(runs, fanIn());
    open(runs);
    return;
  }
  SpilledRun all;
  for (const SpilledRun& run : runs) all.insert(all.end(), run.begin(), run.end());
  runs.assign(1, std::move(all));
  open(runs);
}

/// As many runs as half of the operator's memory has buffers for.
size_t SortMerge::fanIn() const {
  return std::clamp<size_t>(area_.memory().limitBytes() / 2 / kReadBytes, kFanInMin, kFanInMax);
}

/// Merges the oldest runs until no more than `fan_in` are left.
void SortMerge::reduce(std::vector<SpilledRun>& runs, size_t fan_in) {
  size_t first = 0;
  while (runs.size() - first > fan_in) {
    const size_t count = std::min(fan_in, runs.size() - first - fan_in + 1);
    open(std::span(runs).subspan(first, count));
    SpillFile& file = area_.file();
    while (advance()) file.add(current_->row());
    file.finish();
    runs.push_back({file.endSegment()});
    first += count;
  }
  runs.erase(runs.begin(), runs.begin() + static_cast<ptrdiff_t>(first));
}

void SortMerge::open(std::span<SpilledRun> runs) {
  readers_.clear();
  heap_.clear();
  current_ = nullptr;
  for (const SpilledRun& run : runs) {
    readers_.push_back(std::make_unique<SpillReader>(run, area_.format(), area_.memory().account(), kReadBytes));
    if (readers_.back()->advance()) heap_.push_back(readers_.back().get());
  }
  std::ranges::make_heap(heap_, isLater());
}

bool SortMerge::advance() {
  if (rows_until_poll_-- == 0) {
    cancel_.poll();
    rows_until_poll_ = kPollRows;
  }
  const auto is_later = isLater();
  if (current_ != nullptr && current_->advance()) {
    heap_.push_back(current_);
    std::ranges::push_heap(heap_, is_later);
  }
  if (heap_.empty()) {
    current_ = nullptr;
    return false;
  }
  std::ranges::pop_heap(heap_, is_later);
  current_ = heap_.back();
  heap_.pop_back();
  return true;
}

}  // namespace gnomon::codegen
