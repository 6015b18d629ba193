#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/memory_account.h"
#include "base/settings.h"
#include "base/temporary_file.h"
#include "codegen/executor/program.h"
#include "server/plan_cache.h"

namespace gnomon::server {

/// How much a statement may use: query_memory, work_mem, temp_file_limit.
struct WorkLimits {
  explicit WorkLimits(const Settings& settings);
  bool operator==(const WorkLimits&) const = default;

  uint64_t memory_bytes;
  uint64_t operator_bytes;
  uint64_t temporary_bytes;
};

class ParkedExecutions;

/// A compiled query, and an execution of it with the memory and the temporary files that it takes.
struct QueryWork {
  /// One that is parked (ParkedExecutions::take), or a new one.
  static std::unique_ptr<QueryWork> begin(ParkedExecutions& parked, const std::shared_ptr<const CompiledQuery>& query,
                                          const Settings& settings, size_t place);
  /// For temporary files: those without names lie beside the others.
  static std::filesystem::path directory(const Settings& settings) { return settings.text(SettingId::DataDirectory); }

  QueryWork(std::shared_ptr<const CompiledQuery> compiled, const Settings& settings)
      : query(std::move(compiled)),
        limits(settings),
        limits_version(settings.version()),
        memory(limits.memory_bytes),
        temporary(directory(settings), limits.temporary_bytes) {}

  // The execution goes before what it uses.
  const std::shared_ptr<const CompiledQuery> query;
  const WorkLimits limits;
  uint64_t limits_version;  ///< of the settings, which say so
  MemoryAccount memory;
  TemporarySpace temporary;
  std::optional<SqlError> refusal;                ///< of a run that failed
  std::unique_ptr<codegen::Execution> execution;  ///< null: it has not begun
};

/// Executions of a session's prepared statements that are over, and ready to be started again. They are few and small,
/// whatever number of statements there is. Threads: the session's.
class ParkedExecutions {
 public:
  /// One of the query's, which is parked no longer, or null. One with other limits goes. `place`: where it may be, as
  /// put() said.
  std::unique_ptr<QueryWork> take(const CompiledQuery& query, const Settings& settings, size_t place);
  /// Parks a finished execution, or lets it go where it would keep too much memory. `place`: where, if it is free.
  void put(std::unique_ptr<QueryWork> work, size_t& place);
  /// Those of the query go; null: all.
  void forget(const CompiledQuery* query);

 private:
  static constexpr size_t kCountMax = 64;
  static constexpr uint64_t kBytesMax = 64 << 10;
  std::array<std::unique_ptr<QueryWork>, kCountMax> parked_;
  std::array<const CompiledQuery*, kCountMax> queries_{};  ///< of each; null: none is there
  size_t next_ = 0;                                        ///< the place that is given away where all are taken
};

}  // namespace gnomon::server
