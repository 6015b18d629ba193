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

namespace gnomon::sql {
namespace {

/// Relations have lower oids, and what has no oid of its own is shown with higher ones.
constexpr uint32_t kFirstObjectOid = 0x20000000;

}  // namespace

Catalog::Catalog() {
  for (const auto& [oid, name] :
       {std::pair{kCatalogSchemaOid, "pg_catalog"}, {kInformationSchemaOid, "information_schema"}})
    schemas_[name] = std::make_shared<const SchemaEntry>(
        SchemaEntry{.oid = oid,
                    .name = name,
                    .comment = oid == kCatalogSchemaOid ? "system catalog schema" : "",
                    .acl = openSchemaAcl(kRoleOid)});
  for (RolePtr& role : firstRoles()) roles_[role->oid] = std::move(role);
}

Catalog::Catalog(std::unique_ptr<CatalogStore> store) : Catalog() {
  store_ = std::move(store);
  uint32_t last_oid = kFirstObjectOid - 1;
  const CatalogStore::Contents stored = store_->load();
  if (stored.database) database_ = stored.database;
  if (!stored.roles.empty()) roles_.clear();
  for (const RolePtr& role : stored.roles) {
    roles_[role->oid] = role;
    last_oid = std::max(last_oid, role->oid);
  }
  for (const SchemaPtr& schema : stored.schemas) {
    const bool is_new = schemas_.emplace(schema->name, schema).second;
    CHECK(is_new, "C2");
    last_oid = std::max(last_oid, schema->oid);
  }
  for (const std::shared_ptr<TableEntry>& entry : stored.tables) {
    const bool is_new = !isTaken(entry->path()) && tables_.emplace(entry->path(), entry).second;
    CHECK(is_new, "C2");
    by_oid_[entry->oid] = entry;
    if (entry->type)
      for (const TypeEntry::Label& label : entry->type->labels) last_oid = std::max(last_oid, label.oid);
    for (const IndexPtr& index : entry->indexes) index_tables_[{entry->schema, index->name}] = entry->name;
  }
  next_oid_ = last_oid + 1;
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

DatabasePtr Catalog::database() const {
  const std::shared_lock lock(mutex_);
  return database_;
}

std::vector<RolePtr> Catalog::roles() const {
  const std::shared_lock lock(mutex_);
  std::vector<RolePtr> result;
  for (const auto& [oid, role] : roles_) result.push_back(role);
  return result;
}

RolePtr Catalog::findRole(uint32_t oid) const {
  const std::shared_lock lock(mutex_);
  const auto found = roles_.find(oid);
  return found == roles_.end() ? nullptr : found->second;
}

const SearchPath& Catalog::searchPath() const {
  static const SearchPath path = makeSearchPath("public", {}, {});
  return path;
}

void Catalog::publish(std::span<const TableChange> changes) {
  const std::unique_lock lock(mutex_);
  for (const auto& [before, after, schema_before, schema_after, role_before, role_after, database] : changes) {
    const bool is_of_schema =
        (schema_before && !schema_before->is_temporary) || (schema_after && !schema_after->is_temporary);
    if (role_before || role_after || is_of_schema || database) access_version_.fetch_add(1, std::memory_order_release);
    if (database) database_ = database;
    if (role_before) roles_.erase(role_before->oid);
    if (role_after) roles_[role_after->oid] = role_after;
    if (schema_before != nullptr) schemas_.erase(schema_before->name);
    if (schema_after != nullptr) schemas_[schema_after->name] = schema_after;
    if (before != nullptr) {
      for (const IndexPtr& index : before->indexes) index_tables_.erase({before->schema, index->name});
      tables_.erase(before->path());
      by_oid_.erase(before->oid);
    }
    if (after == nullptr) continue;
    for (const IndexPtr& index : after->indexes) index_tables_[{after->schema, index->name}] = after->name;
    tables_[after->path()] = after;
    by_oid_[after->oid] = after;
  }
  version_.fetch_add(1, std::memory_order_release);
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

std::shared_ptr<txn::ObjectLock> Catalog::nameLock(const ObjectPath& path) {
  const std::unique_lock lock(mutex_);
  std::erase_if(name_locks_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<txn::ObjectLock>& known = name_locks_[path];
  std::shared_ptr<txn::ObjectLock> result = known.lock();
  if (!result) known = result = std::make_shared<txn::ObjectLock>("name \"" + path.shown() + '"');
  return result;
}

}  // namespace gnomon::sql
