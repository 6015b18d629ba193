#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/sequences.h"
#include "sql/statement.h"

namespace gnomon::sql {

class Dependents;

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

  /// From now on it is that of a session: names are looked for, and created, as its settings say, and by
  /// the role that they name. They outlive it. `temporary`: the schema of its temporary tables.
  void serve(const Settings& settings, std::string temporary);
  /// The schema in which names are looked for, and created, before those of the settings; empty: none.
  void setFirstSchema(std::string schema) { first_schema_ = std::move(schema); }
  [[nodiscard]] TablePtr findEntry(const ObjectPath& path) const override;
  [[nodiscard]] TablePtr findEntry(uint32_t oid) const override;
  [[nodiscard]] std::vector<TablePtr> entries() const override;
  [[nodiscard]] std::vector<TablePtr> routinesNamed(std::string_view schema, std::string_view name) const override;
  [[nodiscard]] TablePtr findIndexTable(const ObjectPath& path) const override;
  [[nodiscard]] VirtualRelationPtr findVirtual(std::string_view schema, std::string_view name) const override;
  [[nodiscard]] const std::vector<VirtualRelationPtr>& virtualRelations() const override;
  [[nodiscard]] std::vector<SchemaPtr> schemas() const override;
  [[nodiscard]] SchemaPtr findSchema(std::string_view name) const override;
  using CatalogView::findSchema;
  [[nodiscard]] const SearchPath& searchPath() const override;
  [[nodiscard]] DatabasePtr database() const override;
  [[nodiscard]] std::vector<DatabasePtr> databases() const override;
  [[nodiscard]] std::vector<TablePtr> entriesOf(uint32_t database) const override;
  [[nodiscard]] std::vector<RolePtr> roles() const override;
  [[nodiscard]] RolePtr findRole(uint32_t oid) const override;
  using CatalogView::findRole;
  [[nodiscard]] bool isNewLabel(uint32_t oid) const override { return new_labels_.contains(oid); }
  [[nodiscard]] Actors actors() const override;
  /// As Catalog's; another one for each state of what the transaction itself has done to roles and schemas.
  [[nodiscard]] uint64_t accessVersion() const;
  /// Who acts in the current role's place in a routine with SECURITY DEFINER; 0: nobody.
  [[nodiscard]] uint32_t definer() const { return definer_; }
  void setDefiner(uint32_t role);
  /// The search path passes over schemas that may not be used now. Only while no other thread works for the session.
  void seeAccess() { seen_access_ = catalog_.accessVersion(); }

  /// Creates the table. False: a table of that name exists and IF NOT EXISTS was given (send the notice
  /// `relation "x" already exists, skipping`, SQLSTATE 42P07). Failure: 42P07 without IF NOT EXISTS; as
  /// CatalogStore::createStorage.
  bool createTable(const CreateTableStatement& statement, const DefinitionContext& context);
  /// Creates the view, or puts it in the place of another one once nobody uses that. What it reads stays until the
  /// transaction ends. Failure: 42P07; as CatalogStore::createStorage.
  void createView(const CreateViewStatement& statement, const DefinitionContext& context);
  /// Empties the materialized view once nobody uses it; CONCURRENTLY its rows stay. Failure: 57014; as createStorage.
  void refreshView(const RefreshViewStatement& statement, const DefinitionContext& context);
  /// Drops the tables, or views, once nobody uses them. `notices` get what is to be said of names that do not exist
  /// under IF EXISTS and of CASCADE, here and below. Failure: 42P01 `table "x" does not exist`, 3F000; 2BP01; 57014.
  void dropTables(const DropTableStatement& statement, const DefinitionContext& context,
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
  /// Makes a table a partition, or no longer one, once nobody uses it or those above it. Failure: 23514 for rows that
  /// do not belong there; 57014; as CatalogStore::alterStorage.
  void changePartition(const PartitionStatement& statement, const DefinitionContext& context);
  /// Of ATTACH PARTITION: the columns of the partition come to lie as those of the table; it has no rows then. Failure:
  /// 57014.
  void layPartition(const PartitionStatement& statement, const DefinitionContext& context);
  /// Makes an index of a partition a part of that of its table, once nobody uses these. Failure: 57014.
  void attachIndex(const AttachIndexStatement& statement, const DefinitionContext& context);
  /// Drops the indexes, once nobody uses their tables. Failure: 42704, 42809, 2BP01, 3F000; 57014.
  void dropIndexes(const DropIndexStatement& statement, const DefinitionContext& context,
                   std::vector<SqlError>* notices = nullptr);
  /// Makes the indexes anew, once nobody uses their tables. Failure: 57014; as CatalogStore::alterStorage.
  void reindex(const ReindexStatement& statement, const DefinitionContext& context);
  /// False: as createTable. Failure: 42P07; as CatalogStore::createStorage.
  bool createSequence(const CreateSequenceStatement& statement, const DefinitionContext& context);
  /// Changes the sequence once nobody uses it. Where more than its name or owner changes it gets new storage, so what
  /// it gives from then on is the transaction's. Failure: 42P07; 22023 where it would stand outside of its limits.
  void alterSequence(const AlterSequenceStatement& statement, const DefinitionContext& context);
  /// Drops the sequences, once nobody uses them. Failure: 42P01, 42809, 2BP01, 3F000; 57014.
  void dropSequences(const DropSequenceStatement& statement, const DefinitionContext& context,
                     std::vector<SqlError>* notices = nullptr);
  /// Makes or replaces the type, once nobody uses it. `checker`: as alterTable. Failure: 42710; 23514, 23502 for
  /// values.
  void defineType(const DefineTypeStatement& statement, RowChecker* checker, const DefinitionContext& context);
  /// Drops the types, once nobody uses them. Failure: 42704, 42809, 2BP01; 57014.
  void dropTypes(const DropTypeStatement& statement, const DefinitionContext& context,
                 std::vector<SqlError>* notices = nullptr);
  /// Makes the routine, or puts another one in its place once nobody uses it. Failure: 42723 for one that is there.
  void defineRoutine(const DefineRoutineStatement& statement, const DefinitionContext& context);
  /// Drops the routines, once nobody uses them. Failure: 2BP01; 57014.
  void dropRoutines(const DropRoutineStatement& drop, const DefinitionContext& context, std::vector<SqlError>* notices);
  /// Empties the tables, once nobody uses them: they get new storage; returns all of them as they were. Failure: 0A000
  /// where other tables refer to them; 57014; as CatalogStore::createStorage.
  std::vector<TablePtr> truncateTables(const TruncateStatement& statement, const DefinitionContext& context,
                                       std::vector<SqlError>* notices = nullptr);

  /// Creates the schema. False: as createTable. Failure: 42P06.
  bool createSchema(const CreateSchemaStatement& statement, const DefinitionContext& context);
  /// Gives the schema another name, once nobody uses what is in it. Failure: 42P06, 3F000; 57014.
  void alterSchema(const AlterSchemaStatement& statement, const DefinitionContext& context);
  /// Drops the schemas, once nobody uses what is in them. Failure: 3F000, 2BP01; 57014.
  void dropSchemas(const DropSchemaStatement& statement, const DefinitionContext& context,
                   std::vector<SqlError>* notices = nullptr);
  /// Gives a table, view, sequence or index another name or schema, once nobody uses it. What a table owns goes with
  /// it. Failure: 42P07; 57014.
  void move(const MoveStatement& statement, const DefinitionContext& context);

  /// Says something of an object, once nobody else changes it. Failure: 3F000; 57014.
  void comment(const CommentStatement& statement, const DefinitionContext& context);

  /// Whether the session may have temporary tables.
  [[nodiscard]] bool mayHaveTemporary() const { return may_have_temporary_; }
  /// The session's temporary tables, views and sequences.
  [[nodiscard]] std::vector<TablePtr> temporaryTables() const { return tablesIn(temporary_); }
  /// Drops all of them, once nobody uses them.
  void dropTemporary(const DefinitionContext& context) { dropTemporary(temporary_, context); }
  /// The same for a session that has ended, with their schema.
  void dropTemporarySchema(const std::string& schema, const DefinitionContext& context);
  /// Those of which ON COMMIT wants something: rows to go, which are there, or the table itself.
  [[nodiscard]] std::vector<TablePtr> tablesToFinish() const;
  /// Does what it wants, as the last part of the transaction. Failure: 0A000 where others refer to them.
  void finishTemporary(const std::vector<TablePtr>& tables, const DefinitionContext& context);
  [[nodiscard]] bool isEmpty() const { return changes_.empty(); }
  /// Whether the table has been made or emptied since.
  [[nodiscard]] bool hasMadeSince(size_t mark, const TableEntry& table) const;
  /// A point to go back to.
  [[nodiscard]] size_t mark() const { return changes_.size(); }
  /// The transaction has rolled back what it did since, and still has its locks.
  void undoTo(size_t mark) noexcept;
  /// It has committed, durably, and still has its locks.
  void commit() noexcept;

 private:
  friend class RightsDefiner;  // rights and owners; roles, triggers; databases, and what a new one has: parts of this
  friend class RoleDefiner;
  friend class TriggerDefiner;
  friend class DatabaseDefiner;
  friend class DatabaseCopy;
  struct Change {
    TableChange table;
    StorageChange storage;
    [[nodiscard]] bool hasNewStorage() const {
      return table.after && (!table.before || table.after->storage != table.before->storage);
    }
  };
  void lockName(const ObjectPath& path, const DefinitionContext& context);
  void requireFree(const ObjectPath& path, const DefinitionContext& context);
  /// A schema that gets something stays until the transaction ends. That of temporary tables is made when need be.
  void useSchema(const std::string& schema, const DefinitionContext& context);
  /// The definer has the tables alone, or as another mode says; to `parents` nobody else writes.
  void claim(const std::vector<TablePtr>& tables, const DefinitionContext& context,
             const std::vector<TablePtr>& parents = {}, txn::LockMode mode_of_tables = txn::LockMode::AccessExclusive);
  [[nodiscard]] std::string chooseIndexName(const TableEntry& table, const IndexSpecification& index,
                                            const DefinitionContext& context);
  void addIndex(TableEntry& table, const IndexSpecification& specified, const DefinitionContext& context);
  bool dropIndex(const ObjectPath& path, bool is_cascade, const DefinitionContext& context,
                 std::vector<SqlError>* notices);
  /// Says of a name that is not there that it is passed over. Failure: 42P01, 42704 or 3F000 without IF EXISTS.
  void passOver(const ObjectPath& path, std::string_view kind, bool if_exists, std::vector<SqlError>* notices) const;
  void remove(const std::vector<TablePtr>& tables, const DefinitionContext& context);
  void changeSchema(const SchemaPtr& before, const SchemaPtr& after, const DefinitionContext& context);
  void dropTemporary(const std::string& schema, const DefinitionContext& context);
  void emptyTables(const std::vector<TablePtr>& tables, const DefinitionContext& context);
  void alignPartitions(const std::vector<uint32_t>& widened) noexcept;
  void layTable(const TablePtr& before, const TableEntry& as, const DefinitionContext& context);
  void replaceStorage(const TablePtr& before, const std::shared_ptr<TableEntry>& after,
                      const DefinitionContext& context);
  void makeConstraint(TableEntry& table, const ConstraintIndex& wanted, const DefinitionContext& context);
  static void renameIndex(TableEntry& table, const std::string& from, const std::string& to);
  [[nodiscard]] std::vector<TablePtr> tablesIn(const std::string& schema) const;
  [[nodiscard]] std::vector<TablePtr> viewsToTell(const AlterTableStatement& statement) const;
  void tellViews(const TableEntry& before, const TableEntry& after, const std::vector<TablePtr>& views,
                 const DefinitionContext& context);
  void moveTable(const TablePtr& before, const ObjectPath& path, const DefinitionContext& context);
  void change(const TablePtr& before, const std::shared_ptr<TableEntry>& after, const ExistingRowsTest* test,
              const DefinitionContext& context, const std::vector<std::string>& tested_keys = {});
  // Foreign keys: catalog_keys.cc.
  [[nodiscard]] uint32_t nextKeyNumber() const;
  void finishKeys(const TableEntry* before, TableEntry& after) const;
  void requireKeys(const TableEntry& table, const std::vector<std::string>& names, const CancelToken& cancel) const;
  [[nodiscard]] bool isKeyInherited(const TableEntry& table, const ForeignKeyEntry& key) const;
  [[nodiscard]] std::string choosePartName(const TableEntry& table, const ForeignKeyEntry& key) const;
  void finishParts(TableEntry& table) const;
  [[nodiscard]] std::vector<TablePtr> childrenOfTree(const TableEntry& table) const;
  void tellChildren(const std::vector<TablePtr>& children, const DefinitionContext& context);
  void requireUnreferenced(const TablePtr& partition, const CancelToken& cancel) const;
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
  // Partitions: catalog_partitions.cc.
  [[nodiscard]] std::vector<TablePtr> lockedWith(const TableEntry& table) const;
  void tellPartitioned(const TableEntry* before, const TablePtr& after, const DefinitionContext& context);
  void adoptIndexes(const TableEntry& parent, const ObjectPath& partition, const DefinitionContext& context);
  void adoptIndexesBelow(const ObjectPath& table, const DefinitionContext& context);
  void requireDefaultRows(const ObjectPath& table, const DefinitionContext& context) const;
  void attachPartition(const PartitionStatement& statement, const DefinitionContext& context);
  void validateIndex(const ObjectPath& table, uint32_t index, const DefinitionContext& context);
  void dropPartIndexes(const TablePtr& table, const std::vector<uint32_t>& parents, const DefinitionContext& context);
  // Sequences: catalog_sequences.cc.
  [[nodiscard]] ObjectPath chooseSequenceName(const TableEntry& table, const std::string& column,
                                              const DefinitionContext& context);
  using Sequences = std::vector<std::shared_ptr<TableEntry>>;  ///< that a statement makes
  std::shared_ptr<TableEntry> makeSequence(const ObjectPath& path, const SequenceDefinition& definition,
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
  TablePtr addFilledColumns(const AlterTableStatement& statement, const TablePtr& before,
                            const std::vector<Value>& values, Sequences& sequences, const DefinitionContext& context);
  void alterOne(const AlterTableStatement& statement, const TablePtr& before, const std::vector<Value>& values,
                RowChecker* checker, Sequences& sequences, const DefinitionContext& context);
  [[nodiscard]] std::vector<TablePtr> sequencesOf(const std::vector<TablePtr>& tables) const;
  [[nodiscard]] std::vector<DependentDefault> defaultsNeeding(const std::vector<TablePtr>& sequences,
                                                              const std::vector<TablePtr>& dropped) const;
  // Roles: catalog_roles.cc.
  /// Who asks, and owns what he makes: the role stays until the transaction ends. Failure: 42704.
  uint32_t claimRoleOf(const DefinitionContext& context) { return claimRoleOf(actors().current, context); }
  uint32_t claimRoleOf(uint32_t role, const DefinitionContext& context);
  RolePtr claimRole(const std::string& name, const DefinitionContext& context);
  void changeRole(const RolePtr& before, const RolePtr& after, const DefinitionContext& context);
  /// Nobody else changes the database until the transaction ends; sessions may enter it. Null: there is none.
  DatabasePtr claimDatabase(const std::string& name, const DefinitionContext& context);
  void changeDatabase(const DatabasePtr& before, const DatabasePtr& after, const DefinitionContext& context,
                      std::shared_ptr<Catalog> made = nullptr);
  // Types: catalog_types.cc.
  void claimTypes(const std::vector<ColumnEntry>& columns, const DefinitionContext& context);
  void requireFreeType(const ObjectPath& path, const DefinitionContext& context);
  void testValues(const DefineTypeStatement& statement, RowChecker* checker, const DefinitionContext& context);
  // What goes along: catalog_dependents.cc.
  [[nodiscard]] Dependents dependentsOfDrop(const std::vector<TablePtr>& dropped, bool is_cascade) const;
  bool claimDependents(const Dependents& dependents, const DefinitionContext& context);
  void requireNoStoredRows(const TablePtr& table, const Dependents& dependents) const;
  void removeDependents(const Dependents& dependents, const DefinitionContext& context);
  bool dropWith(const Dependents& dependents, const DefinitionContext& context, std::vector<SqlError>& notices);
  void see(const TableChange& change);
  [[nodiscard]] bool hasOwnAccess() const { return !roles_.empty() || !schemas_.empty() || !databases_.empty(); }
  void replace(const TablePtr& before, TablePtr now);

  Catalog& catalog_;
  const Settings* settings_ = nullptr;  ///< null: no session
  std::string temporary_, first_schema_;
  uint64_t seen_access_ = 0, own_version_ = 0;            ///< the latter grows with each change that is made or undone
  mutable uint64_t path_settings_ = 0, path_access_ = 0;  ///< for which search_path_ is
  mutable uint64_t actors_version_ = UINT64_MAX;          ///< of the settings that say so of the following
  mutable std::string path_first_, session_name_, current_name_;
  bool may_have_temporary_ = false;
  uint32_t definer_ = 0;
  mutable Actors actors_;
  mutable std::unique_ptr<SearchPath> search_path_;
  std::vector<Change> changes_;
  /// What the changes come to, by name; null, or an empty name: there is none.
  std::map<ObjectPath, TablePtr> tables_;
  std::map<ObjectPath, std::string> index_tables_;  ///< from an index's name to its table's
  std::map<std::string, SchemaPtr, std::less<>> schemas_;
  std::map<uint32_t, RolePtr> roles_;
  std::map<uint32_t, DatabasePtr> databases_;
  /// What it defines in other databases, undone and committed with it, and how many changes of its own were before.
  std::vector<std::pair<size_t, std::unique_ptr<CatalogTransaction>>> elsewhere_;
  /// Labels that ALTER TYPE added, by oid: how many changes were before.
  std::map<uint32_t, size_t> new_labels_;
};

}  // namespace gnomon::sql
