#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "txn/key_columns.h"
#include "txn/table.h"
#include "txn/visible_rows.h"
#include "txn/write_statement.h"

namespace gnomon::txn {

/// The rows of a table that have given values in some of its columns: those that refer to a row of another.
///
/// Where an index begins with these columns, it leads to them. Otherwise the table is read once for many keys; who
/// changes rows says so by noteRow(). What is seen is what has committed, and what the transaction itself did. A key
/// whose row nobody else can refer to any more, since the transaction has the row in its hands, has no other rows.
/// Threads: one. The transaction's owner holds the table's lock. Failure: when a page must be read, as
/// BufferManager::resolve; 57014; 53200.
class ReferringRows {
 public:
  /// `parts`: how the columns' values are compared.
  ReferringRows(Table& table, std::vector<uint32_t> columns, const std::vector<storage::KeyPart>& parts,
                const WriteContext& context);

  /// An index leads to the rows. Otherwise the keys are said first.
  [[nodiscard]] bool hasIndex() const { return index_ != nullptr; }
  /// Reads the table for rows with one of the keys; values[i * columns + c], not null.
  void scan(const std::vector<Datum>& keys);
  /// What the transaction has done since then: a tuple may have one of the keys now, as it lies there; another is gone.
  void noteRow(TupleId id);
  void noteGone(TupleId id);

  /// Adds the tuples that have the key, or had it when the table was read.
  void find(const Datum* key, std::vector<TupleId>& ids);
  enum class Sight : uint8_t {
    Gone,      ///< it is not there; another tuple may have taken its place
    Other,     ///< it has another key
    Referring  ///< it has the key
  };
  /// What a tuple is, as it has committed, or the transaction left it. `is_older`: when the transaction's snapshot was
  /// taken.
  Sight look(TupleId id, const Datum* key, bool is_older);
  /// Whether it is about to be gone: another transaction decides that by its end.
  bool isBeingDeleted(TupleId id);
  /// Whether a tuple that is in the transaction's hands has the key, and is not deleted.
  bool isReferring(TupleId id, const Datum* key);

 private:
  bool encode(const Datum* key, storage::EncodedKey& encoded);
  /// False: one of the values is NULL, or it is too long to be a key.
  template <typename Read>
  bool encodeRow(Read&& read, storage::EncodedKey& encoded);
  void chooseIndex();
  void findInIndex(const Datum* key, std::vector<TupleId>& ids);
  void scanLeaf(const storage::LeafView& leaf);
  [[nodiscard]] Snapshot newest() const;

  Table& table_;
  const std::vector<uint32_t> columns_;
  const WriteContext& context_;
  KeyColumns encoder_;
  std::shared_ptr<TableIndex> index_;  ///< null: there is none that fits
  std::vector<size_t> order_;          ///< of the columns in the index: its part i is column order_[i]
  std::optional<KeyColumns> prefix_;   ///< of the index
  std::unordered_map<std::string, std::vector<TupleId>> found_;  ///< by key: of those that the table was read for
  std::unordered_set<uint64_t> gone_;                            ///< among them, by the transaction itself
  VisibleRows rows_;
};

}  // namespace gnomon::txn
