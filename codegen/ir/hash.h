#pragma once

#include <nmmintrin.h>

#include <bit>
#include <cstdint>

#include "base/int128.h"

namespace gnomon::codegen {

/// The hash of generated code, for C++ that must agree with it (instructions crc32 and hash64).
///
/// Source: paper 2's system hashes with two CRC32s and a multiplication. Departure: the second CRC sees the value
/// rotated by 32 bits; CRC is linear, so two CRCs of one value with different seeds would hold only 32 bits of it.
inline constexpr uint64_t kHashSeed = 0x8445d61a4e774912ULL;
inline constexpr uint64_t kHashMultiplier = 0x2545f4914f6cdd1dULL;

/// The CRC32-C step over 8 bytes; the upper half of `seed` is ignored.
[[nodiscard]] inline uint64_t crc32(uint64_t seed, uint64_t value) {
  return _mm_crc32_u64(seed, value);
}

/// Adds `value` to the hash `seed` (kHashSeed, or the hash of the columns before).
[[nodiscard]] inline uint64_t hash64(uint64_t seed, uint64_t value) {
  const uint64_t low = crc32(seed, value);
  const uint64_t high = crc32(seed >> 32, std::rotl(value, 32));
  return (low | (high << 32)) * kHashMultiplier;
}

/// The same for 16 bytes: the low half first.
[[nodiscard]] inline uint64_t hash128(uint64_t seed, uint64_t lo, uint64_t hi) {
  return hash64(hash64(seed, lo), hi);
}
[[nodiscard]] inline uint64_t hash128(uint64_t seed, uint128 value) {
  return hash128(seed, static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64));
}

}  // namespace gnomon::codegen
