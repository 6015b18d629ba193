#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/catalog.h"
#include "sql/catalog/sequences.h"
#include "sql/statement.h"
#include "txn/local_transaction.h"

namespace gnomon::sql {

/// The catalog as a transaction sees it, and what it defines in it: others see that once it has committed.
///
/// Shape: the committed catalog, and a list of changes to tables in the order in which they were made. Whoever changes
/// a table has it alone, or shares it with readers, until the transaction ends, so nobody else's changes are between
/// them. Statements that name tables are as they were bound; where a table changed since, they fail with 42P01, and are
/// to be bound again. After a failure the owner rolls back: undoTo(). Threads: the session's.
class CatalogTransaction final : public CatalogView {
 public:
  explicit CatalogTransaction(Catalog& catalog) : catalog_(catalog) {}
  /// What was neither committed nor undone is undone.
  ~CatalogTransaction() override { undoTo(0); }

  [[nodiscard]] TablePtr find(std::string_view name) const override;
  [[nodiscard]] TablePtr findIndexTable(std::string_view name) const override;
  [[nodiscard]] VirtualRelationPtr findVirtual(std::string_view schema, std::string_view name) const override {
    return catalog_.findVirtual(schema, name);
  }
  [[nodiscard]] const std::vector<VirtualRelationPtr>& virtualRelations() const override {
    return catalog_.virtualRelations();
  }
  [[nodiscard]] std::vector<TablePtr> tables() const override;

  /// Creates the table. False: a table of that name exists and IF NOT EXISTS was given (send the notice
  /// `relation "x" already exists, skipping`, SQLSTATE 42P07). Failure: 42P07 without IF NOT EXISTS; as
  /// CatalogStore::createStorage.
  bool createTable(const CreateTableStatement& statement, const DefinitionContext& context);
  /// Creates the view, or puts it in the place of another one once nobody uses that. What it reads stays until the
  /// transaction ends. Failure: 42P07; as CatalogStore::createStorage.
  void createView(const CreateViewStatement& statement, const DefinitionContext& context);
  /// Drops the tables, or views, once nobody uses them. Returns the names that do not exist under IF EXISTS (send the
  /// notices `table "x" does not exist, skipping`). `notices` get what is to be said of CASCADE, here and below.
  /// Failure: 42P01 `table "x" does not exist`; 2BP01; 57014.
  std::vector<std::string> dropTables(const DropTableStatement& statement, const DefinitionContext& context,
                                      std::vector<SqlError>* notices = nullptr);
  /// Creates the index once nobody writes to its table, and until the transaction ends nobody does; others may read.
  /// Existing rows are in it. False: the name is taken and IF NOT EXISTS was given (send the notice `relation "x"
  /// already exists, skipping`). Failure: 42P07; as CatalogStore::alterStorage.
  bool createIndex(const CreateIndexStatement& statement, const DefinitionContext& context);
  /// Changes the table once nobody uses it. `values[i]`: what existing rows get in added column i. `checker`: of the
  /// statement's tested checks; null: there are none. Failure: 42P07, 42710 for a new name that is taken; as
  /// CatalogStore::alterStorage.
  void alterTable(const AlterTableStatement& statement, const std::vector<Value>& values, RowChecker* checker,
                  const DefinitionContext& context);
  /// Drops the indexes, once nobody uses their tables. Returns the names that do not exist under IF EXISTS (send the
  /// notices `index "x" does not exist, skipping`). Failure: 42704, 42809, 2BP01; 57014.
  std::vector<std::string> dropIndexes(const DropIndexStatement& statement, const DefinitionContext& context,
                                       std::vector<SqlError>* notices = nullptr);
  /// Creates the sequence. False: as createTable. Failure: 42P07; as CatalogStore::createStorage.
  bool createSequence(const CreateSequenceStatement& statement, const DefinitionContext& context);
  /// Changes the sequence once nobody uses it. Where more than its name or owner changes it gets new storage, so what
  /// it gives from then on is the transaction's. Failure: 42P07; 22023 where it would stand outside of its limits.
  void alterSequence(const AlterSequenceStatement& statement, const DefinitionContext& context);
  /// Drops the sequences, once nobody uses them. Returns the names that do not exist under IF EXISTS (send the notices
  /// `sequence "x" does not exist, skipping`). Failure: 42P01, 42809, 2BP01; 57014.
  std::vector<std::string> dropSequences(const DropSequenceStatement& statement, const DefinitionContext& context,
                                         std::vector<SqlError>* notices = nullptr);
  /// Empties the tables, once nobody uses them: they get new storage. Failure: 0A000 where other tables refer to them;
  /// 57014; as CatalogStore::createStorage.
  void truncateTables(const TruncateStatement& statement, const DefinitionContext& context,
                      std::vector<SqlError>* notices = nullptr);

  [[nodiscard]] bool isEmpty() const { return changes_.empty(); }
  /// A point to go back to.
  [[nodiscard]] size_t mark() const { return changes_.size(); }
  /// The transaction has rolled back what it did since, and still has its locks.
  void undoTo(size_t mark) noexcept;
  /// It has committed, durably, and still has its locks.
  void commit() noexcept;

 private:
  struct Change {
    TableChange table;
    StorageChange storage;
    [[nodiscard]] bool hasNewStorage() const {
      return table.after && (!table.before || table.after->storage != table.before->storage);
    }
  };
  void lockName(const std::string& name, const DefinitionContext& context);
  void requireFree(const std::string& name, const DefinitionContext& context);
  /// The definer has the tables alone, or as another mode says; to `parents` nobody else writes.
  void claim(const std::vector<TablePtr>& tables, const DefinitionContext& context,
             const std::vector<TablePtr>& parents = {}, txn::LockMode mode_of_tables = txn::LockMode::AccessExclusive);
  [[nodiscard]] std::string chooseIndexName(const TableEntry& table, const IndexSpecification& index,
                                            const DefinitionContext& context);
  void addIndex(TableEntry& table, const IndexSpecification& specified, const DefinitionContext& context);
  bool dropIndex(const std::string& name, bool is_cascade, const DefinitionContext& context,
                 std::vector<SqlError>* notices);
  void change(const TablePtr& before, const std::shared_ptr<TableEntry>& after, const ExistingRowsTest* test,
              const DefinitionContext& context, const std::vector<std::string>& tested_keys = {});
  // Foreign keys: catalog_keys.cc.
  [[nodiscard]] uint32_t nextKeyNumber() const;
  void finishKeys(const TableEntry* before, TableEntry& after) const;
  void requireKeys(const TableEntry& table, const std::vector<std::string>& names, const CancelToken& cancel) const;
  void tellParents(const TableEntry* before, const TableEntry* after, const DefinitionContext& context);
  void redefine(const TablePtr& before, std::shared_ptr<TableEntry> after, const DefinitionContext& context);
  void removeKeys(const std::vector<DependentKey>& keys, const DefinitionContext& context);
  std::vector<TablePtr> claimForTruncate(const TruncateStatement& statement, const DefinitionContext& context,
                                         std::vector<SqlError>* notices);
  [[nodiscard]] std::vector<DependentKey> dependentsOf(const std::vector<TablePtr>& dropped) const;
  [[nodiscard]] std::vector<TablePtr> neighboursOf(const std::vector<TablePtr>& tables,
                                                   const std::vector<DependentKey>& keys) const;
  [[nodiscard]] std::vector<TablePtr> parentsOfRemoved(const TableEntry& before,
                                                       const std::vector<ForeignKeyEntry>& after) const;
  // Sequences: catalog_sequences.cc.
  [[nodiscard]] std::string chooseSequenceName(const std::string& table, const std::string& column,
                                               const DefinitionContext& context);
  using Sequences = std::vector<std::shared_ptr<TableEntry>>;  ///< that a statement makes
  std::shared_ptr<TableEntry> makeSequence(const std::string& name, const SequenceDefinition& definition,
                                           const DefinitionContext& context);
  Sequences makeSequences(TableEntry& table, const std::vector<ColumnSequence>& wanted,
                          const DefinitionContext& context);
  static void useSequences(TableEntry& table, const std::vector<ColumnSequence>& wanted, const Sequences& made);
  void ownSequences(const TableEntry& table, const std::vector<ColumnSequence>& wanted, const Sequences& made,
                    const DefinitionContext& context);
  void claimNamedSequences(const std::vector<ColumnEntry>& columns, const DefinitionContext& context);
  void changeSequence(const SequenceChange& change, const DefinitionContext& context);
  void restartSequences(const std::vector<TablePtr>& tables, const DefinitionContext& context);
  void removeSequences(const std::vector<TablePtr>& sequences, const DefinitionContext& context);
  void removeDefaults(const std::vector<DependentDefault>& defaults, const DefinitionContext& context);
  TablePtr addFilledColumns(const AlterTableStatement& statement, const std::vector<Value>& values,
                            Sequences& sequences, const DefinitionContext& context);
  static void fillColumns(const TableEntry& table, const std::vector<ColumnSequence>& wanted, const Sequences& made,
                          const DefinitionContext& context);
  [[nodiscard]] std::vector<TablePtr> sequencesOf(const std::vector<TablePtr>& tables) const;
  [[nodiscard]] std::vector<DependentDefault> defaultsNeeding(const std::vector<TablePtr>& sequences,
                                                              const std::vector<TablePtr>& dropped) const;
  void see(const TableChange& change);
  void replace(const TablePtr& before, TablePtr now);

  Catalog& catalog_;
  std::vector<Change> changes_;
  /// What the changes come to, by name; null, or an empty name: there is none.
  std::map<std::string, TablePtr, std::less<>> tables_;
  std::map<std::string, std::string, std::less<>> index_tables_;  ///< from an index's name to its table's
};

/// Defines as a transaction of its own, for those who have no session: `define` gets the CatalogTransaction and the
/// DefinitionContext.
template <typename Define>
void defineAlone(Catalog& catalog, txn::TransactionManager& manager, const CancelToken& cancel, Define&& define) {
  CatalogTransaction definitions(catalog);
  txn::LocalTransaction transaction(manager, cancel);
  define(definitions, DefinitionContext{manager, transaction.context().transaction, {cancel}});
  transaction.commit();
  definitions.commit();
}

}  // namespace gnomon::sql
