#include "codegen/runtime/staged_rows.h"

#include <chrono>
#include <cstring>

#include "codegen/executor/code_unit.h"
#include "codegen/executor/execution_state.h"

namespace gnomon::codegen {

StagedRows::StagedRows(ExecutionState& state, unsigned worker, CodeUnit& code, uint32_t row_bytes)
    : state_(state),
      state_memory_(state.context.memory),
      worker_(worker),
      code_(code),
      row_bytes_(row_bytes),
      bytes_(kRowsMax * row_bytes) {
  state_memory_.charge(bytes_);
  rows_ = std::make_unique_for_overwrite<char[]>(bytes_);
  shared_ = {rows_.get(), rows_.get() + bytes_, this};
}

/// In two passes, so that the misses of each overlap: directory entries, then the rows they lead to.
void StagedRows::findChains(uint64_t count) {
  const uint64_t* const directory = join_table_->directory;
  const uint64_t shift = join_table_->shift;
  char* const end = rows_.get() + count * row_bytes_;
  for (const char* row = rows_.get(); row != end; row += row_bytes_) {
    uint64_t hash;
    std::memcpy(&hash, row, 8);
    __builtin_prefetch(directory + (hash >> shift));
  }
  for (char* row = rows_.get(); row != end; row += row_bytes_) {
    uint64_t hash, chain;
    std::memcpy(&hash, row, 8);
    std::memcpy(&chain, row + 8, 8);
    if (chain == 0) continue;
    const uint64_t entry = directory[hash >> shift];
    const bool may_match = (entry >> (JoinTable::kTagShift + (hash & 15)) & 1) != 0;
    chain = may_match ? entry & JoinTable::kAddressMask : 0;
    __builtin_prefetch(reinterpret_cast<const char*>(chain));
    std::memcpy(row + 8, &chain, 8);
  }
}

void StagedRows::fetchGroups(uint64_t count) {
  char** const directory = groups_->directory;
  const uint64_t mask = groups_->mask;
  const char* const end = rows_.get() + count * row_bytes_;
  uint64_t hash;
  for (const char* row = rows_.get(); row != end; row += row_bytes_) {
    std::memcpy(&hash, row, 8);
    __builtin_prefetch(directory + (hash & mask));
  }
  for (const char* row = rows_.get(); row != end; row += row_bytes_) {
    std::memcpy(&hash, row, 8);
    __builtin_prefetch(directory[hash & mask]);
  }
}

void StagedRows::flush() {
  const auto count = static_cast<uint64_t>(shared_.next - rows_.get()) / row_bytes_;
  if (count == 0) return;
  shared_.next = rows_.get();
  if (join_table_ != nullptr) findChains(count);
  if (groups_ != nullptr) fetchGroups(count);
  const CodeTier tier = code_.code->tier();
  const unsigned timed_calls = code_.timedCalls(count);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = timed_calls != 0 ? Clock::now() : Clock::time_point();
  const void* const rows = rows_.get();
  code_.function().call<void>(state_.global(), state_.workers[worker_]->local(), rows, uint64_t{0}, count);
  if (timed_calls == 0) return;
  const int64_t spent_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begun).count();
  // What is left is not known here: as much as was done.
  code_.account(state_.program, tier, spent_ns * timed_calls, 0);
}

void rt::stagedFlush(StagedRows::Shared* rows) {
  rows->owner->flush();
}

}  // namespace gnomon::codegen
