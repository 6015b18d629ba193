#include <algorithm>

#include "sql/optimise/cardinality.h"
#include "txn/table.h"
#include "txn/table_index.h"

namespace gnomon::sql {

double StoredTableStatistics::rowCount(const TableEntry& table) const {
  if (table.storage == nullptr) return 1;
  return std::max(1.0, static_cast<double>(table.storage->tupleCountEstimate()));
}

std::shared_ptr<const storage::StatisticsSnapshot> StoredTableStatistics::snapshot(const TableEntry& table) const {
  return table.storage == nullptr ? nullptr : table.storage->statisticsSnapshot();
}

bool StoredTableStatistics::isUsable(const IndexEntry& index) const {
  return !executed_with_ || index.storage->isUsableFor(*executed_with_);
}

}  // namespace gnomon::sql
