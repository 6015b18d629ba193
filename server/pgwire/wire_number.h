#pragma once

#include <bit>
#include <concepts>
#include <cstring>

namespace gnomon::server {

/// Numbers in network byte order.
template <std::integral T>
T readBigEndian(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return std::byteswap(value);
}

template <std::integral T>
void writeBigEndian(char* bytes, T value) {
  value = std::byteswap(value);
  std::memcpy(bytes, &value, sizeof(T));
}
static_assert(std::endian::native == std::endian::little);

}  // namespace gnomon::server
