#pragma once

#include <cstdint>
#include <string_view>

namespace gnomon::sql {

/// Mixes 64 bits so that every input bit moves every output bit.
constexpr uint64_t mixHash(uint64_t value) {
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93u;
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93u;
  return value ^ (value >> 32);
}
constexpr uint64_t combineHash(uint64_t left, uint64_t right) {
  return mixHash(left ^ (right + 0x9e3779b97f4a7c15u + (left << 6) + (left >> 2)));
}
uint64_t hashBytes(std::string_view bytes);

}  // namespace gnomon::sql
