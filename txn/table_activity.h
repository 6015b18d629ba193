#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/thread_counters.h"

namespace gnomon::txn {

/// What statements do with tables, in the terms of PostgreSQL's statistics views.
enum class TableCount : uint8_t {
  SequentialScans,
  SequentialRows,  ///< that a snapshot saw
  IndexScans,
  IndexRows,  ///< the same, found by way of an index
  Inserted,
  Updated,
  UpdatedInPlace,  ///< of these; no index has heard of them
  Deleted,
  Count
};

/// What has happened to a table since the server started, whether it was committed or not. Threads: any.
class TableActivity {
 public:
  void add(TableCount which, uint64_t amount = 1) { counters_.add(static_cast<size_t>(which), amount); }
  [[nodiscard]] uint64_t count(TableCount which) const { return counters_.sum(static_cast<size_t>(which)); }

  /// VACUUM or ANALYZE of the table.
  struct Maintenance {
    uint64_t count = 0;
    int64_t last_unix_us = 0;     ///< 0: never
    uint64_t changes_before = 0;  ///< that had been counted then
  };
  void noteVacuum(int64_t unix_us) { vacuum_.note(unix_us, count(TableCount::Inserted)); }
  void noteAnalyze(int64_t unix_us) { analyze_.note(unix_us, changeCount()); }
  [[nodiscard]] Maintenance vacuums() const { return vacuum_.get(); }
  [[nodiscard]] Maintenance analyses() const { return analyze_.get(); }
  [[nodiscard]] uint64_t changeCount() const {
    return count(TableCount::Inserted) + count(TableCount::Updated) + count(TableCount::Deleted);
  }

 private:
  static constexpr size_t kCount = static_cast<size_t>(TableCount::Count);
  /// There may be many tables: few threads have words of their own.
  static constexpr uint32_t kThreadsMax = 32;
  class Notes {
   public:
    void note(int64_t unix_us, uint64_t changes) {
      count_.fetch_add(1, std::memory_order_relaxed);
      last_unix_us_.store(unix_us, std::memory_order_relaxed);
      changes_.store(changes, std::memory_order_relaxed);
    }
    [[nodiscard]] Maintenance get() const {
      return {count_.load(std::memory_order_relaxed), last_unix_us_.load(std::memory_order_relaxed),
              changes_.load(std::memory_order_relaxed)};
    }

   private:
    std::atomic<uint64_t> count_{0};
    std::atomic<int64_t> last_unix_us_{0};
    std::atomic<uint64_t> changes_{0};
  };

  ThreadCounters<kCount, kThreadsMax> counters_;
  Notes vacuum_;
  Notes analyze_;
};

}  // namespace gnomon::txn
