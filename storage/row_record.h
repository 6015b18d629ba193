#pragma once

#include <vector>

#include "storage/page_record.h"
#include "storage/relation/schema.h"

/// What records of relations' tuples mean.
namespace gnomon::storage {

class PageChange;

/// The meaning of kRowsAppended, kRowsDeleted and kRowsRestored: tuples with ids that follow each other.
///
/// Layout, 16 bytes:   0  first tuple id   8  number
struct RowRange {
  /// Of a record that flags one such range, heads and all but the envelope.
  static constexpr uint64_t kRecordBytesMax = 128;
  TupleId first;
  uint64_t count;

  [[nodiscard]] wal::Bytes view() const { return std::as_bytes(std::span(this, 1)); }
  /// Failure: XX001.
  static RowRange read(wal::Bytes meaning);
};
static_assert(sizeof(RowRange) == 16);

/// A part of the meaning of kRowUpdated: what a tuple's changed columns held before. There is one for each tuple that
/// the record changes, all in one leaf, by their ids.
///
/// Layout: tuple id and number of columns as varints; then of each column its number as a varint, a byte (Value), and
/// the value: 8 or 16 plain bytes, or the text's length as a varint and its bytes.
class RowBefore {
 public:
  enum class Value : uint8_t { Null = 0, Word = 1, TwoWords = 2, Text = 3 };

  /// Writes what tuples' columns hold before the change into the change's record. Returns its bytes.
  static uint64_t write(PageChange& change, std::span<const RowUpdate> befores, const RelationSchema& schema);
  /// Back from a record; they live as long as the record. Failure: XX001.
  static std::vector<RowBefore> read(wal::Bytes meaning, const RelationSchema& schema);
  /// Of the tuples of a meaning the ids, and the number of columns that change, whatever the schema.
  struct Summary {
    TupleId first, last;
    uint64_t row_count = 0;
    uint64_t column_count = 0;
  };
  /// Failure: XX001.
  static Summary summary(wal::Bytes meaning);

  [[nodiscard]] TupleId id() const { return id_; }
  /// The change that brings it back.
  [[nodiscard]] TupleChange change() const { return {columns_, values_.data(), null_flags_.data()}; }

 private:
  RowBefore(RecordReader& reader, const RelationSchema& schema);

  TupleId id_;
  std::vector<uint32_t> columns_;
  std::vector<Datum> values_;
  std::vector<uint8_t> null_flags_;
};

}  // namespace gnomon::storage
