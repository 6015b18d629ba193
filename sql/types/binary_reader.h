#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/sql_error.h"

namespace gnomon::sql {

/// Takes the parts of a value in PostgreSQL's binary format that has several.
class BinaryReader {
 public:
  BinaryReader(std::string_view bytes, unsigned parameter) : bytes_(bytes), parameter_(parameter) {}

  int32_t integer() {
    uint32_t number;
    std::memcpy(&number, take(sizeof(number)).data(), sizeof(number));
    return static_cast<int32_t>(std::byteswap(number));
  }
  std::string_view take(size_t count) {
    if (bytes_.size() < count) throw SqlError(sqlstate::kProtocolViolation, "insufficient data left in message");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  [[nodiscard]] std::string_view rest() const { return bytes_; }
  void finish() const {
    if (!bytes_.empty())
      throw SqlError(sqlstate::kInvalidBinaryRepresentation,
                     fmt::format("incorrect binary data format in bind parameter {}", parameter_));
  }

 private:
  std::string_view bytes_;
  const unsigned parameter_;
};

inline void appendBigEndian(int32_t number, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(static_cast<uint32_t>(number) >> shift);
}

}  // namespace gnomon::sql
