#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/executor/program.h"
#include "server/direct_call.h"
#include "sql/bound_statement.h"
#include "txn/lock_manager.h"

namespace gnomon::server {

/// A statement with a plan, ready to be executed any number of times. Immutable.
struct CompiledQuery {
  std::shared_ptr<const sql::BoundStatement> bound;
  std::shared_ptr<codegen::Program> program;
  std::vector<uint64_t> row_counts;  ///< of the bound tables, as the optimiser saw them
  struct Lock {
    std::shared_ptr<txn::ObjectLock> object;
    txn::LockMode mode;
  };
  std::vector<Lock> locks;  ///< of the tables that have rows of their own, in the order in which they are taken
  std::vector<sql::IndexPtr> indexes;  ///< that the plan reads rows by
  /// Whose columns it reads as if none was NaN (sql/catalog/stored_nan.h).
  std::vector<std::shared_ptr<const txn::Table>> without_nan;
  bool has_subqueries = false;  ///< whose values it may compute although nobody wants them
  std::optional<DirectCall> direct_call = std::nullopt;
  /// Not so where an index is newer than the snapshot, or what is read may be NaN.
  [[nodiscard]] bool isUsableFor(const txn::Snapshot& snapshot) const;
  [[nodiscard]] bool readsUnforeseenNan() const;
};

/// Compiled statements of all sessions by what they were compiled from; the least recently used go first.
///
/// Whether the tables of an entry are still the catalog's is for the user of the entry to check, under their locks;
/// DROP TABLE empties the cache, so that no plan keeps a dropped table's memory. Threads: any.
class PlanCache {
 public:
  explicit PlanCache(size_t entry_count_max) : entry_count_max_(entry_count_max) {}

  /// Null: not there.
  std::shared_ptr<const CompiledQuery> find(std::string_view key);
  void insert(std::string key, std::shared_ptr<const CompiledQuery> query);
  void erase(std::string_view key);
  void clear();
  /// Grows whenever all are dropped: what was taken from here before is not to be used any more.
  [[nodiscard]] uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  /// Longer texts are not worth their place: their parts are mostly literals.
  static constexpr size_t kKeyBytesMax = 64 << 10;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const CompiledQuery> query;
  };
  using Entries = std::list<Entry>;

  const size_t entry_count_max_;
  std::atomic<uint64_t> generation_{1};
  std::mutex mutex_;
  Entries entries_;                                                ///< most recently used first
  std::unordered_map<std::string_view, Entries::iterator> index_;  ///< keys lie in the entries
};

}  // namespace gnomon::server
