#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/memory_account.h"
#include "codegen/executor/program.h"
#include "server/plan_cache.h"

namespace gnomon::server {

/// A compiled query, and an execution of it with the memory that it takes.
struct QueryWork {
  QueryWork(std::shared_ptr<const CompiledQuery> compiled, uint64_t limit_bytes)
      : query(std::move(compiled)), memory_limit_bytes(limit_bytes), memory(limit_bytes) {}

  // The execution goes before what it uses.
  const std::shared_ptr<const CompiledQuery> query;
  const uint64_t memory_limit_bytes;
  MemoryAccount memory;
  std::unique_ptr<codegen::Execution> execution;  ///< null: it has not begun
};

/// Executions of a session's prepared statements that are over, and ready to be started again. They are few and small,
/// whatever number of statements there is. Threads: the session's.
class ParkedExecutions {
 public:
  /// One of the query's, which is parked no longer, or null. One whose memory has another limit goes.
  std::unique_ptr<QueryWork> take(const CompiledQuery& query, uint64_t memory_limit_bytes);
  /// Parks a finished execution, or lets it go where it would keep too much memory.
  void put(std::unique_ptr<QueryWork> work);
  /// Those of the query go; null: all.
  void forget(const CompiledQuery* query);

 private:
  static constexpr size_t kCountMax = 16;
  static constexpr uint64_t kBytesMax = 64 << 10;
  std::array<std::unique_ptr<QueryWork>, kCountMax> parked_;
  size_t next_ = 0;  ///< the place that is given away where all are taken
};

}  // namespace gnomon::server
