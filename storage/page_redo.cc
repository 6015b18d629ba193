#include "storage/page_redo.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/failpoint.h"
#include "base/sql_error.h"
#include "base/wait_event.h"

namespace gnomon::storage {

namespace {

constexpr uint64_t kRoundBytes = uint64_t{1} << 20;
static_assert(kRoundBytes < PageRedo::kBytesInFlight);

bool isPossible(PageId id) {
  return !id.isNone() && id.sizeClass().index < kSizeClassCount;
}

/// Neighbouring pages are of different workers.
size_t mixed(PageId id) {
  return id.value * 0x9e3779b97f4a7c15 >> 32;
}

}  // namespace

PageRedo::PageRedo(BufferManager& buffers, unsigned worker_count)
    : buffers_(buffers), queues_(std::clamp(worker_count, 1u, kWorkersMax)) {
  for (size_t index = 0; index < queues_.size(); ++index)
    partitions_.push_back(
        std::make_unique<RedoPartition>(buffers, [this](PageId id) -> Frame& { return takeAlone(id); }));
  beginRound();
  for (size_t index = 0; index < queues_.size(); ++index)
    workers_.emplace_back([this, index] {
      nameThread("redo");
      work(index);
    });
}

PageRedo::~PageRedo() {
  endWorkers();
}

void PageRedo::apply(const wal::LogRecord& record, const std::shared_ptr<const wal::RecordBlock>& memory) {
  PageRecord body(record.body);
  for (RecordPart part; body.next(part);) {
    if (part.head.kind != PartKind::Freed) {
      addStep(part, record.gsn);
      continue;
    }
    RecordReader ids(part.operations);
    while (!ids.isAtEnd()) {
      RecordPart freed{.head = part.head, .operations = {}};
      freed.head.page = ids.plain<PageId>();
      addStep(freed, record.gsn);
    }
  }
  round_->bytes += record.body.size();
  if (memory && held_[record.log.value] != memory.get()) {
    held_[record.log.value] = memory.get();
    round_->memory.push_back(memory);
  }
  if (round_->bytes >= kRoundBytes) handOut();
}

void PageRedo::addStep(const RecordPart& part, Gsn gsn) {
  if (!isPossible(part.head.page))
    throw SqlError(sqlstate::kDataCorrupted, "a log record is about a page that cannot be");
  // R1
  round_->steps[mixed(part.head.page) % partitions_.size()].push_back({part, gsn});
  round_->bytes += sizeof(RedoStep);
}

void PageRedo::beginRound() {
  round_ = std::make_shared<Round>();
  round_->steps.resize(queues_.size());
  held_ = {};
}

/// Gives the round to the workers, when there is room for it.
void PageRedo::handOut() {
  {
    std::unique_lock lock(mutex_);
    // R7
    changed_.wait(lock, [this] {
      return failure_ || bytes_in_flight_ == 0 || bytes_in_flight_ + round_->bytes <= kBytesInFlight;
    });
    if (failure_) std::rethrow_exception(failure_);
    for (size_t index = 0; index < queues_.size(); ++index) {
      if (round_->steps[index].empty()) continue;
      queues_[index].push_back(round_);
      ++round_->workers_left;
    }
    if (round_->workers_left > 0) bytes_in_flight_ += round_->bytes;
  }
  changed_.notify_all();
  beginRound();
}

void PageRedo::work(size_t index) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_ending_ || !queues_[index].empty(); });
    if (is_ending_) return;
    std::shared_ptr<Round> round = std::move(queues_[index].front());
    queues_[index].pop_front();
    const bool is_wanted = !failure_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      if (is_wanted) partitions_[index]->run(round->steps[index]);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (--round->workers_left == 0) bytes_in_flight_ -= round->bytes;
    changed_.notify_all();
    lock.unlock();
    // Its memory, if nobody else has it.
    round.reset();
    lock.lock();
  }
}

void PageRedo::awaitWorkers() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return bytes_in_flight_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

void PageRedo::endWorkers() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

/// R6: called by a worker that holds no mutex.
Frame& PageRedo::takeAlone(PageId id) {
  std::vector<std::unique_lock<std::mutex>> all;
  for (const auto& partition : partitions_) all.emplace_back(partition->mutex());
  for (const auto& partition : partitions_) partition->evictAll();
  if (Frame* frame = buffers_.takeForRecovery(id)) return *frame;
  throw SqlError(sqlstate::kOutOfMemory, "buffer pool is too small for recovery")
      .detail(fmt::format("A page of {} bytes is needed.", pageBytes(id.sizeClass())))
      .hint("Start the server with a larger --buffer-pool.");
}

uint64_t PageRedo::changeCount() const {
  uint64_t count = 0;
  for (const auto& partition : partitions_) count += partition->changeCount();
  return count;
}

uint64_t PageRedo::pageCount() const {
  uint64_t count = 0;
  for (const auto& partition : partitions_) count += partition->pageCount();
  return count;
}

void PageRedo::finish() {
  handOut();
  awaitWorkers();
  endWorkers();
  for (const auto& partition : partitions_)
    if (const PartHead* head = partition->lostPage())
      throw SqlError(
          sqlstate::kDataCorrupted,
          fmt::format("page {} in file \"{}\" (relation {}) lacks changes that the log builds on", head->page.number(),
                      buffers_.file(head->page.sizeClass()).path().string(), head->relation.value));
  FAILPOINT("recovery.redone");
  settleNumbers();
  for (const auto& partition : partitions_) partition->handOver();
}

void PageRedo::settleNumbers() {
  PageNumberStates states = buffers_.pageNumbers().state();
  std::array<std::unordered_set<uint64_t>, kSizeClassCount> free;
  for (size_t index = 0; index < kSizeClassCount; ++index)
    free[index].insert(states[index].free.begin(), states[index].free.end());
  std::unordered_map<uint64_t, bool> numbers;
  for (const auto& partition : partitions_) numbers.insert(partition->numbers().begin(), partition->numbers().end());
  for (const auto& [packed, is_used] : numbers) {
    const PageId id = PageId::fromPacked(packed);
    PageNumberState& state = states[id.sizeClass().index];
    // Numbers that were skipped were taken by somebody who said nothing in the log.
    for (; state.next <= id.number(); ++state.next) free[id.sizeClass().index].insert(state.next);
  }
  for (const auto& [packed, is_used] : numbers) {
    const PageId id = PageId::fromPacked(packed);
    if (is_used)
      free[id.sizeClass().index].erase(id.number());
    else
      free[id.sizeClass().index].insert(id.number());
  }
  for (size_t index = 0; index < kSizeClassCount; ++index) {
    states[index].free.assign(free[index].begin(), free[index].end());
    std::ranges::sort(states[index].free, std::greater{});
  }
  buffers_.restoreNumbers(states);
}

}  // namespace gnomon::storage
