#pragma once

#include <cstdint>

namespace gnomon::server {

/// The numbers of random(): PostgreSQL's, so that a seed gives the same ones.
///
/// Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators" (2018), xoroshiro128**; seeded by
/// splitmix64. Before the first seed the state is the operating system's entropy. Threads: the owner's.
class RandomNumbers {
 public:
  /// Of [0, 1), a multiple of 2^-52.
  double next();
  /// Failure: 22023 outside of [-1, 1].
  void seed(double number);

 private:
  void seedBits(uint64_t bits);

  uint64_t first_ = 0;
  uint64_t second_ = 0;
  bool is_seeded_ = false;
};

}  // namespace gnomon::server
