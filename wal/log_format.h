#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "wal/gsn.h"

/// How a log lies on disk.
///
///     DATA/wal/   03-0000000000000012.log  segment 18 of log 3 (numbers in hexadecimal)
///                 spare-0000000000000007   room that is allocated and belongs to no log
///                 start                    where reading begins (log_start.h)
///
/// A segment begins with its header; then pieces follow, each beginning at a multiple of kPieceAlignment, until the
/// segment ends. A piece never crosses the end of its segment. A record is one piece or several:
///
///     PieceHeader  bytes of the body                                          any number of times: the first pieces
///     PieceHeader  RecordHeader  [undo next]  claims  the rest of the body    the last or only piece
///
/// The number of a record, its GSN, is drawn when its last piece is made. Filler pieces take up what is too small.
namespace gnomon::wal {

inline constexpr uint32_t kLogFormatVersion = 1;
inline constexpr uint64_t kPieceAlignment = 16;

/// The head of a segment file. On stable storage before the file gets its name, so a file with a segment's name and
/// without a sound header is damaged.
///
/// Layout, 64 bytes:   0  magic           8  checksum: XXH3 of bytes 16 to 64
///                    16  format version 20  log number     22  spare, zero
///                    24  segment number 32  position of its first byte
///                    40  salt: random, new each time the file is used, part of every piece's checksum
///                    48  GSN of the last record that ended before this segment
///                    56  position of the record that goes on in this segment; 0 when none does
struct SegmentHeader {
  static constexpr uint64_t kMagic = 0x31474f4c'4e4d4e47;  // "GNMNLOG1"
  uint64_t magic;
  uint64_t checksum;
  uint32_t format_version;
  LogNumber log;
  uint16_t spare;
  uint64_t segment;
  LogPosition first;
  uint64_t salt;
  Gsn gsn_before;
  LogPosition continued;

  [[nodiscard]] uint64_t computeChecksum() const;
};
static_assert(sizeof(SegmentHeader) == 64 && offsetof(SegmentHeader, segment) == 24);
static_assert(offsetof(SegmentHeader, salt) == 40 && offsetof(SegmentHeader, continued) == 56);

/// Layout, 16 bytes:   0  checksum: XXH3 of bytes 8 to the piece's end, mixed with salt and position
///                     8  bytes of the piece, this header included, without padding
///                    12  part: bits of Part      13  spare, zero
struct PieceHeader {
  enum Part : uint8_t { kFirst = 1, kLast = 2, kFiller = 4 };
  uint64_t checksum;
  uint32_t bytes;
  uint8_t part;
  uint8_t spare[3];
};
static_assert(sizeof(PieceHeader) == kPieceAlignment);

/// The envelope of a record.
///
/// Layout, 48 bytes:   0  GSN           8  transaction       16  position of the transaction's record before it in this
/// log
///                    24  page         32  relation          36  type     38  flags    39  number of claims
///                    40  bytes of the body in all pieces    44  spare, zero
/// After it: the position to go on with undoing (8 bytes) when kCompensation is set, then the claims, 16 bytes each.
struct RecordHeader {
  enum Flag : uint8_t {
    kCompensation = 1,  ///< undoes a record; is not undone itself
    kSystem = 2         ///< is redone and never undone; stands outside the transaction's chain
  };
  Gsn gsn;
  TransactionNumber transaction;
  LogPosition previous;
  uint64_t page;
  uint32_t relation;
  uint16_t type;
  uint8_t flags;
  uint8_t claim_count;
  uint32_t body_bytes;
  uint32_t spare;
};
static_assert(sizeof(RecordHeader) == 48 && offsetof(RecordHeader, type) == 36);
static_assert(offsetof(RecordHeader, body_bytes) == 40);

/// What a record says of another log, or of its own: that log holds the record with `gsn`.
///
/// Layout, 16 bytes:   0  GSN     8  log number    10  kind    11  spare, zero
/// README, "the rule of consistency", says what follows from it.
struct LogClaim {
  enum class Kind : uint8_t {
    Depends = 1,  ///< this record counts only if it is there
    Stable = 2    ///< it was known to be on stable storage
  };
  Gsn gsn;
  LogNumber log;
  Kind kind;
  uint8_t spare[5];
};
static_assert(sizeof(LogClaim) == 16 && offsetof(LogClaim, kind) == 10);

inline constexpr uint64_t kPieceBytesMax = uint64_t{256} << 10;
/// Body and images of one record together; the wire protocol's values end at 1 GiB.
inline constexpr uint64_t kBodyBytesMax = uint64_t{3} << 30;

/// The checksum of the piece of `bytes` bytes at `piece`.
uint64_t pieceChecksum(const std::byte* piece, uint32_t bytes, uint64_t salt, LogPosition position);

constexpr uint64_t alignPiece(uint64_t bytes) {
  return (bytes + kPieceAlignment - 1) & ~(kPieceAlignment - 1);
}

/// A segment's place.
struct SegmentName {
  LogNumber log;
  uint64_t segment = 0;
  constexpr auto operator<=>(const SegmentName&) const = default;

  [[nodiscard]] std::string text() const;
  /// Nothing for other files.
  static std::optional<SegmentName> parse(const std::string& file_name);
};
/// "spare-...", and back; nothing for other files.
std::string spareName(uint64_t number);
std::optional<uint64_t> parseSpareName(const std::string& file_name);

}  // namespace gnomon::wal
