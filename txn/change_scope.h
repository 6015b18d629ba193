#pragma once

#include <optional>

#include "txn/transaction.h"

namespace gnomon::txn {

/// While it lives, what this thread changes is the transaction's in the log, if there is one.
class ChangeScope {
 public:
  /// Failure: 53100, 58030.
  ChangeScope(TransactionManager& manager, Transaction& transaction) {
    if (manager.log()) scope_.emplace(*manager.log(), manager.writerOf(transaction));
  }
  /// Changes undo the one that the record is about; 0: such as may be undone again.
  ChangeScope(TransactionManager& manager, Transaction& transaction, wal::LogPosition undone) {
    if (transaction.isLogged()) scope_.emplace(*manager.log(), manager.writerOf(transaction), undone);
  }

  /// The transaction's last record; 0: there is none.
  [[nodiscard]] wal::LogPosition last() const { return scope_ ? scope_->writer().last() : wal::LogPosition{}; }

 private:
  std::optional<storage::PageLog::Scope> scope_;
};

}  // namespace gnomon::txn
