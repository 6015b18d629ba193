#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/memory_account.h"

namespace gnomon {

/// Bump allocation, freed as a whole. Threads: one at a time. Blocks are charged to the account as they are taken; an
/// arena that is emptied keeps its first block, of the usual size, for what comes next. Failure: 53200 through the
/// account.
class Arena {
 public:
  /// `first_block_bytes`: a multiple of 16; blocks grow from there.
  explicit Arena(MemoryAccount* account = nullptr, size_t first_block_bytes = kFirstBlockBytes)
      : account_(account), first_block_bytes_(first_block_bytes) {}
  ~Arena() { release(0); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// `bytes` bytes aligned to 16, not initialised.
  void* allocate(size_t bytes) {
    bytes = (bytes + 15) & ~size_t{15};
    if (bytes > static_cast<size_t>(end_ - next_)) [[unlikely]]
      return allocateSlow(bytes);
    void* result = next_;
    next_ += bytes;
    return result;
  }
  template <typename T>
  T* allocateArray(size_t count) {
    static_assert(alignof(T) <= 16);
    return static_cast<T*>(allocate(count * sizeof(T)));
  }
  std::string_view copy(std::string_view text) {
    auto* bytes = static_cast<char*>(allocate(text.size()));
    if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
    return {bytes, text.size()};
  }
  void clear() {
    if (blocks_.empty()) return;
    if (blocks_.size() > 1 || blocks_[0].bytes != first_block_bytes_ || !kKeepsFirstBlock) return release(kBlocksKept);
    next_ = blocks_[0].memory;
    end_ = next_ + first_block_bytes_;
  }
  /// Bytes taken from the account.
  [[nodiscard]] size_t reservedBytes() const { return reserved_bytes_; }

 private:
  void* allocateSlow(size_t bytes);
  /// All blocks but the first `blocks_kept`, and that only if it is of the usual size.
  void release(size_t blocks_kept);

  struct Block {
    char* memory;
    size_t bytes;
  };
  MemoryAccount* account_;
  std::vector<Block> blocks_;
  char* next_ = nullptr;
  char* end_ = nullptr;
  size_t reserved_bytes_ = 0;
  const size_t first_block_bytes_;
  size_t next_block_bytes_ = first_block_bytes_;

  static constexpr size_t kFirstBlockBytes = 4096;
#if defined(__has_feature) && __has_feature(address_sanitizer)
  static constexpr bool kKeepsFirstBlock = false;  // whoever still reads what was there is found out
#else
  static constexpr bool kKeepsFirstBlock = true;
#endif
  static constexpr size_t kBlocksKept = kKeepsFirstBlock ? 1 : 0;
  static constexpr size_t kBlockBytesMax = size_t{2} << 20;  ///< a huge page
};

}  // namespace gnomon
