#include <algorithm>

#include "sql/catalog/partitioning.h"
#include "sql/optimise/cardinality.h"
#include "txn/table.h"
#include "txn/table_index.h"

namespace gnomon::sql {

double StoredTableStatistics::rowCount(const TableEntry& table) const {
  if (table.storage == nullptr) return 1;
  if (table.partitioning) {
    double rows = 0;
    for (const TablePtr& leaf : table.partitioning->leaves())
      rows += static_cast<double>(leaf->storage->tupleCountEstimate());
    return std::max(1.0, rows);
  }
  return std::max(1.0, static_cast<double>(table.storage->tupleCountEstimate()));
}

std::shared_ptr<const storage::StatisticsSnapshot> StoredTableStatistics::snapshot(const TableEntry& table) const {
  if (table.partitioning) {
    // The sample of the largest partition stands for all.
    const TableEntry* largest = nullptr;
    for (const TablePtr& leaf : table.partitioning->leaves())
      if (largest == nullptr || leaf->storage->tupleCountEstimate() > largest->storage->tupleCountEstimate())
        largest = leaf.get();
    return largest == nullptr ? nullptr : largest->storage->statisticsSnapshot();
  }
  return table.storage == nullptr ? nullptr : table.storage->statisticsSnapshot();
}

bool StoredTableStatistics::isUsable(const IndexEntry& index) const {
  return !executed_with_ || index.storage->isUsableFor(*executed_with_);
}

}  // namespace gnomon::sql
