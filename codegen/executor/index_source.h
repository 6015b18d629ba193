#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "codegen/executor/morsel_source.h"
#include "storage/index/index_cursor.h"

namespace gnomon::codegen {

/// A value that bounds a scan of an index, as generated code leaves it.
struct IndexBoundValue {
  storage::Datum datum;
  uint64_t is_null;
};
static_assert(sizeof(IndexBoundValue) == 24);

/// Which values bound the scan: `equal_count` of the first key parts, then perhaps two of the next part.
struct IndexRangeShape {
  size_t equal_count = 0;
  bool has_low = false, has_high = false;
  bool is_low_inclusive = false, is_high_inclusive = false;
  [[nodiscard]] size_t valueCount() const { return equal_count + (has_low ? 1 : 0) + (has_high ? 1 : 0); }
};

/// The tuples that a range of an index leads to, in the order of the index; each piece is one tuple, or neighbours.
///
/// Before the first next() the values have been stored (values()). A NULL among them: there is no such tuple. Integers
/// may be outside the range of the key's type. Tuples at or above the table's bound, and deleted ones, are left out.
class IndexSource final : public LeafSource {
 public:
  IndexSource(txn::Table& table, std::shared_ptr<txn::TableIndex> index, IndexRangeShape shape, double estimated_rows)
      : LeafSource(table),
        index_(std::move(index)),
        shape_(shape),
        bound_(table.readBound()),
        estimated_rows_(estimated_rows),
        values_(shape.valueCount()) {}

  /// In the order: equal ..., low, high.
  [[nodiscard]] IndexBoundValue* values() { return values_.data(); }
  bool next(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override { return static_cast<uint64_t>(estimated_rows_); }

 private:
  bool claimMore(Morsel& morsel);
  void open();
  bool encodeEqual(storage::EncodedKey& prefix) const;
  bool find(storage::TupleId id, Morsel& morsel, uint32_t& row) const;

  const std::shared_ptr<txn::TableIndex> index_;
  const IndexRangeShape shape_;
  const storage::TupleId bound_;
  const double estimated_rows_;
  std::vector<IndexBoundValue> values_;
  std::mutex mutex_;  ///< guards what follows
  bool is_open_ = false;
  std::unique_ptr<storage::IndexCursor> cursor_;  ///< null once opened: the range is empty
};

namespace rt {
IndexBoundValue* indexBoundValues(IndexSource* source);
}  // namespace rt

}  // namespace gnomon::codegen
