#include "sql/catalog/system_tables.h"

#include "base/cancel.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/define_alone.h"

namespace gnomon::sql {
namespace {

thread_local uint32_t open_scopes = 0;

ColumnEntry column(const char* name, TypeKind kind, bool not_null = true) {
  ColumnEntry entry;
  entry.name = name;
  entry.type = Type::of(kind);
  entry.not_null = not_null;
  return entry;
}

/// A table whose first columns are its key.
CreateTableStatement tableOf(const char* name, std::vector<ColumnEntry> columns, const char* index, uint32_t key_size) {
  CreateTableStatement statement;
  statement.path = {std::string(kCatalogSchema), name};
  statement.columns = std::move(columns);
  IndexSpecification key;
  key.name = index;
  key.is_unique = true;
  for (uint32_t i = 0; i < key_size; ++i) key.columns.push_back({.column = i});
  statement.indexes.push_back(std::move(key));
  return statement;
}

std::vector<CreateTableStatement> systemTables() {
  using enum TypeKind;
  std::vector<CreateTableStatement> tables;
  tables.push_back(tableOf(
      kLargeObjectsTable,
      {column("loid", Oid), column("lomowner", Oid), column("lomacl", Text, false), column("comment", Text, false)},
      kLargeObjectsIndex, 1));
  tables.push_back(tableOf(kLargeObjectPagesTable,
                           {column("loid", Oid), column("pageno", Integer), column("data", Bytea)},
                           "pg_largeobject_loid_pn_index", 2));
  return tables;
}

}  // namespace

void createSystemTables(Catalog& catalog, txn::TransactionManager& manager) {
  const CancelToken patient;
  for (const CreateTableStatement& statement : systemTables())
    if (!catalog.findEntry(statement.path))
      defineAlone(catalog, manager, patient, [&](CatalogTransaction& definitions, const DefinitionContext& context) {
        definitions.createTable(statement, context);
      });
}

SystemTableScope::SystemTableScope() {
  ++open_scopes;
}

SystemTableScope::~SystemTableScope() {
  --open_scopes;
}

bool SystemTableScope::isOpen() {
  return open_scopes > 0;
}

}  // namespace gnomon::sql
