#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "wal/log.h"

namespace gnomon::wal {

/// What somebody waits for: his own log stable up to a position, and all logs up to a GSN.
struct StableNeed {
  Log* log = nullptr;  ///< null: no log in particular
  LogPosition end{};
  Gsn gsn{};  ///< 0: nothing of other logs
};

/// Brings the logs to stable storage, for all who wait at once.
///
/// Source: Haubenschild et al., SIGMOD 2020, group commit and remote flush avoidance. Departure: no thread stands
/// between a commit and the disk. Who needs something stable while few rounds are under way, and none that will cover
/// it, runs the next round himself, for all who wait by then; the others sleep until a round has covered them, and one
/// that is left over runs the next. Rounds overlap: one writes while another syncs, and a device has more than one sync
/// under way; but only where no sync can take the error of another's write away (SegmentFile::isDirect).
/// A background thread runs rounds for commits that nobody waits for, and writes what is about to fill a log's memory.
/// A round: (1) G is the largest GSN of all logs;
/// (2) every log's clock is raised to G and its end noted, so what is appended later has larger GSNs; (3) logs with
/// something new are written, (4) and synced, each in one batch of I/O; (5) when every log is stable up to the end
/// noted in (2), everything up to G is stable. If nobody waits for other logs than his own, (3) and (4) are for those
/// logs only. Failpoints: wal.round_begun, wal.torn, wal.written, wal.synced (kill); wal.write, wal.sync (errors).
/// Threads: any. Failure: 58030 once the log has failed; nothing is acknowledged after that.
class GroupCommitter {
 public:
  /// `logs`: by number, grows only (board.log_count says how many there are).
  GroupCommitter(std::span<const std::unique_ptr<Log>> logs, LogBoard& board, LogHealth& health, FileIo& io,
                 SyncMethod sync_method, std::chrono::milliseconds interval);
  ~GroupCommitter();
  GroupCommitter(const GroupCommitter&) = delete;
  GroupCommitter& operator=(const GroupCommitter&) = delete;

  /// Returns when the need is met. Cannot be cancelled.
  void waitFor(const StableNeed& need);
  [[nodiscard]] bool isMet(const StableNeed& need) const;
  /// Has the background thread run a round for all logs within the interval.
  void flushSoon();
  /// Has the background thread write what logs have a lot of, so that those who append need not.
  void writeSoon();
  /// Makes everything stable that was appended before the call.
  void flushAll();

  [[nodiscard]] uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t syncs() const { return syncs_.load(std::memory_order_relaxed); }

 private:
  struct Waiter {
    const StableNeed& need;
    std::condition_variable wake;
    bool is_woken = false;
  };
  [[nodiscard]] bool mayLead(const StableNeed& need) const;
  void lead(std::unique_lock<std::mutex>& lock, const StableNeed& own);
  void wakeWaiters();
  void runRound(std::span<const StableNeed> needs);
  void perform(std::span<IoRequest> requests, bool is_batch);
  void writeLogs(std::span<Log* const> logs, Log::Extent extent);
  void writeDue();
  void syncLogs(std::span<Log* const> logs, std::span<const Log::Snapshot> snapshots);
  void runInBackground();

  const std::span<const std::unique_ptr<Log>> logs_;
  LogBoard& board_;
  LogHealth& health_;
  FileIo& io_;
  const std::unique_ptr<FileIo> direct_;  ///< for a single log: no other thread of the kernel is woken
  const SyncMethod sync_method_;
  const std::chrono::milliseconds interval_;

  std::mutex mutex_;
  size_t rounds_running_ = 0;
  std::list<Waiter*> waiters_;

  std::mutex background_mutex_;
  std::condition_variable background_wake_;
  std::atomic<bool> is_flush_wanted_{false}, is_write_wanted_{false};
  bool is_ending_ = false;
  std::atomic<uint64_t> rounds_{0};
  std::atomic<uint64_t> syncs_{0};
  std::thread background_;  ///< last: it uses all the others
};

}  // namespace gnomon::wal
