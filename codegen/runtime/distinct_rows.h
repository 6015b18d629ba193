#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "codegen/runtime/runtime_object.h"

namespace gnomon::codegen {

/// Rows of one size, of which no two are equal. Threads: any worker may admit rows.
class DistinctRows final : public RuntimeObject {
 public:
  using Equality = std::function<bool(const char* left, const char* right)>;
  /// `strings`: the offsets of string values in a row.
  DistinctRows(uint64_t row_bytes, std::vector<int64_t> strings, MemoryAccount& memory)
      : row_bytes_(row_bytes), strings_(std::move(strings)), arena_(&memory), memory_(memory) {}
  ~DistinctRows() override;

  /// Before the first row.
  void open(Equality equality) { equality_ = std::move(equality); }
  /// A copy of the row, with its strings, unless one that equals it is there: then null.
  char* admit(const char* row, uint64_t hash);

 private:
  struct Entry {
    uint64_t hash;
    char* row;  ///< null: free
  };
  void grow();

  static constexpr size_t kEntriesMin = 64;

  const uint64_t row_bytes_;
  const std::vector<int64_t> strings_;
  Arena arena_;
  MemoryAccount& memory_;
  Equality equality_;
  std::mutex mutex_;
  std::vector<Entry> entries_;  ///< open addressing; a power of two
  size_t count_ = 0;
};

namespace rt {
char* distinctAdmit(DistinctRows* rows, const char* row, int64_t hash);
}  // namespace rt

}  // namespace gnomon::codegen
