#pragma once

#include <vector>

#include "storage/relation/leaf_view.h"

namespace gnomon::txn {

/// Rows of a leaf as statistics take them: values[row * columns + c].
///
/// Lifetime: texts refer to the leaf, which the caller holds as long as they are read.
class RowValues {
 public:
  static constexpr size_t kRowsMax = 256;

  explicit RowValues(size_t column_count) : column_count_(column_count) {}

  void add(const storage::LeafView& leaf, uint32_t row) {
    if (count_ == 0) {
      first_ = leaf.tupleId(row);
      values_.reserve(column_count_);
      null_flags_.reserve(column_count_);
    }
    for (uint32_t column = 0; column < column_count_; ++column) {
      bool is_null = false;
      values_.push_back(leaf.value(column, row, is_null));
      null_flags_.push_back(is_null ? 1 : 0);
    }
    ++count_;
  }
  /// Gives the only row other values for some columns.
  void apply(const uint32_t* columns, const storage::Datum* values, const uint8_t* null_flags, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      values_[columns[i]] = values[i];
      null_flags_[columns[i]] = null_flags[i];
    }
  }
  void clear() {
    values_.clear();
    null_flags_.clear();
    count_ = 0;
  }
  [[nodiscard]] bool isFull() const { return count_ == kRowsMax; }
  [[nodiscard]] size_t count() const { return count_; }
  [[nodiscard]] storage::TupleId first() const { return first_; }
  [[nodiscard]] const storage::Datum* values() const { return values_.data(); }
  [[nodiscard]] const uint8_t* nullFlags() const { return null_flags_.data(); }

 private:
  size_t column_count_;
  size_t count_ = 0;
  storage::TupleId first_{0};
  std::vector<storage::Datum> values_;
  std::vector<uint8_t> null_flags_;
};

}  // namespace gnomon::txn
