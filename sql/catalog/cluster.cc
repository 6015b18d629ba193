#include "sql/catalog/cluster.h"

#include <algorithm>
#include <mutex>

#include "sql/catalog/access.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/roles.h"

namespace gnomon::sql {
namespace {

/// Relations have lower oids, and what has no oid of its own is shown with higher ones.
constexpr uint32_t kFirstObjectOid = 0x20000000;

template <typename Entries>
auto valuesOf(const Entries& entries) {
  std::vector<typename Entries::mapped_type> result;
  for (const auto& [oid, entry] : entries) result.push_back(entry);
  return result;
}

template <typename Entries>
typename Entries::mapped_type findIn(const Entries& entries, uint32_t oid) {
  const auto found = entries.find(oid);
  return found == entries.end() ? nullptr : found->second;
}

}  // namespace

std::vector<DatabasePtr> firstDatabases() {
  const auto make = [](uint32_t oid, std::string_view name, std::string comment) {
    DatabaseEntry database{.oid = oid, .name = std::string(name), .comment = std::move(comment)};
    if (oid != kDatabaseOid) {
      database.is_template = true;
      database.acl = std::make_shared<const Acl>(
          Acl{{kPublicGrantee, kRoleOid, Privilege::Connect}, {kRoleOid, kRoleOid, allRights(Securable::Database)}});
    }
    database.allows_connections = oid != kEmptyTemplateOid;
    return std::make_shared<const DatabaseEntry>(std::move(database));
  };
  return {make(kTemplateOid, kTemplateName, "default template for new databases"),
          make(kEmptyTemplateOid, kEmptyTemplateName, "unmodifiable empty database"),
          make(kDatabaseOid, kDatabaseName, "default administrative connection database")};
}

Cluster::Cluster(std::unique_ptr<CatalogStore> store) : store_(std::move(store)), next_oid_(kFirstObjectOid) {
  for (RolePtr& role : firstRoles()) roles_[role->oid] = std::move(role);
  for (DatabasePtr& database : firstDatabases()) databases_[database->oid] = std::move(database);
}

Cluster::~Cluster() = default;

void Cluster::adopt(const CatalogStore::Contents& stored) {
  uint32_t last_oid = kFirstObjectOid - 1;
  if (!stored.databases.empty()) databases_.clear();
  for (const DatabasePtr& database : stored.databases) {
    databases_[database->oid] = database;
    // Others were chosen by who made them, and stand apart.
    if (database->oid < kArrayTypeBit) last_oid = std::max(last_oid, database->oid);
  }
  if (!stored.roles.empty()) roles_.clear();
  for (const RolePtr& role : stored.roles) {
    roles_[role->oid] = role;
    last_oid = std::max(last_oid, role->oid);
  }
  for (const SchemaPtr& schema : stored.schemas) last_oid = std::max(last_oid, schema->oid);
  for (const std::shared_ptr<TableEntry>& entry : stored.tables)
    for (const TriggerEntry& trigger : entry->triggers)
      last_oid = std::max({last_oid, trigger.oid, trigger.constraint});
  for (const std::shared_ptr<TableEntry>& entry : stored.tables)
    if (entry->type)
      for (const TypeEntry::Label& label : entry->type->labels) last_oid = std::max(last_oid, label.oid);
  next_oid_ = last_oid + 1;
}

std::vector<DatabasePtr> Cluster::databases() const {
  const std::shared_lock lock(mutex_);
  return valuesOf(databases_);
}

DatabasePtr Cluster::findDatabase(uint32_t oid) const {
  const std::shared_lock lock(mutex_);
  return findIn(databases_, oid);
}

std::vector<RolePtr> Cluster::roles() const {
  const std::shared_lock lock(mutex_);
  return valuesOf(roles_);
}

RolePtr Cluster::findRole(uint32_t oid) const {
  const std::shared_lock lock(mutex_);
  return findIn(roles_, oid);
}

std::shared_ptr<Catalog> Cluster::catalogOf(uint32_t database) const {
  const std::shared_lock lock(mutex_);
  return findIn(catalogs_, database);
}

std::vector<std::shared_ptr<Catalog>> Cluster::catalogs() const {
  const std::shared_lock lock(mutex_);
  return valuesOf(catalogs_);
}

void Cluster::addCatalog(uint32_t database, std::shared_ptr<Catalog> catalog) {
  const std::unique_lock lock(mutex_);
  catalogs_[database] = std::move(catalog);
}

void Cluster::publish(const TableChange& change) {
  const std::unique_lock lock(mutex_);
  if (change.role_before) roles_.erase(change.role_before->oid);
  if (change.role_after) roles_[change.role_after->oid] = change.role_after;
  if (change.database_before) databases_.erase(change.database_before->oid);
  if (change.database_after) databases_[change.database_after->oid] = change.database_after;
  if (change.database_before && !change.database_after) catalogs_.erase(change.database_before->oid);
  if (change.made) catalogs_[change.database_after->oid] = change.made;
}

std::shared_ptr<txn::ObjectLock> Cluster::nameLock(uint32_t database, const ObjectPath& path) {
  const bool is_shared = path.schema == kRoleLocks || path.schema == kDatabaseLocks;
  const std::unique_lock lock(mutex_);
  std::erase_if(name_locks_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<txn::ObjectLock>& known = name_locks_[{is_shared ? 0 : database, path}];
  std::shared_ptr<txn::ObjectLock> result = known.lock();
  if (!result) known = result = std::make_shared<txn::ObjectLock>("name \"" + path.shown() + '"');
  return result;
}

}  // namespace gnomon::sql
