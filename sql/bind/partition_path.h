#pragma once

#include <span>
#include <vector>

#include "sql/bind/bind_state.h"

namespace gnomon::sql {

/// For a statement that writes to a partitioned table or a partition: the tables above it, from its parent upward,
/// which are among the statement's from now on; so are partitions with locks of their own, which it may write to.
std::vector<TablePtr> bindPartitionPath(BindState& state, const TableEntry& table);
/// Whether an update of these columns may take a row out of its partition, or break a constraint that only some leaf
/// partition has.
bool mayMove(const TableEntry& table, std::span<const TablePtr> ancestors, const std::vector<uint32_t>& columns);

}  // namespace gnomon::sql
