#include "codegen/runtime/aggregation_table.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

namespace gnomon::codegen {

namespace {
uint64_t hashOf(const char* row) {
  uint64_t hash;
  std::memcpy(&hash, row + 8, 8);
  return hash;
}
constexpr HashPartitioning kFirstPartitioning{64 - kAggregationPartitionBits};
unsigned partitionOf(uint64_t hash) {
  return kFirstPartitioning.partitionOf(hash);
}
}  // namespace

LocalAggregation::LocalAggregation(Arena& arena, uint64_t row_bytes, MemoryAccount& memory, SpillArea* area)
    : memory_(memory), area_(area) {
  shared_.owner = this;
  for (RowBuffer& partition : partitions_) partition.open(&arena, row_bytes);
  resize(kFirstEntries);
}

LocalAggregation::~LocalAggregation() {
  memory_.release(directory_.size() * sizeof(char*));
}

void LocalAggregation::resize(uint64_t entries) {
  memory_.charge((entries - directory_.size()) * sizeof(char*));
  directory_.assign(entries, nullptr);
  shared_.directory = directory_.data();
  shared_.mask = entries - 1;
}

void LocalAggregation::growOrForget() {
  linked_rows_ = 0;
  if (directory_.size() >= kEntriesMax || forgotten_) {
    std::fill(directory_.begin(), directory_.end(), nullptr);
    forgotten_ = true;
    return;
  }
  resize(directory_.size() * 4);
  for (RowBuffer& partition : partitions_) {
    partition.seal();
    for (const auto& chunk : partition.chunks) {
      for (char* row = chunk.begin; row != chunk.end; row += partition.row_bytes) {
        char*& head = directory_[hashOf(row) & shared_.mask];
        std::memcpy(row, &head, 8);
        head = row;
        ++linked_rows_;
      }
    }
  }
}

void LocalAggregation::spill() {
  std::vector<char*> rows;
  rows.reserve(linked_rows_);
  for (RowBuffer& partition : partitions_) {
    partition.listInto(rows);
    partition.clear();
  }
  runs_.resize(kAggregationPartitions);
  spillPartitions(rows, kFirstPartitioning, area_->file(), runs_);
  area_->clear();
  std::fill(directory_.begin(), directory_.end(), nullptr);
  linked_rows_ = 0;
  forgotten_ = true;
}

char* LocalAggregation::insert(uint64_t hash) {
  if (area_ != nullptr && area_->isFull() && linked_rows_ >= kSpilledRowsMin) [[unlikely]]
    spill();
  if (linked_rows_ >= directory_.size()) [[unlikely]]
    growOrForget();
  const unsigned partition = partitionOf(hash);
  used_partitions_ |= uint64_t{1} << partition;
  ++row_count_;
  char* row = partitions_[partition].append();
  char*& head = directory_[hash & shared_.mask];
  std::memcpy(row, &head, 8);
  std::memcpy(row + 8, &hash, 8);
  std::memset(row + kGroupHeaderBytes, 0, partitions_[0].row_bytes - kGroupHeaderBytes);
  head = row;
  ++linked_rows_;
  return row;
}

char* LocalAggregation::singleGroup() {
  if (!single_group_) single_group_ = insert(0);
  return single_group_;
}

char* rt::aggregationInsert(LocalAggregation::Shared* shared, uint64_t hash) {
  return shared->owner->insert(hash);
}
char* rt::aggregationSingleGroup(LocalAggregation::Shared* shared) {
  return shared->owner->singleGroup();
}

bool Aggregation::isEmpty() const {
  return std::all_of(groups_.begin(), groups_.end(), [](const auto& rows) { return rows.empty(); });
}

void Aggregation::takeRows(LocalAggregation& local) {
  local.forEachUsed([&](unsigned number) {
    RowBuffer& rows = local.partition(number);
    rows.seal();
    groups_.emplace_back();
    groups_.back().reserve(rows.rowCount());
    for (const auto& chunk : rows.chunks)
      for (char* row = chunk.begin; row != chunk.end; row += rows.row_bytes) groups_.back().push_back(row);
  });
}

void Aggregation::mergePartition(unsigned number, uint64_t row_bytes, const MergeFunction& merge_rows, unsigned slot) {
  uint64_t total = 0;
  for (LocalAggregation* local : locals_) {
    local->partition(number).seal();
    total += local->partition(number).rowCount();
  }
  if (total == 0) return;
  std::vector<char*>& groups = groups_[number];
  groups.resize(total);
  std::vector<char*> directory(std::bit_ceil(total), nullptr);
  PartitionMerge merge{directory.data(), directory.size() - 1, groups.data(), 0};
  for (LocalAggregation* local : locals_)
    for (const auto& chunk : local->partition(number).chunks)
      merge_rows(&merge, chunk.begin, static_cast<uint64_t>(chunk.end - chunk.begin) / row_bytes, slot);
  groups.resize(merge.group_count);
}

bool LocalAggregation::park() {
  if (area_ != nullptr || directory_.size() > kFirstEntries) return false;
  forEachUsed([&](unsigned number) { partitions_[number].clear(); });
  std::ranges::fill(directory_, nullptr);
  linked_rows_ = row_count_ = used_partitions_ = 0;
  single_group_ = nullptr;
  return true;
}

void LocalAggregation::restart(ExecutionState& /*state*/) {
  whole_->addLocal(*this);
}

bool Aggregation::park() {
  if (isSpilled()) return false;
  locals_.clear();
  groups_.clear();
  memory_.release(std::exchange(reserved_bytes_, 0));
  return true;
}

uint64_t Aggregation::rowCount() const {
  uint64_t rows = 0;
  for (LocalAggregation* local : locals_) rows += local->rowCount();
  return rows;
}

void Aggregation::spillAll(WorkerPool& workers) {
  workers.run([&](unsigned slot) {
    for (size_t i = slot; i < locals_.size(); i += workers.workerCount()) locals_[i]->spill();
  });
  runs_.resize(kAggregationPartitions);
  for (const LocalAggregation* local : locals_)
    for (size_t i = 0; i < runs_.size(); ++i)
      runs_[i].insert(runs_[i].end(), local->runs()[i].begin(), local->runs()[i].end());
}

void Aggregation::merge(WorkerPool& workers, uint64_t row_bytes, const MergeFunction& merge_rows) {
  if (std::ranges::any_of(locals_, &LocalAggregation::hasSpilled)) return spillAll(workers);
  uint64_t total = 0;
  std::erase_if(locals_, [&](const LocalAggregation* local) {
    const uint64_t rows = local->rowCount();
    total += rows;
    return rows == 0;
  });
  if (total == 0) return;
  reserved_bytes_ = total * 3 * sizeof(char*);
  memory_.charge(reserved_bytes_);
  if (locals_.size() == 1 && locals_[0]->isDuplicateFree()) return takeRows(*locals_[0]);

  groups_.resize(kAggregationPartitions);
  std::atomic<unsigned> next{0};
  const auto work = [&](unsigned slot) {
    for (unsigned number = next.fetch_add(1); number < kAggregationPartitions; number = next.fetch_add(1))
      mergePartition(number, row_bytes, merge_rows, slot);
  };
  constexpr uint64_t kParallelRowsMin = 10000;
  if (total < kParallelRowsMin) {
    work(0);
  } else {
    workers.run(work);
  }
}

}  // namespace gnomon::codegen
