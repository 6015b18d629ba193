#include "storage/checkpointer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/failpoint.h"
#include "base/sql_error.h"
#include "base/wait_event.h"

namespace gnomon::storage {

namespace {

constexpr auto kPause = std::chrono::milliseconds(100);
/// Between rounds, as long as they are needed.
constexpr auto kBusyPause = std::chrono::milliseconds(5);
/// Where a running transaction needs the log, or a disk is full.
constexpr auto kStuckPause = std::chrono::milliseconds(1000);
/// Of pages written in one round, at most and where the log does not grow.
constexpr uint64_t kRoundBytes = uint64_t{64} << 20;
constexpr uint64_t kIdleRoundBytes = uint64_t{1} << 20;
/// For pages that somebody changes just now.
constexpr auto kLatchPause = std::chrono::milliseconds(1);

/// Of the log that is needed: from there on rounds follow one another.
constexpr uint64_t hurryFrom(uint64_t log_bytes_max) {
  return log_bytes_max / 4 * 3;
}

}  // namespace

uint64_t pacedRoundBytes(uint64_t dirty_bytes, uint64_t grown, uint64_t left) {
  const double share = static_cast<double>(grown) / static_cast<double>(std::max<uint64_t>(left, 1));
  return static_cast<uint64_t>(std::clamp(static_cast<double>(dirty_bytes) * share,
                                          static_cast<double>(kIdleRoundBytes), static_cast<double>(kRoundBytes)));
}

Checkpointer::Checkpointer(BufferManager& buffers, CheckpointOptions options)
    : buffers_(buffers),
      wal_(buffers.log().wal()),
      options_(std::move(options)),
      released_(options_.released),
      samples_{{options_.released, 0}},
      thread_([this] { run(); }) {}

Checkpointer::~Checkpointer() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Checkpointer::run() {
  const BackgroundThread self("checkpointer");
  std::unique_lock lock(mutex_);
  auto pause = kPause;
  const auto isEnding = [&] {
    const WaitScope idle(WaitEvent::CheckpointerMain);
    return wake_.wait_for(lock, pause, [this] { return is_ending_; });
  };
  uint64_t log_bytes = samples_.back().log_bytes;
  while (!isEnding()) {
    pause = kPause;
    takeSample();
    const uint64_t grown = samples_.back().log_bytes - std::exchange(log_bytes, samples_.back().log_bytes);
    const uint64_t needed = neededBytes();
    if (needed <= options_.log_bytes_max / 2) continue;
    lock.unlock();
    try {
      const bool is_released = advance(roundBytes(needed, grown));
      const bool is_in_hurry = needed >= hurryFrom(options_.log_bytes_max);
      if (is_in_hurry || (!is_released && grown == 0)) pause = is_released ? kBusyPause : kStuckPause;
    } catch (const SqlError& error) {
      // The log grows meanwhile: nothing is lost.
      spdlog::warn("a checkpoint could not be taken: {}", error.message());
      pause = kStuckPause;
    }
    lock.lock();
  }
}

void Checkpointer::takeSample() {
  const Gsn last = wal_.lastGsn();
  if (samples_.empty() || samples_.back().gsn < last)
    samples_.push_back({last, options_.log_bytes_found + wal_.counts().written_bytes});
  while (samples_.size() > 1 && samples_[1].gsn <= released_.load()) samples_.pop_front();
}

/// What was written since the record from which recovery would begin, or a little more.
uint64_t Checkpointer::neededBytes() const {
  return samples_.back().log_bytes - samples_.front().log_bytes;
}

/// As much as goes where there is no more time.
uint64_t Checkpointer::roundBytes(uint64_t needed, uint64_t grown) const {
  const uint64_t hurry_from = hurryFrom(options_.log_bytes_max);
  if (needed >= hurry_from) return std::min(kRoundBytes, options_.log_bytes_max / 4);
  uint64_t dirty_bytes = 0;
  for (uint8_t index = 0; index < kSizeClassCount; ++index)
    dirty_bytes += buffers_.dirtyFrames(SizeClass{index}) * pageBytes(SizeClass{index});
  return pacedRoundBytes(dirty_bytes, grown, hurry_from - needed);
}

bool Checkpointer::advance(uint64_t bytes) {
  // Changes that come after a page's image are known to be younger than what is stable then.
  wal_.flushAll();
  buffers_.writeOldest(Gsn{UINT64_MAX}, bytes);
  rounds_.fetch_add(1);
  return release();
}

bool Checkpointer::release() {
  const std::scoped_lock one_at_a_time(release_mutex_);
  const Gsn stable = wal_.stableGsn();
  {
    const std::unique_lock gate(buffers_.log().gate());
  }
  const Gsn needed = std::min(Gsn{stable.value + 1}, buffers_.oldestUnwritten());
  FAILPOINT("checkpoint.pages_written");
  if (options_.keep_states) options_.keep_states();
  const PageNumberStates numbers = buffers_.pageNumbers().state();
  const std::string registry = buffers_.registry().serialise();
  wal_.flushAll();
  buffers_.writePageNumbers(numbers);
  FAILPOINT("checkpoint.numbers_written");
  buffers_.registry().write(registry);
  FAILPOINT("checkpoint.written");
  const Gsn before = released_.load();
  released_.store(wal_.releaseBelow(needed));
  return released_.load() > before;
}

void Checkpointer::checkpoint() {
  wal_.flushAll();
  const Gsn stable = wal_.stableGsn();
  while (buffers_.oldestUnwritten() <= stable)
    if (buffers_.writeOldest(Gsn{stable.value + 1}, kRoundBytes) > 0 && buffers_.oldestUnwritten() <= stable)
      std::this_thread::sleep_for(kLatchPause);
  release();
  checkpoints_.fetch_add(1);
}

}  // namespace gnomon::storage
