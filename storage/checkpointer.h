#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "storage/buffer_manager.h"

namespace gnomon::storage {

struct CheckpointOptions {
  /// The log needed for recovery is kept below, if running transactions allow: rounds begin at half of it, and take
  /// their time up to three quarters.
  uint64_t log_bytes_max = uint64_t{1} << 30;
  /// Brings the registry's numbers up to date (RelationRegistry::keep); null: nobody has any.
  std::function<void()> keep_states = nullptr;
  /// Of the log that recovery has read: it is needed until pages are written.
  uint64_t log_bytes_found = 0;
  Gsn released{};  ///< below, nothing of that log is needed
};

/// Of `dirty_bytes` bytes of pages what one round writes, so that at the pace at which the log grows, by `grown` bytes
/// since the round before, all are written when it has grown by `left` bytes more. A disk that is given all at once
/// lets the log wait behind them.
uint64_t pacedRoundBytes(uint64_t dirty_bytes, uint64_t grown, uint64_t left);

/// Writes dirty pages in the background, those with the oldest changes first, so that the log needed for recovery stays
/// short; then says what of it is needed no more. Changes go on meanwhile.
///
/// A checkpoint: (1) S is what is stable; records to come have larger GSNs. (2) Whoever appended a record of page
/// numbers or relations up to S has made it so in memory. (3) The log is needed from S + 1 on, or from the oldest
/// change that is not on disk. (4) Page numbers and registry are copied, (5) the log is flushed, as the copies may say
/// what is not yet stable, (6) they are written. (7) The log is released below (3).
/// Failpoints: checkpoint.pages_written, checkpoint.numbers_written, checkpoint.written (kill).
/// Threads: any.
class Checkpointer {
 public:
  /// The buffer manager's log is on, and both outlive this.
  Checkpointer(BufferManager& buffers, CheckpointOptions options);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// Every change made before the call is on the pages on disk when it returns, and the log behind it is released, but
  /// for what running transactions need. Failure: 53100, 58030; recovery begins where it did before.
  void checkpoint();
  /// One round: writes about `bytes` bytes of pages, and releases what is not needed then. False: nothing could be
  /// released. Failure: the same.
  bool advance(uint64_t bytes);

  /// What has been done since the start.
  struct Counts {
    uint64_t rounds = 0;       ///< advance()
    uint64_t checkpoints = 0;  ///< checkpoint()
    Gsn released;              ///< below, nothing of the log is needed
  };
  [[nodiscard]] Counts counts() const { return {rounds_.load(), checkpoints_.load(), released_.load()}; }

 private:
  /// How much log there was when something had been logged.
  struct Sample {
    Gsn gsn;
    uint64_t log_bytes;
  };
  void run();
  void takeSample();
  [[nodiscard]] uint64_t neededBytes() const;
  [[nodiscard]] uint64_t roundBytes(uint64_t needed, uint64_t grown) const;
  /// False: nothing could be released, a running transaction needs it.
  bool release();

  BufferManager& buffers_;
  wal::WriteAheadLog& wal_;
  const CheckpointOptions options_;
  std::mutex release_mutex_;
  std::atomic<Gsn> released_{};
  std::atomic<uint64_t> rounds_{0}, checkpoints_{0};
  std::deque<Sample> samples_;  ///< from the release on; the thread's
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::thread thread_;  ///< last: it uses all the others
};

}  // namespace gnomon::storage
