#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "base/string_value.h"
#include "storage/relation/appender.h"
#include "storage/relation/scan.h"
#include "storage/tests/test_support.h"

/// Readers see each tuple as it was before a change or after it, never in between, and each exactly once.
namespace gnomon::storage {
namespace {

using namespace testing;

/// Tuple number, version, and a text that follows from both.
const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int64, false}, {StoredKind::String, false}};

size_t lengthOf(uint64_t id, uint64_t version) {
  const uint64_t mixed = (id + 1) * (version + 3) * 0x9e3779b97f4a7c15U >> 40;
  return mixed % 61 == 0 ? mixed % 30000 : mixed % 50;
}

std::string textOf(uint64_t id, uint64_t version) {
  return std::string(lengthOf(id, version), static_cast<char>('a' + (id + version) % 26));
}

class Writer {
 public:
  Writer(Relation& relation, uint64_t seed) : relation_(relation), appender_(relation), random_(seed) {}

  void append(uint64_t count) {
    const uint8_t null_flags[3] = {};
    for (uint64_t row = 0; row < count; ++row) {
      const uint64_t id = relation_.nextTupleId().value;
      const std::string text = textOf(id, 0);
      const StringValue header = StringValue::refer(text, StringValue::Storage::Temporary);
      const Datum values[] = {{id, 0}, {0, 0}, {header.lo(), header.hi()}};
      appender_.append(values, null_flags);
    }
  }
  void update(uint64_t id, uint64_t version) {
    const std::string text = textOf(id, version);
    const StringValue header = StringValue::refer(text, StringValue::Storage::Temporary);
    const uint32_t columns[] = {1, 2};
    const Datum values[] = {{version, 0}, {header.lo(), header.hi()}};
    const uint8_t null_flags[2] = {};
    EXPECT_TRUE(relation_.update(TupleId{id}, {columns, values, null_flags}));
  }
  uint64_t below(uint64_t limit) { return random_() % limit; }

 private:
  Relation& relation_;
  RelationAppender appender_;
  std::mt19937_64 random_;
};

bool isWhole(const LeafView& leaf, uint32_t row) {
  bool is_null = false;
  const uint64_t id = leaf.tupleId(row).value;
  const uint64_t version = leaf.value(1, row, is_null).lo;
  const Datum text = leaf.value(2, row, is_null);
  return leaf.value(0, row, is_null).lo == id && StringValue(text.lo, text.hi).view() == textOf(id, version);
}

/// One scan: every tuple below the bound once, whole.
void scanAll(Relation& relation, TupleId bound) {
  RelationScan scan(relation, bound);
  RelationScan::Claim claim;
  LeafView leaf;
  uint64_t next = 0;
  while (scan.next(claim, leaf))
    for (uint32_t row = leaf.access().row_begin; row < leaf.access().row_end; ++row) {
      ASSERT_EQ(leaf.tupleId(row).value, next++);
      ASSERT_TRUE(isWhole(leaf, row));
    }
  ASSERT_EQ(next, bound.value);
}

// writer:    update | append | truncate | update ...   leaves move to larger pages, the root turns into an inner node
// readers:   scan | find | scan ...
// provider:  evicts all the while
TEST(RelationUpdateConcurrency, ReadersSeeTuplesWholeWhileLeavesMove) {
  const uint64_t seed = testSeed();
  for (const uint64_t row_count : {20, 15000}) {
    const TemporaryDirectory directory;
    BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
    Relation relation(buffers, RelationId{42}, kSchema);
    Writer writer(relation, seed);
    writer.append(row_count);
    std::atomic<uint64_t> bound{row_count};
    std::atomic<bool> done{false};
    std::vector<std::thread> readers;
    for (uint64_t index = 0; index < 3; ++index)
      readers.emplace_back([&, index] {
        std::mt19937_64 random(seed + 100 * index);
        while (!done.load() && !::testing::Test::HasFatalFailure()) {
          if (random() % 4 == 0) {
            scanAll(relation, TupleId{bound.load()});
            continue;
          }
          for (int look = 0; look < 20; ++look) {
            LeafView leaf;
            uint32_t row = 0;
            ASSERT_TRUE(relation.find(TupleId{random() % bound.load()}, leaf, row));
            ASSERT_TRUE(isWhole(leaf, row));
          }
          // Latches are not fair: the writer gets in between.
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      });
    for (uint64_t step = 0; step < 1000; ++step) {
      writer.update(writer.below(bound.load()), 1 + step);
      if (step % 10 == 9) {
        writer.append(writer.below(40));
        if (writer.below(3) == 0)
          relation.truncate(TupleId{bound.load()});
        else
          bound.store(relation.nextTupleId().value);
      }
    }
    done.store(true);
    for (std::thread& reader : readers) reader.join();
    relation.audit();
    scanAll(relation, relation.nextTupleId());
    if (row_count > 1000) EXPECT_GT(buffers.counts().evictions, 0u);
  }
}

}  // namespace
}  // namespace gnomon::storage
