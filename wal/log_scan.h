#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "wal/log_start.h"
#include "wal/merged_cursor.h"

namespace gnomon::wal {

/// A log as it was found.
struct ScannedLog {
  LogNumber log;
  LogPosition start{};        ///< reading begins here
  Gsn gsn_before{};           ///< of the last record before the start; records with larger ones follow
  LogPosition whole_end{};    ///< behind the last whole record
  Gsn whole_last{};           ///< of that record, or gsn_before
  LogPosition stopped_at{};   ///< the first piece that is not whole
  LogPosition end{};          ///< behind the last record that counts
  Gsn last{};                 ///< of the last record that counts, or gsn_before
  uint64_t segment_last = 0;  ///< of the files that exist
  bool has_remains = false;   ///< behind the end lies something that must not be taken for a record later
};

/// A transaction that neither committed nor was rolled back to its end.
struct Loser {
  struct Tail {
    LogNumber log;
    LogPosition last;  ///< its last record in this log; from there `previous`, or a compensation record's `undo_next`
    Gsn gsn;           ///< of that record
  };
  TransactionNumber transaction;
  std::vector<Tail> tails;  ///< one for each log it wrote to
};

/// The logs of a directory as a crash, or a shutdown, left them. Changes nothing on disk.
///
/// Which records count, and when a log is refused: README, "the rule of consistency". Each log is read in a thread of
/// its own; what depends on the order of GSNs is decided by the caller's.
/// Failure: XX001 naming the file, when records are missing that were known to be on stable storage; 58030.
/// Memory: LogReadAhead's for each log, and the largest record. Threads: one at a time; reading may go on in several
/// cursors.
class LogScan {
 public:
  /// Told now and then how many bytes of the logs have been read, of how many at most.
  using Progress = std::function<void(uint64_t read_bytes, uint64_t bytes_max)>;

  /// `directory`: "DATA/wal"; need not exist. `known_stable`: by log, records that somebody knows to have been stable
  /// with all they depend on.
  explicit LogScan(std::filesystem::path directory, const Progress& progress = nullptr,
                   std::span<const Gsn> known_stable = {});

  [[nodiscard]] const std::vector<ScannedLog>& logs() const { return logs_; }
  [[nodiscard]] const std::vector<Loser>& losers() const { return losers_; }
  /// The largest GSN that was ever acted on; those of new records are larger.
  [[nodiscard]] Gsn lastGsn() const { return last_gsn_; }
  /// Changes with smaller GSNs are on the pages.
  [[nodiscard]] Gsn released() const { return start_.released; }
  /// 0: nothing was ever written here.
  [[nodiscard]] uint64_t segmentBytes() const { return start_.segment_bytes; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  /// Of all records that count.
  [[nodiscard]] uint64_t bytes() const;

  /// All records of one log that count, from its start.
  [[nodiscard]] std::unique_ptr<LogCursor> read(LogNumber log) const;
  /// All records of all logs that count.
  [[nodiscard]] MergedCursor merged() const;
  /// One record, for undoing. Failure: XX001 when there is none.
  [[nodiscard]] OwnedRecord at(LogNumber log, LogPosition position) const;

 private:
  class Analysis;
  void findLogs();
  [[nodiscard]] uint64_t bytesMax() const;
  [[nodiscard]] const ScannedLog* find(LogNumber log) const;

  const std::filesystem::path directory_;
  mutable std::map<LogNumber, std::unique_ptr<LogFileReader>> readers_;  ///< of at()
  LogStart start_;
  std::vector<ScannedLog> logs_;  ///< by number
  std::vector<Loser> losers_;
  Gsn last_gsn_;
};

}  // namespace gnomon::wal
