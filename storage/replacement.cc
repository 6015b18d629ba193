#include "storage/replacement.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

#include "base/sql_error.h"
#include "base/wait_event.h"
#include "storage/page_guard.h"
#include "storage/swip.h"

namespace gnomon::storage {

namespace {

/// Part of the pool that the provider keeps free, and that is cooling when memory is short.
constexpr uint64_t kReserveDivisor = 50;
constexpr uint64_t kReserveBytesMax = uint64_t{64} << 20;
constexpr uint64_t kCoolingDivisor = 10;
/// Random frames looked at in vain before a search gives up.
constexpr unsigned kMissesMax = 256;
constexpr auto kRetryPause = std::chrono::milliseconds(100);

}  // namespace

Replacement::Replacement(FramePool& pool, PageWriter& writer, const SwipVisitors& visitors,
                         const PageHooks* const& hooks, DropLoaded drop_loaded)
    : pool_(pool),
      writer_(writer),
      visitors_(visitors),
      hooks_(hooks),
      drop_loaded_(std::move(drop_loaded)),
      low_bytes_(std::min(pool.bytes() / kReserveDivisor, kReserveBytesMax)),
      high_bytes_(2 * low_bytes_),
      provider_([this] { provide(); }) {}

Replacement::~Replacement() {
  {
    const std::scoped_lock lock(provider_mutex_);
    is_stopping_ = true;
  }
  provider_wake_.notify_all();
  provider_.join();
}

void Replacement::wake() {
  if (is_wanted_.exchange(true)) return;
  const std::scoped_lock lock(provider_mutex_);
  provider_wake_.notify_one();
}

void Replacement::provide() {
  const BackgroundThread self("page provider");
  std::unique_lock lock(provider_mutex_);
  while (true) {
    {
      const WaitScope idle(WaitEvent::PageProviderMain);
      provider_wake_.wait(lock, [this] { return is_stopping_ || is_wanted_.load(); });
    }
    if (is_stopping_) return;
    is_wanted_.store(false);
    lock.unlock();
    bool is_stuck = false;
    try {
      if (pool_.wantsMemoryAhead()) pool_.takeMemoryAhead();
      const uint64_t available = pool_.availableBytes();
      if (available < high_bytes_) is_stuck = free(high_bytes_ - available) == 0;
    } catch (const SqlError& error) {
      // Whoever needs the memory meets the same error and reports it to its client.
      spdlog::warn("the page provider could not write pages: {}", error.message());
      is_stuck = true;
    }
    lock.lock();
    if (is_stuck) provider_wake_.wait_for(lock, kRetryPause, [this] { return is_stopping_; });
  }
}

uint64_t Replacement::free(uint64_t bytes) {
  const std::scoped_lock lock(turn_mutex_);
  uint64_t freed = 0;
  while (freed < bytes) {
    fillQueue(std::max(pool_.bytes() / kCoolingDivisor, bytes - freed));
    const uint64_t more = evictFromQueue(bytes - freed);
    if (more == 0) break;
    freed += more;
  }
  return freed;
}

void Replacement::fillQueue(uint64_t bytes) {
  for (unsigned misses = 0; coolingBytes() < bytes && misses < kMissesMax;) misses = coolOne() ? 0 : misses + 1;
}

Frame* Replacement::pickHot() {
  uint64_t total = 0;
  for (uint8_t index = 0; index < kSizeClassCount; ++index)
    total += pool_.touchedCount(SizeClass{index}) * storage::pageBytes(SizeClass{index});
  if (total == 0) return nullptr;
  uint64_t position = random_() % total;
  for (uint8_t index = 0; index < kSizeClassCount; ++index) {
    const SizeClass size_class{index};
    const uint64_t bytes = pool_.touchedCount(size_class) * storage::pageBytes(size_class);
    if (position < bytes) {
      Frame& frame = pool_.frame(size_class, position / storage::pageBytes(size_class));
      return frame.state.load() == FrameState::Hot ? &frame : nullptr;
    }
    position -= bytes;
  }
  return nullptr;
}

Frame* Replacement::residentChild(Frame& page) const {
  const SwipVisitor visitor = visitors_[static_cast<size_t>(page.header().type) % visitors_.size()];
  if (!visitor) return nullptr;
  Frame* found = nullptr;
  visitor(page.page, [&](uint64_t& word) {
    const Swip swip = Swip::fromBits(std::atomic_ref(word).load(std::memory_order_relaxed));
    if (swip.isResident()) found = swip.frame();
    return found == nullptr;
  });
  return found;
}

uint64_t* Replacement::findSwip(Frame& parent, Frame& child) const {
  const auto leadsToChild = [&](uint64_t& word) {
    const Swip swip = Swip::fromBits(std::atomic_ref(word).load(std::memory_order_relaxed));
    return swip.isResident() && swip.frame() == &child;
  };
  const uint32_t hint = child.swipOffset();
  // Elsewhere entries move, and bytes that look like the swip need not be it.
  if (parent.header().type == PageType::RelationInner && hint != 0 && hint + sizeof(uint64_t) <= parent.pageBytes()) {
    auto& word = *reinterpret_cast<uint64_t*>(parent.page + hint);
    if (leadsToChild(word)) return &word;
  }
  const SwipVisitor visitor = visitors_[static_cast<size_t>(parent.header().type) % visitors_.size()];
  uint64_t* found = nullptr;
  if (visitor)
    visitor(parent.page, [&](uint64_t& word) {
      if (leadsToChild(word)) found = &word;
      return found == nullptr;
    });
  return found;
}

/// A hot page without resident children, at random or below a random one.
bool Replacement::coolOne() {
  Frame* frame = pickHot();
  while (frame != nullptr) {
    if (!frame->latch.tryLockShared()) return false;
    const SharedGuard guard(*frame, SharedGuard::Adopt{});
    if (frame->state.load() != FrameState::Hot) return false;
    Frame* child = residentChild(*frame);
    if (child == nullptr) break;
    frame = child;
  }
  if (frame == nullptr) return false;
  Frame* parent = frame->parent.load();
  if (parent == nullptr || !parent->latch.tryLockShared()) return false;
  const SharedGuard guard(*parent, SharedGuard::Adopt{});
  if (frame->parent.load() != parent || frame->state.load() != FrameState::Hot) return false;
  uint64_t* word = findSwip(*parent, *frame);
  if (word == nullptr) return false;
  frame->setSwipOffset(static_cast<uint64_t>(reinterpret_cast<std::byte*>(word) - parent->page));
  // The state first: whoever makes the swip hot again sets the state after it.
  frame->state.store(FrameState::Cooling);
  cooling_bytes_.fetch_add(frame->pageBytes(), std::memory_order_relaxed);
  cooling_frames_.add(frame->size_class);
  uint64_t hot = Swip::hot(frame).bits();
  CHECK(std::atomic_ref(*word).compare_exchange_strong(hot, Swip::cooling(frame).bits()), "S2");
  enqueue(*frame);
  return true;
}

void Replacement::enqueue(Frame& frame) {
  if (frame.is_queued.exchange(true)) return;
  const std::scoped_lock lock(queue_mutex_);
  queue_.push_back(&frame);
}

void Replacement::enqueueLoaded(Frame& frame) {
  enqueue(frame);
}

uint64_t Replacement::queueLength() {
  const std::scoped_lock lock(queue_mutex_);
  return queue_.size();
}

uint64_t Replacement::evictFromQueue(uint64_t bytes) {
  uint64_t freed = 0;
  uint64_t dirty_bytes = 0;
  std::vector<Frame*> dirty;
  std::vector<Frame*> later;
  while (freed + dirty_bytes < bytes) {
    Frame* frame;
    {
      const std::scoped_lock lock(queue_mutex_);
      if (queue_.empty()) break;
      frame = queue_.front();
      queue_.pop_front();
    }
    frame->is_queued.store(false);
    const FrameState state = frame->state.load();
    if (state != FrameState::Loaded && state != FrameState::Cooling) continue;
    if (frame->dirty.load() != DirtyState::Clean) {
      dirty.push_back(frame);
      dirty_bytes += frame->pageBytes();
    } else if (leave(*frame)) {
      freed += frame->pageBytes();
    } else {
      later.push_back(frame);
    }
  }
  const auto keep = [&](Frame* frame) {
    const FrameState state = frame->state.load();
    if (state == FrameState::Cooling || state == FrameState::Loaded) enqueue(*frame);
  };
  try {
    if (!dirty.empty()) writer_.write(dirty, PageWriter::Latching::Try);
  } catch (...) {
    std::ranges::for_each(dirty, keep);
    std::ranges::for_each(later, keep);
    throw;
  }
  for (Frame* frame : dirty) {
    const uint64_t page_bytes = frame->pageBytes();
    if (leave(*frame))
      freed += page_bytes;
    else
      later.push_back(frame);
  }
  std::ranges::for_each(later, keep);
  return freed;
}

/// False: somebody uses it, or has changed it. One that was loaded may have its latch taken for a moment by whoever
/// holds an old page's address.
bool Replacement::leave(Frame& frame) {
  if (frame.dirty.load() != DirtyState::Clean) return false;
  const FrameState state = frame.state.load();
  if (state == FrameState::Loaded) return drop_loaded_(frame);
  return state == FrameState::Cooling && tryEvict(frame);
}

bool Replacement::tryEvict(Frame& frame) {
  Frame* parent = frame.parent.load();
  if (parent == nullptr || !parent->latch.tryLockExclusive()) return false;
  ExclusiveGuard above(*parent, ExclusiveGuard::Adopt{});
  const auto leave = [&] {
    above.releaseUnchanged();
    return false;
  };
  if (frame.parent.load() != parent || !frame.latch.tryLockExclusive()) return leave();
  ExclusiveGuard page(frame, ExclusiveGuard::Adopt{});
  const auto leaveBoth = [&] {
    page.releaseUnchanged();
    return leave();
  };
  if (frame.parent.load() != parent || frame.state.load() != FrameState::Cooling ||
      frame.dirty.load() != DirtyState::Clean)
    return leaveBoth();
  uint64_t* word = findSwip(*parent, frame);
  if (word == nullptr || !Swip::fromBits(*word).isCooling()) return leaveBoth();
  if (residentChild(frame) != nullptr) {
    // Somebody came by on the way to a child.
    std::atomic_ref(*word).store(Swip::hot(&frame).bits());
    frame.state.store(FrameState::Hot);
    rescued(frame);
    return leaveBoth();
  }
  const PageId id = frame.page_id.load();
  // Before anybody can read the page again, and ask for its map.
  if (void* map = frame.version_map.exchange(nullptr)) {
    CHECK(hooks_ && hooks_->orphan, "version maps come with hooks");
    hooks_->orphan(id, map);
  }
  std::atomic_ref(*word).store(Swip::cold(id).bits());
  above.release();
  rescued(frame);
  frame.page_id.store(PageId{});
  frame.parent.store(nullptr);
  frame.log.store(wal::kNoLog);
  frame.state.store(FrameState::Free);
  page.release();
  pool_.give(frame);
  evictions_.add(frame.size_class);
  return true;
}

}  // namespace gnomon::storage
