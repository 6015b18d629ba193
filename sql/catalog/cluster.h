#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/catalog_store.h"
#include "sql/catalog/object_path.h"
#include "sql/catalog/virtual_relation.h"

namespace gnomon::sql {

class Catalog;
struct TableChange;

/// What the databases of a server share: themselves, roles, the system's relations, oids, and where all is kept. A
/// Catalog is what one of them has for itself. Threads: any.
class Cluster {
 public:
  /// `store`: null: nothing can be made in it.
  explicit Cluster(std::unique_ptr<CatalogStore> store);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// The roles and databases of the store, where it has any. Before others see it.
  void adopt(const CatalogStore::Contents& stored);

  [[nodiscard]] bool hasStore() const { return store_ != nullptr; }
  [[nodiscard]] CatalogStore& store() { return *store_; }
  /// All of them in the order of their oids.
  [[nodiscard]] std::vector<DatabasePtr> databases() const;
  /// Null: none.
  [[nodiscard]] DatabasePtr findDatabase(uint32_t oid) const;
  [[nodiscard]] std::vector<RolePtr> roles() const;
  [[nodiscard]] RolePtr findRole(uint32_t oid) const;

  /// Null: none. It stays good for who has it, also where the database is dropped.
  [[nodiscard]] std::shared_ptr<Catalog> catalogOf(uint32_t database) const;
  [[nodiscard]] std::vector<std::shared_ptr<Catalog>> catalogs() const;
  /// Of a database, whose it is from publish() on.
  void addCatalog(uint32_t database, std::shared_ptr<Catalog> catalog);

  [[nodiscard]] VirtualRelations& virtualRelations() { return virtual_; }
  [[nodiscard]] const VirtualRelations& virtualRelations() const { return virtual_; }

  /// What happened to roles and databases.
  void publish(const TableChange& change);
  [[nodiscard]] uint64_t version() const { return version_.load(std::memory_order_acquire); }
  void raiseVersion() { version_.fetch_add(1, std::memory_order_release); }
  [[nodiscard]] uint64_t accessVersion() const { return access_version_.load(std::memory_order_acquire); }
  void raiseAccessVersion() { access_version_.fetch_add(1, std::memory_order_release); }

  [[nodiscard]] uint32_t newOid() { return next_oid_.fetch_add(1, std::memory_order_relaxed); }
  /// Of something in `database`; those of roles and databases are the same in all.
  [[nodiscard]] std::shared_ptr<txn::ObjectLock> nameLock(uint32_t database, const ObjectPath& path);

 private:
  const std::unique_ptr<CatalogStore> store_;
  VirtualRelations virtual_;
  std::atomic<uint64_t> version_{1};
  std::atomic<uint64_t> access_version_{1};
  std::atomic<uint32_t> next_oid_;
  mutable std::shared_mutex mutex_;  ///< guards what follows
  std::map<uint32_t, RolePtr> roles_;
  std::map<uint32_t, DatabasePtr> databases_;
  std::map<uint32_t, std::shared_ptr<Catalog>> catalogs_;
  std::map<std::pair<uint32_t, ObjectPath>, std::weak_ptr<txn::ObjectLock>> name_locks_;
};

/// The schemas in the names of locks of roles and databases: no table has them.
inline constexpr const char* kRoleLocks = "pg_authid";
inline constexpr const char* kDatabaseLocks = "pg_database";

}  // namespace gnomon::sql
