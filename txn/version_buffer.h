#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "base/arena.h"
#include "base/recycled_block.h"

namespace gnomon::txn {

/// The memory of one transaction's versions: bump allocation, freed as a whole.
///
/// Source: paper 1, section 2.2 (version buffers). Departure: it grows with the transaction, and those that change a
/// few tuples, which are most, need what lies in the buffer itself, or a few small blocks.
/// Threads: one at a time. Failure: std::bad_alloc; of large blocks as Arena.
class VersionBuffer {
 public:
  VersionBuffer() : more_(nullptr, kMoreBytes) {}
  ~VersionBuffer() {
    while (blocks_ != nullptr) SmallBlock::give(std::exchange(blocks_, blocks_->before));
  }
  VersionBuffer(const VersionBuffer&) = delete;
  VersionBuffer& operator=(const VersionBuffer&) = delete;

  /// `bytes` bytes aligned to 16, not initialised.
  void* allocate(size_t bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes > static_cast<size_t>(end_ - next_)) [[unlikely]]
      return allocateSlow(bytes);
    return std::exchange(next_, next_ + bytes);
  }
  std::string_view copy(std::string_view text) {
    auto* const bytes = static_cast<char*>(allocate(text.size()));
    if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
    return {bytes, text.size()};
  }

 private:
  static constexpr size_t kAlignment = 16;
  static constexpr size_t kFirstBytes = 512;
  static constexpr size_t kBlockBytes = 1024;
  static constexpr uint32_t kBlocksMax = 4;
  static constexpr size_t kMoreBytes = 4096;
  using SmallBlock = RecycledBlock<kBlockBytes>;
  struct alignas(kAlignment) BlockHead {
    BlockHead* before;
  };
  void* allocateSlow(size_t bytes) {
    if (block_count_ == kBlocksMax || bytes > kBlockBytes - sizeof(BlockHead)) return more_.allocate(bytes);
    auto* const block = static_cast<std::byte*>(SmallBlock::take());
    blocks_ = new (block) BlockHead{blocks_};
    ++block_count_;
    end_ = block + kBlockBytes;
    next_ = block + sizeof(BlockHead) + bytes;
    return block + sizeof(BlockHead);
  }

  alignas(kAlignment) std::array<std::byte, kFirstBytes> first_;
  std::byte* next_ = first_.data();
  std::byte* end_ = first_.data() + kFirstBytes;
  BlockHead* blocks_ = nullptr;  ///< the last one
  uint32_t block_count_ = 0;
  Arena more_;
};

}  // namespace gnomon::txn
