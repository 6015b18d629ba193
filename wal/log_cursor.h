#pragma once

#include <filesystem>
#include <memory>

#include "wal/log_file_reader.h"

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

}  // namespace gnomon::wal
