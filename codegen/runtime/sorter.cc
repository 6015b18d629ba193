#include "codegen/runtime/sorter.h"

#pragma clang diagnostic ignored "-Wdeprecated-declarations"  // std::stable_sort takes its buffer by one

#include <algorithm>
#include <functional>
#include <iterator>

namespace gnomon::codegen {

namespace {
constexpr uint64_t kPruneSlackMin = 1024;
/// Comparisons between two looks at the cancel token.
constexpr unsigned kPollInterval = 4096;
}  // namespace

char* LocalSort::admit(const char* candidate) {
  if (rows_kept_max_ == 0) return nullptr;
  if (area_ != nullptr && area_->isFull()) [[unlikely]]
    spill(nullptr);
  if (threshold_ && !(*comparator_)(candidate, threshold_)) return nullptr;
  if (kept_.size() >= rows_kept_max_ + std::max(rows_kept_max_, kPruneSlackMin)) {
    prune();
    if (!(*comparator_)(candidate, threshold_)) return nullptr;
  }
  char* row;
  if (free_.empty()) {
    row = rows_.append();
  } else {
    row = free_.back();
    free_.pop_back();
  }
  kept_.push_back(row);
  return row;
}

void LocalSort::prune() {
  const auto last_kept = kept_.begin() + static_cast<ptrdiff_t>(rows_kept_max_ - 1);
  std::nth_element(kept_.begin(), last_kept, kept_.end(), std::cref(*comparator_));
  threshold_ = *last_kept;
  free_.insert(free_.end(), last_kept + 1, kept_.end());
  kept_.resize(rows_kept_max_);
}

/// Of a bounded sort more runs may hold rows that are among the best; each has no more of them than are wanted.
void LocalSort::spill(const CancelToken* cancel) {
  if (rows_kept_max_ != kNoLimit && kept_.size() > rows_kept_max_) prune();
  const std::vector<char*>& rows = sorted(cancel);
  if (!rows.empty()) {
    SpillFile& file = area_->file();
    for (const char* row : rows) file.add(row);
    runs_.push_back({file.endSegment()});
    file.finish();
    spilled_rows_ += rows.size();
  }
  rows_.clear();
  kept_.clear();
  free_.clear();
  threshold_ = nullptr;
  area_->clear();
}

std::vector<char*>& LocalSort::sorted(const CancelToken* cancel) {
  if (rows_kept_max_ == kNoLimit) {
    // LIMIT NULL: rows were admitted one by one all the same.
    kept_.clear();
    kept_.reserve(rows_.rowCount());
    rows_.listInto(kept_);
  }
  if (!*comparator_) return kept_;
  unsigned comparisons = 0;
  // Stable: equal rows stay in the order in which they came, which is what people expect of windows without one.
  std::stable_sort(kept_.begin(), kept_.end(), [&](const char* left, const char* right) {
    if (++comparisons % kPollInterval == 0 && cancel != nullptr) cancel->poll();
    return (*comparator_)(left, right);
  });
  return kept_;
}

uint64_t Sorter::rowCount() const {
  uint64_t rows = 0;
  for (const LocalSort* local : locals_) rows += local->rowCount();
  return rows;
}

void Sorter::sort(WorkerPool& workers, const RowComparator& comparator, const CancelToken& cancel, uint64_t offset,
                  uint64_t limit) {
  rows_skipped_ = offset;
  rows_left_ = limit;
  if (std::ranges::any_of(locals_, [](const LocalSort* local) { return !local->runs().empty(); }))
    return openMerge(workers, comparator, cancel);
  std::vector<std::vector<char*>*> runs(locals_.size(), nullptr);
  constexpr uint64_t kParallelRowsMin = 2000;
  if (locals_.size() > 1 && rowCount() >= kParallelRowsMin) {
    workers.run([&](unsigned slot) {
      for (size_t i = slot; i < locals_.size(); i += workers.workerCount()) runs[i] = &locals_[i]->sorted(&cancel);
    });
  } else {
    for (size_t i = 0; i < locals_.size(); ++i) runs[i] = &locals_[i]->sorted(&cancel);
  }
  uint64_t total = 0;
  for (const auto* run : runs) total += run->size();
  reserved_bytes_ = 3 * total * sizeof(char*);
  memory_.charge(reserved_bytes_);
  for (auto* run : runs) {
    cancel.poll();
    if (!comparator) {
      rows_.insert(rows_.end(), run->begin(), run->end());
      continue;
    }
    std::vector<char*> merged;
    merged.reserve(rows_.size() + run->size());
    std::merge(rows_.begin(), rows_.end(), run->begin(), run->end(), std::back_inserter(merged), std::cref(comparator));
    rows_.swap(merged);
    std::vector<char*>().swap(*run);
  }
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(offset, rows_.size())));
  if (rows_.size() > limit) rows_.resize(limit);
}

void Sorter::openMerge(WorkerPool& workers, const RowComparator& comparator, const CancelToken& cancel) {
  workers.run([&](unsigned slot) {
    for (size_t i = slot; i < locals_.size(); i += workers.workerCount()) locals_[i]->spill(&cancel);
  });
  std::vector<SpilledRun> runs;
  for (const LocalSort* local : locals_) runs.insert(runs.end(), local->runs().begin(), local->runs().end());
  merge_ = std::make_unique<SortMerge>(std::move(runs), *locals_[0]->area(), comparator, cancel);
}

void Sorter::readNext(RowBuffer& rows, uint64_t count, const CancelToken& cancel) {
  cancel.poll();
  for (; rows_skipped_ > 0; --rows_skipped_)
    if (!merge_->advance()) return;
  for (; count > 0 && rows_left_ > 0 && merge_->advance(); --count, --rows_left_) merge_->copyTo(rows);
}

char* rt::sortAdmit(LocalSort* sort, char* candidate) {
  return sort->admit(candidate);
}
char* rt::sortAppend(LocalSort* sort) {
  return sort->append();
}

}  // namespace gnomon::codegen
