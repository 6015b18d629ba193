#pragma once

#include <functional>
#include <vector>

#include "txn/table.h"
#include "txn/transaction.h"

/// What a bulk transaction leaves in the pages: virtual versions, which need no memory.
///
/// Source: paper 1, section 3.2. A tuple that it appends is flagged virtually created, one that it deletes is flagged
/// deleted and virtually deleted, both against the page's reference epoch; an update is a deletion and a new tuple.
/// Snapshots from before the epoch's end undo the flags, all others read the page as it is.
/// Departures: which tuples are its own is found again in the pages when it rolls back, not in the log; and the wait
/// until a bulk operation is visible to everybody comes before the next one asks for the lock, so that writers go on.
namespace gnomon::txn {

/// Takes back what the transaction did since its bulk epoch began. Others neither write nor wait for its rows.
/// Threads, failure: as rollBack().
void undoBulk(TransactionManager& manager, Transaction& transaction) noexcept;

/// Visits the tuples that a committed bulk transaction deleted from a table, the tuples of one leaf after the other;
/// no leaf is held meanwhile. Failure: when a page must be read, as BufferManager::resolve.
void forEachBulkDeletion(Table& table, uint64_t epoch, TupleId end,
                         const std::function<void(const std::vector<TupleId>&)>& visit);

}  // namespace gnomon::txn
