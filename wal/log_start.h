#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "wal/gsn.h"

namespace gnomon::wal {

/// From where each log is to be read after a crash: what lies before is on the pages. The file "start" of the log's
/// directory, replaced atomically.
///
/// Layout:   0  magic           8  checksum: XXH3 of bytes 16 to the end
///          16  format version 20  number of logs
///          24  segment bytes  32  released GSN
///          40  entries, 32 bytes each:  0 start position   8 GSN before it   16 stable GSN   24 log number   26 spare
/// A log that is missing here is read from its first byte.
struct LogStart {
  struct Entry {
    LogPosition position;  ///< of a record's first piece, or the end of the log
    Gsn gsn_before;        ///< of the last record before it
    Gsn stable;            ///< the log was known to hold this record on stable storage
    LogNumber log;
    uint16_t spare[3];
  };
  static_assert(sizeof(Entry) == 32);

  uint64_t segment_bytes = 0;
  /// Every change of a record with a smaller GSN is on the pages on disk.
  Gsn released{};
  std::vector<Entry> entries{};

  /// The entry of `log`; nothing when the log is read from its first byte.
  [[nodiscard]] const Entry* find(LogNumber log) const;
  /// Failure: std::system_error; the old file is intact.
  void write(const std::filesystem::path& directory) const;
  /// Nothing when there is none. Failure: XX001 when it is damaged, 58030.
  static std::optional<LogStart> read(const std::filesystem::path& directory);
};

}  // namespace gnomon::wal
