#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_counters.h"
#include "txn/table_activity.h"

namespace gnomon::sql {

/// What has happened in a database since the server started, for its statistics. Threads: any.
class DatabaseActivity {
 public:
  enum class Count : uint8_t { Commits, Rollbacks, Sessions, Deadlocks, Count };

  void add(Count which) { counters_.add(static_cast<size_t>(which)); }
  [[nodiscard]] uint64_t count(Count which) const { return counters_.sum(static_cast<size_t>(which)); }
  /// Of a table that goes.
  void keep(const txn::TableActivity& table) {
    for (size_t i = 0; i < kTableCounts; ++i) gone_.add(i, table.count(static_cast<txn::TableCount>(i)));
  }
  /// Of all tables that are gone.
  [[nodiscard]] uint64_t kept(txn::TableCount which) const { return gone_.sum(static_cast<size_t>(which)); }

 private:
  static constexpr size_t kTableCounts = static_cast<size_t>(txn::TableCount::Count);
  /// Tables go seldom: few threads have words of their own.
  static constexpr uint32_t kGoneThreadsMax = 32;
  ThreadCounters<static_cast<size_t>(Count::Count)> counters_;
  ThreadCounters<kTableCounts, kGoneThreadsMax> gone_;
};

}  // namespace gnomon::sql
