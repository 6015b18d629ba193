#pragma once

#include <cstdint>
#include <memory>

#include "base/memory_account.h"
#include "codegen/runtime/aggregation_table.h"
#include "codegen/runtime/join_table.h"
#include "codegen/runtime/runtime_object.h"

namespace gnomon::codegen {

class CodeUnit;
class ExecutionState;

/// Rows between two parts of a pipeline, one worker's: those that wait until what they are going to look up in a large
/// hash table is on its way to the caches.
///
/// A lookup misses the caches once for the directory and once for a row. Done row by row, each miss is waited for; done
/// for a batch, they overlap. Source: relaxed operator fusion (Menon, Mowry, Pavlo, "Relaxed operator fusion for
/// in-memory databases"); departure: the second part of the pipeline is a function of its own.
///
/// Layout of a row: 0 hash (8), 8 first row of the hash's chain in a join's table, or 0 (8), 16 values (TupleLayout).
/// The first part stores kMayMatch or 0 where the chain will be: 0, and nothing is looked up.
/// Generated code appends by itself: while `next` is below `end` there is room for a row. Strings are not copied: rows
/// stay no longer than the call of the first part. Threads: one.
class StagedRows final : public RuntimeObject {
 public:
  static constexpr uint32_t kRowHeaderBytes = 16;
  static constexpr uint64_t kRowsMax = 256;
  static constexpr uint64_t kMayMatch = 1;

  struct Shared {
    char* next = nullptr;
    char* end = nullptr;
    StagedRows* owner = nullptr;
  };

  /// `code`: the second part, void(GlobalState*, LocalState*, rows, 0, count).
  StagedRows(ExecutionState& state, unsigned worker, CodeUnit& code, uint32_t row_bytes);
  ~StagedRows() override { state_memory_.release(bytes_); }
  void lookIn(const JoinTable::Shared* table) { join_table_ = table; }
  void lookIn(const LocalAggregation::Shared* table) { groups_ = table; }

  [[nodiscard]] Shared* shared() { return &shared_; }
  /// Fetches what the rows will look up, and gives them to the second part.
  void flush();

 private:
  void findChains(uint64_t count);
  void fetchGroups(uint64_t count);

  Shared shared_;
  ExecutionState& state_;
  MemoryAccount& state_memory_;
  const unsigned worker_;
  CodeUnit& code_;
  const uint32_t row_bytes_;
  const uint64_t bytes_;
  std::unique_ptr<char[]> rows_;
  const JoinTable::Shared* join_table_ = nullptr;
  const LocalAggregation::Shared* groups_ = nullptr;
};

namespace rt {
void stagedFlush(StagedRows::Shared* rows);
}  // namespace rt

}  // namespace gnomon::codegen
