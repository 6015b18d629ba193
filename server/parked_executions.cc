#include "server/parked_executions.h"

#include <algorithm>
#include <utility>

namespace gnomon::server {
namespace {

/// The execution goes before what it uses.
void letGo(ParkedExecutions::Parked& parked) {
  parked.execution.reset();
  parked = {};
}

}  // namespace

ParkedExecutions::Parked ParkedExecutions::take(const CompiledQuery& query, uint64_t memory_limit_bytes) {
  for (Parked& each : parked_) {
    if (each.query.get() != &query) continue;
    if (each.memory_limit_bytes == memory_limit_bytes) return std::exchange(each, {});
    letGo(each);
  }
  return {};
}

void ParkedExecutions::put(Parked parked) {
  parked.execution->park();
  if (parked.memory->usedBytes() > kBytesMax) return;
  const auto free = std::ranges::find(parked_, nullptr, &Parked::query);
  Parked& place = free != parked_.end() ? *free : parked_[next_++ % kCountMax];
  if (place.query) letGo(place);
  place = std::move(parked);
}

void ParkedExecutions::forget(const CompiledQuery* query) {
  for (Parked& each : parked_)
    if (!query || each.query.get() == query) letGo(each);
}

}  // namespace gnomon::server
