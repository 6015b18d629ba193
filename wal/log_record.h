#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "wal/gsn.h"
#include "wal/log_format.h"

namespace gnomon::wal {

using Bytes = std::span<const std::byte>;

/// What a record is about. This room knows the end of a transaction; all else is the rooms' above, whose types begin
/// with kFirstOfRooms. A transaction begins with its first record.
using RecordType = StrongId<struct RecordTypeTag, uint16_t>;
inline constexpr RecordType kCommitRecord{1};
inline constexpr RecordType kEndRecord{2};  ///< rolled back: everything is undone
inline constexpr RecordType kFirstOfRooms{16};

/// What a compensation record can take beside its body; it makes no claims but for the pages it changes.
inline constexpr uint64_t kCompensationBytes =
    sizeof(PieceHeader) + sizeof(RecordHeader) + sizeof(LogPosition) + 8 * sizeof(LogClaim) + kPieceAlignment;

/// A record to be appended.
struct NewRecord {
  RecordType type{};
  uint64_t page = 0;      ///< a packed page id; 0: none
  uint32_t relation = 0;  ///< 0: none
  /// A compensation record, which undoes one. Written from the room that its transaction has reserved.
  bool is_compensation = false;
  /// A structure change: redone, never undone.
  bool is_system = false;
  /// Of a compensation record: the position of the next record to be undone; 0 when there is none.
  LogPosition undo_next{};
  /// The body, in parts that are put one after the other. At most kBodyBytesMax in all.
  std::span<const Bytes> body{};
  /// The bytes of bodies of compensation records that undoing this record may need; room for them is reserved.
  uint64_t rollback_bytes = 0;
};

/// A record that was read back. `claims` and `body` live as long as whoever read it says.
struct LogRecord {
  LogNumber log;
  LogPosition position;  ///< of its first piece
  LogPosition end;       ///< where the next piece begins
  Gsn gsn;
  TransactionNumber transaction;
  LogPosition previous;  ///< of the same transaction in the same log; 0: none
  LogPosition undo_next;
  RecordType type;
  uint64_t page = 0;
  uint32_t relation = 0;
  bool is_compensation = false;
  bool is_system = false;
  std::span<const LogClaim> claims;
  Bytes body;
};

/// A record with memory of its own.
class OwnedRecord {
 public:
  OwnedRecord() = default;
  /// Takes the claims and the body over from `record`.
  explicit OwnedRecord(const LogRecord& record);
  OwnedRecord(OwnedRecord&&) = default;
  OwnedRecord& operator=(OwnedRecord&&) = default;

  [[nodiscard]] const LogRecord& operator*() const { return record_; }
  [[nodiscard]] const LogRecord* operator->() const { return &record_; }

 private:
  std::vector<LogClaim> claims_;
  std::vector<std::byte> body_;
  LogRecord record_;
};

/// A record in one line, without its end: "log 3 at 4160: gsn 17 transaction 9 commit ...". `body_text` gives the words
/// for the body, and for types that are not this room's; null: type and length.
using BodyText = std::function<std::string(const LogRecord&)>;
std::string describe(const LogRecord& record, const BodyText& body_text = nullptr);

}  // namespace gnomon::wal
