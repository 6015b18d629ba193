#pragma once

#include <functional>
#include <memory>

#include "sql/catalog/catalog_transaction.h"
#include "sql/database_statement.h"

namespace gnomon::sql {

/// What a transaction does with databases: a part of CatalogTransaction. Threads: the session's.
class DatabaseDefiner {
 public:
  /// That nobody else is in a database; nobody enters it meanwhile. Failure: what it raises.
  using UnusedCheck = std::function<void(const DatabaseEntry&)>;
  DatabaseDefiner(CatalogTransaction& catalog, const DefinitionContext& context, UnusedCheck require_unused)
      : catalog_(catalog), context_(context), require_unused_(std::move(require_unused)) {}

  /// With what its template has. Failure: 3D000, 42501, 42P04; as DatabaseCopy::make.
  void create(const CreateDatabaseStatement& statement);
  /// Failure: 3D000, 42501; 42P04 for a new name.
  void alter(const AlterDatabaseStatement& statement);
  /// Failure: 3D000, 42501.
  void set(const DatabaseSettingStatement& statement);
  /// With all that is in it. False: there is none, and IF EXISTS was given. Failure: 3D000, 42501, 42809, 55006.
  bool drop(const DropDatabaseStatement& statement);

 private:
  DatabasePtr claim(const std::string& name) { return catalog_.claimDatabase(name, context_); }
  /// The same, and nobody enters it either.
  DatabasePtr claimAlone(const std::string& name);
  void change(const DatabasePtr& before, const DatabasePtr& after, std::shared_ptr<Catalog> made = nullptr) {
    catalog_.changeDatabase(before, after, context_, std::move(made));
  }
  [[nodiscard]] DatabasePtr findByOid(uint32_t oid) const;
  /// What it defines in another database, whose catalog stays until the transaction ends.
  CatalogTransaction& elsewhere(Catalog& catalog);
  void copySchemas(const CatalogView& from, CatalogTransaction& to);
  void copyDefaults(uint32_t from, const CatalogView& to, uint32_t database);
  void forgetInRoles(uint32_t database);
  void removeAll(CatalogTransaction& from);

  CatalogTransaction& catalog_;
  const DefinitionContext& context_;
  const UnusedCheck require_unused_;
};

}  // namespace gnomon::sql
