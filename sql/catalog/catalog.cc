#include "sql/catalog/catalog.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <mutex>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/catalog/access.h"
#include "sql/catalog/roles.h"
#include "sql/catalog/system_relations.h"
#include "txn/sequence.h"
#include "txn/table.h"

namespace gnomon::sql {
Catalog::Catalog() : Catalog(std::unique_ptr<CatalogStore>()) {}

Catalog::Catalog(Cluster& cluster, uint32_t database) : cluster_(&cluster), database_(database) {
  addSystemSchemas();
}

Catalog::Catalog(std::unique_ptr<CatalogStore> store)
    : owned_(std::make_unique<Cluster>(std::move(store))), cluster_(owned_.get()), database_(kDatabaseOid) {
  addSystemSchemas();
  // It is not the cluster's to delete.
  cluster_->addCatalog(database_, std::shared_ptr<Catalog>(std::shared_ptr<void>(), this));
  if (!cluster_->hasStore()) return;
  const CatalogStore::Contents stored = cluster_->store().load();
  cluster_->adopt(stored);
  adopt(stored);
  for (const DatabasePtr& database : cluster_->databases()) {
    if (database->oid == database_) continue;
    auto other = std::make_shared<Catalog>(*cluster_, database->oid);
    other->adopt(stored);
    cluster_->addCatalog(database->oid, std::move(other));
  }
}

Catalog::~Catalog() = default;

void Catalog::addSystemSchemas() {
  for (const auto& [oid, name] :
       {std::pair{kCatalogSchemaOid, "pg_catalog"}, {kInformationSchemaOid, "information_schema"}})
    schemas_[name] = std::make_shared<const SchemaEntry>(
        SchemaEntry{.oid = oid,
                    .name = name,
                    .comment = oid == kCatalogSchemaOid ? "system catalog schema" : "",
                    .acl = openSchemaAcl(kRoleOid)});
}

void Catalog::adopt(const CatalogStore::Contents& stored) {
  for (const SchemaPtr& schema : stored.schemas) {
    if (schema->database != database_) continue;
    const bool is_new = schemas_.emplace(schema->name, schema).second;
    CHECK(is_new, "C2");
  }
  for (const std::shared_ptr<TableEntry>& entry : stored.tables) {
    if (entry->database != database_) continue;
    const bool is_new = !isTaken(entry->path()) && tables_.emplace(entry->path(), entry).second;
    CHECK(is_new, "C2");
    by_oid_[entry->oid] = entry;
    for (const IndexPtr& index : entry->indexes) index_tables_[{entry->schema, index->name}] = entry->name;
  }
}

std::unique_ptr<Catalog> Catalog::open(txn::DatabaseStorage& storage, KeyExpressionsCompiler compiler) {
  return std::make_unique<Catalog>(std::make_unique<SystemRelations>(storage, std::move(compiler)));
}

TablePtr Catalog::findEntry(uint32_t oid) const {
  const std::shared_lock lock(mutex_);
  const auto found = by_oid_.find(oid);
  return found == by_oid_.end() ? nullptr : found->second;
}

TablePtr Catalog::findEntry(const ObjectPath& path) const {
  const std::shared_lock lock(mutex_);
  const auto found = tables_.find(path);
  return found == tables_.end() ? nullptr : found->second;
}

std::vector<TablePtr> Catalog::entries() const {
  const std::shared_lock lock(mutex_);
  std::vector<TablePtr> result;
  for (const auto& [path, table] : tables_) result.push_back(table);
  return result;
}

std::vector<TablePtr> Catalog::entriesOf(uint32_t database) const {
  const std::shared_ptr<Catalog> catalog = cluster_->catalogOf(database);
  return catalog ? catalog->entries() : std::vector<TablePtr>();
}

std::vector<TablePtr> Catalog::routinesNamed(std::string_view schema, std::string_view name) const {
  const ObjectPath first{std::string(schema), routineKeyPrefix(name)};
  std::vector<TablePtr> result;
  const std::shared_lock lock(mutex_);
  for (auto at = tables_.lower_bound(first); at != tables_.end(); ++at) {
    if (at->first.schema != schema || !at->first.name.starts_with(first.name)) break;
    result.push_back(at->second);
  }
  return result;
}

TablePtr Catalog::findIndexTable(const ObjectPath& path) const {
  const std::shared_lock lock(mutex_);
  const auto found = index_tables_.find(path);
  return found == index_tables_.end() ? nullptr : tables_.find({path.schema, found->second})->second;
}

std::vector<SchemaPtr> Catalog::schemas() const {
  const std::shared_lock lock(mutex_);
  std::vector<SchemaPtr> result;
  for (const auto& [name, schema] : schemas_) result.push_back(schema);
  return result;
}

SchemaPtr Catalog::findSchema(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = schemas_.find(name);
  return found == schemas_.end() ? nullptr : found->second;
}

const SearchPath& Catalog::searchPath() const {
  static const SearchPath path = makeSearchPath("public", {}, {});
  return path;
}

void Catalog::publish(std::span<const TableChange> changes) {
  const std::unique_lock lock(mutex_);
  for (const TableChange& change : changes) {
    const auto& [before, after, schema_before, schema_after, role_before, role_after, database_before, database_after,
                 made] = change;
    const bool is_of_schema =
        (schema_before && !schema_before->is_temporary) || (schema_after && !schema_after->is_temporary);
    const bool is_of_all = role_before || role_after || database_before || database_after;
    if (is_of_all || is_of_schema) cluster_->raiseAccessVersion();
    if (is_of_all) cluster_->publish(change);
    if (schema_before != nullptr) schemas_.erase(schema_before->name);
    if (schema_after != nullptr) schemas_[schema_after->name] = schema_after;
    if (before != nullptr) {
      for (const IndexPtr& index : before->indexes) index_tables_.erase({before->schema, index->name});
      const bool is_gone = before->storage && !before->sequence && (!after || after->storage != before->storage);
      if (is_gone) activity_.keep(before->storage->activity());
      tables_.erase(before->path());
      by_oid_.erase(before->oid);
    }
    if (after == nullptr) continue;
    for (const IndexPtr& index : after->indexes) index_tables_[{after->schema, index->name}] = after->name;
    tables_[after->path()] = after;
    by_oid_[after->oid] = after;
  }
  cluster_->raiseVersion();
}

void Catalog::settleSequences() noexcept {
  for (const TablePtr& table : tables()) {
    try {
      if (table->sequence) table->sequence->counter->settle();
    } catch (const SqlError& error) {
      spdlog::warn("sequence \"{}\" skips values: {}", table->name, error.message());
    }
  }
}

}  // namespace gnomon::sql
