#include "storage/index/key_hints.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "storage/relation/relation.h"
#include "storage/tests/row_model.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using testing::kMiB;
using testing::ModelRow;
using testing::RowGenerator;
using testing::TemporaryDirectory;

/// Frames that nobody follows.
class Frames {
 public:
  explicit Frames(size_t count) : frames_(std::make_unique<Frame[]>(count)), count_(count) {}
  Frame& operator[](size_t index) { return frames_[index % count_]; }

 private:
  std::unique_ptr<Frame[]> frames_;
  size_t count_;
};

uint64_t hashOf(uint64_t key) {
  std::mt19937_64 mixed(key);
  return mixed();
}

/// Every key is looked for once, and noted where it is not found. Returns how many were found; what is found is right.
size_t lookUpAll(KeyHints& hints, Frames& frames, uint64_t keys) {
  size_t found = 0;
  for (uint64_t key = 0; key < keys; ++key) {
    const KeyHints::Place place = hints.find(hashOf(key));
    const bool is_right = place.frame == &frames[key] && place.row == key / 1000;
    if (is_right) {
      ++found;
      hints.noteHit(hashOf(key), place);
    } else {
      hints.noteMiss(hashOf(key), frames[key], static_cast<uint32_t>(key / 1000), keys);
    }
  }
  return found;
}

TEST(KeyHints, NeighboursAreKnownBeforeTheyAreLookedFor) {
  constexpr uint64_t kKeys = 100'000;
  constexpr uint64_t kRun = 16;
  MemoryShare memory(64 * kMiB);
  Frames frames(1000);
  KeyHints hints(memory);
  std::mt19937_64 random(testing::testSeed());
  uint64_t found = 0, wrong = 0;
  for (uint64_t lookup = 0; lookup < kKeys; ++lookup) {
    const uint64_t key = random() % kKeys;
    const KeyHints::Place place = hints.find(hashOf(key));
    const auto row = static_cast<uint32_t>(key % kRun);
    if (place.frame == &frames[key / kRun] && place.row == row) {
      ++found;
      hints.noteHit(hashOf(key), place);
      continue;
    }
    wrong += place.frame != nullptr ? 1 : 0;
    if (!hints.noteMiss(hashOf(key), frames[key / kRun], row, kKeys)) continue;
    for (uint64_t other = key + 1; other % kRun != 0; ++other)
      hints.noteNeighbour(hashOf(other), frames[other / kRun], static_cast<uint32_t>(other % kRun));
  }
  // Without neighbours 37 of 100 were found.
  EXPECT_GT(found, kKeys * 7 / 10);
  EXPECT_LT(wrong, kKeys / 20);
  // As many as there is no room for are not asked for.
  EXPECT_FALSE(hints.noteMiss(hashOf(1), frames[0], 1, uint64_t{1} << 30));
}

TEST(KeyHints, GrowUntilMostTuplesHaveOne) {
  constexpr uint64_t kKeys = 100'000;
  MemoryShare memory(64 * kMiB);
  Frames frames(1000);
  KeyHints hints(memory);
  EXPECT_EQ(hints.find(hashOf(1)).frame, nullptr);
  EXPECT_EQ(lookUpAll(hints, frames, kKeys), 0);
  for (int round = 0; round < 8; ++round) lookUpAll(hints, frames, kKeys);
  EXPECT_GT(lookUpAll(hints, frames, kKeys), kKeys * 4 / 5);
}

TEST(KeyHints, WhatWasKnownBeforeGrowingStaysKnown) {
  MemoryShare memory(64 * kMiB);
  Frames frames(1000);
  KeyHints hints(memory);
  lookUpAll(hints, frames, 600);
  ASSERT_GT(lookUpAll(hints, frames, 600), 450);
  // Others make it grow: fewer of them than would take all places again.
  bool has_grown = false;
  for (uint64_t key = 1'000'000; !has_grown; ++key) {
    hints.noteMiss(hashOf(key), frames[0], 0, 1'000'000);
    has_grown = hints.find(hashOf(key)).frame != nullptr && hints.find(hashOf(1)).is_former;
  }
  EXPECT_GT(lookUpAll(hints, frames, 600), 100);
  // What is of use is taken along.
  EXPECT_FALSE(hints.find(hashOf(1)).is_former);
}

TEST(KeyHints, TakeNoMoreMemoryThanThereIs) {
  constexpr uint64_t kShare = 100 << 10;
  MemoryShare memory(kShare);
  Frames frames(1000);
  {
    KeyHints hints(memory);
    KeyHints others(memory);
    for (int round = 0; round < 8; ++round) {
      lookUpAll(hints, frames, 50'000);
      lookUpAll(others, frames, 50'000);
    }
    EXPECT_FALSE(memory.tryTake(kShare));
  }
  EXPECT_TRUE(memory.tryTake(kShare));
  KeyHints nothing(memory);
  EXPECT_EQ(lookUpAll(nothing, frames, 1000), 0);
  EXPECT_EQ(lookUpAll(nothing, frames, 1000), 0);
}

TEST(KeyHints, ArePausedWhereNoKeyIsLookedUpTwice) {
  MemoryShare memory(64 * kMiB);
  Frames frames(1000);
  KeyHints hints(memory);
  uint64_t key = 0;
  const auto isKnown = [&] {
    hints.noteMiss(hashOf(key), frames[key], 1, 10'000);
    return hints.find(hashOf(key++)).frame != nullptr;
  };
  uint64_t until_paused = 0;
  while (isKnown() && until_paused < 10'000'000) ++until_paused;
  ASSERT_LT(until_paused, 1'000'000);
  uint64_t until_back = 0;
  while (!isKnown() && until_back < 100'000'000) ++until_back;
  EXPECT_GT(until_back, 10 * 10'000);
  EXPECT_LT(until_back, 100'000'000);
}

TEST(KeyHints, RowsBehindTheLastThatAWordHoldsAreLeftOut) {
  MemoryShare memory(kMiB);
  Frames frames(2);
  KeyHints hints(memory);
  hints.noteMiss(hashOf(1), frames[0], UINT16_MAX, 10);
  hints.noteMiss(hashOf(2), frames[1], UINT16_MAX + 1, 10);
  EXPECT_EQ(hints.find(hashOf(1)).row, UINT16_MAX);
  EXPECT_EQ(hints.find(hashOf(1)).frame, &frames[0]);
  EXPECT_EQ(hints.find(hashOf(2)).frame, nullptr);
}

TEST(KeyHints, AreSharedByThreads) {
  MemoryShare memory(64 * kMiB);
  Frames frames(1000);
  KeyHints hints(memory);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) lookUpAll(hints, frames, 20'000);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(lookUpAll(hints, frames, 20'000), 15'000);
}

/// Where hints lead: whatever became of a frame, nothing but a tuple of the relation is found there.
class FindAt : public ::testing::Test {
 protected:
  static constexpr uint64_t kRows = 3000;
  FindAt() : generator_(testing::everyKindSchema(), testing::testSeed()) {
    buffers_ = std::make_unique<BufferManager>(directory_.path(), BufferOptions{.pool_bytes = 16 * kMiB});
    relation_ = fill(RelationId{9});
  }
  std::unique_ptr<Relation> fill(RelationId id) {
    auto relation = std::make_unique<Relation>(*buffers_, id, testing::everyKindSchema());
    RelationAppender appender(*relation);
    for (uint64_t row = 0; row < kRows; ++row) {
      testing::Batch batch;
      const ModelRow values = generator_.row(40);
      batch.add(values);
      appender.appendBatch(batch.values.data(), batch.null_flags.data(), 1);
    }
    return relation;
  }
  /// Where a tuple is.
  std::pair<Frame*, uint32_t> placeOf(Relation& relation, uint64_t id) {
    LeafView leaf;
    uint32_t row = 0;
    EXPECT_TRUE(relation.findStored(TupleId{id}, leaf, row));
    return {&leaf.frame(), row};
  }
  /// None: nothing was found there.
  std::optional<uint64_t> idAt(Relation& relation, Frame& frame, uint32_t row) {
    LeafView leaf;
    if (!relation.findAt(frame, row, leaf)) return std::nullopt;
    return leaf.tupleId(row).value;
  }

  const TemporaryDirectory directory_;
  RowGenerator generator_;
  std::unique_ptr<BufferManager> buffers_;
  std::unique_ptr<Relation> relation_;
};

TEST_F(FindAt, FindsTuplesWhereTheyAre) {
  for (uint64_t id = 0; id < kRows; id += 7) {
    const auto [frame, row] = placeOf(*relation_, id);
    ASSERT_EQ(idAt(*relation_, *frame, row), id);
  }
}

TEST_F(FindAt, FindsNothingOutsideOfItsLeaves) {
  const auto other = fill(RelationId{10});
  const auto [own, row] = placeOf(*relation_, 5);
  const auto [foreign, foreign_row] = placeOf(*other, 5);
  EXPECT_EQ(idAt(*relation_, *foreign, foreign_row), std::nullopt);
  EXPECT_EQ(idAt(*other, *own, row), std::nullopt);
  EXPECT_EQ(idAt(*relation_, *own, UINT16_MAX), std::nullopt);
  const ExclusiveGuard held(*own);
  EXPECT_EQ(idAt(*relation_, *own, row), std::nullopt);
}

TEST_F(FindAt, FollowsNoPageThatHasLeft) {
  std::vector<std::pair<Frame*, uint32_t>> places;
  for (uint64_t id = 0; id < kRows; ++id) places.push_back(placeOf(*relation_, id));
  while (buffers_->evict(16 * kMiB) > 0) {
  }
  // Frames get other pages, of two relations.
  const auto other = fill(RelationId{11});
  size_t found = 0;
  for (uint64_t id = 0; id < kRows; ++id) {
    const auto [frame, row] = places[id];
    const std::optional<uint64_t> there = idAt(*relation_, *frame, row);
    if (!there) continue;
    ++found;
    ASSERT_EQ(placeOf(*relation_, *there), places[id]);
  }
  EXPECT_LT(found, kRows);
  for (uint64_t id = 0; id < kRows; ++id) {
    const auto [frame, row] = placeOf(*relation_, id);
    ASSERT_EQ(idAt(*relation_, *frame, row), id);
  }
}

TEST_F(FindAt, GoesBesideThoseWhoChangeTuplesAndEvictPages) {
  std::vector<std::pair<Frame*, uint32_t>> places;
  for (uint64_t id = 0; id < kRows; ++id) places.push_back(placeOf(*relation_, id));
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (!is_over) buffers_->evict(kMiB);
  });
  threads.emplace_back([&] {
    std::mt19937_64 random(1);
    while (!is_over) {
      const TupleId id{random() % kRows};
      ASSERT_TRUE(relation_->markDeleted(id));
      ASSERT_TRUE(relation_->unmarkDeleted(id));
    }
  });
  constexpr uint64_t kLooks = 20'000;
  for (uint64_t seed = 2; seed < 4; ++seed)
    threads.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      uint64_t found = 0;
      for (uint64_t look = 0; look < kLooks; ++look) {
        const auto [frame, row] = places[random() % kRows];
        const std::optional<uint64_t> there = idAt(*relation_, *frame, row);
        if (there) ++found;
        ASSERT_LT(there.value_or(0), kRows);
        // Somebody brings pages back.
        if (!there && look % 8 == 0) placeOf(*relation_, random() % kRows);
      }
      EXPECT_GT(found, 0);
    });
  for (size_t reader = 2; reader < 4; ++reader) threads[reader].join();
  is_over = true;
  for (size_t other = 0; other < 2; ++other) threads[other].join();
}

}  // namespace
}  // namespace gnomon::storage
