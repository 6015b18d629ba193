#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/dependents.h"
#include "sql/catalog/grant.h"
#include "sql/catalog/rights_definer.h"
#include "sql/catalog/routine_bodies.h"
#include "txn/table.h"

/// What CatalogTransaction does for schemas, and for what gets a place in another one.
namespace gnomon::sql {
namespace {

constexpr SqlState kDuplicateSchema("42P06");

[[noreturn]] void raiseTakenSchema(const std::string& name) {
  throw SqlError(kDuplicateSchema, fmt::format("schema \"{}\" already exists", name));
}

void requireUsers(const SchemaEntry& schema) {
  if (isSystemSchema(schema.oid)) throwNotSupported(fmt::format("changing schema \"{}\"", schema.name));
}

}  // namespace

void CatalogTransaction::useSchema(const std::string& schema, const DefinitionContext& context) {
  if (schema == temporary_) {
    may_have_temporary_ = true;
    if (!findSchema(schema))
      changeSchema(
          nullptr,
          std::make_shared<const SchemaEntry>(SchemaEntry{
              .oid = catalog_.newOid(), .name = schema, .is_temporary = true, .database = catalog_.databaseOid()}),
          context);
    return;
  }
  context.transaction.owner().acquire(catalog_.nameLock({{}, schema}), txn::LockMode::AccessShare, context.patience);
  if (!findSchema(schema)) raiseNoSchema(schema);
}

void CatalogTransaction::changeSchema(const SchemaPtr& before, const SchemaPtr& after,
                                      const DefinitionContext& context) {
  catalog_.store().recordSchema(before.get(), after.get(), context);
  changes_.push_back({.table = {nullptr, nullptr, before, after}, .storage = {}});
  see(changes_.back().table);
}

std::vector<TablePtr> CatalogTransaction::tablesIn(const std::string& schema) const {
  std::vector<TablePtr> result = entries();
  std::erase_if(result, [&](const TablePtr& table) { return table->schema != schema; });
  return result;
}

bool CatalogTransaction::createSchema(const CreateSchemaStatement& statement, const DefinitionContext& context) {
  if (!findSchema(statement.name)) lockName({{}, statement.name}, context);
  if (findSchema(statement.name)) {
    if (statement.if_not_exists) return false;
    raiseTakenSchema(statement.name);
  }
  changeSchema(nullptr,
               std::make_shared<const SchemaEntry>(SchemaEntry{.oid = catalog_.newOid(),
                                                               .name = statement.name,
                                                               .owner = claimRoleOf(statement.owner, context),
                                                               .acl = firstAcl(*this, 'n', {}),
                                                               .database = catalog_.databaseOid()}),
               context);
  return true;
}

void CatalogTransaction::alterSchema(const AlterSchemaStatement& statement, const DefinitionContext& context) {
  lockName({{}, statement.name}, context);
  const SchemaPtr before = findSchema(statement.name);
  if (!before) raiseNoSchema(statement.name);
  if (statement.owner != 0) return RightsDefiner(*this, context).changeOwner(before, statement.owner);
  if (findSchema(statement.new_name)) raiseTakenSchema(statement.new_name);
  requireOwner(*this, *before);
  requireRightOnDatabase(*this, Privilege::Create);
  requireUsers(*before);
  lockName({{}, statement.new_name}, context);
  if (findSchema(statement.new_name)) raiseTakenSchema(statement.new_name);
  const std::vector<TablePtr> tables = tablesIn(statement.name);
  claim(tables, context);
  auto renamed = std::make_shared<SchemaEntry>(*before);
  renamed->name = statement.new_name;
  changeSchema(before, renamed, context);
  for (const TablePtr& table : tables) {
    // A partition that has changed made another entry of its table.
    const TablePtr now = findEntry(table->oid);
    auto after = std::make_shared<TableEntry>(*now);
    after->schema = statement.new_name;
    change(now, after, nullptr, context);
  }
  followRoutines(*this, context);
}

void CatalogTransaction::dropSchemas(const DropSchemaStatement& statement, const DefinitionContext& context,
                                     std::vector<SqlError>* notices) {
  std::vector<SchemaPtr> dropped;
  for (const std::string& name : statement.names) {
    if (findSchema(name)) lockName({{}, name}, context);
    const SchemaPtr schema = findSchema(name);
    if (schema && schema->oid == kCatalogSchemaOid)
      throw SqlError(sqlstate::kDependentObjectsStillExist,
                     "cannot drop schema pg_catalog because it is required by the database system");
    if (schema) requireOwner(*this, *schema);
    if (schema) requireUsers(*schema);
    if (!schema)
      passOver({name, {}}, "schema", statement.if_exists, notices);
    else if (std::ranges::find(dropped, schema) == dropped.end())
      dropped.push_back(schema);
  }
  if (dropped.empty()) return;
  while (true) {
    Dependents contents(*this);
    for (const SchemaPtr& schema : dropped) contents.dropSchema(schema);
    contents.finish();
    if (!contents.isEmpty() && !statement.is_cascade)
      throw contents.stillThere(dropped.size() == 1 ? "schema " + dropped.front()->name
                                                    : std::string(Dependents::kSeveral));
    std::vector<SqlError> said;
    if (!dropWith(contents, context, said)) continue;
    followRoutines(*this, context);
    if (notices != nullptr) notices->insert(notices->end(), said.begin(), said.end());
    for (const SchemaPtr& schema : dropped) {
      RightsDefiner(*this, context).dropDefaults(*schema);
      changeSchema(schema, nullptr, context);
    }
    return;
  }
}

void CatalogTransaction::dropTemporary(const std::string& schema, const DefinitionContext& context) {
  const std::vector<TablePtr> tables = tablesIn(schema);
  if (tables.empty()) return;
  claim(tables, context);
  remove(tables, context);
}

void CatalogTransaction::dropTemporarySchema(const std::string& schema, const DefinitionContext& context) {
  dropTemporary(schema, context);
  if (const SchemaPtr entry = findSchema(schema)) changeSchema(entry, nullptr, context);
}

std::vector<TablePtr> CatalogTransaction::tablesToFinish() const {
  std::vector<TablePtr> result = temporaryTables();
  std::erase_if(result, [](const TablePtr& table) {
    const bool has_rows = table->storage && table->storage->readBound().value > 0;
    return table->on_commit != OnCommit::Drop && (table->on_commit != OnCommit::DeleteRows || !has_rows);
  });
  return result;
}

void CatalogTransaction::finishTemporary(const std::vector<TablePtr>& tables, const DefinitionContext& context) {
  std::vector<TablePtr> emptied = tables, dropped = tables;
  std::erase_if(emptied, [](const TablePtr& table) { return table->on_commit == OnCommit::Drop; });
  std::erase_if(dropped, [](const TablePtr& table) { return table->on_commit != OnCommit::Drop; });
  for (const DependentView& each : dependentViews(*this, dropped)) dropped.push_back(each.view);
  for (TablePtr& sequence : sequencesOf(dropped)) dropped.push_back(std::move(sequence));
  const std::vector<DependentKey> keys = dependentsOf(dropped);
  const std::vector<DependentDefault> defaults = defaultsNeeding(dropped, dropped);
  for (const DependentKey& key : dependentsOf(emptied)) {
    if (key.child->on_commit == OnCommit::DeleteRows) continue;
    const TablePtr parent = findTable(*this, key.key().parent);
    throw SqlError(sqlstate::kFeatureNotSupported, "unsupported ON COMMIT and foreign key combination")
        .detail(fmt::format("Table \"{}\" references \"{}\", but they do not have the same ON COMMIT setting.",
                            key.child->name, parent->name));
  }
  std::vector<TablePtr> claimed = neighboursOf(dropped, keys);
  claimed.insert(claimed.end(), emptied.begin(), emptied.end());
  for (const DependentDefault& each : defaults) claimed.push_back(each.table);
  claim(claimed, context);
  removeKeys(keys, context);
  removeDefaults(defaults, context);
  emptyTables(emptied, context);
  remove(dropped, context);
}

/// The table is claimed, and what it owns.
void CatalogTransaction::moveTable(const TablePtr& before, const ObjectPath& path, const DefinitionContext& context) {
  const auto requireRoom = [&](const ObjectPath& wanted) {
    if (!isTaken(wanted)) lockName(wanted, context);
    if (!isTaken(wanted)) return;
    throw SqlError(sqlstate::kDuplicateTable,
                   path.schema == before->schema
                       ? fmt::format("relation \"{}\" already exists", wanted.name)
                       : fmt::format("relation \"{}\" already exists in schema \"{}\"", wanted.name, wanted.schema));
  };
  requireRoom(path);
  if (path.schema != before->schema)
    for (const IndexPtr& index : before->indexes) requireRoom({path.schema, index->name});
  auto after = std::make_shared<TableEntry>(*before);
  after->schema = path.schema;
  after->name = path.name;
  change(before, after, nullptr, context);
}

void CatalogTransaction::comment(const CommentStatement& statement, const DefinitionContext& context) {
  using What = CommentStatement::What;
  if (statement.what == What::Database) {
    const DatabasePtr before = claimDatabase(statement.name, context);
    if (!before) return;
    requireOwner(*this, *before);
    auto after = std::make_shared<DatabaseEntry>(*before);
    after->comment = statement.comment;
    changeDatabase(before, after, context);
    return;
  }
  if (statement.what == What::Schema) {
    lockName({{}, statement.name}, context);
    const SchemaPtr before = findSchema(statement.name);
    if (!before) raiseNoSchema(statement.name);
    requireOwner(*this, *before);
    auto after = std::make_shared<SchemaEntry>(*before);
    after->comment = statement.comment;
    changeSchema(before, after, context);
    return;
  }
  claim({statement.table}, context, {}, txn::LockMode::Exclusive);
  auto after = std::make_shared<TableEntry>(*statement.table);
  const auto ofIndex = [&](std::string IndexEntry::* comment) {
    const auto index = std::ranges::find(after->indexes, statement.name, &IndexEntry::name);
    if (index == after->indexes.end()) return;
    auto commented = std::make_shared<IndexEntry>(**index);
    (*commented).*comment = statement.comment;
    *index = std::move(commented);
  };
  const auto ofNamed = [&](auto& entries) {
    for (auto& entry : entries)
      if (entry.name == statement.name) entry.comment = statement.comment;
  };
  if (statement.what == What::Relation) {
    after->comment = statement.comment;
  } else if (statement.what == What::Column) {
    after->columns[statement.column].comment = statement.comment;
  } else if (statement.what == What::Index) {
    ofIndex(&IndexEntry::comment);
  } else if (statement.what == What::Trigger) {
    ofNamed(after->triggers);
  } else {
    ofIndex(&IndexEntry::constraint_comment);
    ofNamed(after->checks);
    ofNamed(after->foreign_keys);
  }
  redefine(statement.table, std::move(after), context);
}

void CatalogTransaction::move(const MoveStatement& statement, const DefinitionContext& context) {
  const TablePtr& table = statement.table;
  if (statement.index) {
    claim({table}, context);
    requireFree(statement.path, context);
    auto after = std::make_shared<TableEntry>(*table);
    renameIndex(*after, statement.index->name, statement.path.name);
    change(table, after, nullptr, context);
    return;
  }
  if (statement.path == table->path()) return;
  useSchema(statement.path.schema, context);
  const std::vector<TablePtr> sequences = sequencesOf({table});
  std::vector<TablePtr> claimed = sequences;
  claimed.push_back(table);
  claim(claimed, context);
  moveTable(table, statement.path, context);
  for (const TablePtr& sequence : sequences)
    if (sequence->schema != statement.path.schema)
      moveTable(sequence, {statement.path.schema, sequence->name}, context);
  followRoutines(*this, context);
}

}  // namespace gnomon::sql
