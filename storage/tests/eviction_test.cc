#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "storage/relation/appender.h"
#include "storage/relation/scan.h"
#include "storage/tests/row_model.h"
#include "storage/tests/test_support.h"

/// More data than memory: whatever leaves the pool comes back as it was.
namespace gnomon::storage {
using namespace testing;
namespace {

constexpr RelationId kRelation{42};
const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int64, false}};

/// Row `id` holds id * 3 and a number that depends on its version.
Datum secondOf(uint64_t id) {
  return {id * 0x9e3779b97f4a7c15U, 0};
}

void appendRows(RelationAppender& appender, uint64_t first, uint64_t count) {
  std::vector<Datum> values(2 * count);
  const std::vector<uint8_t> nulls(2 * count, 0);
  for (uint64_t i = 0; i < count; ++i) {
    values[2 * i].lo = (first + i) * 3;
    values[2 * i + 1] = secondOf(first + i);
  }
  appender.appendBatch(values.data(), nulls.data(), count);
}

/// The ids of the live rows that a scan sees; each row's values are checked.
uint64_t scanAndCheck(Relation& relation, unsigned thread_count, TupleId bound) {
  RelationScan scan(relation, bound);
  std::atomic<uint64_t> rows{0};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < thread_count; ++t) {
    threads.emplace_back([&] {
      RelationScan::Claim claim;
      LeafView leaf;
      while (scan.next(claim, leaf)) {
        for (uint32_t row = 0; row < leaf.rowCount(); ++row) {
          const uint64_t id = leaf.tupleId(row).value;
          bool is_null = false;
          if (leaf.value(0, row, is_null).lo != id * 3 || leaf.value(1, row, is_null) != secondOf(id)) ++wrong;
        }
        rows += leaf.rowCount();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0u);
  return rows.load();
}

class EvictionByMethod : public ::testing::TestWithParam<IoMethod> {};

TEST_P(EvictionByMethod, ScansSeeEveryRowOfARelationManyTimesThePool) {
  const TemporaryDirectory directory;
  constexpr uint64_t kRows = 1'000'000;
  RelationState state;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = 2 * kMiB, .io_method = GetParam()});
    EXPECT_EQ(buffers.ioMethod(), GetParam());
    Relation relation(buffers, kRelation, kSchema);
    RelationAppender appender(relation);
    for (uint64_t first = 0; first < kRows; first += 1000) {
      appendRows(appender, first, 1000);
      ASSERT_LE(buffers.usedBytes(), buffers.poolBytes());
    }
    EXPECT_GT(relation.leafCount() * kPageBytesMin, 8 * buffers.poolBytes());
    for (const unsigned threads : {1, 2, 4})
      EXPECT_EQ(scanAndCheck(relation, threads, relation.nextTupleId()), kRows) << threads << " threads";
    EXPECT_GT(buffers.counts().evictions, 0u);
    EXPECT_GT(buffers.counts().faults + buffers.counts().reads, relation.leafCount());
    relation.audit();
    state = relation.state();
    buffers.writeAll();
  }
  BufferManager buffers(directory.path(), {.pool_bytes = 2 * kMiB, .io_method = GetParam()});
  Relation relation(buffers, kRelation, kSchema, state);
  EXPECT_EQ(scanAndCheck(relation, 3, relation.nextTupleId()), kRows);
  relation.audit();
}

INSTANTIATE_TEST_SUITE_P(IoMethods, EvictionByMethod, ::testing::Values(IoMethod::IoUring, IoMethod::Pread));

// Writer:    append, delete    ...
// Readers:   scan | find | scan | find ...
// Provider:  evicts all the while
TEST(Eviction, ReadersAndAWriterShareATinyPool) {
  const TemporaryDirectory directory;
  const uint64_t seed = testSeed();
  BufferManager buffers(directory.path(), {.pool_bytes = 3 * kMiB});
  Relation relation(buffers, kRelation, kSchema);
  RelationAppender appender(relation);
  appendRows(appender, 0, 10'000);
  std::atomic<bool> is_done{false};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (uint64_t t = 0; t < 4; ++t) {
    readers.emplace_back([&, t] {
      std::mt19937_64 random(seed + t);
      while (!is_done.load()) {
        const TupleId bound = relation.nextTupleId();
        if (random() % 8 == 0) {
          if (scanAndCheck(relation, 1, bound) != bound.value) ++wrong;
          continue;
        }
        for (int i = 0; i < 100; ++i) {
          LeafView leaf;
          uint32_t row = 0;
          const TupleId id{random() % bound.value};
          bool is_null = false;
          if (!relation.find(id, leaf, row)) continue;  // deleted
          if (leaf.value(0, row, is_null).lo != id.value * 3 || leaf.value(1, row, is_null) != secondOf(id.value))
            ++wrong;
        }
      }
    });
  }
  std::mt19937_64 random(seed);
  std::map<uint64_t, bool> deleted;
  for (int round = 0; round < 200; ++round) {
    appendRows(appender, relation.nextTupleId().value, 1 + random() % 3000);
    for (int i = 0; i < 20; ++i) {
      const uint64_t id = random() % relation.nextTupleId().value;
      EXPECT_EQ(relation.markDeleted(TupleId{id}), deleted.emplace(id, true).second);
    }
  }

  is_done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0u) << "seed " << seed;
  relation.audit();
  uint64_t live = 0;
  for (RowCursor cursor(relation, relation.nextTupleId()); cursor.next(); ++live)
    ASSERT_FALSE(deleted.contains(cursor.tupleId().value)) << "seed " << seed;
  EXPECT_EQ(live + deleted.size(), relation.nextTupleId().value) << "seed " << seed;
}

TEST(Eviction, CoolingPagesThatAreUsedStay) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
  Relation relation(buffers, kRelation, kSchema);
  RelationAppender appender(relation);
  appendRows(appender, 0, 100'000);
  for (int round = 0; round < 50; ++round) {
    buffers.evict(kPageBytesMin);
    EXPECT_EQ(scanAndCheck(relation, 1, relation.nextTupleId()), 100'000u);
  }
  EXPECT_GT(buffers.counts().rescues, 0u);
}

TEST(Eviction, LargePagesMakeRoomForEachOther) {
  const TemporaryDirectory directory;
  const RelationSchema schema = {{StoredKind::Int64, false}, {StoredKind::String, false}};
  BufferManager buffers(directory.path(), {.pool_bytes = 40 * kMiB});
  Relation relation(buffers, kRelation, schema);
  RelationAppender appender(relation);
  const auto textOf = [](uint64_t id) {
    std::string text((id % 5 + 1) * 3 * kMiB, '\0');
    for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + (i * 31 + id) % 26);
    return text;
  };
  constexpr uint64_t kTexts = 12;
  const uint8_t nulls[2] = {};
  for (uint64_t id = 0; id < kTexts; ++id) {
    const std::string text = textOf(id);
    const StringValue value = StringValue::refer(text, StringValue::Storage::Transient);
    const Datum values[2] = {{id, 0}, {value.lo(), value.hi()}};
    appender.append(values, nulls);
  }
  for (const uint64_t id : {11, 0, 7, 4, 4, 9, 2, 1}) {
    LeafView leaf;
    uint32_t row = 0;
    ASSERT_TRUE(relation.find(TupleId{id}, leaf, row));
    bool is_null = false;
    const Datum text = leaf.value(1, row, is_null);
    EXPECT_EQ(StringValue(text.lo, text.hi).view(), textOf(id)) << id;
    EXPECT_LE(buffers.usedBytes(), buffers.poolBytes());
  }
  EXPECT_GT(buffers.counts().evictions, 0u);
}

TEST(BufferCounts, CountUsesReadsAndWritesByTheirSizeClass) {
  const TemporaryDirectory directory;
  constexpr uint64_t kRows = 100'000;
  RelationState state;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = 64 * kMiB});
    Relation relation(buffers, kRelation, kSchema);
    RelationAppender appender(relation);
    for (uint64_t first = 0; first < kRows; first += 1000) appendRows(appender, first, 1000);
    const uint64_t leaves = relation.leafCount();
    ASSERT_GT(leaves, 10u);
    EXPECT_EQ(buffers.counts().reads, 0u);
    EXPECT_EQ(buffers.dirtyFrames(SizeClass{0}), buffers.framesInUse(SizeClass{0}));
    const uint64_t hits = buffers.counts().hits;
    EXPECT_EQ(scanAndCheck(relation, 2, relation.nextTupleId()), kRows);
    EXPECT_EQ(buffers.counts().hits - hits, leaves) << "a scan uses each leaf once, and the root is no hit";
    state = relation.state();
    buffers.writeAll();
    EXPECT_EQ(buffers.dirtyFrames(SizeClass{0}), 0u);
    EXPECT_EQ(buffers.counts(SizeClass{0}).writes, buffers.framesInUse(SizeClass{0}));
    EXPECT_EQ(buffers.counts(SizeClass{0}).write_bytes, buffers.counts(SizeClass{0}).writes * kPageBytesMin);
    EXPECT_EQ(buffers.counts(SizeClass{1}).writes, 0u);
  }
  BufferManager buffers(directory.path(), {.pool_bytes = 64 * kMiB});
  Relation relation(buffers, kRelation, kSchema, state);
  EXPECT_EQ(scanAndCheck(relation, 1, relation.nextTupleId()), kRows);
  const BufferCounts cold = buffers.counts(SizeClass{0});
  EXPECT_EQ(cold.reads, relation.leafCount() + 1) << "the leaves and their parent";
  EXPECT_EQ(cold.read_bytes, cold.reads * kPageBytesMin);
  EXPECT_EQ(cold.writes, 0u);
  EXPECT_EQ(cold.evictions, 0u);
  EXPECT_EQ(scanAndCheck(relation, 1, relation.nextTupleId()), kRows);
  EXPECT_EQ(buffers.counts().reads, cold.reads);
  EXPECT_EQ(buffers.counts().hits - cold.hits, relation.leafCount());
}

}  // namespace
}  // namespace gnomon::storage
