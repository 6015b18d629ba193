#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "wal/group_commit.h"
#include "wal/log_scan.h"
#include "wal/log_writer.h"

namespace gnomon::wal {

struct WalOptions {
  /// A power of two; of a new directory, an existing one keeps its own.
  uint64_t segment_bytes = uint64_t{16} << 20;
  /// Memory of each log, at most a segment; a power of two. A quarter of it is written at once where nobody waits: a
  /// write costs some 40 us of a processor.
  uint64_t buffer_bytes = uint64_t{4} << 20;
  size_t logs_max = 32;  ///< at most kLogCountMax
  /// The first of them are those of leases that share: a sync of few files is soon done.
  size_t shared_logs_max = 32;
  size_t spares_kept = 4;  ///< segments kept for re-use
  SyncMethod sync_method = SyncMethod::Fdatasync;
  IoMethod io_method = IoMethod::Auto;
  /// Commits that nobody waits for are stable after at most this time and the round's own.
  std::chrono::milliseconds flush_interval{10};
  /// Told why the log cannot be written; should not return. Null: says so in the server's log and aborts.
  std::function<void(const std::string&)> on_fatal;
};

/// What the log has counted since it was opened.
struct WalCounts {
  uint64_t records = 0;
  uint64_t written_bytes = 0;  ///< whole blocks, those written again included
  uint64_t flushes = 0;        ///< rounds
  uint64_t device_syncs = 0;
  uint64_t commits_waited = 0;
  uint64_t remote_flushes_avoided = 0;  ///< of those: waited for their own log only, while there were others
  uint64_t total_bytes = 0;             ///< of all files, now
};

/// One of the logs, as it stands.
struct LogCounts {
  LogNumber log;
  Gsn last;              ///< of its last record, or what its clock was raised to
  Gsn stable_last;       ///< of its last record that is known to be on stable storage
  LogPosition filled{};  ///< bytes appended, from the log's first on
  LogPosition stable{};  ///< of them, on stable storage
  uint64_t records = 0;  ///< since it was opened, as what follows
  uint64_t written_bytes = 0;
};

/// The log of a data directory, open for writing.
///
/// Source: Haubenschild et al., "Rethinking Logging, Checkpoints, and Recovery for High-Performance Storage Engines",
/// SIGMOD 2020. Departure: README, "the rule of consistency".
/// Invariants:  W1  what lies on disk behind a log's end is no record of it
///              W2  a released record's segment may be used again only after the file "start" says so
/// Threads: any. Failure: SqlError 53100, 58030, as said at each.
class WriteAheadLog {
 public:
  /// Opens what `scan` has found, after removing what does not count: new records go behind what counts. Everything
  /// that counts is on stable storage when it returns; a crash meanwhile is met by scanning again. Failure: 53100,
  /// 58030.
  WriteAheadLog(const LogScan& scan, WalOptions options);
  /// Brings everything to stable storage. No lease is out.
  ~WriteAheadLog();
  WriteAheadLog(const WriteAheadLog&) = delete;
  WriteAheadLog& operator=(const WriteAheadLog&) = delete;

  /// A log for a transaction: of the free ones that which was used last, else a new one, else one that is shared. Who
  /// gives it back before he waits for his commit lets another's commit share the sync. `shares_log`: one of the
  /// WalOptions::shared_logs_max.
  /// Failure: 53100 when there is no log yet and no room for one; 58030.
  std::unique_ptr<LogWriter> lease(bool shares_log = true);
  /// The log of an unfinished transaction, for undoing it after a restart; `begin` has been called.
  std::unique_ptr<LogWriter> resume(TransactionNumber transaction, const Loser::Tail& tail);

  /// Returns when the commit and all it depends on are stable. Cannot be cancelled.
  void waitFor(const CommitTicket& ticket);
  /// Whether waitFor would return at once.
  [[nodiscard]] bool isStable(const CommitTicket& ticket) const { return committer_->isMet(needOf(ticket)); }
  /// Before a page whose last change has this GSN is written to disk.
  void flushUpTo(Gsn gsn);
  /// Everything that was appended before the call.
  void flushAll() { committer_->flushAll(); }
  void flushSoon() { committer_->flushSoon(); }
  void writeSoon() { committer_->writeSoon(); }

  /// Every record with this GSN or a smaller one is stable, in all logs.
  [[nodiscard]] Gsn stableGsn() const { return board_.stable(); }
  /// Up to where each log is on stable storage, by number.
  [[nodiscard]] std::vector<LogPosition> stablePositions() const;
  /// By log, a record that is stable with all it depends on: the last one known. After flushUpTo(gsn) none of those up
  /// to `gsn` come behind it.
  [[nodiscard]] std::vector<Gsn> stableRecords() const;
  /// No record has a larger one.
  [[nodiscard]] Gsn lastGsn() const;

  /// Says that every change of a record with a smaller GSN is on the pages on disk, and recycles what is no longer
  /// needed for that. What running transactions may have to undo, and what is not stable, stays. Returns the GSN below
  /// which nothing will be read. Failure: 53100, 58030; nothing is released.
  Gsn releaseBelow(Gsn gsn);
  /// Bytes of all files of the log.
  [[nodiscard]] uint64_t totalBytes() const { return pool_.totalBytes(); }
  [[nodiscard]] uint64_t segmentBytes() const { return pool_.segmentBytes(); }
  [[nodiscard]] WalCounts counts() const;
  /// Of each log there is, by number.
  [[nodiscard]] std::vector<LogCounts> logCounts() const;

 private:
  friend class LogWriter;
  void giveBack(LogWriter& writer);
  [[nodiscard]] StableNeed needOf(const CommitTicket& ticket) const {
    return {ticket.log == kNoLog ? nullptr : logs_[ticket.log.value].get(), ticket.end, ticket.foreign};
  }
  Log& chooseLog(size_t count_max);
  Log& createLog(const LogResume& resume);
  std::unique_ptr<LogWriter> leaseOf(Log& log);
  LogResume repair(const ScannedLog& scanned, const LogScan& scan);
  static uint64_t openDirectory(const LogScan& scan, const WalOptions& options);
  void report(std::vector<MetricSample>& samples) const;

  const std::filesystem::path directory_;
  const WalOptions options_;
  LogBoard board_;
  LogHealth health_;
  const std::unique_ptr<FileIo> io_;
  SegmentPool pool_;

  std::mutex release_mutex_;
  Gsn released_;

  std::mutex lease_mutex_;
  std::array<std::unique_ptr<Log>, kLogCountMax> logs_;
  std::array<size_t, kLogCountMax> lease_counts_{};
  std::vector<LogNumber> free_logs_;  ///< the one used last at the end
  std::set<const LogWriter*, std::less<>, RecyclingAllocator<const LogWriter*>> writers_;

  std::unique_ptr<GroupCommitter> committer_;
  std::atomic<uint64_t> commits_waited_{0};
  std::atomic<uint64_t> remote_flushes_avoided_{0};
  std::unique_ptr<const Metrics::Registration> registration_;  ///< last: it uses all the others
};

}  // namespace gnomon::wal
