#include "storage/buffer_manager.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <system_error>

#include "base/sql_error.h"
#include "base/wait_event.h"
#include "storage/page_files.h"

namespace gnomon::storage {

namespace {

/// Of the pool, what may be taken beside it for hints.
constexpr uint64_t kHintShare = 32;

/// A worker that has to make room makes some for those after it.
constexpr uint64_t kHelpBytes = uint64_t{1} << 20;
/// How often a worker looks for room before it says that there is none: others let go of their pages meanwhile.
constexpr unsigned kAcquireAttempts = 200;
constexpr auto kAcquirePause = std::chrono::milliseconds(1);

DoubleWriteArea::Files openFiles(const std::filesystem::path& directory) {
  DoubleWriteArea::Files files;
  for (uint8_t index = 0; index < kSizeClassCount; ++index)
    files[index] = std::make_unique<DataFile>(pageFilePath(directory, SizeClass{index}), SizeClass{index});
  return files;
}

/// Under an optimistic latch.
GNOMON_OPTIMISTIC_READ uint64_t readWord(const uint64_t* where) {
  return *static_cast<const volatile uint64_t*>(where);
}

std::string describePage(PageId id, const DataFile& file, RelationId relation) {
  return fmt::format("page {} in file \"{}\" at offset {} (relation {})", id.number(), file.path().string(),
                     file.offsetOf(id), relation.value);
}

}  // namespace

BufferManager::BufferManager(std::filesystem::path directory, const BufferOptions& options)
    : directory_(std::move(directory)),
      io_(FileIo::create(options.io_method)),
      files_(openFiles(directory_)),
      double_write_(std::make_unique<DoubleWriteArea>(directory_, *io_)),
      numbers_(directory_, files_),
      registry_(directory_),
      pool_(options.pool_bytes),
      hint_memory_(options.pool_bytes / kHintShare),
      writer_(*io_, files_, visitors_, options.double_write ? double_write_.get() : nullptr, log_),
      replacement_(pool_, writer_, visitors_, hooks_, [this](Frame& frame) { return dropLoaded(frame); }) {
  if (const size_t repaired = double_write_->recover(files_))
    spdlog::warn("repaired {} pages that were being written when the server ended", repaired);
}

BufferManager::~BufferManager() = default;

void BufferManager::removeFiles(const std::filesystem::path& directory) {
  std::error_code ignored;
  for (uint8_t index = 0; index < kSizeClassCount; ++index)
    std::filesystem::remove(pageFilePath(directory, SizeClass{index}), ignored);
  for (const auto& path :
       {DoubleWriteArea::filePath(directory), PageNumbers::filePath(directory), RelationRegistry::filePath(directory)})
    std::filesystem::remove(path, ignored);
}

void BufferManager::raisePoolFull(uint64_t bytes) const {
  throw SqlError(sqlstate::kOutOfMemory, "buffer pool is full")
      .detail(fmt::format("A page of {} bytes is needed; {} of {} bytes are in use.", bytes, usedBytes(), poolBytes()))
      .hint("Start the server with a larger --buffer-pool.");
}

FramePool::Taken BufferManager::acquire(SizeClass size_class) {
  const uint64_t bytes = pageBytes(size_class);
  if (bytes > pool_.bytes()) raisePoolFull(bytes);
  for (unsigned attempt = 0; attempt < kAcquireAttempts;) {
    if (const FramePool::Taken taken = pool_.tryTake(size_class); taken.frame) {
      replacement_.memoryTaken();
      return taken;
    }
    if (replacement_.free(std::max(bytes, std::min(kHelpBytes, pool_.bytes() / 16))) > 0) continue;
    ++attempt;
    std::this_thread::sleep_for(kAcquirePause);
  }
  raisePoolFull(bytes);
}

void BufferManager::release(ExclusiveGuard guard) {
  Frame& frame = guard.frame();
  discardVersions(frame.version_map.exchange(nullptr));
  const FrameState before = frame.state.load();
  frame.page_id.store(PageId{});
  frame.dirty.store(DirtyState::Clean);
  frame.parent.store(nullptr);
  frame.log.store(wal::kNoLog);
  frame.state.store(FrameState::Free);
  replacement_.released(before, frame);
  guard.release();
  pool_.give(frame);
}

void BufferManager::discardVersions(void* version_map) {
  if (version_map == nullptr) return;
  CHECK(hooks_ && hooks_->discard, "version maps come with hooks");
  hooks_->discard(version_map);
}

bool BufferManager::pruneVersions(Frame& frame) {
  void* const map = frame.version_map.load();
  if (map == nullptr) return true;
  if (!hooks_ || !hooks_->prune || !hooks_->prune(map)) return false;
  frame.version_map.store(nullptr);
  return true;
}

ExclusiveGuard BufferManager::allocate(SizeClass size_class, RelationId relation, PageType type) {
  const FramePool::Taken taken = acquire(size_class);
  Frame& frame = *taken.frame;
  ExclusiveGuard guard(frame);
  PageNumbers::Taken number;
  try {
    number = numbers_.take(size_class);
  } catch (...) {
    release(std::move(guard));
    throw;
  }
  if (!taken.is_zero) std::memset(frame.page, 0, frame.pageBytes());
  frame.page_id.store(number.id);
  frame.setSwipOffset(0);
  // What the page is used for now depends on it having been freed.
  frame.header() = PageHeader{0, number.id, number.freed.gsn, relation, type, 0};
  frame.log.store(number.freed.log);
  frame.markDirty(log_.stable());
  frame.state.store(FrameState::Hot);
  return guard;
}

Frame* BufferManager::resolveSlow(const OptimisticGuard& parent, uint64_t* where, Swip swip, RelationId relation) {
  if (swip.isCooling()) return rescue(parent, where, swip);
  CHECK(!swip.isNone(), "S1");
  const PageId id = swip.coldPage();
  if (beginLoad(id)) {
    // Somebody may have read and attached it since the swip was looked at.
    if (readWord(where) != swip.bits() || !parent.isValid()) {
      endLoad(id, nullptr);
      return nullptr;
    }
    load(id, relation);
  }
  const SharedGuard guard(parent.frame());
  return parent.isValid() ? attachLoaded(id, &parent.frame(), where) : nullptr;
}

Frame* BufferManager::rescue(const OptimisticGuard& parent, uint64_t* where, Swip swip) {
  const SharedGuard guard(parent.frame());
  if (!parent.isValid()) return nullptr;
  Frame* frame = swip.frame();
  uint64_t cooling = swip.bits();
  if (!std::atomic_ref(*where).compare_exchange_strong(cooling, Swip::hot(frame).bits()))
    return cooling == Swip::hot(frame).bits() ? frame : nullptr;
  frame->state.store(FrameState::Hot);
  replacement_.rescued(*frame);
  rescues_.add(frame->size_class);
  return frame;
}

Frame& BufferManager::fix(const ExclusiveGuard& parent, uint64_t* where, RelationId relation) {
  for (;;) {
    const Swip swip = Swip::fromBits(*where);
    if (swip.isHot()) return *swip.frame();
    if (swip.isCooling()) {
      Frame& frame = *swip.frame();
      std::atomic_ref(*where).store(Swip::hot(&frame).bits());
      frame.state.store(FrameState::Hot);
      replacement_.rescued(frame);
      return frame;
    }
    CHECK(!swip.isNone(), "S1");
    if (beginLoad(swip.coldPage())) load(swip.coldPage(), relation);
    if (Frame* frame = attachLoaded(swip.coldPage(), &parent.frame(), where)) return *frame;
  }
}

Frame& BufferManager::fixRoot(PageId id, RelationId relation) {
  for (;;) {
    {
      const std::scoped_lock lock(loads_mutex_);
      if (const auto found = roots_.find(id.value); found != roots_.end()) return *found->second;
    }
    if (beginLoad(id)) load(id, relation);
    uint64_t root = Swip::cold(id).bits();
    if (Frame* frame = attachLoaded(id, nullptr, &root)) return *frame;
  }
}

/// True: the caller is to read the page, or to say with endLoad() that it does not. False: somebody else has read it,
/// or has given up; this call waited for that.
bool BufferManager::beginLoad(PageId id) {
  std::unique_lock lock(loads_mutex_);
  if (loads_.try_emplace(id.value, nullptr).second) return true;
  loads_changed_.wait(lock, [&] {
    const auto found = loads_.find(id.value);
    return found == loads_.end() || found->second != nullptr;
  });
  return false;
}

/// Reads a page whose load this thread has begun, and which is not resident.
void BufferManager::load(PageId id, RelationId relation) {
  try {
    Frame& frame = read(id, relation);
    faults_.add(id.sizeClass().index);
    endLoad(id, &frame);
  } catch (...) {
    endLoad(id, nullptr);
    throw;
  }
}

void BufferManager::endLoad(PageId id, Frame* frame) {
  {
    const std::scoped_lock lock(loads_mutex_);
    if (frame)
      loads_[id.value] = frame;
    else
      loads_.erase(id.value);
  }
  loads_changed_.notify_all();
  if (frame) replacement_.enqueueLoaded(*frame);
}

Frame& BufferManager::read(PageId id, RelationId relation) {
  CHECK(id.sizeClass().index < kSizeClassCount, "S1");
  Frame& frame = *acquire(id.sizeClass()).frame;
  ExclusiveGuard guard(frame);
  frame.state.store(FrameState::InIo);
  try {
    DataFile& file = *files_[id.sizeClass().index];
    IoRequest request = file.readRequest(id, frame.page);
    {
      const WaitScope waiting(WaitEvent::DataFileRead);
      io_->perform({&request, 1});
    }
    file.check(request);
    verify(frame, id, relation);
  } catch (...) {
    release(std::move(guard));
    throw;
  }
  finishRead(frame, id);
  return frame;
}

void BufferManager::finishRead(Frame& frame, PageId id) {
  frame.page_id.store(id);
  frame.log.store(wal::kNoLog);
  frame.setSwipOffset(0);
  frame.state.store(FrameState::Loaded);
  reads_.add(id.sizeClass());
}

/// Links a loaded page into its parent, which is latched; null when it is gone again, or somebody else has linked it.
Frame* BufferManager::attachLoaded(PageId id, Frame* parent, uint64_t* where) {
  const std::scoped_lock lock(loads_mutex_);
  const auto found = loads_.find(id.value);
  if (found == loads_.end() || found->second == nullptr) return nullptr;
  Frame* frame = found->second;
  uint64_t cold = Swip::cold(id).bits();
  // The frame is complete before its swip shows it.
  frame->parent.store(parent);
  if (parent) frame->setSwipOffset(static_cast<uint64_t>(reinterpret_cast<std::byte*>(where) - parent->page));
  if (hooks_ && hooks_->adopt) frame->version_map.store(hooks_->adopt(id));
  frame->state.store(FrameState::Hot);
  if (!parent) roots_[id.value] = frame;
  CHECK(std::atomic_ref(*where).compare_exchange_strong(cold, Swip::hot(frame).bits()), "B3");
  loads_.erase(found);
  return frame;
}

/// Evicts a page that was loaded in vain, and is on disk as it is.
bool BufferManager::dropLoaded(Frame& frame) {
  std::unique_lock lock(loads_mutex_);
  if (frame.state.load() != FrameState::Loaded) return false;
  // The queue may know the frame from an earlier page: this one's reader has yet to announce it, and counts on it.
  const auto found = loads_.find(frame.page_id.load().value);
  if (found == loads_.end() || found->second != &frame || !frame.latch.tryLockExclusive()) return false;
  ExclusiveGuard guard(frame, ExclusiveGuard::Adopt{});
  if (frame.dirty.load() != DirtyState::Clean) {
    guard.releaseUnchanged();
    return false;
  }
  loads_.erase(found);
  lock.unlock();
  release(std::move(guard));
  return true;
}

void BufferManager::prefetch(const OptimisticGuard& parent, std::span<const ColdSwip> swips, RelationId relation) {
  struct Load {
    PageId id;
    ExclusiveGuard guard;
  };
  std::vector<Load> loads;
  std::vector<IoRequest> requests;
  for (const ColdSwip& swip : swips) {
    const PageId id = swip.page;
    {
      const std::scoped_lock lock(loads_mutex_);
      if (!loads_.try_emplace(id.value, nullptr).second) continue;
    }
    if (readWord(swip.where) != Swip::cold(id).bits() || !parent.isValid()) {
      endLoad(id, nullptr);
      continue;
    }
    try {
      // Nobody waits long for pages that are only expected to be wanted.
      FramePool::Taken taken = pool_.tryTake(id.sizeClass());
      if (!taken.frame && replacement_.free(std::max(pageBytes(id.sizeClass()), kHelpBytes)) > 0)
        taken = pool_.tryTake(id.sizeClass());
      if (!taken.frame) {
        endLoad(id, nullptr);
        break;
      }
      replacement_.memoryTaken();
      ExclusiveGuard guard(*taken.frame);
      taken.frame->state.store(FrameState::InIo);
      requests.push_back(files_[id.sizeClass().index]->readRequest(id, taken.frame->page));
      loads.push_back({id, std::move(guard)});
    } catch (const SqlError&) {
      endLoad(id, nullptr);
      break;
    }
  }
  const auto perform = [&] {
    try {
      const WaitScope waiting(WaitEvent::DataFileRead);
      if (!requests.empty()) io_->perform(requests);
    } catch (const SqlError&) {
      for (IoRequest& request : requests) request.error = EIO;
    }
  };
  perform();
  for (size_t i = 0; i < loads.size(); ++i) {
    Frame& frame = loads[i].guard.frame();
    bool is_good = requests[i].error == 0;
    try {
      if (is_good) verify(frame, loads[i].id, relation);
    } catch (const SqlError&) {
      is_good = false;
    }
    if (is_good) {
      finishRead(frame, loads[i].id);
      loads[i].guard.release();
    } else {
      release(std::move(loads[i].guard));
    }
    endLoad(loads[i].id, is_good ? &frame : nullptr);
  }
}

void BufferManager::verify(const Frame& frame, PageId id, RelationId relation) const {
  const PageHeader& header = frame.header();
  const DataFile& file = *files_[id.sizeClass().index];
  const uint64_t checksum = checksumOf(frame.page, frame.pageBytes());
  if (header.checksum != checksum)
    throw SqlError(sqlstate::kDataCorrupted, fmt::format("damaged {}", describePage(id, file, relation)))
        .detail(fmt::format("The checksum is {:016x}, the page says {:016x}.", checksum, header.checksum));
  if (header.page_id != id || header.relation_id != relation)
    throw SqlError(sqlstate::kDataCorrupted, fmt::format("misplaced {}", describePage(id, file, relation)))
        .detail(fmt::format("The page says it is page {} of size class {} of relation {}.", header.page_id.number(),
                            header.page_id.sizeClass().index, header.relation_id.value));
  if (static_cast<size_t>(header.type) >= visitors_.size())
    throw SqlError(sqlstate::kDataCorrupted, fmt::format("unknown type of {}", describePage(id, file, relation)));
}

void BufferManager::free(ExclusiveGuard page, wal::RecordStamp stamp) {
  const PageId id = page.frame().page_id.load();
  CHECK(page.frame().header().page_id == id, "P2");
  if (stamp.gsn.value == 0) stamp = page.frame().stamp();
  if (page.frame().parent.load() == nullptr) {
    const std::scoped_lock lock(loads_mutex_);
    roots_.erase(id.value);
  }
  release(std::move(page));
  numbers_.give(id, stamp);
}

void BufferManager::freeCold(PageId id, wal::RecordStamp stamp) {
  {
    // Somebody may have read it, in advance or in vain.
    std::unique_lock lock(loads_mutex_);
    loads_changed_.wait(lock, [&] {
      const auto found = loads_.find(id.value);
      return found == loads_.end() || found->second != nullptr;
    });
    if (const auto found = loads_.find(id.value); found != loads_.end()) {
      ExclusiveGuard guard(*found->second);
      loads_.erase(found);
      lock.unlock();
      release(std::move(guard));
    }
  }
  if (hooks_ && hooks_->adopt) discardVersions(hooks_->adopt(id));
  numbers_.give(id, stamp);
}

Frame* BufferManager::takeForRecovery(PageId id) {
  Frame* const frame = pool_.tryTake(id.sizeClass()).frame;
  if (frame == nullptr) return nullptr;
  frame->state.store(FrameState::InIo);
  frame->page_id.store(id);
  return frame;
}

void BufferManager::readForRecovery(std::span<RecoveryRead> reads) {
  std::vector<IoRequest> requests;
  for (const RecoveryRead& read : reads)
    requests.push_back(files_[read.id.sizeClass().index]->readRequest(read.id, read.frame->page));
  try {
    io_->perform(requests);
    for (size_t i = 0; i < reads.size(); ++i)
      // Behind the end of the file there is no page.
      if (requests[i].error != IoRequest::kEndOfFile) files_[reads[i].id.sizeClass().index]->check(requests[i]);
  } catch (...) {
    for (const RecoveryRead& read : reads) dropForRecovery(*read.frame);
    throw;
  }
  for (size_t i = 0; i < reads.size(); ++i) {
    Frame& frame = *reads[i].frame;
    reads[i].is_sound = requests[i].error == 0 && frame.header().page_id == reads[i].id &&
                        frame.header().checksum == checksumOf(frame.page, frame.pageBytes());
    if (!reads[i].is_sound) dropForRecovery(frame);
  }
}

void BufferManager::dropForRecovery(Frame& frame) {
  release(ExclusiveGuard(frame));
}

void BufferManager::adoptRecovered(Frame& frame) {
  frame.setSwipOffset(0);
  frame.state.store(FrameState::Loaded);
  {
    const std::scoped_lock lock(loads_mutex_);
    CHECK(loads_.emplace(frame.page_id.load().value, &frame).second, "B3");
  }
  replacement_.enqueueLoaded(frame);
  replacement_.memoryTaken();
}

void BufferManager::restoreNumbers(const PageNumberStates& states) {
  for (size_t index = 0; index < kSizeClassCount; ++index)
    if (states[index].next > 1) files_[index]->reserve(states[index].next - 1);
  numbers_.restore(states);
}

std::vector<Frame*> BufferManager::dirtyPages() {
  std::vector<Frame*> dirty;
  for (uint8_t index = 0; index < kSizeClassCount; ++index) {
    const SizeClass size_class{index};
    for (uint64_t number = 0; number < pool_.touchedCount(size_class); ++number)
      if (pool_.frame(size_class, number).dirty.load() != DirtyState::Clean)
        dirty.push_back(&pool_.frame(size_class, number));
  }
  return dirty;
}

Gsn BufferManager::oldestUnwritten() {
  Gsn oldest{UINT64_MAX};
  for (const Frame* frame : dirtyPages()) oldest = std::min(oldest, frame->unwritten_from.load());
  return oldest;
}

uint64_t BufferManager::writeOldest(Gsn gsn, uint64_t bytes) {
  std::vector<std::pair<Gsn, Frame*>> pages;
  for (Frame* frame : dirtyPages())
    if (const Gsn from = frame->unwritten_from.load(); from < gsn) pages.emplace_back(from, frame);
  std::ranges::sort(pages);
  uint64_t found = 0;
  std::vector<Frame*> chosen;
  for (const auto& [from, frame] : pages) {
    if (found >= bytes) break;
    found += frame->pageBytes();
    chosen.push_back(frame);
  }
  sortByPage(chosen);
  writer_.write(chosen, PageWriter::Latching::Try);
  return found;
}

void BufferManager::writeAll() {
  std::vector<Frame*> dirty = dirtyPages();
  sortByPage(dirty);
  writer_.write(dirty, PageWriter::Latching::Wait);
  numbers_.write(numbers_.state());
  double_write_->clear();
}

uint64_t BufferManager::dirtyFrames(SizeClass size_class) {
  uint64_t count = 0;
  for (uint64_t number = 0; number < pool_.touchedCount(size_class); ++number)
    if (pool_.frame(size_class, number).dirty.load(std::memory_order_relaxed) != DirtyState::Clean) ++count;
  return count;
}

BufferManager::ThreadUses BufferManager::usesOfThread() const {
  ThreadUses uses{};
  for (size_t i = 0; i < kSizeClassCount; ++i) {
    uses.hits += hits_.own(i);
    uses.faults += faults_.own(i);
  }
  return uses;
}

BufferCounts BufferManager::counts(SizeClass size_class) const {
  const uint64_t page_bytes = pageBytes(size_class);
  const uint64_t reads = reads_.value(size_class);
  const uint64_t writes = writer_.pagesWritten(size_class);
  return {.hits = hits_.sum(size_class.index),
          .rescues = rescues_.value(size_class),
          .faults = faults_.sum(size_class.index),
          .reads = reads,
          .read_bytes = reads * page_bytes,
          .writes = writes,
          .write_bytes = writes * page_bytes,
          .evictions = replacement_.evictions(size_class)};
}

BufferCounts BufferManager::counts() const {
  BufferCounts sum;
  for (uint8_t index = 0; index < kSizeClassCount; ++index) sum += counts(SizeClass{index});
  return sum;
}

BufferCounts& BufferCounts::operator+=(const BufferCounts& other) {
  hits += other.hits;
  rescues += other.rescues;
  faults += other.faults;
  reads += other.reads;
  read_bytes += other.read_bytes;
  writes += other.writes;
  write_bytes += other.write_bytes;
  evictions += other.evictions;
  return *this;
}

}  // namespace gnomon::storage
