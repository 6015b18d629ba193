#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "storage/page.h"
#include "wal/log_record.h"

/// The bodies of this room's log records.
///
///     RecordHead   meaning   part, part, ...
///
/// The meaning says what was done in terms of rows or relations, by record type (row_record.h, relation_registry.h);
/// the parts say what becomes of pages:
///
///     PartHead     Freed: packed page ids     else: operations, one after the other
///
/// An operation is a byte (PageOperation) and its operands: numbers as varints (7 bits a byte, the low ones first, the
/// high bit: more follow), then bytes.
namespace gnomon::storage {

/// Layout, 8 bytes:   0  bytes of the meaning   4  number of parts
struct RecordHead {
  uint32_t meaning_bytes;
  uint32_t part_count;
};
static_assert(sizeof(RecordHead) == 8);

enum class PartKind : uint16_t {
  Change = 1,  ///< operations upon the page as it was with the GSN `before`
  Fresh = 2,   ///< operations upon a page of zeros; the page number is in a tree from now on
  Freed = 3    ///< page numbers are free from now on; `page` is none
};

/// Layout, 32 bytes:   0  packed page id      8  GSN of the page before
///                    16  relation           20  page type     22  kind     24  bytes after the head     28  spare
struct PartHead {
  PageId page;
  Gsn before;
  RelationId relation;
  PageType type;
  PartKind kind;
  uint32_t bytes;
  uint32_t spare;
};
static_assert(sizeof(PartHead) == 32 && offsetof(PartHead, bytes) == 24);

enum class PageOperation : uint8_t {
  Write = 1,         ///< offset, count | bytes
  TupleIds = 2,      ///< row, count, first id: ascending ids without flags
  DeleteRows = 3,    ///< row, count: flags the rows of a leaf deleted
  RestoreRows = 4,   ///< row, count: takes the flag off
  EntryInsert = 5,   ///< index, value, count | full key: an entry of an index page; of kEntryInserted there may be many
  EntryErase = 6,    ///< index, value, count | full key
  EntriesSplit = 7,  ///< count of entries that stay, count | separator
  NodeAppend = 8,    ///< first tuple id, word of the cold swip: an entry of a relation's inner page
  NodeErase = 9,     ///< index
  NodeReplace = 10,  ///< index, word of the cold swip
  Move = 11          ///< from, to, count: bytes within the page
};

/// Bytes that a varint takes at most.
inline constexpr uint64_t kNumberBytesMax = 10;
/// Writes a varint, as RecordReader::number() reads it. Returns what lies behind it.
inline std::byte* writeNumber(std::byte* at, uint64_t number) {
  for (; number >= 0x80; number >>= 7) *at++ = static_cast<std::byte>(number | 0x80);
  *at++ = static_cast<std::byte>(number);
  return at;
}

/// Writes the operation that the bytes at `first`, at most 16 and mostly a value, of the page are these. Returns what
/// lies behind it. Room for kValueOperationBytesMax bytes.
inline constexpr uint64_t kValueOperationBytesMax = 1 + 2 * kNumberBytesMax + 16;
inline std::byte* writeValueOperation(std::byte* at, const std::byte* page, const std::byte* first, uint64_t bytes) {
  const auto offset = static_cast<uint64_t>(first - page);
  if (offset < uint64_t{1} << 21) [[likely]] {
    // An offset of three bytes, needed or not: how many are is as good as random, and a branch on it mispredicted.
    const uint64_t head = static_cast<uint64_t>(PageOperation::Write) | (offset & 0x7f) << 8 |
                          (offset >> 7 & 0x7f) << 16 | offset >> 14 << 24 | 0x80'80'00 | bytes << 32;
    std::memcpy(at, &head, sizeof(head));
    at += 5;
  } else {
    *at++ = static_cast<std::byte>(PageOperation::Write);
    at = writeNumber(at, offset);
    *at++ = static_cast<std::byte>(bytes);
  }
  // Without a call for the copy.
  switch (bytes) {
    case 1:
      *at = *first;
      break;
    case 2:
      std::memcpy(at, first, 2);
      break;
    case 4:
      std::memcpy(at, first, 4);
      break;
    case 8:
      std::memcpy(at, first, 8);
      break;
    case 16:
      std::memcpy(at, first, 16);
      break;
    default:
      std::memcpy(at, first, bytes);
  }
  return at + bytes;
}

/// Goes over a body's bytes. What does not fit is damage: the reader then stands at the end and isSound() says so.
class RecordReader {
 public:
  explicit RecordReader(wal::Bytes bytes) : bytes_(bytes) {}

  template <typename Plain>
  Plain plain() {
    Plain value{};
    const wal::Bytes taken = take(sizeof(Plain));
    if (taken.size() == sizeof(Plain)) std::memcpy(&value, taken.data(), sizeof(Plain));
    return value;
  }
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const wal::Bytes next = take(1);
      if (next.empty()) return 0;
      value |= (std::to_integer<uint64_t>(next[0]) & 0x7f) << shift;
      if ((next[0] & std::byte{0x80}) == std::byte{0}) return value;
    }
    return fail();
  }
  wal::Bytes take(uint64_t count) {
    if (count > bytes_.size()) {
      fail();
      return {};
    }
    const wal::Bytes taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::string_view text(uint64_t count) {
    const wal::Bytes taken = take(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  [[nodiscard]] bool isAtEnd() const { return bytes_.empty(); }
  [[nodiscard]] bool isSound() const { return is_sound_; }

 private:
  uint64_t fail() {
    is_sound_ = false;
    bytes_ = {};
    return 0;
  }
  wal::Bytes bytes_;
  bool is_sound_ = true;
};

/// One part of a record.
struct RecordPart {
  PartHead head{};
  wal::Bytes operations;  ///< Freed: packed page ids
};

/// A body taken apart. Failure: XX001 when it is none.
class PageRecord {
 public:
  explicit PageRecord(wal::Bytes body);
  [[nodiscard]] wal::Bytes meaning() const { return meaning_; }
  /// The next part; false: there is none.
  bool next(RecordPart& part);

 private:
  RecordReader reader_;
  wal::Bytes meaning_;
  uint32_t parts_left_ = 0;
};

}  // namespace gnomon::storage
