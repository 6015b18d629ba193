#include <barrier>
#include <cmath>
#include <functional>
#include <memory>
#include <thread>

#include "storage/statistics/hyper_log_log.h"
#include "storage/statistics/value_hash.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

constexpr unsigned kSeeds = 60;

struct Errors {
  double mean;  ///< of estimate / truth - 1
  double root_mean_square;
  double largest;  ///< absolute
};

uint64_t hashOf(uint64_t value) {
  return value_hash::of(StoredKind::Int64, {value, 0});
}

/// Runs `feed` on a sketch with each seed; it returns the true number of distinct values.
Errors errorsOf(const std::function<double(HyperLogLog&, RandomWords&, uint64_t seed)>& feed) {
  Errors errors{0, 0, 0};
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto sketch = std::make_unique<HyperLogLog>();
    RandomWords random(seed);
    const double truth = feed(*sketch, random, seed);
    const double error = sketch->estimate() / truth - 1;
    errors.mean += error / kSeeds;
    errors.root_mean_square += error * error / kSeeds;
    errors.largest = std::max(errors.largest, std::fabs(error));
  }
  errors.root_mean_square = std::sqrt(errors.root_mean_square);
  return errors;
}

TEST(HyperLogLog, IsEmptyWithoutValues) {
  EXPECT_EQ(HyperLogLog().estimate(), 0);
}

TEST(HyperLogLog, EstimatesUniqueValuesWithinEightPercent) {
  for (const uint64_t count : {1, 2, 5, 20, 100, 1000, 20'000}) {
    const Errors errors = errorsOf([&](HyperLogLog& sketch, RandomWords& random, uint64_t seed) {
      for (uint64_t i = 0; i < count; ++i) sketch.insert(hashOf(seed * 1'000'003 + i), HyperLogLog::drawLimit(random));
      return static_cast<double>(count);
    });
    EXPECT_LT(std::fabs(errors.mean), 0.04) << count;
    EXPECT_LT(errors.root_mean_square, 0.105) << count;
    EXPECT_LT(errors.largest, 0.5) << count;
  }
}

TEST(HyperLogLog, HoldsForValuesInPatterns) {
  const std::function<uint64_t(uint64_t, uint64_t)> patterns[] = {
      [](uint64_t i, uint64_t seed) { return i << (seed % 48); },
      [](uint64_t i, uint64_t seed) { return i * 1'000'000 * (seed + 1); },
      [](uint64_t i, uint64_t seed) { return std::bit_cast<uint64_t>(static_cast<double>(i * seed) / 100); },
      [](uint64_t i, uint64_t seed) { return -(i * seed); }};
  for (const auto& pattern : patterns) {
    const Errors errors = errorsOf([&](HyperLogLog& sketch, RandomWords& random, uint64_t seed) {
      for (uint64_t i = 0; i < 3000; ++i) sketch.insert(hashOf(pattern(i, seed)), HyperLogLog::drawLimit(random));
      return 3000.0;
    });
    EXPECT_LT(std::fabs(errors.mean), 0.04);
    EXPECT_LT(errors.root_mean_square, 0.12);
  }
}

TEST(HyperLogLog, IgnoresHowOftenAValueOccurs) {
  const Errors errors = errorsOf([](HyperLogLog& sketch, RandomWords& random, uint64_t seed) {
    // Zipf: rank r with a frequency of 20,000 / r.
    for (uint64_t rank = 1; rank <= 2000; ++rank)
      for (uint64_t i = 0; i < 20'000 / rank; ++i)
        sketch.insert(hashOf(seed << 32 | rank), HyperLogLog::drawLimit(random));
    return 2000.0;
  });
  EXPECT_LT(std::fabs(errors.mean), 0.04);
  EXPECT_LT(errors.root_mean_square, 0.105);
}

TEST(HyperLogLog, ForgetsRemovedUniqueValues) {
  const Errors errors = errorsOf([](HyperLogLog& sketch, RandomWords& random, uint64_t seed) {
    for (uint64_t i = 0; i < 50'000; ++i) sketch.insert(hashOf(seed << 32 | i), HyperLogLog::drawLimit(random));
    for (uint64_t i = 0; i < 45'000; ++i) sketch.remove(hashOf(seed << 32 | i), HyperLogLog::drawLimit(random));
    return 5000.0;
  });
  EXPECT_LT(std::fabs(errors.mean), 0.06);
  EXPECT_LT(errors.root_mean_square, 0.13);
  EXPECT_LT(errors.largest, 0.5);
}

TEST(HyperLogLog, IsExactlyEmptyAgainWhenCountersStayedSmall) {
  HyperLogLog sketch;
  RandomWords random(1);
  for (uint64_t i = 0; i < 6000; ++i) sketch.insert(hashOf(i), HyperLogLog::drawLimit(random));
  for (uint64_t i = 0; i < 6000; ++i) sketch.remove(hashOf(i), HyperLogLog::drawLimit(random));
  EXPECT_EQ(sketch.estimate(), 0);
}

TEST(HyperLogLog, KeepsValuesOfWhichMostRowsWereRemoved) {
  const Errors errors = errorsOf([](HyperLogLog& sketch, RandomWords& random, uint64_t seed) {
    for (uint64_t value = 0; value < 10; ++value) {
      for (unsigned i = 0; i < 8000; ++i) sketch.insert(hashOf(seed << 32 | value), HyperLogLog::drawLimit(random));
      for (unsigned i = 0; i < 5000; ++i) sketch.remove(hashOf(seed << 32 | value), HyperLogLog::drawLimit(random));
    }
    return 10.0;
  });
  EXPECT_LT(errors.root_mean_square, 0.13);
  EXPECT_LT(errors.largest, 0.5);
}

TEST(HyperLogLog, StaysRightInAQueueThatFillsAndDrains) {
  const Errors errors = errorsOf([](HyperLogLog& sketch, RandomWords& random, uint64_t seed) {
    for (uint64_t i = 0; i < 200'000; ++i) {
      sketch.insert(hashOf(seed << 32 | i), HyperLogLog::drawLimit(random));
      if (i >= 2000) sketch.remove(hashOf(seed << 32 | (i - 2000)), HyperLogLog::drawLimit(random));
    }
    return 2000.0;
  });
  EXPECT_LT(errors.root_mean_square, 0.105);
}

TEST(HyperLogLog, MergesToTheEstimateOfTheUnion) {
  RandomWords random(3);
  HyperLogLog left, right, both;
  for (uint64_t i = 0; i < 30'000; ++i) {
    const auto limit = HyperLogLog::drawLimit(random);
    if (i < 20'000) left.insert(hashOf(i), limit);
    if (i >= 10'000) right.insert(hashOf(i), limit);
    both.insert(hashOf(i), limit);
  }
  left.merge(right, random);
  EXPECT_DOUBLE_EQ(left.estimate(), both.estimate());
}

TEST(HyperLogLog, CountsRepeatedInsertsAsOneByOne) {
  RandomWords random(4);
  HyperLogLog sketch;
  sketch.insertRepeated(hashOf(1), 100, random);
  for (unsigned i = 0; i < 99; ++i) sketch.remove(hashOf(1), HyperLogLog::drawLimit(random));
  EXPECT_NEAR(sketch.estimate(), 1, 0.5);
  sketch.remove(hashOf(1), HyperLogLog::drawLimit(random));
  EXPECT_EQ(sketch.estimate(), 0);
  sketch.insertRepeated(hashOf(1), uint64_t{1} << 60, random);
  EXPECT_NEAR(sketch.estimate(), 1, 0.5);
}

TEST(HyperLogLog, ReadsWhatItWroteAndRefusesImpossibleBytes) {
  RandomWords random(5);
  HyperLogLog sketch, copy;
  for (uint64_t i = 0; i < 100'000; ++i) sketch.insert(hashOf(i % 7777), HyperLogLog::drawLimit(random));
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  sketch.write(out);
  ByteReader in(bytes);
  copy.read(in);
  EXPECT_EQ(in.remaining(), 0u);
  EXPECT_EQ(copy.estimate(), sketch.estimate());
  std::vector<std::byte> again;
  ByteWriter out_again(again);
  copy.write(out_again);
  EXPECT_EQ(again, bytes);

  for (const auto& [offset, value] : {std::pair<size_t, int>{0, 33}, {2, 255}}) {
    auto damaged = bytes;
    damaged[offset] = static_cast<std::byte>(value);
    const SqlError error = testing::errorOf([&] {
      ByteReader reader(damaged);
      HyperLogLog().read(reader);
    });
    EXPECT_EQ(error.state(), sqlstate::kDataCorrupted);
  }
}

// Steps are compare-and-swap, so in the exact range concurrent inserts and removals cancel out to the last one. The
// values are there 20 times before, so that a counter that lost a step shows it afterwards:
//   writer 0..3   insert the same 40 values | remove them | insert ...
TEST(HyperLogLog, LosesNoStepOfConcurrentWriters) {
  HyperLogLog sketch;
  std::vector<uint64_t> hashes;
  for (uint64_t value = 0; value < 40; ++value) hashes.push_back(hashOf(value));
  constexpr unsigned kTimes = 20;
  RandomWords base_random(9);
  const auto removeAll = [&](RandomWords& random) {
    for (const uint64_t hash : hashes) sketch.remove(hash, HyperLogLog::drawLimit(random));
  };
  for (unsigned time = 0; time < kTimes; ++time) sketch.insertBatch(hashes, base_random);
  const double before = sketch.estimate();
  std::barrier start(4);
  std::vector<std::thread> writers;
  for (uint64_t writer = 0; writer < 4; ++writer)
    writers.emplace_back([&, writer] {
      RandomWords random(writer);
      start.arrive_and_wait();
      for (unsigned round = 0; round < 30'000; ++round) {
        sketch.insertBatch(hashes, random);
        removeAll(random);
      }
    });
  for (std::thread& writer : writers) writer.join();
  for (unsigned time = 1; time < kTimes; ++time) removeAll(base_random);
  EXPECT_EQ(sketch.estimate(), before);
  removeAll(base_random);
  EXPECT_EQ(sketch.estimate(), 0);
}

}  // namespace
}  // namespace gnomon::storage
