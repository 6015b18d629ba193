#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/memory_account.h"
#include "codegen/executor/morsel_source.h"
#include "codegen/runtime/sorter.h"

namespace gnomon::codegen {

/// Rows in the order of a window: by partition, then by its sort keys. A worker takes whole partitions, in pieces.
/// Threads: next() from any worker; the rest is set before the first.
class WindowRows final : public MorselSource {
 public:
  explicit WindowRows(const Sorter& sorter) : sorter_(sorter) {}

  /// Whether rows of different partitions, or different peers, are before each other. Without one all rows are in one
  /// partition, or all of a partition are peers.
  RowComparator partitions, peers;

  bool next(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override { return sorter_.rows().size(); }
  /// The end of the rows that the order does not tell from this one, before `end`.
  [[nodiscard]] uint64_t endOfEqual(const RowComparator& order, uint64_t row, uint64_t end) const;
  [[nodiscard]] uint64_t partitionEnd(uint64_t row) const;

 private:
  static constexpr uint64_t kMorselRows = 4096;
  const Sorter& sorter_;
  std::mutex mutex_;
  uint64_t claimed_ = 0;
};

class WindowStates;

/// Where a worker is, and what its functions have seen of the partition; generated code knows the layout. The states of
/// the functions follow, zero when a partition begins; positions in them count from the partition's first row.
struct WindowCursor {
  int64_t partition_begin;
  int64_t partition_end;
  int64_t peers_begin;
  int64_t peers_end;
  int64_t peer_group;  ///< its number in the partition, from 0
  WindowStates* owner;
};
static_assert(sizeof(WindowCursor) == 48);

/// A worker's cursor with the states behind it, and the memory of those of its functions whose frames begin later and
/// later: for each such function, a state for each row of the frame's older part.
class WindowStates final : public RuntimeObject {
 public:
  WindowStates(MemoryAccount& memory, uint64_t state_bytes, size_t list_count);
  ~WindowStates() override;

  [[nodiscard]] WindowCursor* cursor() { return reinterpret_cast<WindowCursor*>(block_.data()); }
  /// A partition begins: all is zero.
  void clear();
  /// Room for so many bytes, zeroed.
  char* list(size_t number, uint64_t bytes);

 private:
  struct alignas(16) Unit {
    std::byte bytes[16];
  };
  MemoryAccount& memory_;
  std::vector<Unit> block_;
  std::vector<std::vector<Unit>> lists_;
  uint64_t charged_bytes_ = 0;
};

namespace rt {
/// The cursor's peers end before the row: it goes on to this row's, perhaps those of another partition.
void windowAdvance(const WindowRows* rows, WindowCursor* cursor, int64_t row);
/// The end of the row's peers, all in a partition that ends at `end`.
int64_t windowPeersEnd(const WindowRows* rows, int64_t row, int64_t end);
/// WindowStates::list.
char* windowList(WindowCursor* cursor, uint64_t number, uint64_t bytes);
void zeroBytes(char* memory, uint64_t bytes);
/// The offset of a frame. Failure: 22004 for NULL, 22013 when it is negative.
int64_t checkedFrameOffset(int64_t offset, bool is_null, bool is_start);
/// The same of RANGE.
void checkRangeOffset(bool is_invalid, bool is_null, bool is_start);
/// ntile() of the row at `position` of `count`. Failure: 22014.
int32_t windowTile(int32_t buckets, int64_t position, int64_t count);
/// Failure: 22016.
void checkNthValue(int32_t number);
}  // namespace rt

}  // namespace gnomon::codegen
