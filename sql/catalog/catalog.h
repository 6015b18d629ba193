#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sql/catalog/catalog_store.h"
#include "sql/catalog/catalog_view.h"

namespace gnomon::txn {
class DatabaseStorage;
class KeyExpressions;
}  // namespace gnomon::txn

namespace gnomon::sql {

/// Makes the code that computes keys from what an index's definition says. The room that compiles provides it.
using KeyExpressionsCompiler = std::function<std::shared_ptr<const txn::KeyExpressions>(
    const std::shared_ptr<const IndexExpressions>& expressions)>;

/// What a table was and what it is instead; null: it was not, or is not any more.
struct TableChange {
  TablePtr before;
  TablePtr after;
};

/// The tables and indexes of the database as they are committed. Whoever defines does so in a CatalogTransaction.
/// Threads: any.
class Catalog final : public CatalogView {
 public:
  /// No tables, and none can be made: what expressions that name no table are bound against.
  Catalog() = default;
  /// A catalog over `store`: loads every entry.
  explicit Catalog(std::unique_ptr<CatalogStore> store);
  /// The catalog kept in the system relations of `storage`, which it creates in a new directory.
  /// Failure: XX001 when an entry cannot be read.
  static std::unique_ptr<Catalog> open(txn::DatabaseStorage& storage, KeyExpressionsCompiler compiler);

  [[nodiscard]] TablePtr find(std::string_view name) const override;
  [[nodiscard]] TablePtr findIndexTable(std::string_view name) const override;
  [[nodiscard]] VirtualRelationPtr findVirtual(std::string_view schema, std::string_view name) const override {
    return virtual_.find(schema, name);
  }
  [[nodiscard]] const std::vector<VirtualRelationPtr>& virtualRelations() const override { return virtual_.all(); }
  [[nodiscard]] std::vector<TablePtr> tables() const override;
  /// Before sessions begin.
  void addVirtual(VirtualRelation relation) { virtual_.add(std::move(relation)); }

  /// What happened to tables, in order, is there for all. The caller has the names, and the tables, alone, or shares
  /// tables with readers, for whom what they are bound to stays good.
  void publish(std::span<const TableChange> changes);
  /// Grows with each publish(), before the locks of its tables are free: who has locked a table and finds the number
  /// that it was when he found the table here finds it still.
  [[nodiscard]] uint64_t version() const { return version_.load(std::memory_order_acquire); }
  /// Nobody uses the sequences any more: a clean restart skips none of their values. Those for which there is no room
  /// do.
  void settleSequences() noexcept;
  [[nodiscard]] CatalogStore& store() { return *store_; }
  /// Held by who gives the name to something, or takes it away, until his transaction ends: what others may do with it
  /// depends on that.
  [[nodiscard]] std::shared_ptr<txn::ObjectLock> nameLock(const std::string& name);

 private:
  std::unique_ptr<CatalogStore> store_;
  VirtualRelations virtual_;
  std::atomic<uint64_t> version_{1};
  mutable std::shared_mutex mutex_;  ///< guards what follows
  std::map<std::string, TablePtr, std::less<>> tables_;
  std::map<std::string, std::string, std::less<>> index_tables_;  ///< from an index's name to its table's
  std::unordered_map<std::string, std::weak_ptr<txn::ObjectLock>> name_locks_;
};

}  // namespace gnomon::sql
