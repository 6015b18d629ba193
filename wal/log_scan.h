#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "wal/log_file_reader.h"
#include "wal/log_start.h"

namespace gnomon::wal {

/// Goes forward over the whole records of one log, until the first that is not, or `end`.
///
/// Threads: one at a time.
class LogCursor {
 public:
  /// `position`: a record's first byte, or where a log ended. `gsn_before`: smaller ones are no records that follow.
  LogCursor(const std::filesystem::path& directory, LogNumber log, uint64_t segment_bytes, LogPosition position,
            Gsn gsn_before, LogPosition end = LogPosition{UINT64_MAX});

  /// The next record; false at the end. Its claims and body live until the next call.
  /// Failure: XX001 when a segment's header is damaged, 58030.
  bool next(LogRecord& record);
  /// The end of the last record that was read.
  [[nodiscard]] LogPosition position() const { return position_; }
  /// Where the first piece lies that is not whole, after next() has said that this is the end.
  [[nodiscard]] LogPosition stoppedAt() const { return stopped_at_; }
  [[nodiscard]] LogFileReader& files() { return *files_; }

 private:
  std::unique_ptr<LogFileReader> files_;
  RecordAssembler assembler_;
  LogPosition position_;
  LogPosition stopped_at_;
  Gsn last_gsn_;
  const LogPosition end_;
};

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

/// All records that count, in the order of their GSNs.
///
/// Records of one page come in the order of its changes, and what a record depends on comes before it.
/// Threads: one at a time.
class MergedCursor {
 public:
  void add(std::unique_ptr<LogCursor> cursor);
  /// False at the end. Claims and body live until the next call. Failure: as LogCursor.
  bool next(LogRecord& record);

 private:
  struct Source {
    std::unique_ptr<LogCursor> cursor;
    LogRecord record;
    bool has_record = false;
  };
  std::vector<Source> sources_;
  Source* delivered_ = nullptr;
};

/// The logs of a directory as a crash, or a shutdown, left them. Changes nothing on disk.
///
/// Which records count, and when a log is refused: README, "the rule of consistency".
/// Failure: XX001 naming the file, when records are missing that were known to be on stable storage; 58030.
/// Memory: a window for each log, and the largest record. Threads: one at a time; reading may go on in several cursors.
class LogScan {
 public:
  /// `directory`: "DATA/wal"; need not exist.
  explicit LogScan(std::filesystem::path directory);

  [[nodiscard]] const std::vector<ScannedLog>& logs() const { return logs_; }
  [[nodiscard]] const std::vector<Loser>& losers() const { return losers_; }
  /// The largest GSN that was ever acted on; those of new records are larger.
  [[nodiscard]] Gsn lastGsn() const { return last_gsn_; }
  /// Changes with smaller GSNs are on the pages.
  [[nodiscard]] Gsn released() const { return start_.released; }
  /// 0: nothing was ever written here.
  [[nodiscard]] uint64_t segmentBytes() const { return start_.segment_bytes; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

  /// All records of one log that count, from its start.
  [[nodiscard]] std::unique_ptr<LogCursor> read(LogNumber log) const;
  /// All records of all logs that count.
  [[nodiscard]] MergedCursor merged() const;
  /// One record, for undoing. Failure: XX001 when there is none.
  [[nodiscard]] OwnedRecord at(LogNumber log, LogPosition position) const;

 private:
  class Analysis;
  void findLogs();
  [[nodiscard]] const ScannedLog* find(LogNumber log) const;

  const std::filesystem::path directory_;
  mutable std::map<LogNumber, std::unique_ptr<LogFileReader>> readers_;  ///< of at()
  LogStart start_;
  std::vector<ScannedLog> logs_;  ///< by number
  std::vector<Loser> losers_;
  Gsn last_gsn_;
};

}  // namespace gnomon::wal
