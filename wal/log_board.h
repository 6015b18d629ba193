#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "wal/gsn.h"

namespace gnomon::wal {

/// The larger of both stays.
template <typename T>
void raise(std::atomic<T>& known, T value) {
  for (T now = known.load(); now < value && !known.compare_exchange_weak(now, value);) {
  }
}

/// What the logs know of one another. Values only grow.
///
/// Threads: any; each word has one kind of writer at a time (see there).
/// Order: whoever sees stable() >= g sees in each log's stable_last that its records up to g are stable.
struct LogBoard {
  struct alignas(64) Words {
    std::atomic<Gsn> clock{};           ///< the largest GSN of the log; written under its mutex
    std::atomic<Gsn> stable_last{};     ///< a record that is stable with all it depends on; see raiseStable
    std::atomic<Gsn> synced_last{};     ///< its last record known to be on stable storage; by the committer
    std::atomic<Gsn> visible_commit{};  ///< its last commit that others saw before it was stable; under its mutex
  };
  std::array<Words, kLogCountMax> logs;
  /// Every record of every log with this GSN or a smaller one is on stable storage. By the committer.
  std::atomic<Gsn> stable_gsn{};
  /// Logs that exist have the numbers below it.
  std::atomic<uint16_t> log_count{0};
  /// Held while a log is added with the largest clock of all, and while a round is published.
  std::mutex creation_mutex;

  [[nodiscard]] Gsn stable() const { return stable_gsn.load(std::memory_order_acquire); }
  Words& operator[](LogNumber log) { return logs[log.value]; }
  /// The log's record with `gsn` is known to be stable with all it depends on: a round for all logs covered it, or it
  /// is a commit whose wait has ended.
  void raiseStable(LogNumber log, Gsn gsn) { raise(logs[log.value].stable_last, gsn); }
};

/// The end of all writing: the log could not be brought to the disk, so nothing may be acknowledged any more.
/// Threads: any.
class LogHealth {
 public:
  /// `on_fatal` is told the reason once and should not return; null: the reason goes to the server's log, then abort().
  explicit LogHealth(std::function<void(const std::string&)> on_fatal);

  /// Tells of the failure. When that returns (in tests), throws like check(), now and from now on.
  [[noreturn]] void fail(const std::string& reason);
  /// Failure: 58030 when the log has failed.
  void check() const {
    if (hasFailed()) [[unlikely]]
      throwFailed();
  }
  [[nodiscard]] bool hasFailed() const { return has_failed_.load(std::memory_order_acquire); }

 private:
  [[noreturn]] static void throwFailed();
  const std::function<void(const std::string&)> on_fatal_;
  std::atomic<bool> has_failed_{false};
};

}  // namespace gnomon::wal
