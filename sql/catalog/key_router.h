#pragma once

#include <cstdint>
#include <vector>

#include "sql/catalog/partitioning.h"

namespace gnomon::sql {

/// Finds the leaf of a partitioned table that has the row with a key of a unique index, which has all columns of the
/// partition keys. Threads: one.
class KeyRouter {
 public:
  /// `columns`: of the key. The table outlives the router.
  KeyRouter(const TableEntry& table, std::vector<uint32_t> columns)
      : partitioning_(*table.partitioning),
        columns_(std::move(columns)),
        values_(table.columns.size()),
        null_flags_(table.columns.size(), 1) {
    for (const uint32_t column : columns_) null_flags_[column] = 0;
  }

  /// `key`: a value for each column, none of them NULL. Partitioning::kNone: there is no such leaf.
  uint32_t leafOf(const storage::Datum* key) {
    for (size_t i = 0; i < columns_.size(); ++i) values_[columns_[i]] = key[i];
    return partitioning_.tryFindLeaf(values_.data(), null_flags_.data(), scratch_);
  }

 private:
  const Partitioning& partitioning_;
  const std::vector<uint32_t> columns_;
  std::vector<storage::Datum> values_;
  std::vector<uint8_t> null_flags_;
  Partitioning::Scratch scratch_;
};

}  // namespace gnomon::sql
