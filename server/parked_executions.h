#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/memory_account.h"
#include "codegen/executor/program.h"
#include "server/plan_cache.h"

namespace gnomon::server {

/// Executions of a session's prepared statements that are over, and ready to be started again. They are few and small,
/// whatever number of statements there is. Threads: the session's.
class ParkedExecutions {
 public:
  struct Parked {
    std::shared_ptr<const CompiledQuery> query;
    std::unique_ptr<MemoryAccount> memory;
    uint64_t memory_limit_bytes = 0;
    std::unique_ptr<codegen::Execution> execution;  ///< null: there is none
  };
  /// One of the query's, which is parked no longer. The one whose memory has another limit goes.
  Parked take(const CompiledQuery& query, uint64_t memory_limit_bytes);
  /// Parks a finished execution, or lets it go where it would keep too much memory.
  void put(Parked parked);
  /// Those of the query go; null: all.
  void forget(const CompiledQuery* query);

 private:
  static constexpr size_t kCountMax = 16;
  static constexpr uint64_t kBytesMax = 64 << 10;
  std::array<Parked, kCountMax> parked_;
  size_t next_ = 0;  ///< the place that is given away where all are taken
};

}  // namespace gnomon::server
