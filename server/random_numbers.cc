#include "server/random_numbers.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <random>

#include "base/sql_error.h"

namespace gnomon::server {
namespace {

constexpr int kMantissaBits = 52;

uint64_t splitMix(uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  uint64_t bits = state;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace

void RandomNumbers::seedBits(uint64_t bits) {
  first_ = splitMix(bits);
  second_ = splitMix(bits);
  is_seeded_ = true;
}

double RandomNumbers::next() {
  if (!is_seeded_) {
    std::random_device entropy;
    seedBits(uint64_t{entropy()} << 32 | entropy());
  }
  const uint64_t bits = std::rotl(first_ * 5, 7) * 9;
  const uint64_t mixed = second_ ^ first_;
  first_ = std::rotl(first_, 24) ^ mixed ^ (mixed << 16);
  second_ = std::rotl(mixed, 37);
  return std::ldexp(static_cast<double>(bits >> (64 - kMantissaBits)), -kMantissaBits);
}

void RandomNumbers::seed(double number) {
  if (!(number >= -1 && number <= 1))
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("setseed parameter {} is out of allowed range [-1,1]",
                               std::isnan(number)   ? "NaN"
                               : std::isinf(number) ? (number > 0 ? "Infinity" : "-Infinity")
                                                    : fmt::format("{:g}", number)));
  seedBits(
      static_cast<uint64_t>(static_cast<int64_t>(static_cast<double>((uint64_t{1} << kMantissaBits) - 1) * number)));
}

}  // namespace gnomon::server
