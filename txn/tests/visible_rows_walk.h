#pragma once

#include <cstdint>
#include <span>

#include "txn/table.h"
#include "txn/visible_rows.h"

namespace gnomon::txn::testing {

/// Calls `visit(tuple id, view, row of it)` for each row that a scan by the snapshot sees.
template <typename Visit>
void forEachVisibleRow(VisibleRows::Order order, Table& table, const Snapshot& snapshot,
                       std::span<const uint32_t> columns, Visit&& visit) {
  storage::RelationScan scan(table.relation(), table.readBound());
  storage::RelationScan::Claim claim;
  storage::LeafView leaf;
  VisibleRows visible;
  const auto walk = [&](const VisibleRows::Piece& piece) {
    const storage::LeafGap* gap = piece.access->gaps;
    for (uint32_t row = piece.begin; row < piece.end; ++row) {
      if (row == gap->begin) {
        row = gap++->end - 1;
        continue;
      }
      const storage::LeafView& view = visible.viewOf(piece, leaf);
      if (piece.access->flagged_count != 0 && view.isDeleted(row)) continue;
      visit(VisibleRows::tupleId(*piece.access, row).value, view, row);
    }
  };
  VisibleRows::Piece piece{};
  while (scan.next(claim, leaf)) {
    visible.attach(leaf, table.schema(), snapshot, table.transactions().epochs(), columns, order);
    while (visible.next(piece)) walk(piece);
  }
  if (visible.takeGathered(piece)) walk(piece);
}

}  // namespace gnomon::txn::testing
