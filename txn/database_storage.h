#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "storage/buffer_manager.h"
#include "storage/control_file.h"
#include "txn/table.h"

namespace gnomon::txn {

/// A data directory, open: buffer manager, control file, and the tables.
///
/// Where each relation's root and counts are kept is storage's business (the registry, relation 0): others remember
/// relation ids only.
/// Threads: any, except open and close.
class DatabaseStorage {
 public:
  /// Opens or creates the data directory. Failure: storage::DirectoryError, or SqlError when its files are damaged.
  static std::unique_ptr<DatabaseStorage> open(const std::filesystem::path& directory,
                                               const storage::BufferOptions& options);
  /// Opens a data directory that was shut down cleanly, only to read it: it is left as it is.
  static std::unique_ptr<DatabaseStorage> openReadOnly(const std::filesystem::path& directory,
                                                       const storage::BufferOptions& options);
  /// Without checkpointAndClose() before, a directory opened for writing stays marked as not shut down cleanly.
  ~DatabaseStorage();

  /// Whether open() created the directory: the catalog has to create its tables.
  [[nodiscard]] bool isNew() const { return control_.isNew(); }

  /// A new, empty table. Failure: 53200, 53100; nothing has changed then.
  std::shared_ptr<Table> createTable(const RelationSchema& schema);
  /// The same with a well-known id below kFirstUserRelationId.
  std::shared_ptr<Table> createSystemTable(RelationId id, const RelationSchema& schema);
  /// The table with this id; the schema is the one it was created with. One object per table: later calls return it
  /// again. Failure: 42P01 when there is no such relation.
  std::shared_ptr<Table> openTable(RelationId id, const RelationSchema& schema);
  [[nodiscard]] bool exists(RelationId id) const;
  /// Empties the tables, all or none. The caller has them alone. Failure: 53200, 53100; nothing has changed then.
  void clearTables(const std::vector<std::shared_ptr<Table>>& tables);
  /// A new index of the table, filled with its tuples; from then on the table's writers keep it up. The caller has the
  /// table alone. Failure: as TableIndex::build; nothing has changed then.
  std::shared_ptr<TableIndex> createIndex(Table& table, IndexDefinition definition, const CancelToken& cancel);
  /// Opens an index of a table that nobody uses yet. Failure: 42P01 when there is none with this id.
  std::shared_ptr<TableIndex> openIndex(Table& table, RelationId id, IndexDefinition definition);
  /// Drops an index and frees its pages. The caller has the table alone, and nobody else keeps the index.
  void dropIndex(Table& table, const std::shared_ptr<TableIndex>& index);
  /// Drops the table with its indexes and frees its pages. The caller has it alone. Those who still wait for it get
  /// 42P01.
  void dropTable(const std::shared_ptr<Table>& table);

  /// Writes everything to disk and marks the directory clean. No statement runs any more; the object may only be
  /// destroyed afterwards. Failure: 53100, 58030; the directory is then not clean.
  void checkpointAndClose();

  /// Checks the registry, every table that was opened with its indexes, and that each page of the files is in one tree
  /// or free, and not both. No statement runs.
  void check(storage::Findings& findings);

  [[nodiscard]] const storage::ControlData& control() const { return control_.data(); }
  /// Every relation and index but the registry, as it was at the last start.
  [[nodiscard]] std::map<RelationId, storage::RelationState> relations() const;
  [[nodiscard]] storage::BufferManager& buffers() { return buffers_; }
  [[nodiscard]] TransactionManager& transactions() { return transactions_; }

 private:
  struct Entry {
    storage::RelationState state;  ///< as of the last start; not kept up while the table is open
    std::shared_ptr<Table> table;  ///< null: not opened since the start, or an index
    std::shared_ptr<TableIndex> index;
  };

  DatabaseStorage(const std::filesystem::path& directory, const storage::BufferOptions& options, bool is_read_only);
  static void checkTable(Table& table, storage::Findings& findings);
  void checkPages(std::vector<storage::PageId> used, storage::Findings& findings) const;
  std::shared_ptr<Table> createWithId(RelationId id, const RelationSchema& schema);
  void openStatistics(bool is_read_only);
  void readStatistics();
  void writeStatistics();
  static storage::RelationState stateOf(const Entry& entry);
  void readRegistry();
  void writeRegistry();

  storage::ControlFile control_;
  TransactionManager transactions_;
  storage::BufferManager buffers_;
  std::shared_ptr<Table> registry_;
  mutable std::mutex mutex_;
  uint32_t next_relation_id_;  ///< guarded by mutex_, as is what follows
  std::map<RelationId, Entry> entries_;
  std::map<RelationId, std::vector<std::byte>> stored_statistics_;  ///< of tables not opened since the start
};

}  // namespace gnomon::txn
