#pragma once

#include <cstddef>
#include <memory>

namespace gnomon::txn {

class Transaction;

/// Has something to do when all see that a transaction deleted tuples: the table.
class DeletionObserver {
 public:
  virtual ~DeletionObserver() = default;
  /// Takes over the deletions of one of the transaction's sections, which are still in their chains.
  virtual void onDeletionsVisible(std::shared_ptr<Transaction> transaction, size_t section) noexcept = 0;
  /// The same of one of a bulk transaction's tables. Only notes it: cleanUp() follows.
  virtual void onBulkDeletionsVisible(std::shared_ptr<Transaction> transaction, size_t change) noexcept = 0;
  virtual void cleanUp() noexcept = 0;
};

}  // namespace gnomon::txn
