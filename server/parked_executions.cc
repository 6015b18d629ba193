#include "server/parked_executions.h"

#include <algorithm>

namespace gnomon::server {

WorkLimits::WorkLimits(const Settings& settings)
    : memory_bytes(static_cast<uint64_t>(settings.integer(SettingId::QueryMemory))),
      operator_bytes(static_cast<uint64_t>(settings.integer(SettingId::WorkMem)) * 1024) {
  const int64_t limit_kb = settings.integer(SettingId::TempFileLimit);
  temporary_bytes = limit_kb < 0 ? UINT64_MAX : static_cast<uint64_t>(limit_kb) * 1024;
}

std::unique_ptr<QueryWork> QueryWork::begin(ParkedExecutions& parked, const std::shared_ptr<const CompiledQuery>& query,
                                            const Settings& settings, size_t place) {
  if (std::unique_ptr<QueryWork> taken = parked.take(*query, settings, place)) return taken;
  return std::make_unique<QueryWork>(query, settings);
}

std::unique_ptr<QueryWork> ParkedExecutions::take(const CompiledQuery& query, const Settings& settings, size_t place) {
  if (queries_[place] != &query) {
    place = static_cast<size_t>(std::ranges::find(queries_, &query) - queries_.begin());
    if (place == queries_.size()) return nullptr;
  }
  queries_[place] = nullptr;
  std::unique_ptr<QueryWork> taken = std::move(parked_[place]);
  if (taken->limits_version != settings.version()) {
    if (taken->limits != WorkLimits(settings)) return nullptr;
    taken->limits_version = settings.version();
  }
  return taken;
}

void ParkedExecutions::put(std::unique_ptr<QueryWork> work, size_t& place) {
  work->execution->park();
  if (work->memory.usedBytes() > kBytesMax) return;
  if (queries_[place] != nullptr) {
    place = static_cast<size_t>(std::ranges::find(queries_, nullptr) - queries_.begin());
    if (place == kCountMax) place = next_++ % kCountMax;
  }
  queries_[place] = work->query.get();
  parked_[place] = std::move(work);
}

void ParkedExecutions::forget(const CompiledQuery* query) {
  for (size_t place = 0; place < kCountMax; ++place) {
    if (query && queries_[place] != query) continue;
    queries_[place] = nullptr;
    parked_[place].reset();
  }
}

}  // namespace gnomon::server
