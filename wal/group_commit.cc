#include "wal/group_commit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "base/failpoint.h"
#include "base/sql_error.h"
#include "base/wait_event.h"

namespace gnomon::wal {

GroupCommitter::GroupCommitter(std::span<const std::unique_ptr<Log>> logs, LogBoard& board, LogHealth& health,
                               FileIo& io, SyncMethod sync_method, std::chrono::milliseconds interval)
    : logs_(logs),
      board_(board),
      health_(health),
      io_(io),
      direct_(FileIo::create(IoMethod::Pread)),
      sync_method_(sync_method),
      interval_(interval),
      background_([this] { runInBackground(); }) {}

GroupCommitter::~GroupCommitter() {
  {
    const std::scoped_lock lock(background_mutex_);
    is_ending_ = true;
    background_wake_.notify_one();
  }
  background_.join();
}

bool GroupCommitter::isMet(const StableNeed& need) const {
  const Gsn stable = board_.stable();
  return need.gsn <= stable && (need.log == nullptr || need.log->synced() >= need.end);
}

void GroupCommitter::waitFor(const StableNeed& need) {
  if (isMet(need)) return;
  const WaitScope waiting(WaitEvent::WalSync);
  std::unique_lock lock(mutex_);
  while (!isMet(need)) {
    health_.check();
    if (mayLead(need)) {
      lead(lock, need);
      continue;
    }
    Waiter self{.need = need, .wake = {}};
    const auto place = waiters_.insert(waiters_.end(), &self);
    self.wake.wait(lock, [&] { return self.is_woken; });
    waiters_.erase(place);
  }
}

/// Whether the caller runs a round rather than wait for one. Under mutex_.
bool GroupCommitter::mayLead(const StableNeed& need) const {
  // One that writes beside one that syncs; with more of them fewer commits share a sync.
  constexpr size_t kRoundsMax = 2;
  if (rounds_running_ == 0) return true;
  if (rounds_running_ >= kRoundsMax) return false;
  if (need.gsn <= board_.stable() && need.log != nullptr && need.log->writeTarget() >= need.end) return false;
  const uint16_t count = board_.log_count.load(std::memory_order_acquire);
  // A log without anything that is not synced is written by no round under way, and may have no file yet.
  return std::ranges::all_of(logs_.first(count),
                             [](const auto& log) { return log->isDirect() || log->synced() == log->filled(); });
}

/// Runs a round for the caller and all who wait.
void GroupCommitter::lead(std::unique_lock<std::mutex>& lock, const StableNeed& own) {
  ++rounds_running_;
  std::vector<StableNeed> needs{own};
  for (const Waiter* waiter : waiters_) needs.push_back(waiter->need);
  lock.unlock();
  const auto end = [&] {
    lock.lock();
    --rounds_running_;
    wakeWaiters();
  };
  try {
    runRound(needs);
  } catch (...) {
    end();
    throw;
  }
  end();
}

/// Wakes those whose need is met, and one more, who leads the next round unless somebody else comes first. After a
/// failure all: each finds out.
void GroupCommitter::wakeWaiters() {
  bool has_leader = false;
  for (Waiter* waiter : waiters_) {
    if (waiter->is_woken) continue;
    const bool is_met = health_.hasFailed() || isMet(waiter->need);
    if (!is_met && has_leader) continue;
    has_leader |= !is_met;
    waiter->is_woken = true;
    waiter->wake.notify_one();
  }
}

void GroupCommitter::runRound(std::span<const StableNeed> needs) {
  FAILPOINT("wal.round_begun");
  const uint16_t count = board_.log_count.load(std::memory_order_acquire);
  Gsn clock;
  for (size_t i = 0; i < count; ++i) clock = std::max(clock, board_.logs[i].clock.load(std::memory_order_relaxed));
  const bool is_for_all =
      std::ranges::any_of(needs, [&](const StableNeed& need) { return need.gsn > board_.stable(); });
  std::vector<Log*> chosen;
  std::vector<Log::Snapshot> chosen_snapshots;
  std::vector<Log::Snapshot> snapshots(count);
  for (size_t i = 0; i < count; ++i) {
    Log* const log = logs_[i].get();
    snapshots[i] = log->snapshot(clock);
    const bool is_needed = is_for_all || std::ranges::any_of(needs, [&](const StableNeed& need) {
                             return need.log == log && need.end > log->synced();
                           });
    if (!is_needed || log->synced() >= snapshots[i].filled) continue;
    chosen.push_back(log);
    chosen_snapshots.push_back(snapshots[i]);
  }
  writeLogs(chosen, Log::Extent::All);
  FAILPOINT("wal.written");
  syncLogs(chosen, chosen_snapshots);
  FAILPOINT("wal.synced");
  rounds_.fetch_add(1, std::memory_order_relaxed);
  for (size_t i = 0; i < count; ++i)
    if (logs_[i]->synced() < snapshots[i].filled) return;
  // A log that is made from now on begins with a clock of at least this round's; one that was made meanwhile may not.
  const std::scoped_lock creation(board_.creation_mutex);
  if (board_.log_count.load(std::memory_order_acquire) != count) return;
  for (size_t i = 0; i < count; ++i) board_.raiseStable(LogNumber{static_cast<uint16_t>(i)}, snapshots[i].last);
  board_.stable_gsn.store(std::max(clock, board_.stable()), std::memory_order_release);
}

/// One request alone goes to the disk without waking another thread of the kernel.
void GroupCommitter::perform(std::span<IoRequest> requests, bool is_batch) {
  try {
    (is_batch ? io_ : *direct_).perform(requests);
  } catch (const SqlError& error) {
    health_.fail(error.message());
  }
}

void GroupCommitter::writeLogs(std::span<Log* const> logs, Log::Extent extent) {
  std::vector<std::unique_lock<std::mutex>> locks(logs.size());
  std::vector<IoRequest> requests;
  std::vector<size_t> ends;
  for (size_t i = 0; i < logs.size(); ++i) {
    logs[i]->beginWrites(locks[i], requests, extent);
    ends.push_back(requests.size());
  }
  // Half of what is written, as a crash in the middle would leave it.
  if (isFailpointArmed("wal.torn")) {
    std::vector<IoRequest> torn = requests;
    for (IoRequest& request : torn) request.bytes /= 2;
    perform(torn, logs.size() > 1);
    FAILPOINT("wal.torn");
  }
  perform(requests, logs.size() > 1);
  for (size_t i = 0, begin = 0; i < logs.size(); begin = ends[i++])
    logs[i]->finishWrites(std::span(requests).subspan(begin, ends[i] - begin));
}

void GroupCommitter::syncLogs(std::span<Log* const> logs, std::span<const Log::Snapshot> snapshots) {
  std::vector<Log::Unsynced> unsynced;
  std::vector<IoRequest> requests;
  for (Log* log : logs) {
    unsynced.push_back(log->beginSync());
    for (const Log::Unsynced::File& unsynced_file : unsynced.back().files)
      requests.push_back({.descriptor = unsynced_file.file->descriptor(),
                          .operation = sync_method_ == SyncMethod::Fsync ? IoRequest::Operation::Sync
                                                                         : IoRequest::Operation::SyncData});
  }
  perform(requests, requests.size() > 1);
  syncs_.fetch_add(requests.size(), std::memory_order_relaxed);
  for (const IoRequest& request : requests) {
    const int injected = FAILPOINT_ERROR("wal.sync");
    // The kernel may have dropped what it could not write, so nothing it says later can be believed.
    if (const int error = injected != 0 ? injected : request.error)
      health_.fail(fmt::format("could not sync the log: {}", std::strerror(error)));
  }
  for (size_t i = 0; i < logs.size(); ++i) logs[i]->endSync(unsynced[i], snapshots[i].last);
}

void GroupCommitter::flushAll() {
  const uint16_t count = board_.log_count.load(std::memory_order_acquire);
  Gsn clock;
  for (size_t i = 0; i < count; ++i) clock = std::max(clock, board_.logs[i].clock.load(std::memory_order_relaxed));
  waitFor({.gsn = clock});
}

void GroupCommitter::flushSoon() {
  if (is_flush_wanted_.load(std::memory_order_relaxed) || is_flush_wanted_.exchange(true)) return;
  const std::scoped_lock lock(background_mutex_);
  background_wake_.notify_one();
}

void GroupCommitter::writeSoon() {
  if (is_write_wanted_.load(std::memory_order_relaxed) || is_write_wanted_.exchange(true)) return;
  const std::scoped_lock lock(background_mutex_);
  background_wake_.notify_one();
}

void GroupCommitter::writeDue() {
  std::vector<Log*> due;
  const uint16_t count = board_.log_count.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i)
    if (logs_[i]->isWritingDue()) due.push_back(logs_[i].get());
  if (!due.empty()) writeLogs(due, Log::Extent::FullBlocks);
}

void GroupCommitter::runInBackground() {
  const BackgroundThread self("walwriter");
  // When the flush that is wanted is due.
  std::optional<std::chrono::steady_clock::time_point> flush_at;
  std::unique_lock lock(background_mutex_);
  for (;;) {
    {
      const WaitScope idle(WaitEvent::WalWriterMain);
      const auto isWoken = [&] {
        return is_ending_ || is_write_wanted_.load() || (!flush_at && is_flush_wanted_.load());
      };
      if (flush_at)
        background_wake_.wait_until(lock, *flush_at, isWoken);
      else
        background_wake_.wait(lock, isWoken);
    }
    const auto now = std::chrono::steady_clock::now();
    const bool is_last = is_ending_;
    const bool is_writing = is_write_wanted_.exchange(false);
    if (!flush_at && is_flush_wanted_.load()) flush_at = now + interval_;
    const bool is_flushing = flush_at && (is_last || now >= *flush_at);
    if (is_flushing) {
      is_flush_wanted_.store(false);
      flush_at.reset();
    }
    lock.unlock();
    try {
      if (is_writing) writeDue();
      if (is_flushing) flushAll();
    } catch (const SqlError&) {
      // The log has failed, and who waits has been told.
      return;
    }
    lock.lock();
    if (is_last) return;
  }
}

}  // namespace gnomon::wal
