#include "txn/table.h"

#include "txn/row_values.h"

namespace gnomon::txn {

std::unique_ptr<storage::RelationStatistics> Table::makeStatistics() const {
  if (id().value < kFirstUserRelationId) return nullptr;
  return std::make_unique<storage::RelationStatistics>(schema());
}

std::shared_ptr<const storage::StatisticsSnapshot> Table::statisticsSnapshot() {
  if (!statistics_ || statistics_->rowCount() < tupleCountEstimate() / 2) return nullptr;
  return statistics_->snapshot();
}

void Table::rebuildStatistics(const CancelToken& cancel) {
  if (!statistics_) return;
  statistics_->clear();
  storage::RelationScan scan(relation_, readBound());
  storage::RelationScan::Claim claim;
  storage::LeafView leaf;
  RowValues rows(schema().size());
  while (scan.next(claim, leaf)) {
    cancel.poll();
    // Rows whose ids follow one another are told together.
    for (uint32_t row = leaf.access().row_begin; row < leaf.access().row_end; ++row) {
      if (leaf.isDeleted(row)) continue;
      const TupleId id = leaf.tupleId(row);
      if (rows.count() != 0 && (rows.isFull() || id.value != rows.first().value + rows.count())) {
        statistics_->onInsertBatch(rows.first(), rows.values(), rows.nullFlags(), rows.count());
        rows.clear();
      }
      rows.add(leaf, row);
    }
    // Texts refer to the leaf.
    if (rows.count() != 0) statistics_->onInsertBatch(rows.first(), rows.values(), rows.nullFlags(), rows.count());
    rows.clear();
  }
}

std::vector<std::byte> Table::serialiseStatistics() {
  return statistics_ ? statistics_->serialise() : std::vector<std::byte>{};
}

void Table::setStatistics(std::span<const std::byte> bytes) {
  if (statistics_) statistics_ = std::make_unique<storage::RelationStatistics>(schema(), bytes);
}

}  // namespace gnomon::txn
