#include "server/parked_executions.h"

#include <algorithm>

namespace gnomon::server {

std::unique_ptr<QueryWork> ParkedExecutions::take(const CompiledQuery& query, uint64_t memory_limit_bytes) {
  for (std::unique_ptr<QueryWork>& each : parked_) {
    if (!each || each->query.get() != &query) continue;
    std::unique_ptr<QueryWork> taken = std::move(each);
    return taken->memory_limit_bytes == memory_limit_bytes ? std::move(taken) : nullptr;
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
