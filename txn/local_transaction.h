#pragma once

#include "txn/rollback.h"
#include "txn/write_statement.h"

namespace gnomon::txn {

/// A transaction of the server's own, without a session: several statements, as a whole. Rolled back unless committed.
/// Whoever else uses the tables is kept away by other means, or by versions. Threads: one.
class LocalTransaction {
 public:
  LocalTransaction(TransactionManager& manager, const CancelToken& cancel)
      : owner_(manager.locks()),
        transaction_(manager.begin(owner_)),
        context_{.manager = manager,
                 .transaction = *transaction_,
                 .snapshot = {},
                 .patience = {cancel},
                 .is_read_committed = false},
        snapshot_(manager.takeSnapshot()) {
    context_.snapshot = snapshot_.snapshot();
    context_.snapshot.own = transaction_->id();
    context_.snapshot.command = transaction_->beginCommand();
  }
  LocalTransaction(const LocalTransaction&) = delete;
  LocalTransaction& operator=(const LocalTransaction&) = delete;
  ~LocalTransaction() {
    if (transaction_) {
      rollBack(context_.manager, *transaction_, nullptr);
      context_.manager.abandon(std::move(transaction_));
    }
    snapshot_.release();
    context_.manager.collect();
  }

  [[nodiscard]] const WriteContext& context() const { return context_; }
  /// Its statements are finished.
  Committed commit(CommitWait wait = CommitWait::Here) {
    return context_.manager.commit(std::move(transaction_), wait);
  }

 private:
  LockOwner owner_;
  std::shared_ptr<Transaction> transaction_;
  WriteContext context_;
  TransactionManager::SnapshotGuard snapshot_;
};

/// A transaction that is one statement.
class LoneStatement {
 public:
  LoneStatement(Table& table, const CancelToken& cancel)
      : transaction_(table.transactions(), cancel), statement_(std::in_place, table, transaction_.context()) {}

  WriteStatement* operator->() { return &*statement_; }
  WriteStatement& operator*() { return *statement_; }
  void commit() {
    statement_->finish();
    statement_.reset();
    transaction_.commit();
  }

 private:
  LocalTransaction transaction_;
  std::optional<WriteStatement> statement_;
};

}  // namespace gnomon::txn
