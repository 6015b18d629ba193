#include "storage/redo_partition.h"

#include <algorithm>
#include <cstring>

#include "base/failpoint.h"
#include "storage/page_operations.h"
#include "storage/page_writer.h"

namespace gnomon::storage {

namespace {

/// Steps whose pages are read in one batch.
constexpr size_t kStepsAhead = 256;
/// A partition that finds the pool full lets this part of its pages go.
constexpr uint64_t kEvictionDivisor = 8;

}  // namespace

RedoPartition::~RedoPartition() {
  for (const auto& [id, page] : pages_) buffers_.dropForRecovery(*page.frame);
}

void RedoPartition::run(std::span<const RedoStep> steps) {
  while (!steps.empty()) {
    const std::span<const RedoStep> next = steps.first(std::min(kStepsAhead, steps.size()));
    std::unique_lock lock(mutex_);
    readAhead(next);
    for (const RedoStep& step : next) apply(step, lock);
    steps = steps.subspan(next.size());
  }
}

void RedoPartition::readAhead(std::span<const RedoStep> steps) {
  std::vector<const PartHead*> heads;
  reads_.clear();
  seen_.clear();
  PageId last;
  bool has_evicted = false;
  for (const RedoStep& step : steps) {
    const PageId id = step.part.head.page;
    if (id == last || pages_.contains(id.value) || lost_.contains(id.value)) continue;
    last = id;
    // What is on disk matters only where the first step builds on it.
    if (!seen_.insert(id.value).second || step.part.head.kind != PartKind::Change) continue;
    Frame* frame = buffers_.takeForRecovery(id);
    if (frame == nullptr && !has_evicted) {
      has_evicted = true;
      if (evictSome(pageBytes(id.sizeClass()))) frame = buffers_.takeForRecovery(id);
    }
    // The others are read when they are wanted.
    if (frame == nullptr) break;
    reads_.push_back({id, frame, false});
    heads.push_back(&step.part.head);
  }
  if (reads_.empty()) return;
  buffers_.readForRecovery(reads_);
  for (size_t i = 0; i < reads_.size(); ++i) keepRead(reads_[i], *heads[i]);
}

/// Null: it is not sound on disk.
RedoPartition::Resident* RedoPartition::keepRead(const BufferManager::RecoveryRead& read, const PartHead& head) {
  if (read.is_sound) return &keep(*read.frame, read.id);
  lose(head);
  return nullptr;
}

void RedoPartition::lose(const PartHead& head) {
  numbers_[head.page.value] = true;
  lost_.insert_or_assign(head.page.value, head);
}

void RedoPartition::apply(const RedoStep& step, std::unique_lock<std::mutex>& lock) {
  const PartHead& head = step.part.head;
  if (head.kind == PartKind::Freed) return drop(head.page);
  Resident* page = find(head, lock);
  if (page == nullptr) return;
  Frame& frame = *page->frame;
  PageHeader& header = frame.header();
  if (head.kind == PartKind::Fresh) {
    std::memset(frame.page, 0, frame.pageBytes());
    header.page_id = head.page;
    header.relation_id = head.relation;
    header.type = head.type;
  } else if (header.gsn >= step.gsn) {
    return;
  } else if (header.gsn != head.before || header.relation_id != head.relation) {
    lose(head);
    return forget(pages_.find(head.page.value));
  }
  applyOperations(frame.page, frame.pageBytes(), step.part.operations);
  header.gsn = step.gsn;
  // F4
  if (frame.dirty.load() == DirtyState::Clean) frame.unwritten_from.store(step.gsn);
  if (head.kind == PartKind::Fresh)
    frame.dirty.store(DirtyState::WholeInLog);
  else if (frame.dirty.load() != DirtyState::WholeInLog)
    frame.dirty.store(DirtyState::Dirty);
  change_count_.fetch_add(1, std::memory_order_relaxed);
}

/// Null: it lacks changes that the step builds on.
RedoPartition::Resident* RedoPartition::find(const PartHead& head, std::unique_lock<std::mutex>& lock) {
  const PageId id = head.page;
  if (const auto found = pages_.find(id.value); found != pages_.end()) {
    found->second.is_used = true;
    return &found->second;
  }
  const bool is_fresh = head.kind == PartKind::Fresh;
  if (is_fresh)
    lost_.erase(id.value);
  else if (lost_.contains(id.value))
    return nullptr;
  Frame& frame = take(id, lock);
  if (is_fresh) return &keep(frame, id);
  BufferManager::RecoveryRead read{id, &frame, false};
  buffers_.readForRecovery({&read, 1});
  return keepRead(read, head);
}

Frame& RedoPartition::take(PageId id, std::unique_lock<std::mutex>& lock) {
  if (Frame* frame = buffers_.takeForRecovery(id)) return *frame;
  if (evictSome(pageBytes(id.sizeClass())))
    if (Frame* frame = buffers_.takeForRecovery(id)) return *frame;
  // R6: the others may be waiting for this one.
  lock.unlock();
  Frame& frame = take_alone_(id);
  lock.lock();
  return frame;
}

RedoPartition::Resident& RedoPartition::keep(Frame& frame, PageId id) {
  numbers_[id.value] = true;
  order_.push_back(id.value);
  resident_bytes_ += frame.pageBytes();
  page_count_.fetch_add(1, std::memory_order_relaxed);
  return pages_[id.value] = {.frame = &frame, .is_used = true, .is_leaving = false};
}

/// The page is free: what was done to it matters no more.
void RedoPartition::drop(PageId id) {
  numbers_[id.value] = false;
  lost_.erase(id.value);
  if (const auto found = pages_.find(id.value); found != pages_.end()) forget(found);
}

void RedoPartition::forget(Pages::iterator page) {
  resident_bytes_ -= page->second.frame->pageBytes();
  buffers_.dropForRecovery(*page->second.frame);
  pages_.erase(page);
}

/// Lets pages go that were not used for long, of `bytes` bytes at least if there are so many. False: there are none.
bool RedoPartition::evictSome(uint64_t bytes) {
  const uint64_t goal = std::max(bytes, resident_bytes_ / kEvictionDivisor);
  std::vector<uint64_t> leaving;
  uint64_t leaving_bytes = 0;
  // Each is looked at twice at most: then it has not been used since.
  for (size_t looks = 2 * order_.size(); looks > 0 && !order_.empty() && leaving_bytes < goal; --looks) {
    const uint64_t id = order_.front();
    order_.pop_front();
    const auto found = pages_.find(id);
    if (found == pages_.end() || found->second.is_leaving) continue;
    if (std::exchange(found->second.is_used, false)) {
      order_.push_back(id);
      continue;
    }
    found->second.is_leaving = true;
    leaving.push_back(id);
    leaving_bytes += found->second.frame->pageBytes();
  }
  evict(leaving);
  return !leaving.empty();
}

void RedoPartition::evictAll() {
  std::vector<uint64_t> ids;
  for (const auto& [id, page] : pages_) ids.push_back(id);
  evict(ids);
  order_.clear();
}

void RedoPartition::evict(std::span<const uint64_t> ids) {
  std::vector<Frame*> dirty;
  for (const uint64_t id : ids) {
    Frame* const frame = pages_.at(id).frame;
    if (frame->dirty.load() != DirtyState::Clean) dirty.push_back(frame);
  }
  sortByPage(dirty);
  buffers_.writeForRecovery(dirty);
  if (!ids.empty()) FAILPOINT("recovery.pages_evicted");
  for (const uint64_t id : ids) forget(pages_.find(id));
}

void RedoPartition::handOver() {
  // Those that are to leave first come first there as well.
  for (const uint64_t id : order_) {
    const auto found = pages_.find(id);
    if (found == pages_.end()) continue;
    buffers_.adoptRecovered(*found->second.frame);
    pages_.erase(found);
  }
  order_.clear();
  CHECK(pages_.empty(), "each page is in the order of leaving");
}

}  // namespace gnomon::storage
