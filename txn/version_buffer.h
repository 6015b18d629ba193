#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/arena.h"

namespace gnomon::txn {

/// The memory of one transaction's versions: bump allocation, freed as a whole.
///
/// Source: paper 1, section 2.2 (version buffers). Departure: it grows with the transaction, and those that change a
/// few tuples, which are most, need what lies in the buffer itself, or one more small block.
/// Threads: one at a time. Failure: std::bad_alloc; of large blocks as Arena.
class VersionBuffer {
 public:
  VersionBuffer() : more_(nullptr, kMoreBytes) {}
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
  static constexpr size_t kSecondBytes = 1024;
  static constexpr size_t kMoreBytes = 2048;
  void* allocateSlow(size_t bytes) {
    if (second_ || bytes > kSecondBytes) return more_.allocate(bytes);
    second_ = std::make_unique_for_overwrite<std::byte[]>(kSecondBytes);
    next_ = second_.get() + bytes;
    end_ = second_.get() + kSecondBytes;
    return second_.get();
  }

  alignas(kAlignment) std::array<std::byte, kFirstBytes> first_;
  std::byte* next_ = first_.data();
  std::byte* end_ = first_.data() + kFirstBytes;
  std::unique_ptr<std::byte[]> second_;
  Arena more_;
};

}  // namespace gnomon::txn
