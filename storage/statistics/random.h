#pragma once

#include <cstdint>

#include "base/int128.h"

namespace gnomon::storage {

/// The 128-bit product folded to 64 bits: the mixing step of wyhash and rapidhash.
constexpr uint64_t foldedProduct(uint64_t left, uint64_t right) {
  const uint128 product = uint128{left} * right;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// A small, fast generator of random words (wyrand); not for secrets. Threads: one.
class RandomWords {
 public:
  RandomWords() = default;
  explicit RandomWords(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0xa0761d6478bd642fULL;
    return foldedProduct(state_, state_ ^ 0xe7037ed1a0b428dbULL);
  }
  /// Uniform in (0, 1), both ends excluded.
  double nextUnit() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
  /// Uniform below `limit`.
  uint64_t nextBelow(uint64_t limit) { return static_cast<uint64_t>((uint128{next()} * limit) >> 64); }

 private:
  uint64_t state_ = 0;
};

}  // namespace gnomon::storage
