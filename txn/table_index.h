#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

#include "base/cancel.h"
#include "base/sql_error.h"
#include "base/thread_counters.h"
#include "storage/index/index_tree.h"
#include "storage/index/key_hints.h"
#include "storage/relation/relation.h"
#include "txn/key_expressions.h"
#include "txn/key_extractor.h"
#include "txn/transaction.h"

namespace gnomon::txn {

using storage::RelationId;

/// What an index is made of.
struct IndexDefinition {
  /// The columns that a tuple's entry depends on. Without `expressions`, columns[i] is part i's.
  std::vector<uint32_t> columns;
  std::vector<storage::KeyPart> parts;
  bool is_unique = false;
  bool nulls_are_equal = false;  ///< of a unique index: keys with NULLs have to differ, too
  std::shared_ptr<const KeyExpressions> expressions = nullptr;  ///< null: all parts are columns, all tuples are in
  bool is_partial = false;                                      ///< `expressions` may leave tuples out
  /// Of an inverted index, which is not unique: what finds the keys in the values of the parts. Null: it is none.
  std::shared_ptr<const KeyExtractor> extractor = nullptr;
  /// The error for a key that is there already; values and null flags of the parts. `is_new`: while the index is built.
  std::function<SqlError(const Datum* values, const uint8_t* null_flags, bool is_new)> duplicate;
};

/// An index of a table.
///
/// Every entry leads from a key to a tuple with that key, committed or not; a deleted tuple's entry may still be there.
/// So who follows an entry looks at the tuple. A tuple that a partial index leaves out has no entry. Physically all
/// indexes are non-unique: a key's versions stand side by side, and uniqueness is decided by the tuples they lead to
/// (paper 3, section 2.5). In an inverted index a tuple has an entry for each key that is found in its values, none for
/// NULLs. Invariant:  X1  every tuple that is not deleted, nor left out, has its entry, or entries
/// Threads: any. Those who add entries with keys that may be equal take turns.
class TableIndex {
 public:
  /// A new, empty index. Failure: 53200, 53100.
  TableIndex(storage::BufferManager& buffers, RelationId id, IndexDefinition definition)
      : TableIndex(buffers, id, std::move(definition), std::make_unique<storage::IndexTree>(buffers, id, false)) {}
  /// Opens an index, whose pages are read when they are used.
  TableIndex(storage::BufferManager& buffers, RelationId id, IndexDefinition definition, storage::PageId root)
      : TableIndex(buffers, id, std::move(definition), std::make_unique<storage::IndexTree>(buffers, id, false, root)) {
  }
  ~TableIndex();

  [[nodiscard]] RelationId id() const { return id_; }
  [[nodiscard]] const IndexDefinition& definition() const { return definition_; }
  /// Of a unique index: two tuples may have one key until the end of the statement or transaction.
  struct Deferral {
    std::pair<uint32_t, uint32_t> key;  ///< as DeferredReferences knows it
    bool is_initially;                  ///< until the transaction's end, unless it is said otherwise
  };
  [[nodiscard]] const std::optional<Deferral>& deferral() const { return deferral_; }
  /// Before it is used.
  void setDeferral(const Deferral& deferral) { deferral_ = deferral; }
  /// Other words for a duplicate: the table or a column may have a new name. Nobody else writes to the table.
  void setDuplicate(decltype(IndexDefinition::duplicate) duplicate) { definition_.duplicate = std::move(duplicate); }
  [[nodiscard]] const storage::KeyEncoder& encoder() const { return encoder_; }
  [[nodiscard]] storage::IndexTree& tree() { return *tree_; }
  /// Of lookups by a whole key.
  [[nodiscard]] storage::KeyHints& hints() { return hints_; }
  /// The pages of the tree, of kIndexPageBytes each; nothing when it is dropped. The caller needs no lock on the table.
  [[nodiscard]] std::optional<uint64_t> pageCount();
  /// The pages are about to go: waits for those who count them.
  void markDropped();
  /// What statements have read by way of it since the server started.
  enum class Count : uint8_t { Scans, Entries, Rows };
  void count(Count which, uint64_t amount = 1) { counters_.add(static_cast<size_t>(which), amount); }
  [[nodiscard]] uint64_t countOf(Count which) const { return counters_.sum(static_cast<size_t>(which)); }
  /// The columns that entries depend on, as bits; numbers from 63 on share the last one.
  static uint64_t columnBits(std::span<const uint32_t> columns) {
    uint64_t bits = 0;
    for (const uint32_t column : columns) bits |= uint64_t{1} << std::min(column, uint32_t{63});
    return bits;
  }
  /// Entries depend on one of the columns, whose bits these are.
  [[nodiscard]] bool hasAnyOf(std::span<const uint32_t> columns, uint64_t bits) const {
    if ((bits & column_bits_) == 0) [[likely]]
      return false;
    for (const uint32_t column : columns)
      for (const uint32_t own : definition_.columns)
        if (own == column) return true;
    return false;
  }

  /// Snapshots that are older do not find in it what they see: tuples were changed in place, or deleted, before it was
  /// made. Set while nobody else uses the index.
  void setUsableFrom(Timestamp timestamp) { usable_from_ = timestamp; }
  [[nodiscard]] bool isUsableFor(const Snapshot& snapshot) const { return usable_from_ <= snapshot.start; }

  /// A writer's memory for keys, kept from one tuple to the next.
  class KeyValues;
  [[nodiscard]] std::unique_ptr<KeyValues> makeKeyValues() const;
  /// Adds the entry of a tuple, if it has one; `values` and `null_flags`: the whole row. Returns 0; or, with the index
  /// unchanged, the id of another transaction that must end first: it has a tuple with this key in its hands. `own`:
  /// the caller's. `holder`: where the tuple is named that has the key, in the place of an error; `refusal`: where the
  /// error is left for a key that is there, in the place of being thrown; the index is unchanged then, too. Failure:
  /// the definition's error when the key is a tuple's that is there for all or for `own`; what the expressions raise;
  /// 54000 for a key that is too long; 53200, 53100. The index is unchanged then, but that an inverted one may have
  /// some of the tuple's entries.
  [[nodiscard]] std::optional<LockManager::Awaited> tryInsert(storage::Relation& relation, TupleId id,
                                                              const Datum* values, const uint8_t* null_flags,
                                                              Timestamp own, TransactionManager& manager,
                                                              KeyValues& key, std::optional<TupleId>* holder = nullptr,
                                                              std::optional<SqlError>* refusal = nullptr);
  /// Adds entries of tuples `first` and behind it, `row_count` rows of `column_count` values, as many of the first ones
  /// as can be added at once and nobody has to be asked about. Returns how many; 0: the first is for tryInsert().
  /// `keys`: memory that is used again. Failure: as tryInsert(); none is added.
  [[nodiscard]] size_t insertRun(TupleId first, const Datum* values, const uint8_t* null_flags, size_t column_count,
                                 size_t row_count, KeyValues& parts, std::vector<storage::EncodedKey>& keys);
  /// As tryInsert(), but nothing is added.
  [[nodiscard]] std::optional<LockManager::Awaited> findHolder(storage::Relation& relation, const Datum* values,
                                                               const uint8_t* null_flags, Timestamp own,
                                                               TransactionManager& manager, KeyValues& key,
                                                               std::optional<TupleId>& holder);
  /// Adds the entry of a tuple, if it has one, whoever has its key. True: another tuple has, or may get, the same key:
  /// findOther() is to be asked later. Failure: as tryInsert(), but for duplicates.
  [[nodiscard]] bool insertUnchecked(storage::Relation& relation, TupleId id, const Datum* values,
                                     const uint8_t* null_flags, Timestamp own, TransactionManager& manager,
                                     KeyValues& key);
  /// Looks for tuples other than `id` with its key. Returns as tryInsert(). Failure: the definition's error.
  [[nodiscard]] std::optional<LockManager::Awaited> findOther(storage::Relation& relation, TupleId id,
                                                              const Datum* values, const uint8_t* null_flags,
                                                              Timestamp own, TransactionManager& manager,
                                                              KeyValues& key);
  /// Removes entries of tuples, deleted or not, that are in the relation; what is not there is passed over.
  void erase(storage::Relation& relation, const std::vector<TupleId>& ids);
  /// Fills the empty index with the tuples below `bound`. Nobody else writes to the table, or cleans it up; others may
  /// read. Failure: as insert; the index can only be destroyed then.
  void build(storage::Relation& relation, TupleId bound, const CancelToken& cancel);

  /// Checks the tree, also of a damaged one; where it is sound, X1, that entries lead to tuples with their keys, and
  /// that no two tuples that are not deleted have one key in a unique index. Returns the number of entries whose tuples
  /// are deleted or gone. The relation is sound, and nobody changes it or the index.
  uint64_t check(storage::Relation& relation, storage::Findings& findings);

 private:
  class Check;
  TableIndex(storage::BufferManager& buffers, RelationId id, IndexDefinition definition,
             std::unique_ptr<storage::IndexTree> tree);
  /// Compute the parts of a key. False: the tuple is left out.
  bool readRow(const Datum* values, const uint8_t* null_flags, KeyValues& key) const;
  bool readTuple(const storage::LeafView& leaf, uint32_t row, KeyValues& key) const;
  /// The keys of a tuple: one, or those of an inverted index; none: it is left out. Failure: what the expressions raise
  /// for it; 54000.
  void findKeys(const storage::LeafView& leaf, uint32_t row, KeyValues& parts,
                std::vector<storage::EncodedKey>& keys) const;
  void tryFindKeys(const storage::LeafView& leaf, uint32_t row, KeyValues& parts,
                   std::vector<storage::EncodedKey>& keys) const;
  [[nodiscard]] std::optional<LockManager::Awaited> requireUnique(storage::Relation& relation, storage::KeyView key,
                                                                  const KeyValues& parts, Timestamp own,
                                                                  TransactionManager& manager,
                                                                  std::optional<TupleId>* holder,
                                                                  std::optional<TupleId> except = {},
                                                                  std::optional<SqlError>* refusal = nullptr);
  [[noreturn]] void raiseDuplicate(storage::Relation& relation, TupleId id) const;

  const RelationId id_;
  IndexDefinition definition_;
  const uint64_t column_bits_ = columnBits(definition_.columns);
  const storage::KeyEncoder encoder_;
  std::unique_ptr<storage::IndexTree> tree_;
  storage::KeyHints hints_;
  Timestamp usable_from_ = 0;
  std::optional<Deferral> deferral_;
  ThreadCounters<3, 32> counters_;
  std::shared_mutex dropped_mutex_;  ///< held shared while pages are counted
  bool is_dropped_ = false;
  /// Each guards the keys with one remainder of their hash, from looking for others to adding an entry.
  static constexpr size_t kKeyMutexes = 64;
  const std::unique_ptr<std::array<std::mutex, kKeyMutexes>> key_mutexes_;  ///< null: it is not unique
};

}  // namespace gnomon::txn
