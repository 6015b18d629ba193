#pragma once

#include <memory>
#include <vector>

#include "sql/catalog/catalog_store.h"

namespace gnomon::sql {

/// A catalog store without pages, for tests of the binder.
class MemoryStore final : public CatalogStore {
 public:
  std::vector<std::shared_ptr<TableEntry>> load() override { return {}; }
  void create(TableEntry& entry, const CancelToken& cancel) override {
    cancel.poll();
    entry.oid = next_oid_++;
  }
  void createIndex(const TableEntry&, IndexEntry& index, const CancelToken& cancel) override {
    cancel.poll();
    index.oid = next_oid_++;
  }
  void dropIndex(const TableEntry&, const IndexEntry&, const CancelToken& cancel) override { cancel.poll(); }
  void alter(const TableEntry&, TableEntry&, const ExistingRowsTest*, const CancelToken& cancel) override {
    cancel.poll();
  }
  void claim(const std::vector<TablePtr>& tables, const txn::Locker& locker) override {
    locker.patience.cancel.poll();
    is_claimed_ = !tables.empty();
  }
  void truncate(const std::vector<TablePtr>& tables) override { truncated_count_ += tables.size(); }
  void drop(const std::vector<TablePtr>& tables, const CancelToken& cancel) override {
    cancel.poll();
    dropped_count_ += is_claimed_ ? tables.size() : 0;
  }
  [[nodiscard]] size_t droppedCount() const { return dropped_count_; }
  [[nodiscard]] size_t truncatedCount() const { return truncated_count_; }

 private:
  bool is_claimed_ = false;
  uint32_t next_oid_ = 16384;
  size_t dropped_count_ = 0;
  size_t truncated_count_ = 0;
};

}  // namespace gnomon::sql
