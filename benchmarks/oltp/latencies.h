#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace gnomon::oltp {

/// How often which latency was seen, in nanoseconds: 64 buckets for each power of two, so that percentiles are at most
/// 1/64 too high. Threads: one writer; `add` of another takes over what it has.
class Latencies {
 public:
  void add(uint64_t nanoseconds) {
    ++buckets_[bucketOf(nanoseconds)];
    ++count_;
    if (nanoseconds > most_) most_ = nanoseconds;
  }
  void add(const Latencies& other) {
    for (size_t bucket = 0; bucket < buckets_.size(); ++bucket) buckets_[bucket] += other.buckets_[bucket];
    count_ += other.count_;
    if (other.most_ > most_) most_ = other.most_;
  }
  uint64_t count() const { return count_; }
  uint64_t most() const { return most_; }
  /// The least value that `share` (0 to 1) of all do not exceed; 0 when there are none.
  uint64_t percentile(double share) const {
    const double wanted = share * static_cast<double>(count_);
    uint64_t seen = 0;
    for (size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      seen += buckets_[bucket];
      if (seen > 0 && static_cast<double>(seen) >= wanted)
        return upperBound(bucket) < most_ ? upperBound(bucket) : most_;
    }
    return most_;
  }

 private:
  static constexpr int kFineBits = 6;
  static constexpr int kPowers = 42;  // up to 2^47 ns, a day and a half

  static size_t bucketOf(uint64_t value) {
    if (value < (1u << kFineBits)) return value;
    const int power = static_cast<int>(std::bit_width(value)) - 1 - kFineBits;
    if (power >= kPowers - 1) return (size_t{kPowers} << kFineBits) - 1;
    return (static_cast<size_t>(power + 1) << kFineBits) + ((value >> power) & ((1u << kFineBits) - 1));
  }
  static uint64_t upperBound(size_t bucket) {
    const size_t fine = bucket & ((1u << kFineBits) - 1);
    const size_t row = bucket >> kFineBits;
    if (row == 0) return fine;
    return (((uint64_t{1} << kFineBits) + fine + 1) << (row - 1)) - 1;
  }

  std::array<uint64_t, size_t{kPowers} << kFineBits> buckets_{};
  uint64_t count_ = 0;
  uint64_t most_ = 0;
};

}  // namespace gnomon::oltp
