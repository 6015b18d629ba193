#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/arena.h"
#include "base/memory_account.h"
#include "codegen/runtime/runtime_object.h"
#include "codegen/runtime/spill_file.h"

namespace gnomon::codegen {

/// What each operator of an execution that can spill may use.
struct SpillLimits {
  uint64_t operator_bytes = UINT64_MAX;
  unsigned worker_count = 1;
  TemporarySpace* space = nullptr;  ///< null: nothing is spilled
};

/// The memory of one operator that can spill, of all workers together. A worker that wants more past the limit writes
/// out what it has itself. Threads: any.
class OperatorMemory final : public RuntimeObject {
 public:
  OperatorMemory(MemoryAccount& statement, const SpillLimits& limits)
      : account_(statement),
        limits_(limits),
        full_bytes_(limits.operator_bytes - std::min(limits.operator_bytes / 2, limits.worker_count * kBlockBytes)) {}

  /// The statement's, which all memory is charged to.
  [[nodiscard]] MemoryAccount& account() { return account_; }
  [[nodiscard]] TemporarySpace& space() const { return *limits_.space; }
  [[nodiscard]] uint64_t limitBytes() const { return limits_.operator_bytes; }
  /// What one worker may use while all are at work; never less than what makes sense.
  [[nodiscard]] uint64_t shareBytes() const { return std::max(full_bytes_ / limits_.worker_count, kShareBytesMin); }
  [[nodiscard]] bool isFull() const {
    return used_bytes_.load(std::memory_order_relaxed) > full_bytes_ && limits_.space != nullptr;
  }
  /// A worker has so many bytes more than before, or fewer.
  void noteChange(int64_t bytes) { used_bytes_.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kShareBytesMin = uint64_t{64} << 10;
  /// An arena's largest block: each worker may take another one before it looks here.
  static constexpr uint64_t kBlockBytes = uint64_t{2} << 20;
  MemoryAccount& account_;
  const SpillLimits limits_;
  const uint64_t full_bytes_;
  std::atomic<uint64_t> used_bytes_{0};
};

/// One worker's part of it: its rows' memory, and the file for those that find no room there. Threads: one.
class SpillArea final : public RuntimeObject {
 public:
  SpillArea(OperatorMemory& memory, const RowFormat& format)
      : arena(&memory.account()), memory_(memory), format_(format) {}

  Arena arena;

  /// Whether the rows should be written out before there are more.
  [[nodiscard]] bool isFull() {
    if (arena.reservedBytes() != noted_bytes_) noteChange();
    return memory_.isFull() && noted_bytes_ >= kSpilledBytesMin;
  }
  /// After the rows have been written out.
  void clear() {
    arena.clear();
    noteChange();
  }
  [[nodiscard]] SpillFile& file() {
    if (!file_) file_ = std::make_unique<SpillFile>(memory_.space(), format_, memory_.account());
    return *file_;
  }
  [[nodiscard]] OperatorMemory& memory() { return memory_; }
  [[nodiscard]] const RowFormat& format() const { return format_; }

 private:
  void noteChange() {
    memory_.noteChange(static_cast<int64_t>(arena.reservedBytes() - noted_bytes_));
    noted_bytes_ = arena.reservedBytes();
  }

  /// Less is not worth a segment.
  static constexpr uint64_t kSpilledBytesMin = uint64_t{32} << 10;
  OperatorMemory& memory_;
  const RowFormat& format_;
  uint64_t noted_bytes_ = 0;  ///< of the arena, as the operator's memory knows it
  std::unique_ptr<SpillFile> file_;
};

}  // namespace gnomon::codegen
