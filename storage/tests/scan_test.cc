#include "storage/relation/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>

#include "base/string_value.h"
#include "storage/relation/appender.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using testing::kMiB;
using testing::TemporaryDirectory;

constexpr RelationId kRelation{3};
const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int32, true}, {StoredKind::String, false}};

std::string textOf(uint64_t id) {
  return "text of tuple number " + std::to_string(id * 7919);
}

void appendRows(RelationAppender& appender, uint64_t first, uint64_t count) {
  std::vector<std::string> texts;
  std::vector<Datum> values;
  std::vector<uint8_t> null_flags;
  texts.reserve(count);
  for (uint64_t id = first; id < first + count; ++id) {
    const StringValue text = StringValue::refer(texts.emplace_back(textOf(id)), StringValue::Storage::Temporary);
    values.insert(values.end(), {{id * 3, 0}, {id & 0xffff, 0}, {text.lo(), text.hi()}});
    null_flags.insert(null_flags.end(), {0, static_cast<uint8_t>(id % 5 == 0), 0});
  }
  ASSERT_EQ(appender.appendBatch(values.data(), null_flags.data(), count).value, first);
}

/// Reads a leaf by the contract of LeafAccess alone, as generated code does. Returns the tuple ids' range.
void checkLeaf(const LeafAccess& leaf, std::vector<uint64_t>& ids) {
  for (uint32_t row = leaf.row_begin; row < leaf.row_end; ++row) {
    uint64_t id, number;
    std::memcpy(&id, leaf.page_base + leaf.tuple_ids_offset + row * 8, 8);
    std::memcpy(&number, leaf.page_base + leaf.column_offsets[0] + row * 8, 8);
    ASSERT_EQ(number, id * 3);
    const bool is_null =
        (leaf.page_base[leaf.null_offsets[1] + (row >> 3)] >> (row & 7) & std::byte{1}) != std::byte{0};
    ASSERT_EQ(is_null, id % 5 == 0);
    int32_t small;
    std::memcpy(&small, leaf.page_base + leaf.column_offsets[1] + row * 4, 4);
    ASSERT_EQ(static_cast<uint64_t>(small), is_null ? 0 : id & 0xffff);
    Datum text;
    std::memcpy(&text, leaf.page_base + leaf.column_offsets[2] + row * 16, 16);
    const StringValue value(text.lo, text.hi + reinterpret_cast<uint64_t>(leaf.page_base));
    ASSERT_EQ(value.storage(), StringValue::Storage::Transient);
    ASSERT_EQ(value.view(), textOf(id));
    ids.push_back(id);
  }
}

TEST(RelationScan, GivesEveryLeafToExactlyOneOfItsWorkers) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 64 * kMiB});
  Relation relation(buffers, kRelation, kSchema);
  RelationAppender appender(relation);
  constexpr uint64_t kRows = 30000;
  appendRows(appender, 0, kRows);
  RelationScan scan(relation, TupleId{kRows - 17});
  std::vector<std::vector<uint64_t>> seen(3);
  std::vector<std::thread> workers;
  for (auto& ids : seen)
    workers.emplace_back([&scan, &ids] {
      LeafView leaf;
      RelationScan::Claim claim;
      while (scan.next(claim, leaf)) checkLeaf(leaf.access(), ids);
    });
  for (std::thread& worker : workers) worker.join();
  std::vector<uint64_t> all;
  for (const auto& ids : seen) {
    EXPECT_TRUE(std::ranges::is_sorted(ids));
    all.insert(all.end(), ids.begin(), ids.end());
  }
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), kRows - 17);
  for (uint64_t id = 0; id < all.size(); ++id) ASSERT_EQ(all[id], id);
}

// writer:   append  publish bound  append  truncate to bound  append ...
// scanner:          scan below the bound it read: exactly those tuples, whole
TEST(RelationScan, SeesExactlyTheTuplesBelowItsBoundWhileOthersAppendAndTruncate) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 128 * kMiB});
  Relation relation(buffers, kRelation, kSchema);
  std::atomic<uint64_t> bound{0};
  std::atomic<bool> done{false};
  std::thread writer([&] {
    uint64_t next = 0;
    for (int round = 0; round < 120; ++round) {
      RelationAppender appender(relation);
      appendRows(appender, next, 400);
      if (round % 3 == 1) {
        relation.truncate(TupleId{next});
      } else {
        next += 400;
        bound.store(next);
      }
      std::this_thread::yield();
    }
    done.store(true);
  });
  std::vector<std::thread> scanners;
  for (int index = 0; index < 2; ++index)
    scanners.emplace_back([&] {
      bool is_last = false;
      while (!is_last) {
        is_last = done.load();
        const uint64_t snapshot = bound.load();
        RelationScan scan(relation, TupleId{snapshot});
        LeafView leaf;
        RelationScan::Claim claim;
        std::vector<uint64_t> ids;
        while (scan.next(claim, leaf)) checkLeaf(leaf.access(), ids);
        ASSERT_EQ(ids.size(), snapshot);
        for (uint64_t id = 0; id < snapshot; ++id) ASSERT_EQ(ids[id], id);
      }
    });
  writer.join();
  for (std::thread& scanner : scanners) scanner.join();
  relation.audit();
}

// After a restart two scanners swizzle the same inner nodes' children.
TEST(RelationScan, LoadsColdPagesFromSeveralThreads) {
  const TemporaryDirectory directory;
  RelationState state;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = 64 * kMiB});
    Relation relation(buffers, kRelation, kSchema);
    RelationAppender appender(relation);
    appendRows(appender, 0, 20000);
    state = relation.state();
    buffers.writeAll();
  }
  BufferManager buffers(directory.path(), {.pool_bytes = 64 * kMiB});
  Relation relation(buffers, kRelation, kSchema, state);
  std::vector<std::thread> threads;
  for (int index = 0; index < 3; ++index)
    threads.emplace_back([&] {
      RelationScan scan(relation, relation.nextTupleId());
      LeafView leaf;
      RelationScan::Claim claim;
      std::vector<uint64_t> ids;
      while (scan.next(claim, leaf)) checkLeaf(leaf.access(), ids);
      ASSERT_EQ(ids.size(), 20000u);
      ASSERT_EQ(ids.back(), 19999u);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(buffers.usedBytes(), (relation.leafCount() + 1) * kPageBytesMin);
  relation.audit();
}

TEST(RelationScan, ShowsDeletedTuplesAsFlagged) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
  Relation relation(buffers, kRelation, kSchema);
  RelationAppender appender(relation);
  appendRows(appender, 0, 100);
  const std::set<uint64_t> deleted = {0, 50, 99};
  for (const uint64_t id : deleted) EXPECT_TRUE(relation.markDeleted(TupleId{id}));
  LeafView leaf;
  RelationScan::Claim claim;
  RelationScan scan(relation, TupleId{100});
  ASSERT_TRUE(scan.next(claim, leaf));
  EXPECT_EQ(leaf.access().flagged_count, 3u);
  for (uint32_t row = 0; row < 100; ++row) EXPECT_EQ(leaf.isDeleted(row), deleted.contains(row));
  EXPECT_FALSE(scan.next(claim, leaf));
  RowCursor cursor(relation, TupleId{100});
  for (uint64_t id = 0; id < 100; ++id) {
    if (deleted.contains(id)) continue;
    ASSERT_TRUE(cursor.next());
    EXPECT_EQ(cursor.tupleId().value, id);
  }
  EXPECT_FALSE(cursor.next());
}

TEST(RelationScan, OfAnEmptyRelationOrBoundZeroEndsAtOnce) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
  Relation relation(buffers, kRelation, kSchema);
  LeafView leaf;
  RelationScan::Claim claim;
  EXPECT_FALSE(RelationScan(relation, TupleId{0}).next(claim, leaf));
  EXPECT_FALSE(RelationScan(relation, TupleId{10}).next(claim, leaf));
  RelationAppender appender(relation);
  appendRows(appender, 0, 5);
  EXPECT_FALSE(RelationScan(relation, TupleId{0}).next(claim, leaf));
}

}  // namespace
}  // namespace gnomon::storage
