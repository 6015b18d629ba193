#pragma once

#include <vector>

#include "sql/algebra/operator.h"
#include "sql/catalog/partitioning.h"
#include "sql/optimise/cardinality.h"

namespace gnomon::sql {

/// An index in terms of a scan of its table.
struct IndexShape {
  IndexPtr index;
  /// Of the key, simplified; null: mentions a column that the scan does not read.
  std::vector<ExpressionPtr> parts;
  /// The conjuncts of a partial index's predicate, which the scan's filters imply.
  std::vector<ExpressionPtr> predicate;

  /// The part is this value, or orders as it does: a wider integer type makes no difference.
  [[nodiscard]] bool isPart(size_t part, const Expression& expression) const;
};

/// The indexes in which every row is that the scan's filters let pass, in the table's order; without inverted ones,
/// which have no order and no values.
std::vector<IndexShape> usableIndexes(const TableScan& scan, const TableStatistics& statistics);
/// The inverted ones of them.
std::vector<IndexShape> usableInvertedIndexes(const TableScan& scan, const TableStatistics& statistics);

/// The same of a partition key. Its index is none of a table.
IndexShape partitionShape(const TableScan& scan, const PartitionKey& key);

}  // namespace gnomon::sql
