#pragma once

#include <span>

#include "base/arena.h"
#include "storage/relation/appender.h"
#include "storage/relation/editor.h"
#include "txn/table.h"

namespace gnomon::txn {

/// Thrown where a statement has met a row that somebody else changed and committed since its snapshot was taken, and
/// which under READ COMMITTED is to be run again: rolled back up to its beginning, row locks excepted, with a new
/// snapshot. Not an error: it never reaches a client.
class StatementRestart {};

class DeferredReferences;

/// Of a statement that writes, what its changes of all tables have in common. Lifetime: outlives them.
struct WriteContext {
  TransactionManager& manager;
  Transaction& transaction;
  Snapshot snapshot;                       ///< what the statement sees
  Patience patience;                       ///< with those who have changed the same rows
  bool is_read_committed = true;           ///< otherwise a row that was changed meanwhile is 40001
  MemoryAccount* memory = nullptr;         ///< charged with rows on their way; null: nobody counts
  DeferredReferences* deferred = nullptr;  ///< what foreign keys put off; null: nothing may be
};

/// The changes of one statement to one table: all of them or none.
///
/// The transaction's owner holds the table's lock. Changes have versions, so others do not see them before the
/// transaction has committed; those of a bulk transaction have virtual versions (bulk.h), updates being a deletion and
/// a new tuple, and unfinished, all that the transaction did is undone. A row, or a key of a unique index, that another
/// transaction has in its hands is waited for. Destroyed without finish(), the statement's changes are undone;
/// finished, they stay with the transaction. The table's statistics are told of appended tuples at once, while their
/// values are at hand, and of the other changes when the statement is finished. Threads: one at a time. Must not be
/// used while this thread holds a leaf of the table (LeafView, RowCursor). Failure: of append as RelationAppender, of
/// update as Relation; 40001, StatementRestart; of waiting as Patience. The caller lets the statement go out of scope.
class WriteStatement final : private storage::AppendObserver, private storage::EditObserver {
 public:
  /// Memory for the keys of a row, by index.
  class KeyMemory {
   public:
    KeyMemory();
    ~KeyMemory();
    KeyMemory(const KeyMemory&) = delete;
    KeyMemory& operator=(const KeyMemory&) = delete;
    TableIndex::KeyValues& of(const Table& table, size_t index);
    [[nodiscard]] std::vector<storage::EncodedKey>& run() { return run_; }
    /// How many of so many rows to enter together, by what became of those before; 1: one by itself.
    size_t runRows(size_t row_count);
    void noteRun(size_t asked, size_t entered);

   private:
    struct Keys {
      const TableIndex* index = nullptr;
      std::unique_ptr<TableIndex::KeyValues> values;
    };
    std::vector<Keys> keys_;
    std::vector<storage::EncodedKey> run_;  ///< of rows that are entered together
    size_t run_rows_ = 4;
    size_t rows_alone_ = 0;  ///< since a run was tried
  };
  /// `keys`: kept from one statement to the next; outlives this. Null: memory of its own.
  WriteStatement(Table& table, const WriteContext& context, KeyMemory* keys = nullptr);
  ~WriteStatement() override;
  WriteStatement(const WriteStatement&) = delete;
  WriteStatement& operator=(const WriteStatement&) = delete;

  TupleId append(const Datum* values, const uint8_t* null_flags) { return appendBatch(values, null_flags, 1); }
  /// values[row * columns + c]; returns the first id, the others follow. Failure: as TableIndex::tryInsert too;
  /// failedRow() is then the row's number in the batch. `refusal`: gets the error of a key that is there already, in
  /// the place of it being thrown, which costs many times the rest; the statement has failed all the same.
  TupleId appendBatch(const Datum* values, const uint8_t* null_flags, size_t row_count,
                      std::optional<SqlError>* refusal = nullptr);
  [[nodiscard]] size_t failedRow() const { return indexed_rows_; }
  /// A row that may be there already.
  struct Proposal {
    bool is_appended = false;
    TupleId id;  ///< its own, or that of the tuple that has its key in an arbiter
  };
  /// Appends one row, unless a tuple that is there for all or for the transaction has its key in one of the arbiters,
  /// unique indexes of the table. Who has such a key in his hands is waited for. Failure: as appendBatch().
  Proposal propose(const Datum* values, const uint8_t* null_flags, std::span<const TableIndex* const> arbiters);
  /// What became of a tuple that stood in a proposal's way.
  enum class Standing : uint8_t {
    There,
    Gone  ///< or may be: to be proposed again
  };
  /// Waits until no other transaction has the tuple in its hands. Failure: 40001 above READ COMMITTED when the
  /// snapshot does not see it as it is.
  Standing settle(TupleId id);
  /// The same, and locks it. After setNewest(true).
  Standing seize(TupleId id);
  /// The values of a tuple as they are now; strings in `memory`.
  void read(TupleId id, Datum* values, uint8_t* null_flags, Arena& memory);
  /// The tuple that is changed or deleted next lies in this leaf, which the caller holds.
  void expect(storage::Frame& leaf, TupleId id) { editor_.expect(leaf, id); }
  /// Changes or deletes a tuple that the snapshot sees, each once; 27000 when a later command of the transaction has
  /// done so already: a function that the statement calls. A tuple whose key in some index changes is deleted, and
  /// appended with its new values: under the id that is returned.
  TupleId update(TupleId id, const storage::TupleChange& change);
  /// The first of such changes, as many as can be made together: that is cheaper (storage::RelationEditor::updateRun).
  /// 0: none, the first is to be made by itself.
  size_t updateRun(std::span<const storage::RowUpdate> rows);
  /// Of such deletions likewise.
  size_t removeRun(std::span<const TupleId> ids);
  void remove(TupleId id);
  /// The transaction has changed or deleted the tuple behind the snapshot: another part of the statement did.
  [[nodiscard]] bool isTouched(TupleId id) { return isChangedSince(id, context_.snapshot.command); }
  /// Of a tuple that is held and going to be updated. Failure: 27000 where a function that the statement calls has
  /// changed or deleted it.
  void requireUnmodified(TupleId id);
  /// Locks a tuple that the snapshot sees until the transaction ends, against changes and, unless `is_shared`, other
  /// locks. False: another transaction has it in its hands, and `may_wait` is not given.
  bool lock(TupleId id, bool is_shared, bool may_wait);

  // For foreign keys, which look at what is newest.
  /// From now on what others committed since the snapshot was taken does not stand in the way, unless they deleted the
  /// tuple; and tuples may be changed more than once.
  void setNewest(bool is_newest) { is_newest_ = is_newest; }
  /// Another statement of the transaction, which began before this one and is finished last, undoes its changes too.
  void setPart() { is_part_ = true; }
  /// As update, remove and lock, which wait. False: the tuple is gone, by another transaction or by this one; that is
  /// not told apart, and only after setNewest(true).
  bool tryUpdate(TupleId& id, const storage::TupleChange& change);
  bool tryRemove(TupleId id);
  bool tryLock(TupleId id, bool is_shared) { return tryLockTuple(id, is_shared, true) == Outcome::Done; }
  enum class Sight : uint8_t {
    Locked,
    Unseen,    ///< there is no such row, or none yet
    LookAgain  ///< another transaction stood in the way, which has ended: another tuple may have taken its place
  };
  /// Locks a tuple, shared, that an index led to after `since`, a point in the order of commits. Failure: 40001 above
  /// READ COMMITTED when it was changed since the snapshot was taken, or deleted.
  Sight lockReferenced(TupleId id, Timestamp since);
  [[nodiscard]] uint64_t appendedCount() const { return appended_count_; }
  [[nodiscard]] const Table& table() const { return table_; }
  /// Another statement that is finished with this one tells the table's statistics of its changes.
  void setUncounted() { is_counted_ = false; }

  /// Of a tuple that was entered in a deferrable index: no other has its key, if it is still there. Waits for those who
  /// decide that. Failure: 23505.
  void requireAlone(TableIndex& index, TupleId id);

  /// Failure: 23505, where keys that are not deferred were to be unique by now.
  void finish();

 private:
  /// Another transaction is to end first.
  struct Blocked {
    LockManager::Awaited awaited;
  };
  void onAppended(storage::Frame& leaf, TupleId first, uint32_t count) override;
  void beforeUpdate(storage::Frame& frame, const storage::Leaf& leaf, uint32_t row,
                    const storage::TupleChange& before) override;
  void beforeDelete(storage::Frame& frame, TupleId id) override;
  [[nodiscard]] bool mayChange(const storage::Frame& frame, TupleId id) const override;
  void onFailure() noexcept override;
  /// What the transaction itself has in its hands of the tuple.
  enum class Own : uint8_t { Nothing, SharedLock, All };
  void requireUnmodified(const Version& version) const;
  [[noreturn]] void raiseModified() const;
  [[nodiscard]] bool isChangedSince(TupleId id, uint32_t command);
  Own requireMine(storage::Frame& frame, TupleId id, VersionChain* chain, bool is_shared = false);
  [[nodiscard]] bool isThereAgain(TupleId id);
  [[nodiscard]] bool isUncommittedByOther(Timestamp timestamp) const {
    return timestamp >= kTransactionIdMin && timestamp != transaction_.id();
  }
  [[nodiscard]] bool isCreationSeen(const VersionMap& map, TupleId id) const;
  void addLock(storage::Frame& frame, TupleId id, bool is_shared);
  Sight lookAtDeleted(TupleId id, Timestamp since);
  enum class Outcome : uint8_t {
    Done,
    Held,  ///< by another transaction, and nothing is waited for
    Gone   ///< after setNewest(true): deleted
  };
  Outcome tryMarkDeleted(TupleId id);
  void noteRecord(size_t count, wal::LogPosition record);
  Outcome tryLockTuple(TupleId id, bool is_shared, bool may_wait);
  [[noreturn]] void raiseConflict(bool is_deleted) const;
  template <typename Edit>
  Outcome edit(TupleId id, bool may_wait, Edit&& edit);
  void waitFor(const LockManager::Awaited& awaited);
  static VersionChain* chainOf(const storage::Frame& frame, TupleId id);
  Version& addVersion(Version::Kind kind, TupleId id, uint16_t columns = 0);
  void keepBeforeImage(Version& version, const storage::Frame& frame, const storage::Leaf& leaf, uint32_t row,
                       std::span<const uint32_t> columns, const storage::TupleChange& before);
  std::span<const uint32_t> columnsToKeep(const VersionChain& chain, std::span<const uint32_t> changed);
  void link(storage::Frame& frame, Version& version, VersionChain* chain);
  void pruneIfLong(storage::Frame& frame, VersionChain& chain) noexcept;
  /// What virtual versions of this table are marked with; 0: it gets none.
  uint64_t enterBulk();
  void addCreated(storage::Frame& leaf, TupleId first, uint32_t count);
  Outcome removeInBulk(TupleId id, uint64_t epoch);
  [[nodiscard]] bool changesKey(const storage::TupleChange& change) const;
  TupleId appendRows(const Datum* values, const uint8_t* null_flags, size_t row_count);
  TupleId appendIndexed(const Datum* values, const uint8_t* null_flags, size_t row_count,
                        std::optional<SqlError>* refusal = nullptr);
  TableIndex::KeyValues& keyOf(size_t index) { return keys_.of(table_, index); }
  void enterUnchecked(size_t index, TupleId id, const Datum* values, const uint8_t* null_flags);
  bool findHolder(const Datum* values, const uint8_t* null_flags, std::span<const TableIndex* const> arbiters,
                  TupleId& holder);
  bool tryEnter(TupleId id, const Datum* values, const uint8_t* null_flags,
                std::span<const TableIndex* const> arbiters);
  void requireSeen(TupleId id);
  Outcome replace(TupleId& id, const storage::TupleChange& change);

  Table& table_;
  const WriteContext& context_;
  Transaction& transaction_;
  const Version* const begin_;  ///< the transaction's newest version when the statement began
  bool is_finished_ = false;
  bool is_bulk_ = false;  ///< the change at hand gets virtual versions
  bool is_restarting_ = false;
  const char* intent_ = "updated";  ///< what is done to a tuple, for messages
  bool is_newest_ = false;
  bool is_part_ = false;
  bool is_counted_ = true;
  storage::RelationAppender appender_;
  storage::RelationEditor editor_;
  Version* created_ = nullptr;  ///< of the tuples that were appended last, which may grow
  Arena strings_;               ///< of rows that are read to be appended again
  KeyMemory own_keys_;
  KeyMemory& keys_;
  struct Unsure {
    TableIndex* index;
    TupleId id;
  };
  std::vector<Unsure> unsure_;  ///< tuples whose keys others have, or had when they were entered
  size_t indexed_rows_ = 0;     ///< of the last batch, those that are in every index
  TupleId batch_first_;         ///< of the batch that is being appended
  size_t batch_rows_ = 0;
  uint64_t appended_count_ = 0;
  std::vector<uint32_t> columns_;  ///< of the before-image that is being made
};

}  // namespace gnomon::txn
