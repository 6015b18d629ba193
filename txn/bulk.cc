#include "txn/bulk.h"

#include <algorithm>

#include "storage/relation/editor.h"
#include "storage/relation/scan.h"
#include "txn/change_scope.h"
#include "txn/until_room.h"

namespace gnomon::txn {

namespace {

void restoreDeleted(Table& table, const Transaction::BulkChange& change, uint64_t epoch) {
  storage::RelationEditor editor(table.relation());
  for (TupleId at = change.deleted_from; at < change.deleted_end;) {
    TupleId next = at;
    untilRoom(table.id(), [&] { next = editor.restoreVirtuallyDeleted(at, change.deleted_end, epoch); });
    at = next;
  }
}

/// Where there is no room in the log for taking them out: flagged deleted, leaf by leaf.
void flagAppended(Table& table, TupleId first, TupleId end) {
  storage::RelationScan scan(table.relation(), end);
  storage::RelationScan::Claim claim;
  storage::LeafView leaf;
  storage::RelationEditor editor(table.relation());
  while (scan.next(claim, leaf)) {
    const uint32_t row_end = leaf.access().row_end;
    const TupleId last = leaf.tupleId(row_end - 1);
    if (last < first) continue;
    const TupleId begin = std::max(first, leaf.tupleId(leaf.access().row_begin));
    leaf.release();
    untilRoom(table.id(), [&] { editor.markAppendedDeleted(begin, last.value + 1 - begin.value); });
    table.addDeadTuples(last.value + 1 - begin.value);
  }
}

void removeAppended(Table& table, TupleId first, TupleId end) {
  if (first == end) return;
  table.eraseEntries(first, end);
  bool is_gone = false;
  try {
    is_gone = table.relation().truncateTail(first, end);
  } catch (const SqlError& error) {
    if (error.state() != sqlstate::kDiskFull) throw;
  }
  if (!is_gone) flagAppended(table, first, end);
}

}  // namespace

void undoBulk(TransactionManager& manager, Transaction& transaction) noexcept {
  if (transaction.bulkEpoch() == 0) return;
  const ChangeScope undoing(manager, transaction, wal::LogPosition{});
  for (const Transaction::BulkChange& change : transaction.bulkChanges()) {
    Table& table = *change.table;
    restoreDeleted(table, change, transaction.bulkEpoch());
    const TupleId end = table.readBound();
    const uint64_t appended = end.value - change.appended_from.value;
    // Reading the whole table costs no more than what was undone, or is the only way.
    const bool is_counted_anew = change.deleted_count > 0 || appended > table.tupleCountEstimate() / 2;
    if (!is_counted_anew) table.uncountAppended(change.appended_from, end);
    removeAppended(table, change.appended_from, end);
    if (is_counted_anew) table.recount();
  }
  transaction.forgetBulkChanges();
}

void forEachBulkDeletion(Table& table, uint64_t epoch, TupleId end,
                         const std::function<void(const std::vector<TupleId>&)>& visit) {
  storage::RelationScan scan(table.relation(), end);
  storage::RelationScan::Claim claim;
  storage::LeafView leaf;
  std::vector<TupleId> ids;
  while (scan.next(claim, leaf)) {
    const auto& header = *reinterpret_cast<const storage::LeafHeader*>(leaf.access().page_base);
    if (header.reference_epoch != epoch || header.flagged_count == 0) continue;
    for (uint32_t row = leaf.access().row_begin; row < leaf.access().row_end; ++row)
      if (leaf.isVirtuallyDeleted(row)) ids.push_back(leaf.tupleId(row));
    leaf.release();
    if (!ids.empty()) visit(ids);
    ids.clear();
  }
}

}  // namespace gnomon::txn
