#pragma once

#include "txn/transaction.h"

namespace gnomon::txn {

/// Takes back what a transaction changed after its version `to` (null: everything), newest first: tuples get their
/// before-images and lose deleted flags; appended ones leave the indexes, and then go, or are flagged deleted where
/// others have appended behind them; of a bulk transaction all of its bulk changes, whatever `to` is. Ids are not given
/// out again. `keeps_locks`: row locks taken meanwhile stay. Threads: the transaction's, which holds no leaf. Does not
/// fail: where a larger page is needed that is not to be had (others have used the room that an update left) it waits
/// for one; where a page cannot be read the process ends.
void rollBack(TransactionManager& manager, Transaction& transaction, const Version* to,
              bool keeps_locks = false) noexcept;

}  // namespace gnomon::txn
