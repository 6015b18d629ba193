#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/statistics/bytes.h"
#include "storage/statistics/random.h"

namespace gnomon::storage {

/// Estimates the number of distinct values of a column that takes inserts and removals.
///
/// Source: Freitag and Neumann, "Every Row Counts", CIDR 2019: a register does not hold the highest rank seen but one
/// probabilistic counter of rows for each rank, so that removals can take a rank back. Departures: counters have 16
/// bits; and since they tell of each rank whether it occurs, the estimate is that of greatest likelihood over all of
/// them: standard error 0.65 / sqrt(64) = 8 %, where the highest ranks alone would give 13 %. It holds from one value
/// upwards, without a correction for small numbers.
/// Shape, 4 KiB: the top 6 bits of a hash choose one of 64 buckets, its trailing zeros are the rank, 0 to 31.
/// Counter c, for n rows:  c < 128   n = c
///                         else      n = (64 + c % 64) << (c / 64 - 1), within 7 %
/// A step up from c >= 128 happens with probability 2^-(c / 64 - 1): full counters are read and hardly ever written.
/// Removals of a value that filled its counter beyond 128 may leave the counter above zero, or empty it early.
/// Threads: any number insert and remove at once, with relaxed atomics; no step is lost. The other functions see some
/// state in between.
class HyperLogLog {
 public:
  static constexpr unsigned kBucketBits = 6;
  static constexpr unsigned kBucketCount = 1u << kBucketBits;
  static constexpr unsigned kRankCount = 32;

  /// Drawn for each row: the row moves a counter that is below its limit. The columns of one row may share a draw.
  using CounterLimit = uint16_t;
  static CounterLimit drawLimit(RandomWords& random) {
    // A word has n trailing zeros with probability 2^-(n + 1); a counter of exponent e moves for n >= e.
    const unsigned zeros = static_cast<unsigned>(__builtin_ctzll(random.next() | uint64_t{1} << kExponentMax));
    return static_cast<CounterLimit>((zeros + 2) << kMantissaBits);
  }

  HyperLogLog() = default;
  HyperLogLog(const HyperLogLog&) = delete;
  HyperLogLog& operator=(const HyperLogLog&) = delete;

  void insert(uint64_t hash, CounterLimit limit) { stepUp(counterOf(hash), limit); }
  /// Takes back one insert of the same hash. A counter at zero stays there.
  void remove(uint64_t hash, CounterLimit limit) { stepDown(counterOf(hash), limit); }
  void insertBatch(std::span<const uint64_t> hashes, RandomWords& random) {
    for (const uint64_t hash : hashes) insert(hash, drawLimit(random));
  }
  /// As `row_count` inserts of one hash.
  void insertRepeated(uint64_t hash, uint64_t row_count, RandomWords& random);
  /// As if every row had been fed with a chance of one half: each counter keeps about half of its rows.
  void halve(RandomWords& random);
  /// Adds what another sketch was fed.
  void merge(const HyperLogLog& other, RandomWords& random);
  void clear();

  [[nodiscard]] double estimate() const;

  void write(ByteWriter& out) const;
  /// Takes over what write() wrote. Failure: XX001. Threads: alone.
  void read(ByteReader& in);

 private:
  using Counter = std::atomic<uint16_t>;
  static constexpr unsigned kMantissaBits = 6;
  static constexpr unsigned kExponentMax = 40;
  static constexpr uint16_t kExactLimit = 2 << kMantissaBits;  ///< counters below are numbers of rows
  static constexpr uint16_t kCounterMax = (kExponentMax + 2) << kMantissaBits;

  Counter& counterOf(uint64_t hash) {
    const uint64_t bucket = hash >> (64 - kBucketBits);
    const uint64_t rank = static_cast<uint64_t>(__builtin_ctzll(hash | uint64_t{1} << (kRankCount - 1)));
    return counters_[rank * kBucketCount + bucket];
  }
  static void stepUp(Counter& counter, CounterLimit limit) {
    uint16_t value = counter.load(std::memory_order_relaxed);
    while (value < limit && !counter.compare_exchange_weak(value, value + 1, std::memory_order_relaxed)) {
    }
  }
  static void stepDown(Counter& counter, CounterLimit limit) {
    uint16_t value = counter.load(std::memory_order_relaxed);
    // The step down from c undoes the step up from c - 1, and is as likely.
    while (value != 0 && value - 1 < limit &&
           !counter.compare_exchange_weak(value, value - 1, std::memory_order_relaxed)) {
    }
  }
  static uint64_t rowsOf(uint16_t counter);
  static uint16_t counterFor(uint64_t rows, RandomWords& random);
  static void add(Counter& counter, uint64_t rows, RandomWords& random);

  std::array<Counter, kBucketCount * kRankCount> counters_{};  ///< counters_[rank * 64 + bucket]: low ranks are hot
};

}  // namespace gnomon::storage
