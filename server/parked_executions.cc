#include "server/parked_executions.h"

#include <algorithm>

namespace gnomon::server {

WorkLimits::WorkLimits(const Settings& settings)
    : memory_bytes(static_cast<uint64_t>(settings.integer(SettingId::QueryMemory))),
      operator_bytes(static_cast<uint64_t>(settings.integer(SettingId::WorkMem)) * 1024) {
  const int64_t limit_kb = settings.integer(SettingId::TempFileLimit);
  temporary_bytes = limit_kb < 0 ? UINT64_MAX : static_cast<uint64_t>(limit_kb) * 1024;
}

std::unique_ptr<QueryWork> ParkedExecutions::take(const CompiledQuery& query, const WorkLimits& limits) {
  for (std::unique_ptr<QueryWork>& each : parked_) {
    if (!each || each->query.get() != &query) continue;
    std::unique_ptr<QueryWork> taken = std::move(each);
    return taken->limits == limits ? std::move(taken) : nullptr;
  }
  return nullptr;
}

void ParkedExecutions::put(std::unique_ptr<QueryWork> work) {
  work->execution->park();
  if (work->memory.usedBytes() > kBytesMax) return;
  const auto free = std::ranges::find_if(parked_, [](const auto& place) { return !place; });
  (free != parked_.end() ? *free : parked_[next_++ % kCountMax]) = std::move(work);
}

void ParkedExecutions::forget(const CompiledQuery* query) {
  for (std::unique_ptr<QueryWork>& each : parked_)
    if (each && (!query || each->query.get() == query)) each.reset();
}

}  // namespace gnomon::server
