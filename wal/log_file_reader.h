#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "wal/log_record.h"

namespace gnomon::wal {

/// Puts the pieces of records together.
class RecordAssembler {
 public:
  enum class Outcome : uint8_t { More, Done, Filler, Broken };

  /// Takes the piece at `position`, whole, of `bytes` bytes. Done: `record` is filled; its claims and body live until
  /// the next call, and as long as the piece when it is the record's only one.
  Outcome add(LogPosition position, const std::byte* piece, uint64_t bytes, LogRecord& record);
  [[nodiscard]] bool isMidway() const { return is_midway_; }
  /// Where the record in progress began.
  [[nodiscard]] LogPosition begin() const { return begin_; }
  void reset() { is_midway_ = false; }

 private:
  bool is_midway_ = false;
  LogPosition begin_;
  std::vector<LogClaim> claims_;
  std::vector<std::byte> body_;
};

/// Reads the pieces of one log from its segment files, also of a log that is being written.
///
/// Memory: one window, 256 KiB or the largest piece. Threads: one at a time.
class LogFileReader {
 public:
  LogFileReader(std::filesystem::path directory, LogNumber log, uint64_t segment_bytes);
  ~LogFileReader();
  LogFileReader(const LogFileReader&) = delete;
  LogFileReader& operator=(const LogFileReader&) = delete;

  /// The header of a segment; null when there is no such file. Failure: XX001 when it is damaged, 58030.
  const SegmentHeader* header(uint64_t segment);
  /// The whole piece at `position`; null when there is none: never written, torn, or left from another use of the file.
  /// Valid until the next call. Failure: as header(). `bytes`: with the header, without padding.
  const std::byte* piece(LogPosition position, uint64_t& bytes);
  /// The next whole piece at or after `position` in the same segment; nothing when there is none.
  std::optional<LogPosition> findPiece(LogPosition position);
  /// The record whose first piece is at `position`, whatever its GSN; false when there is none. Its claims live as long
  /// as `assembler`, its body as well or until the next call.
  bool record(LogPosition position, RecordAssembler& assembler, LogRecord& record);
  /// Reads again what may have been written meanwhile.
  void forgetWindow() { window_bytes_ = 0; }
  [[nodiscard]] std::filesystem::path path(uint64_t segment) const;
  [[nodiscard]] uint64_t segmentBytes() const { return segment_bytes_; }
  [[nodiscard]] LogNumber log() const { return log_; }

 private:
  const std::byte* window(uint64_t offset, uint64_t bytes);
  void close();

  const std::filesystem::path directory_;
  const LogNumber log_;
  const uint64_t segment_bytes_;
  int descriptor_ = -1;
  uint64_t open_segment_ = UINT64_MAX;
  SegmentHeader header_{};
  std::vector<std::byte> window_;
  uint64_t window_offset_ = 0;  ///< in the open segment
  uint64_t window_bytes_ = 0;   ///< filled
};

/// The envelope and the claims of a record's last piece; without position and body. Nothing when it is none, or not
/// sound.
struct RecordEnvelope {
  RecordHeader header;
  LogPosition undo_next;
  std::span<const std::byte> claims;  ///< of LogClaim, not aligned
  Bytes body;                         ///< the part in this piece
};
std::optional<RecordEnvelope> parseEnvelope(const std::byte* piece, uint64_t bytes);

}  // namespace gnomon::wal
