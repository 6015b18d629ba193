#include "sql/types/hash.h"

#include <cstring>

#include "base/int128.h"

namespace gnomon::sql {
namespace {

uint64_t load(const char* bytes, size_t count) {
  uint64_t word = 0;
  if (count > 0) std::memcpy(&word, bytes, count);  // no bytes may be at no address
  return word;
}

/// The 128-bit product folded to 64 bits.
uint64_t multiplyFold(uint64_t left, uint64_t right) {
  const uint128 product = static_cast<uint128>(left) * right;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

uint64_t hashBytes(std::string_view bytes) {
  uint64_t state = 0x9e3779b97f4a7c15u ^ bytes.size();
  const char* next = bytes.data();
  size_t left = bytes.size();
  for (; left > 16; left -= 16, next += 16)
    state = multiplyFold(load(next, 8) ^ 0xa0761d6478bd642fu, load(next + 8, 8) ^ state);
  const uint64_t first = load(next, left < 8 ? left : 8);
  const uint64_t second = left > 8 ? load(next + 8, left - 8) : 0;
  state = multiplyFold(first ^ 0xe7037ed1a0b428dbu, second ^ state);
  return mixHash(state);
}

}  // namespace gnomon::sql
