#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "storage/index/index_cursor.h"
#include "storage/index/index_tree.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using testing::kMiB;
using testing::TemporaryDirectory;

constexpr RelationId kRelation{42};

/// Keys long enough that few fit in a page: the tree splits and merges all the time.
std::string keyOf(uint64_t number) {
  std::string key(8, '\0');
  for (int byte = 0; byte < 8; ++byte) key[static_cast<size_t>(byte)] = static_cast<char>(number >> (56 - 8 * byte));
  return key + std::string(200 + number % 7 * 300, 'x') + '\0';
}

/// What one writer did to its own keys. Writers' keys lie between each other's, in the same pages.
class Writer {
 public:
  Writer(IndexTree& tree, uint64_t number, uint64_t writers, uint64_t seed)
      : tree_(tree), number_(number), writers_(writers), random_(seed + number) {}

  void run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      // Whole stretches come and go, so that pages fill and run empty.
      const uint64_t first = random_() % kKeys, count = random_() % 200;
      const bool is_insert = random_() % 2 == 0;
      for (uint64_t index = first; index < first + count && index < kKeys; ++index) {
        const uint64_t number = index * writers_ + number_;
        if (is_insert)
          insert(number);
        else
          erase(number);
      }
    }
  }
  [[nodiscard]] const std::map<std::string, uint64_t>& model() const { return model_; }
  [[nodiscard]] uint64_t errors() const { return errors_; }

 private:
  static constexpr uint64_t kKeys = 2000;

  void insert(uint64_t number) {
    const std::string key = keyOf(number);
    const bool is_new = model_.emplace(key, number).second;
    if (tree_.insert(key, TupleId{number}).has_value() == is_new) ++errors_;
    if (!tree_.contains(key, TupleId{number})) ++errors_;
  }
  void erase(uint64_t number) {
    const std::string key = keyOf(number);
    const bool was_there = model_.erase(key) == 1;
    if (tree_.erase(key, TupleId{number}) != was_there) ++errors_;
    if (tree_.contains(key, TupleId{number})) ++errors_;
  }

  IndexTree& tree_;
  const uint64_t number_;
  const uint64_t writers_;
  std::mt19937_64 random_;
  std::map<std::string, uint64_t> model_;
  uint64_t errors_ = 0;
};

/// Scans must be ordered, and keys must belong to their tuple ids; keys that never change must be there.
uint64_t readWhile(IndexTree& tree, const std::atomic<bool>& is_running, uint64_t fixed_first, uint64_t fixed_count,
                   uint64_t seed) {
  std::mt19937_64 random(seed);
  uint64_t errors = 0;
  do {
    const uint64_t fixed = fixed_first + random() % fixed_count;
    if (!tree.contains(keyOf(fixed), TupleId{fixed})) ++errors;
    const bool is_forward = random() % 2 == 0;
    const std::string bound = keyOf(random() % fixed_first);
    const KeyBound inclusive{KeyBound::Kind::Inclusive, bound};
    IndexCursor cursor(tree, is_forward ? KeyRange{inclusive, {}} : KeyRange{{}, inclusive},
                       is_forward ? ScanDirection::Forward : ScanDirection::Backward);
    IndexEntry entry;
    std::string previous = bound;
    uint64_t fixed_seen = 0, limit = random() % 4 == 0 ? UINT64_MAX : 100;
    for (bool is_first = true; limit > 0 && cursor.next(entry); --limit, is_first = false) {
      const bool is_ordered = is_forward ? entry.key > previous : entry.key < previous;
      if (!is_ordered && !(is_first && entry.key == previous)) ++errors;
      if (entry.key != keyOf(entry.id.value)) ++errors;
      if (entry.id.value >= fixed_first) ++fixed_seen;
      previous.assign(entry.key);
    }
    if (is_forward && limit > 1000 && fixed_seen != fixed_count) ++errors;
  } while (is_running.load());
  return errors;
}

void runConcurrently(bool is_unique, uint64_t writer_count, uint64_t reader_count, int rounds,
                     uint64_t pool_bytes = 256 * kMiB) {
  const uint64_t seed = testing::testSeed();
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = pool_bytes, .double_write = false});
  IndexTree tree(buffers, kRelation, is_unique);
  constexpr uint64_t kFixedFirst = 1'000'000, kFixedCount = 300;
  for (uint64_t number = kFixedFirst; number < kFixedFirst + kFixedCount; ++number)
    ASSERT_FALSE(tree.insert(keyOf(number), TupleId{number}));

  std::vector<Writer> writers;
  for (uint64_t number = 0; number < writer_count; ++number) writers.emplace_back(tree, number, writer_count, seed);
  std::atomic<bool> is_running{true};
  std::atomic<uint64_t> reader_errors{0};
  std::vector<std::thread> reading, writing;
  for (uint64_t reader = 0; reader < reader_count; ++reader)
    reading.emplace_back(
        [&, reader] { reader_errors += readWhile(tree, is_running, kFixedFirst, kFixedCount, seed + 100 + reader); });
  for (Writer& writer : writers) writing.emplace_back([&writer, rounds] { writer.run(rounds); });
  for (std::thread& thread : writing) thread.join();
  is_running = false;
  for (std::thread& thread : reading) thread.join();

  std::map<std::string, uint64_t> expected, found;
  for (uint64_t number = kFixedFirst; number < kFixedFirst + kFixedCount; ++number) expected[keyOf(number)] = number;
  for (const Writer& writer : writers) {
    EXPECT_EQ(writer.errors(), 0u);
    expected.insert(writer.model().begin(), writer.model().end());
  }
  EXPECT_EQ(reader_errors.load(), 0u);
  IndexCursor cursor(tree, {});
  IndexEntry entry;
  while (cursor.next(entry)) found.emplace(entry.key, entry.id.value);
  EXPECT_EQ(found, expected);
  const IndexTree::Tally tally = tree.audit();
  EXPECT_EQ(tally.entries, expected.size());
  if (pool_bytes == 256 * kMiB)
    EXPECT_EQ((tally.leaves + tally.inner_pages) * kPageBytesMin, buffers.usedBytes());
  else
    EXPECT_GT(buffers.counts().evictions, 0u);
  tree.destroy();
  EXPECT_EQ(buffers.usedBytes(), 0u);
}

//  writer 1      writer 2      reader
//  insert a..b   erase c..d    contains(fixed), scan: ordered, all fixed keys seen
//  erase b..e    insert f..g   ...
//      splits, merges, the root rises and falls
TEST(IndexConcurrency, WritersAndReadersOfAUniqueIndexSeeTheirOwnChanges) {
  runConcurrently(true, 3, 2, 500);
}
TEST(IndexConcurrency, WritersAndReadersOfANonUniqueIndexSeeTheirOwnChanges) {
  runConcurrently(false, 3, 2, 500);
}
TEST(IndexConcurrency, PagesLeaveAndComeBackMeanwhile) {
  runConcurrently(true, 3, 2, 200, 2 * kMiB);
}
TEST(IndexConcurrency, WritersWithoutReaders) {
  runConcurrently(true, 4, 0, 1500);
}

//  writer 1          writer 2
//  insert (k, 1)     insert (k, 2)      exactly one is added, the other gets its tuple id
TEST(IndexConcurrency, OneOfTwoWritersOfTheSameKeyWins) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 64 * kMiB});
  IndexTree tree(buffers, kRelation, true);
  constexpr uint64_t kKeys = 5000, kThreads = 3;
  std::vector<std::vector<uint64_t>> holders(kThreads, std::vector<uint64_t>(kKeys));
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (uint64_t number = 0; number < kKeys; ++number)
        holders[thread][number] = tree.insert(keyOf(number), TupleId{thread}).value_or(TupleId{thread}).value;
    });
  for (std::thread& thread : threads) thread.join();
  for (uint64_t number = 0; number < kKeys; ++number) {
    const std::optional<TupleId> held = tree.lookup(keyOf(number));
    ASSERT_TRUE(held.has_value());
    for (uint64_t thread = 0; thread < kThreads; ++thread) ASSERT_EQ(holders[thread][number], held->value);
  }
  EXPECT_EQ(tree.audit().entries, kKeys);
}

}  // namespace
}  // namespace gnomon::storage
