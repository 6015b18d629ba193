#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "base/sql_error.h"

namespace gnomon::storage {

/// Appends numbers and byte strings, without padding and in the machine's order (little-endian), to a vector.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  template <typename Number>
    requires std::is_arithmetic_v<Number>
  void number(Number value) {
    if constexpr (sizeof(value) == 1)
      bytes_.push_back(static_cast<std::byte>(value));
    else
      append(&value, sizeof(value));
  }
  void append(const void* data, size_t size) {
    const auto* const first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

 private:
  std::vector<std::byte>& bytes_;
};

/// Reads what a ByteWriter wrote. Failure: XX001 when the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename Number>
    requires std::is_arithmetic_v<Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }
  std::span<const std::byte> take(size_t size) {
    if (size > rest_.size()) throw SqlError(sqlstate::kDataCorrupted, "damaged statistics: they end too early");
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  [[nodiscard]] size_t remaining() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace gnomon::storage
