#pragma once

#include <array>
#include <memory>
#include <vector>

#include "txn/key_columns.h"
#include "txn/write_statement.h"

namespace gnomon::txn {

/// The rows of a table that rows of another refer to by the key of a unique index.
///
/// A row that is found stays until the transaction ends, since it is locked shared. What is looked at is what has
/// committed, and under REPEATABLE READ what the transaction's snapshot sees; rows of others that have not committed
/// are not there, and what others are about to delete is waited for.
/// It is part of another statement, which gives the locks back when it fails.
/// Threads: one. The transaction's owner holds the table's lock. Failure: as WriteStatement::lock; 40001 for a row that
/// was deleted since the snapshot was taken, and for an index that is newer than it.
class ReferencedRows {
 public:
  ReferencedRows(Table& table, std::shared_ptr<TableIndex> index, const WriteContext& context);

  /// Locks the rows that have the keys: values[i * parts + p], of the types of the index's parts, not null.
  /// `is_found[i]` is set to 1 for those that are there.
  void lock(const std::vector<Datum>& values, std::vector<uint8_t>& is_found);

 private:
  bool lockKey(storage::KeyView key);
  /// False: none has the key. Nothing: a look at the entries is not enough.
  std::optional<bool> tryLock(storage::KeyView key, Timestamp since);

  const std::shared_ptr<TableIndex> index_;
  const WriteContext& context_;
  WriteStatement locks_;
  KeyColumns columns_;
  std::vector<storage::EncodedKey> keys_;
  std::vector<uint32_t> order_;
  /// Keys whose rows are locked, each at a place that its hash gives; empty as long as there are few.
  static constexpr size_t kRemembered = 512;
  std::vector<storage::EncodedKey> remembered_;
};

/// Whether some row has the key, in a table that nobody else writes to. Failure: when a page must be read, as
/// BufferManager::resolve.
bool hasRow(Table& table, TableIndex& index, storage::KeyView key);

}  // namespace gnomon::txn
