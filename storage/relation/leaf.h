#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "storage/page.h"
#include "storage/relation/schema.h"

namespace gnomon::storage {

class PageChange;

/// The start of a relation's leaf page.
///
/// Source: paper 2, section 2.4 (PAX). Layout, 80 bytes:
///    0  PageHeader
///   32  reference epoch   bulk epoch against which virtual creations and deletions count; 0: none
///   40  first tuple id    of slot 0 when the leaf was begun
///   48  tuple count       52  capacity (slots)
///   56  fixed end         offset behind the last fixed-size array
///   60  variable begin    offset of the lowest string byte; strings grow from the end towards fixed end
///   64  version begun     schema version before a change brought in a newer one; 0: none did
///   68  flagged count     tuple ids with the deleted flag
///   72  schema version    under which the arrays lie (StoredColumn)
///   76  variable dead     bytes from variable begin on that no tuple refers to
/// Then, each array aligned to 16 bytes:
///   tuple ids (8 bytes per slot, ascending, flags in the high bits),
///   for each column its values (storedWidth bytes per slot),
///   for each column that has nulls under the version a bitmap (bit row & 7 of byte row >> 3; set: null; padded to 8
///   bytes).
/// Invariants:  R1  tuple count <= capacity; fixed end <= variable begin <= page bytes
///              R2  tuple ids ascend
///              R3  capacity and schema version give all offsets (LeafLayout)
///              R4  the slot of a null value is zero
///              R5  strings do not overlap; their bytes and variable dead fill the page from variable begin on
///              R6  virtual flags count against the reference epoch. Flags and epoch are no part of the log, which may
///                  bring one without the other: after a crash every epoch is over
struct LeafHeader {
  PageHeader page;
  uint64_t reference_epoch;
  TupleId first_tuple_id;
  uint32_t tuple_count;
  uint32_t capacity;
  uint32_t fixed_end;
  uint32_t variable_begin;
  uint32_t version_begun;
  uint32_t flagged_count;
  uint32_t schema_version;
  uint32_t variable_dead;
};
static_assert(sizeof(LeafHeader) == 80);
static_assert(offsetof(LeafHeader, first_tuple_id) == 40 && offsetof(LeafHeader, fixed_end) == 56);

/// Flags tuples of a leaf deleted, or takes the flag off, also where it is a virtual one; `ids`: its array of tuple
/// ids.
void flagTuples(LeafHeader& header, uint64_t* ids, uint32_t row, uint32_t count, bool is_deleted);

/// Where the arrays of a leaf start: follows from schema, version and capacity alone.
struct LeafLayout {
  static constexpr uint32_t kTupleIdsOffset = sizeof(LeafHeader);
  std::vector<uint32_t> column_offsets;  ///< of each column's values, from the start of the page
  std::vector<uint32_t> null_offsets;    ///< of each column's null bitmap; 0: none
  std::vector<uint8_t> widths;           ///< storedWidth() of each column
  uint64_t fixed_end = 0;

  void compute(const RelationSchema& schema, uint32_t version, uint64_t capacity);
};

/// Of leaves with this capacity under a version that the schema has. Leaves of a relation are mostly alike: each thread
/// keeps those that it has computed.
const std::shared_ptr<const LeafLayout>& leafLayout(const RelationSchema& schema, uint32_t version, uint64_t capacity);

/// Bytes of the fixed part of a leaf with this capacity: what LeafLayout::fixed_end would be.
uint64_t leafFixedBytes(const RelationSchema& schema, uint32_t version, uint64_t capacity);
/// New rows leave this share of a leaf's string bytes free: where strings grow, the leaf is packed, and its image
/// logged, once for many of them, and it seldom has to move to a larger page.
inline constexpr uint64_t kGrowthShare = 24;

/// The largest capacity of a new leaf of `page_bytes` bytes when tuples bring `variable_bytes` string bytes on average;
/// at least 1.
uint32_t leafCapacity(const RelationSchema& schema, uint64_t page_bytes, double variable_bytes);
/// The string bytes that this row keeps outside the fixed arrays.
uint64_t variableBytes(const RelationSchema& schema, const Datum* values, const uint8_t* null_flags);

/// The smallest class of pages for a leaf of `leaf_bytes` bytes with a tuple of `tuple_bytes` bytes. Failure: 54000
/// when the tuple is over 1 GiB, which could not be sent to a client in one message, or the leaf over the largest page.
SizeClass leafSizeClass(uint64_t leaf_bytes, uint64_t tuple_bytes);

/// What became of a change of one tuple in its leaf.
struct LeafUpdate {
  uint64_t page_bytes_needed = 0;  ///< 0: done. Otherwise nothing has changed: a page of at least this size is needed
  int64_t string_bytes_added = 0;  ///< string bytes outside the fixed arrays, the old ones subtracted
  bool is_rearranged = false;      ///< the arrays were moved
};

/// Access to one leaf page. Owns nothing; cheap to make.
///
/// Threads: const functions under the page's shared latch, the others under its exclusive latch.
class Leaf {
 public:
  Leaf(std::byte* page, const RelationSchema& schema);

  /// What a change of one tuple asks of its leaf.
  struct Demand {
    uint64_t bytes_below = 0;    ///< string bytes that find no place where the old ones lie
    uint64_t bytes_added = 0;    ///< of all new strings, those that a newer version brings into all rows included
    uint64_t bytes_dropped = 0;  ///< of all old strings in the changed columns
    uint32_t version = 0;        ///< the schema version needed
  };

  /// Makes an allocated page an empty leaf.
  static void initialise(std::byte* page, uint64_t page_bytes, const RelationSchema& schema, uint32_t capacity,
                         TupleId first_tuple_id);
  /// Whether the header's fields agree with one another and with the schema (R1, R3); for pages just read.
  static bool isSound(const std::byte* page, uint64_t page_bytes, const RelationSchema& schema);
  /// The same for a leaf of which leafFixedBytes() is known.
  static bool isSoundWith(const std::byte* page, uint64_t page_bytes, uint64_t fixed_bytes);
  /// Throws XX001 when it is not sound.
  static void requireSound(const std::byte* page, uint64_t page_bytes, const RelationSchema& schema);

  /// Makes an allocated page a copy of a leaf. The target holds its arrays and strings as they lie.
  static void copy(const std::byte* from, uint64_t from_bytes, std::byte* to, uint64_t to_bytes,
                   const RelationSchema& schema);

  /// Appends as many of the rows as fit; row r has id first_id + r. Input is row by row: values[r * columns + c].
  /// Returns the number of rows appended and adds their string bytes to `variable_bytes_added`. None fit when the
  /// leaf's schema version is not the newest: changeVersion().
  uint32_t append(TupleId first_id, const Datum* values, const uint8_t* null_flags, size_t row_count,
                  uint64_t page_bytes, uint64_t& variable_bytes_added);
  /// Rearranges the fixed arrays for another number of slots (>= tuple count) that leaves the strings where they are.
  void changeCapacity(uint32_t capacity) { changeArrays(header().schema_version, capacity); }
  /// The bytes that changeCapacity() moves, in this order.
  struct ArrayMove {
    uint32_t from, to;
    uint64_t bytes;
  };
  [[nodiscard]] std::vector<ArrayMove> movesFor(uint32_t capacity) const {
    LeafLayout target;
    target.compute(schema_, header().schema_version, capacity);
    return movesTo(target, header().schema_version, capacity);
  }
  /// The capacity with which a row of `row_variable_bytes` string bytes, and enough others like those already here,
  /// fit. 0: the row does not fit, or too few would to pay for the change.
  [[nodiscard]] uint32_t betterCapacity(uint64_t page_bytes, uint64_t row_variable_bytes) const;
  /// Brings the leaf to the newest schema version where one more row of `row_variable_bytes` string bytes fits besides.
  /// False: it does not; nothing has changed.
  bool changeVersion(uint64_t page_bytes, uint64_t row_variable_bytes);

  /// Gives a row new values, of which demandOf() was asked. Without room where it lies, a string goes below the others;
  /// then unused slots are given up, then strings are moved together, then the schema version goes back to that before
  /// an earlier change where no row holds what that version could not. So a state that a leaf had is always possible
  /// again in its page. Takes scratch memory for one word per string. `takes_tuples`: the leaf is the last one, and
  /// some slots stay for new tuples.
  LeafUpdate update(uint32_t row, const TupleChange& change, const Demand& demand, uint64_t page_bytes,
                    bool takes_tuples);
  [[nodiscard]] Demand demandOf(uint32_t row, const TupleChange& change) const;
  /// Whether update() would rearrange the leaf, or need a larger page.
  [[nodiscard]] bool needsRoom(const Demand& demand) const;
  /// Whether the change is of slots alone: no strings, no columns that the leaf does not hold, nulls where it has a
  /// bitmap for them. It needs no room.
  [[nodiscard]] bool isOfSlots(const TupleChange& change) const;
  /// Makes such a change, and says it at `at`, where there is room for what describeUpdate() would say; null: nothing
  /// is said. Returns where that ends.
  std::byte* changeSlots(uint32_t row, const TupleChange& change, std::byte* at);
  /// Bytes of the row in a leaf of its own after the change.
  [[nodiscard]] uint64_t tupleBytesWith(uint32_t row, const TupleChange& change) const;

  /// Drops all tuples with an id >= bound and their strings.
  void truncate(TupleId bound, uint64_t page_bytes);

  /// Says what the rows hold, or one row in some columns, but for the tuple ids: part of a log record of this page.
  void describeRows(uint32_t first_row, uint32_t rows, PageChange& change) const;
  void describeUpdate(uint32_t row, std::span<const uint32_t> columns, PageChange& change) const;

  /// The slot of the first tuple with an id >= `id`; the tuple count when there is none.
  [[nodiscard]] uint32_t lowerBound(TupleId id) const { return lowerBound(page_, id); }
  static uint32_t lowerBound(const std::byte* page, TupleId id);
  /// The row of a tuple that is not deleted; false: there is none.
  [[nodiscard]] bool findLive(TupleId id, uint32_t& row) const;
  /// The row of a tuple that is deleted; false: there is none.
  [[nodiscard]] bool findDeleted(TupleId id, uint32_t& row) const;
  /// Flags a tuple deleted. Returns false when it is not here or already deleted.
  bool markDeleted(TupleId id);
  /// Takes the flag off again. Returns false when it is not here or not deleted.
  bool unmarkDeleted(TupleId id);
  /// Flags rows deleted that are not yet.
  void markRowsDeleted(uint32_t row, uint32_t count) { flagTuples(changing(), tupleIds(), row, count, true); }
  /// The bulk epoch against which virtual flags count; 0: there are none.
  [[nodiscard]] uint64_t referenceEpoch() const { return header().reference_epoch; }
  /// Virtual flags set from now on count against `epoch`; those of another one, which everybody sees, go.
  void enterEpoch(uint64_t epoch);
  /// Rows are virtually created; or, flagged deleted already, virtually deleted: in the epoch that was entered.
  void flagVirtual(uint32_t row, uint32_t count, uint64_t flag);
  [[nodiscard]] bool isVirtuallyDeleted(uint32_t row) const {
    return (tupleIds()[row] & tuple_id_flags::kVirtuallyDeleted) != 0;
  }
  /// Takes the flags off rows that are flagged deleted.
  void unmarkRowsDeleted(uint32_t row, uint32_t count) { flagTuples(changing(), tupleIds(), row, count, false); }
  /// Tuples flagged deleted with ids from `from` to below `to`.
  [[nodiscard]] uint32_t countDeleted(TupleId from, TupleId to) const;
  /// Removes them; the strings of the others are moved together.
  void removeDeleted(TupleId from, TupleId to, uint64_t page_bytes);
  /// The bytes that a page needs for this leaf: no spare slots, no unused string bytes.
  [[nodiscard]] uint64_t leastBytes(uint64_t page_bytes) const;
  /// The same with the tuples of another leaf.
  [[nodiscard]] uint64_t leastBytesWith(const Leaf& other, uint64_t page_bytes, uint64_t other_page_bytes) const;
  /// Rearranges the leaf so that it takes no more.
  void makeLeast(uint64_t page_bytes);
  /// Takes in the tuples of the leaf that follows; they fit, and none is to be undone. Returns the string bytes that
  /// there are more than the two leaves had.
  uint64_t appendLeaf(const Leaf& other, uint64_t page_bytes);

  [[nodiscard]] const LeafHeader& header() const { return *reinterpret_cast<const LeafHeader*>(page_); }
  [[nodiscard]] uint64_t storedTupleId(uint32_t row) const { return tupleIds()[row]; }
  [[nodiscard]] TupleId tupleId(uint32_t row) const { return TupleId{tupleIds()[row] & tuple_id_flags::kIdMask}; }
  [[nodiscard]] bool isDeleted(uint32_t row) const { return (tupleIds()[row] & tuple_id_flags::kDeleted) != 0; }
  [[nodiscard]] const LeafLayout& layout() const { return *layout_; }
  /// Columns that the leaf holds.
  [[nodiscard]] uint32_t columnCount() const { return static_cast<uint32_t>(layout().column_offsets.size()); }
  /// Bytes of the strings that tuples refer to.
  [[nodiscard]] uint64_t stringBytes(uint64_t page_bytes) const {
    return page_bytes - header().variable_begin - header().variable_dead;
  }

 private:
  /// A string's header in its slot, while strings are moved.
  struct StringPlace {
    uint64_t offset;
    Datum* slot;
  };
  struct RowChange {
    uint32_t row;
    const TupleChange* change;  ///< null: none
  };
  LeafHeader& changing() { return *reinterpret_cast<LeafHeader*>(page_); }
  [[nodiscard]] uint64_t* tupleIds() const { return reinterpret_cast<uint64_t*>(page_ + LeafLayout::kTupleIdsOffset); }
  [[nodiscard]] Datum* strings(uint32_t column) const {
    return reinterpret_cast<Datum*>(page_ + layout().column_offsets[column]);
  }
  [[nodiscard]] uint64_t fixedBytes(uint32_t version, uint64_t capacity) const {
    return leafFixedBytes(schema_, version, capacity);
  }
  /// String bytes that one row gets in columns that `version` has and this leaf has not.
  [[nodiscard]] uint64_t missingBytes(uint32_t version) const;
  void describe();
  void describeColumn(uint32_t column, uint32_t first_row, uint32_t rows, PageChange& change) const;
  std::byte* describeValue(uint32_t column, uint32_t row, std::byte* at) const;
  /// What new rows leave free for strings that grow.
  [[nodiscard]] uint64_t growthRoom(uint64_t page_bytes) const {
    return (page_bytes - header().variable_begin) / kGrowthShare;
  }
  uint32_t rowsThatFit(const Datum* values, const uint8_t* null_flags, size_t row_count, uint64_t room,
                       uint64_t& bytes) const;
  void storeRow(uint32_t row, const Datum* values, const uint8_t* null_flags);
  void storeColumn(uint32_t column, uint32_t first_row, const Datum* values, const uint8_t* null_flags,
                   uint32_t row_count);
  void storeStrings(uint32_t column, uint32_t first_row, const Datum* values, const uint8_t* null_flags,
                    uint32_t row_count);
  [[nodiscard]] bool isBegunVersionEnough(uint32_t row, const TupleChange& change) const;
  [[nodiscard]] uint64_t bytesBehind(uint32_t column_begin, uint32_t row, const TupleChange& change) const;
  /// Returns 0, or the bytes of the page that is needed.
  uint64_t makeRoom(uint32_t row, const TupleChange& change, const Demand& demand, uint64_t page_bytes,
                    bool takes_tuples);
  void changeString(uint32_t column, uint32_t row, const Datum& value, uint8_t null_flag);
  void dropString(Datum& slot);
  [[nodiscard]] uint32_t capacityFor(uint32_t version, uint32_t slots_min, uint64_t room, bool takes_tuples) const;
  [[nodiscard]] std::vector<StringPlace> stringPlaces() const;
  void packStrings(std::vector<StringPlace> places, uint64_t page_bytes);
  void changeArrays(uint32_t version, uint32_t capacity);
  void moveArrays(uint32_t version, uint32_t capacity);
  [[nodiscard]] std::vector<ArrayMove> movesTo(const LeafLayout& target, uint32_t version, uint32_t capacity) const;
  void fillMissing(uint32_t version_before, uint32_t first_row, uint32_t rows,
                   RowChange changed = RowChange{0, nullptr});
  void copyRows(const Leaf& from, uint32_t from_row, uint32_t to_row, uint32_t rows);

  std::byte* page_;
  const RelationSchema& schema_;
  std::shared_ptr<const LeafLayout> layout_;
  std::span<const uint32_t> string_columns_;  ///< of the schema
};

/// Reads one value of a leaf: its bits, and whether it is null. Texts over 12 bytes are referred to where they lie,
/// with storage class transient; where the leaf does not hold the column they lie in the schema, with class persistent.
Datum readValue(const std::byte* page, const RelationSchema& schema, const LeafLayout& layout, uint32_t column,
                uint32_t row, bool& is_null);

}  // namespace gnomon::storage
