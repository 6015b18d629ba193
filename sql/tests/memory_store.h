#pragma once

#include <memory>
#include <vector>

#include "sql/catalog/define_alone.h"

namespace gnomon::sql {

/// A catalog store without pages, for tests of the binder.
class MemoryStore final : public CatalogStore {
 public:
  Contents load() override {
    return {{std::make_shared<const SchemaEntry>(
                SchemaEntry{.oid = kPublicSchemaOid, .name = "public", .owner = kDatabaseOwnerRole})},
            {}};
  }
  void claim(const TableEntry&, txn::LockMode, const DefinitionContext& context) override {
    context.patience.cancel.poll();
  }
  void record(const TableEntry*, const TableEntry*, const DefinitionContext&) override {}
  void recordSchema(const SchemaEntry*, const SchemaEntry*, const DefinitionContext&) override {}
  void recordRole(const RoleEntry*, const RoleEntry*, const DefinitionContext&) override {}
  void recordDatabase(const DatabaseEntry*, const DatabaseEntry*, const DefinitionContext&) override {}
  void createStorage(TableEntry& entry, std::shared_ptr<txn::ObjectLock>, const CancelToken&) override {
    entry.oid = next_oid_++;
  }
  void dropStorage(const TableEntry&) noexcept override {}
  void alterStorage(const TableEntry&, TableEntry&, const ExistingRowsTest*, StorageChange&,
                    const CancelToken&) override {}
  TablePtr undoStorage(const TablePtr& before, const StorageChange&) noexcept override { return before; }
  void openIndexes(const StorageChange&) noexcept override {}
  void completeStorage(const TableEntry&, const StorageChange&) noexcept override {}

 private:
  uint32_t next_oid_ = 16384;
};

/// Creates a table in a catalog over a MemoryStore.
inline bool define(Catalog& catalog, const CreateTableStatement& statement) {
  txn::TransactionManager transactions;
  bool is_made = false;
  defineAlone(catalog, transactions, CancelToken(), [&](CatalogTransaction& definitions, const auto& context) {
    is_made = definitions.createTable(statement, context);
  });
  return is_made;
}

}  // namespace gnomon::sql
