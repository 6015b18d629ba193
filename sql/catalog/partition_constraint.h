#pragma once

#include <string>
#include <vector>

#include "sql/catalog/catalog_view.h"

namespace gnomon::sql {

/// A condition that the rows of a partition satisfy.
struct PartitionCondition {
  std::string text;      ///< SQL over the columns of the table
  bool is_hash = false;  ///< PostgreSQL's name for the place of a hash; nothing can be made of it
};

/// What the bounds of a partition, and of those above it, say of its rows, as PostgreSQL words it; all of them hold.
/// Empty: nothing is said, or it is no partition.
std::vector<PartitionCondition> partitionConditions(const CatalogView& catalog, const TableEntry& table);

/// The columns of a partitioned table that its key and those of the tables below read, ascending: they say to which
/// leaf a row belongs.
std::vector<uint32_t> routingColumns(const TableEntry& table);

}  // namespace gnomon::sql
