#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "storage/buffer_manager.h"
#include "storage/checkpointer.h"
#include "storage/control_file.h"
#include "txn/garbage_collector.h"
#include "txn/table.h"

namespace gnomon::txn {

/// How changes are made durable.
struct LogOptions {
  wal::WalOptions wal;
  /// A round of the checkpointer begins when the log has half of it (max_wal_size).
  uint64_t log_bytes_max = uint64_t{1} << 30;
  /// Threads that bring pages to what the log says after a crash; 0 is one.
  unsigned redo_workers = 1;
};

/// A data directory, open: buffer manager, log, control file, and the tables.
///
/// Where each relation's root and counts are kept is storage's business (RelationRegistry): others remember relation
/// ids only.
/// Threads: any, except open and close.
class DatabaseStorage {
 public:
  /// Opens or creates the data directory; after a crash it is brought to what had committed. Failure:
  /// storage::DirectoryError, or SqlError when its files are damaged or there is no room.
  static std::unique_ptr<DatabaseStorage> open(const std::filesystem::path& directory,
                                               const storage::BufferOptions& options, LogOptions log = {});
  /// Opens a data directory that was shut down cleanly, only to read it: it is left as it is.
  static std::unique_ptr<DatabaseStorage> openReadOnly(const std::filesystem::path& directory,
                                                       const storage::BufferOptions& options);
  /// Without checkpointAndClose() before, the next open() finds what a crash would leave.
  ~DatabaseStorage();

  /// Whether open() created the directory: the catalog has to create its tables.
  [[nodiscard]] bool isNew() const { return control_.isNew(); }

  /// What a new directory needs is there: from here on a crash is met by recovery, before by creating it anew.
  void finishCreation();
  /// After a crash: drops relations that nobody has opened. They belong to tables and indexes that did not come to be,
  /// or had been dropped.
  void dropUnclaimed();

  /// A new, empty table. `lock`: of the table whose rows are to be in it; null: it is another table. Failure: 53200,
  /// 53100; nothing has changed then.
  std::shared_ptr<Table> createTable(const RelationSchema& schema, std::shared_ptr<ObjectLock> lock = nullptr);
  /// The same with a well-known id below kFirstUserRelationId.
  std::shared_ptr<Table> createSystemTable(RelationId id, const RelationSchema& schema);
  /// The table with this id, whose lock is called `lock_oid` (0: as the relation). One object per table: later calls
  /// return it again. Failure: 42P01 when there is no such relation; XX001.
  /// `lock`: the one that it shares with other tables; null: its own.
  std::shared_ptr<Table> openTable(RelationId id, uint32_t lock_oid = 0, std::shared_ptr<ObjectLock> lock = nullptr);
  [[nodiscard]] bool exists(RelationId id) const;
  /// A new index of the table, filled with its tuples; from then on the table's writers keep it up. Nobody else writes
  /// to the table; others may read it. Failure: as TableIndex::build; nothing has changed then.
  std::shared_ptr<TableIndex> createIndex(Table& table, IndexDefinition definition, const CancelToken& cancel);
  /// Opens an index of a table that nobody uses yet. Failure: 42P01 when there is none with this id.
  std::shared_ptr<TableIndex> openIndex(Table& table, RelationId id, IndexDefinition definition);
  /// Drops an index and frees its pages. Nobody else writes to the table, or uses the index.
  void dropIndex(Table& table, const std::shared_ptr<TableIndex>& index);
  /// Drops the table with its indexes and frees its pages. The caller has it alone; nobody will use the object again.
  void dropTable(const std::shared_ptr<Table>& table);

  /// Writes what is only in memory to disk, so that a restart has little to read. Sessions go on. Failure: 53100,
  /// 58030.
  void checkpoint() { checkpointer_->checkpoint(); }
  /// Writes everything to disk and marks the directory clean. No statement runs any more; the object may only be
  /// destroyed afterwards. Failure: 53100, 58030; the directory is then not clean.
  void checkpointAndClose();

  /// Checks the registry, every table that was opened with its indexes, and that each page of the files is in one tree
  /// or free, and not both. No statement runs.
  void check(storage::Findings& findings);

  /// Readers leave collecting to a thread from now on.
  void collectInBackground() { collector_ = std::make_unique<GarbageCollector>(transactions_); }

  [[nodiscard]] const storage::ControlData& control() const { return control_.data(); }
  /// Every relation and index, as it was at the last start.
  [[nodiscard]] std::map<RelationId, storage::RelationState> relations() const;
  [[nodiscard]] storage::BufferManager& buffers() { return buffers_; }
  [[nodiscard]] TransactionManager& transactions() { return transactions_; }
  /// Not one that is only read.
  [[nodiscard]] const wal::WriteAheadLog& wal() const { return *wal_; }
  [[nodiscard]] storage::Checkpointer::Counts checkpointCounts() const { return checkpointer_->counts(); }

 private:
  struct Entry {
    storage::RelationState state;  ///< as of the last start; not kept up while the table is open
    std::string schema;            ///< likewise, serialiseSchema()
    std::shared_ptr<Table> table;  ///< null: not opened since the start, or an index
    std::shared_ptr<TableIndex> index;
  };

  DatabaseStorage(const std::filesystem::path& directory, const storage::BufferOptions& options, LogOptions log,
                  bool is_read_only);
  void recover(LogOptions log);
  void keepStates();
  static void checkTable(Table& table, storage::Findings& findings);
  void checkPages(std::vector<storage::PageId> used, storage::Findings& findings) const;
  std::shared_ptr<Table> createWithId(RelationId id, const RelationSchema& schema,
                                      std::shared_ptr<ObjectLock> lock = nullptr);
  void openStatistics(bool is_read_only);
  void readStatistics();
  void writeStatistics();
  static storage::RelationState stateOf(const Entry& entry);
  void openEpochs(bool is_read_only);
  void openRelations();
  static storage::RegisteredRelation registered(TableIndex& index);
  void forget(const std::vector<RelationId>& ids) noexcept;

  storage::ControlFile control_;
  TransactionManager transactions_;
  std::unique_ptr<wal::WriteAheadLog> wal_;  ///< null: it is only read
  storage::BufferManager buffers_;
  mutable std::mutex mutex_;
  uint32_t next_relation_id_;  ///< guarded by mutex_, as is what follows
  std::map<RelationId, Entry> entries_;
  std::map<RelationId, std::vector<std::byte>> stored_statistics_;  ///< of tables not opened since the start
  std::unique_ptr<storage::Checkpointer> checkpointer_;             ///< it uses all the others
  std::unique_ptr<GarbageCollector> collector_;                     ///< likewise
};

}  // namespace gnomon::txn
