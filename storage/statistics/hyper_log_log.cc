#include "storage/statistics/hyper_log_log.h"

#include <algorithm>
#include <cmath>

namespace gnomon::storage {
namespace {

/// The share of all hashes that go to one counter of this rank.
double shareOf(unsigned rank) {
  const unsigned zeros_and_one = rank + 1 < HyperLogLog::kRankCount ? rank + 1 : rank;
  return std::ldexp(1.0, -static_cast<int>(zeros_and_one + HyperLogLog::kBucketBits));
}

/// How likely a pattern of occupied counters is with n distinct values. A counter of share s stays empty with
/// probability e^-ns; and three in a thousand are empty for no reason, since removals empty counters early now and then
/// and a single empty counter of a low rank, which hardly ever stays empty, must not decide.
class Likelihood {
 public:
  explicit Likelihood(const std::array<unsigned, HyperLogLog::kRankCount>& occupied) : occupied_(occupied) {}

  [[nodiscard]] double logarithm(double values) const {
    double sum = 0;
    for (unsigned rank = 0; rank < HyperLogLog::kRankCount; ++rank) {
      const double kept = std::exp(-values * shareOf(rank));
      if (occupied_[rank]) sum += occupied_[rank] * std::log(-std::expm1(-values * shareOf(rank)));
      sum += emptyAt(rank) * std::log(kWrong + (1 - kWrong) * kept);
    }
    return sum;
  }
  /// Whether more values would be more likely.
  [[nodiscard]] bool rises(double values) const {
    double slope = 0;
    for (unsigned rank = 0; rank < HyperLogLog::kRankCount; ++rank) {
      const double share = shareOf(rank);
      if (occupied_[rank]) slope += occupied_[rank] * share / std::expm1(values * share);
      const double kept = (1 - kWrong) * std::exp(-values * share);
      slope -= emptyAt(rank) * share * kept / (kWrong + kept);
    }
    return slope > 0;
  }

 private:
  static constexpr double kWrong = 0.003;
  [[nodiscard]] double emptyAt(unsigned rank) const { return HyperLogLog::kBucketCount - occupied_[rank]; }

  const std::array<unsigned, HyperLogLog::kRankCount>& occupied_;
};

}  // namespace

uint64_t HyperLogLog::rowsOf(uint16_t counter) {
  constexpr unsigned kMantissaLimit = 1u << kMantissaBits;
  if (counter < 2 * kMantissaLimit) return counter;
  const unsigned exponent = (counter >> kMantissaBits) - 1u;
  return uint64_t{kMantissaLimit + counter % kMantissaLimit} << exponent;
}

uint16_t HyperLogLog::counterFor(uint64_t rows, RandomWords& random) {
  constexpr unsigned kMantissaLimit = 1u << kMantissaBits;
  if (rows < 2 * kMantissaLimit) return static_cast<uint16_t>(rows);
  if (rows >= rowsOf(kCounterMax)) return kCounterMax;
  const unsigned exponent = 63u - static_cast<unsigned>(__builtin_clzll(rows)) - kMantissaBits;
  const auto counter = ((exponent + 1u) << kMantissaBits) + static_cast<unsigned>((rows >> exponent) % kMantissaLimit);
  const uint64_t below = rows & ((uint64_t{1} << exponent) - 1);
  // Rounded at random, so that many small additions are right on average.
  return static_cast<uint16_t>(counter + (random.nextBelow(uint64_t{1} << exponent) < below ? 1 : 0));
}

void HyperLogLog::add(Counter& counter, uint64_t rows, RandomWords& random) {
  uint16_t value = counter.load(std::memory_order_relaxed);
  while (rows != 0 &&
         !counter.compare_exchange_weak(value, counterFor(rowsOf(value) + rows, random), std::memory_order_relaxed)) {
  }
}

void HyperLogLog::insertRepeated(uint64_t hash, uint64_t row_count, RandomWords& random) {
  add(counterOf(hash), row_count, random);
}

void HyperLogLog::merge(const HyperLogLog& other, RandomWords& random) {
  for (size_t i = 0; i < counters_.size(); ++i)
    add(counters_[i], rowsOf(other.counters_[i].load(std::memory_order_relaxed)), random);
}

void HyperLogLog::halve(RandomWords& random) {
  for (Counter& counter : counters_) {
    const uint16_t value = counter.load(std::memory_order_relaxed);
    uint64_t kept = 0;
    if (value < kExactLimit)
      for (unsigned row = 0; row < value; row += 64)
        kept += static_cast<unsigned>(__builtin_popcountll(random.next() >> (64 - std::min(64U, value - row))));
    else
      kept = rowsOf(value) / 2;
    counter.store(counterFor(kept, random), std::memory_order_relaxed);
  }
}

void HyperLogLog::clear() {
  for (Counter& counter : counters_) counter.store(0, std::memory_order_relaxed);
}

double HyperLogLog::estimate() const {
  std::array<unsigned, kRankCount> occupied{};
  unsigned total = 0;
  for (size_t i = 0; i < counters_.size(); ++i) {
    const unsigned is_occupied = counters_[i].load(std::memory_order_relaxed) != 0 ? 1 : 0;
    occupied[i / kBucketCount] += is_occupied;
    total += is_occupied;
  }
  if (total == 0) return 0;

  // The likelihood may have more than one peak: the best power of two first, then the peak beside it by halving.
  const Likelihood likelihood(occupied);
  constexpr double kPowerMax = 44;
  double best = 0, best_likelihood = likelihood.logarithm(1);
  for (double power = 1; power <= kPowerMax; ++power) {
    const double here = likelihood.logarithm(std::exp2(power));
    if (here > best_likelihood) best = power, best_likelihood = here;
  }
  double low = best - 1, high = best + 1;
  for (unsigned round = 0; round < 20; ++round) {
    const double middle = (low + high) / 2;
    (likelihood.rises(std::exp2(middle)) ? low : high) = middle;
  }
  return std::exp2((low + high) / 2);
}

// Layout: ranks that follow (1 byte), then 64 counters (2 bytes each) for each rank; higher ranks are empty.
void HyperLogLog::write(ByteWriter& out) const {
  std::array<uint16_t, kBucketCount * kRankCount> values;
  size_t used = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = counters_[i].load(std::memory_order_relaxed);
    if (values[i] != 0) used = i + 1;
  }
  const size_t ranks = (used + kBucketCount - 1) / kBucketCount;
  out.number(static_cast<uint8_t>(ranks));
  out.append(values.data(), ranks * kBucketCount * sizeof(uint16_t));
}

void HyperLogLog::read(ByteReader& in) {
  const unsigned ranks = in.number<uint8_t>();
  if (ranks > kRankCount) throw SqlError(sqlstate::kDataCorrupted, "damaged statistics: a sketch with too many ranks");
  clear();
  for (size_t i = 0; i < size_t{ranks} * kBucketCount; ++i) {
    const auto value = in.number<uint16_t>();
    if (value > kCounterMax)
      throw SqlError(sqlstate::kDataCorrupted, "damaged statistics: a sketch's counter is too large");
    counters_[i].store(value, std::memory_order_relaxed);
  }
}

}  // namespace gnomon::storage
