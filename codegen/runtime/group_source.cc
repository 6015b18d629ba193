#include "codegen/runtime/group_source.h"

#include <algorithm>
#include <bit>

namespace gnomon::codegen {

void GroupSource::open(MergeFunction merge_rows, SpillArea* area) {
  merge_rows_ = std::move(merge_rows);
  area_ = area;
  for (SpilledRun& run : aggregation_.runs())
    if (!run.empty()) tasks_.push_back({std::move(run), 64 - kAggregationPartitionBits});
}

bool GroupSource::park() {
  if (aggregation_.isSpilled()) return false;
  merge_rows_ = nullptr;
  list_ = row_ = 0;
  return true;
}

uint64_t GroupSource::rowCount() const {
  uint64_t rows = 0;
  for (const Task& task : tasks_) rows += rowCountOf(task.run);
  for (const auto& list : aggregation_.groups()) rows += list.size();
  return rows;
}

bool GroupSource::next(Morsel& morsel) {
  if (aggregation_.isSpilled()) return nextSpilled(morsel);
  const std::scoped_lock guard(mutex_);
  const auto& lists = aggregation_.groups();
  while (list_ < lists.size() && row_ == lists[list_].size()) {
    ++list_;
    row_ = 0;
  }
  if (list_ == lists.size()) return false;
  const std::vector<char*>& rows = lists[list_];
  morsel.data = rows.data();
  morsel.begin = row_;
  morsel.end = std::min<uint64_t>(rows.size(), row_ + kMorselRows);
  row_ = morsel.end;
  return true;
}

bool GroupSource::takeTask(Task& task) {
  const std::scoped_lock guard(mutex_);
  if (tasks_.empty()) return false;
  task = std::move(tasks_.back());
  tasks_.pop_back();
  return true;
}

bool GroupSource::nextSpilled(Morsel& morsel) {
  std::unique_ptr<Part>& place = parts_[morsel.worker];
  if (!place) {
    place = std::make_unique<Part>(*area_);
    place->rows.open(&place->arena, area_->format().row_bytes);
  }
  Part& part = *place;
  while (part.next == part.groups.size()) {
    part.rows.clear();
    part.groups.clear();
    part.arena.clear();
    part.next = 0;
    Task task;
    if (!takeTask(task)) return false;
    const bool is_small = bytesOf(task.run) <= area_->memory().shareBytes();
    is_small || task.shift < HashPartitioning::kBits ? mergeTask(task, part, morsel.worker) : cut(task, part);
  }
  morsel.data = part.groups.data();
  morsel.begin = part.next;
  morsel.end = std::min<uint64_t>(part.groups.size(), part.next + kMorselRows);
  part.next = morsel.end;
  return true;
}

void GroupSource::mergeTask(const Task& task, Part& part, unsigned worker) {
  const uint64_t row_count = rowCountOf(task.run);
  {
    SpillReader reader(task.run, area_->format(), area_->memory().account());
    constexpr uint64_t kPollRows = 1024;
    for (uint64_t row = 0; reader.advance(); ++row) {
      if (row % kPollRows == 0) cancel_.poll();
      reader.copyTo(part.rows);
    }
  }
  part.rows.seal();
  const uint64_t entries = std::bit_ceil(row_count);
  char** const directory = part.arena.allocateArray<char*>(entries);
  std::fill_n(directory, entries, nullptr);
  part.groups.resize(row_count);
  PartitionMerge merge{directory, entries - 1, part.groups.data(), 0};
  // The merge allocates from the arena, but adds no rows.
  for (const RowBuffer::Chunk& chunk : part.rows.chunks)
    merge_rows_(&merge, chunk.begin, static_cast<uint64_t>(chunk.end - chunk.begin) / part.rows.row_bytes, worker,
                part.arena);
  part.groups.resize(merge.group_count);
}

/// Reads as many rows at a time as there is room for.
void GroupSource::cut(const Task& task, Part& part) {
  const HashPartitioning partitioning{task.shift - HashPartitioning::kBits};
  PartitionRuns runs(HashPartitioning::kPartitions);
  SpillReader reader(task.run, area_->format(), area_->memory().account());
  std::vector<char*> rows;
  const auto flush = [&] {
    cancel_.poll();
    spillPartitions(rows, partitioning, part.pieces.file(), runs);
    rows.clear();
    part.rows.clear();
    part.arena.clear();
  };
  while (reader.advance()) {
    rows.push_back(reader.copyTo(part.rows));
    if (part.arena.reservedBytes() >= area_->memory().shareBytes()) flush();
  }
  flush();
  const std::scoped_lock guard(mutex_);
  for (SpilledRun& run : runs)
    if (!run.empty()) tasks_.push_back({std::move(run), partitioning.shift});
}

}  // namespace gnomon::codegen
