#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/memory_account.h"

namespace gnomon::codegen::rt {

/// Bytes on their way to a client: a growable buffer that generated code fills through row_encoder.h and
/// copy_encoder.h. Ownership: the statement's output; the bytes between begin and cur are handed to the session.
/// Threads: one at a time. Failure: 53200 when memory is refused.
struct WireBuffer {
  char* begin = nullptr;
  char* cur = nullptr;
  char* end = nullptr;
  MemoryAccount* account = nullptr;  ///< charged with the buffer's size; set before the first byte
  size_t row_offset = 0;             ///< where the row being written starts; between beginRow and endRow

  WireBuffer() = default;
  WireBuffer(const WireBuffer&) = delete;
  WireBuffer& operator=(const WireBuffer&) = delete;
  ~WireBuffer();

  /// Room for `bytes` more at cur.
  void reserve(size_t bytes) {
    if (static_cast<size_t>(end - cur) < bytes) [[unlikely]]
      grow(bytes);
  }
  void clear() { cur = begin; }
  [[nodiscard]] size_t size() const { return static_cast<size_t>(cur - begin); }
  [[nodiscard]] std::string_view view() const { return {begin, size()}; }
  void append(std::string_view bytes) {
    reserve(bytes.size());
    if (!bytes.empty()) std::memcpy(cur, bytes.data(), bytes.size());
    cur += bytes.size();
  }

 private:
  void grow(size_t bytes);
};

/// Network byte order.
template <typename Integer>
inline char* storeBigEndian(Integer value, char* out) {
  if constexpr (sizeof(Integer) == 2) {
    const uint16_t swapped = __builtin_bswap16(static_cast<uint16_t>(value));
    std::memcpy(out, &swapped, 2);
  } else if constexpr (sizeof(Integer) == 4) {
    const uint32_t swapped = __builtin_bswap32(static_cast<uint32_t>(value));
    std::memcpy(out, &swapped, 4);
  } else {
    static_assert(sizeof(Integer) == 8);
    const uint64_t swapped = __builtin_bswap64(static_cast<uint64_t>(value));
    std::memcpy(out, &swapped, 8);
  }
  return out + sizeof(Integer);
}

}  // namespace gnomon::codegen::rt
