#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "sql/catalog/catalog_store.h"
#include "sql/catalog/row_checker.h"
#include "sql/catalog/table_entry.h"
#include "sql/catalog/virtual_relation.h"
#include "sql/statement.h"

namespace gnomon::txn {
class DatabaseStorage;
class KeyExpressions;
}  // namespace gnomon::txn

namespace gnomon::sql {

/// Makes the code that computes keys from what an index's definition says. The room that compiles provides it.
using KeyExpressionsCompiler = std::function<std::shared_ptr<const txn::KeyExpressions>(
    const std::shared_ptr<const IndexExpressions>& expressions)>;

/// The tables and indexes of the database, by name (schema public).
///
/// Invariants:  C1  what find() hands out is immutable and recorded in the store
///              C2  names are unique: tables, indexes and virtual relations together (but for tables that are older
///              than
///                  a virtual relation of their name; they hide it)
/// Threads: any. Nobody waits for a DROP that waits for its table.
class Catalog {
 public:
  /// No tables, and none can be made: what expressions that name no table are bound against.
  Catalog() = default;
  /// A catalog over `store`: loads every entry.
  explicit Catalog(std::unique_ptr<CatalogStore> store);
  /// The catalog kept in the system relations of `storage`, which it creates in a new directory.
  /// Failure: XX001 when an entry cannot be read.
  static std::unique_ptr<Catalog> open(txn::DatabaseStorage& storage, KeyExpressionsCompiler compiler);

  /// The table of schema public with this name; null: none.
  [[nodiscard]] TablePtr find(std::string_view name) const;
  /// Before sessions begin.
  void addVirtual(VirtualRelation relation) { virtual_.add(std::move(relation)); }
  /// The virtual relation with this name; null: none. `schema` empty: whichever it is in.
  [[nodiscard]] VirtualRelationPtr findVirtual(std::string_view schema, std::string_view name) const {
    return virtual_.find(schema, name);
  }
  /// All tables in the order of their names.
  [[nodiscard]] std::vector<TablePtr> tables() const;
  /// Changes with every CREATE and DROP: a plan bound under another number may be out of date.
  [[nodiscard]] uint64_t version() const;

  /// Creates the table. False: a table of that name exists and IF NOT EXISTS was given (send the notice
  /// `relation "x" already exists, skipping`, SQLSTATE 42P07). Failure: 42P07 without IF NOT EXISTS; as
  /// CatalogStore::create.
  bool createTable(const CreateTableStatement& statement, const CancelToken& cancel);
  /// Drops the tables, all or none. Waits for statements that use them. Returns the names that do not exist under IF
  /// EXISTS (send the notices `table "x" does not exist, skipping`). Failure: 42P01 `table "x" does not exist`; 57014.
  std::vector<std::string> dropTables(const DropTableStatement& statement, const txn::Locker& locker);
  /// Creates the index once nobody uses its table; existing rows are in it. False: the name is taken and IF NOT EXISTS
  /// was given (send the notice `relation "x" already exists, skipping`). Failure: 42P07; 42P01 when the table was
  /// dropped or changed meanwhile; as CatalogStore::createIndex.
  bool createIndex(const CreateIndexStatement& statement, const txn::Locker& locker);
  /// Changes the table once nobody uses it, as a whole or not at all. `values[i]`: what existing rows get in added
  /// column i. `checker`: of the statement's tested checks; null: there are none. Failure: 42P07, 42710 for a new name
  /// that is taken; 42P01 when the table was dropped or changed meanwhile; as CatalogStore::alter.
  void alterTable(const AlterTableStatement& statement, const std::vector<Value>& values, RowChecker* checker,
                  const txn::Locker& locker);
  /// Drops the indexes, one after the other. Waits for statements that use their tables. Returns the names that do not
  /// exist under IF EXISTS (send the notices `index "x" does not exist, skipping`). Failure: 42704, 42809, 2BP01;
  /// 57014.
  std::vector<std::string> dropIndexes(const DropIndexStatement& statement, const txn::Locker& locker);
  /// Whether a table other than `except` has a constraint of this name.
  [[nodiscard]] bool hasConstraint(std::string_view name, const TableEntry* except) const;
  /// The table that has an index of this name; null: none.
  [[nodiscard]] TablePtr findIndexTable(std::string_view name) const;
  /// Empties the tables, all or none. Waits for statements that use them. Failure: 42P01 when one was dropped
  /// meanwhile; 57014; as CatalogStore::truncate.
  void truncateTables(const TruncateStatement& statement, const txn::Locker& locker);

 private:
  [[nodiscard]] bool isTaken(std::string_view name) const;
  [[nodiscard]] std::string chooseIndexName(const TableEntry& table, const IndexSpecification& index) const;
  void addIndex(TableEntry& table, const IndexSpecification& specified) const;
  /// Puts the entry in the place of `before` (null: it is new).
  void publish(std::shared_ptr<const TableEntry> table, const TableEntry* before);
  bool dropIndex(const std::string& name, const txn::Locker& locker);

  std::unique_ptr<CatalogStore> store_;
  VirtualRelations virtual_;
  std::timed_mutex ddl_mutex_;       ///< one CREATE or DROP at a time changes the store
  mutable std::shared_mutex mutex_;  ///< guards tables_ and version_
  std::map<std::string, TablePtr, std::less<>> tables_;
  std::map<std::string, std::string, std::less<>> index_tables_;  ///< from an index's name to its table's
  uint64_t version_ = 1;
};

}  // namespace gnomon::sql
