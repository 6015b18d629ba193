#include <gtest/gtest.h>

#include <deque>

#include "storage/tests/relation_model.h"
#include "storage/tests/test_support.h"

/// Deleted tuples make room for others: leaves get smaller, become one, or go.
namespace gnomon::storage {
namespace {

using namespace testing;

const RelationSchema kTextSchema = {{StoredKind::Int64, false}, {StoredKind::String, true}};

void deleteTuples(RelationModel& model, uint64_t from, uint64_t to, uint64_t keep_every = UINT64_MAX) {
  for (uint64_t id = from; id < to; ++id)
    if (id % keep_every != keep_every - 1) ASSERT_TRUE(model.markDeletedId(id));
}

/// First tuple ids of the leaves, and the end.
std::vector<uint64_t> leafBegins(Relation& relation) {
  std::vector<uint64_t> begins;
  RelationScan scan(relation, relation.nextTupleId());
  RelationScan::Claim claim;
  LeafView leaf;
  while (scan.next(claim, leaf)) begins.push_back(leaf.tupleId(leaf.access().row_begin).value);
  begins.push_back(relation.nextTupleId().value);
  return begins;
}

TEST(RelationReclaim, AgreesWithAModelOnATinyPool) {
  const uint64_t seed = testSeed();
  for (uint8_t round = 0; round < 3; ++round) {
    const TemporaryDirectory directory;
    const RelationSchema schema = withLeafClass(everyKindSchema(), SizeClass{round});
    RelationModel model(directory.path(), schema, seed + round, 6 * kMiB);
    for (int step = 0; step < 200; ++step) {
      const uint64_t kind = model.below(24);
      if (kind < 6) model.append(1 + model.below(300), model.textBytesMax());
      if (kind >= 6 && kind < 10) model.update(1 + model.below(60), model.textBytesMax());
      if (kind >= 10 && kind < 13) model.markDeleted(model.below(100));
      if (kind >= 13 && kind < 15) model.deleteRange();
      if (kind == 15) model.unmarkDeleted(20);
      if (kind == 16 && model.below(2) == 0) model.truncate();
      if (kind == 17) model.reopen();
      if (kind == 18) model.buffers().evict(model.below(3 * kMiB));
      if (kind == 19) model.expectSame();
      if (kind >= 20) model.reclaim();
      model.expectFound(10);
      if (HasFatalFailure()) return;
    }
    model.expectSame();
    model.reclaim(0, model.relation().nextTupleId().value);
    model.expectSame();
    model.destroy();
  }
}

TEST(RelationReclaim, LargeLeavesBecomeSmallOnesAndAreFilledAgain) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), withLeafClass(kTextSchema, SizeClass{3}), 1, 16 * kMiB);
  while (model.relation().leafCount() < 4) model.append(1000, 14);
  // More than would go into a small leaf, and less than would make it stay large if it were not the last.
  model.append(3000, 14);
  const auto inUse = [&](uint8_t index) { return model.buffers().framesInUse(SizeClass{index}); };
  EXPECT_EQ(inUse(3), 3u);
  const std::vector<uint64_t> begins = leafBegins(model.relation());
  EXPECT_GT(begins[2] - begins[1], 7 * (begins[1] - begins[0]));
  deleteTuples(model, begins[1], begins[3], 50);
  model.reclaim(begins[1], begins[3]);
  EXPECT_EQ(inUse(3), 1u);
  model.expectSame();
  while (model.relation().leafCount() < 5) model.append(1000, 14);
  model.expectSame();
  model.reopen();
  model.expectSame();
  model.destroy();
}

TEST(RelationReclaim, FreesLeavesThatBecomeEmptyAndFindsNothingInTheirRange) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 1, 16 * kMiB);
  while (model.relation().leafCount() < 6) model.append(100, 200);
  const std::vector<uint64_t> begins = leafBegins(model.relation());
  ASSERT_EQ(begins.size(), 7u);
  const uint64_t used = model.buffers().usedBytes();
  // The first, one in the middle, and the last, in which new tuples would have gone.
  for (const size_t leaf : {0, 3, 5}) deleteTuples(model, begins[leaf], begins[leaf + 1]);
  model.reclaim(0, begins.back());
  EXPECT_EQ(model.relation().leafCount(), 3u);
  EXPECT_EQ(model.buffers().usedBytes(), used - 3 * kPageBytesMin);
  model.expectSame();
  for (uint64_t id = 0; id < begins.back() + 2; ++id) model.expectFoundId(id);
  EXPECT_FALSE(model.relation().update(TupleId{begins[3]}, {{}, nullptr, nullptr}));
  EXPECT_FALSE(model.relation().markDeleted(TupleId{0}));
  model.append(500, 100);
  model.expectSame();
  EXPECT_EQ(model.rows().rbegin()->first, begins.back() + 499);
  model.reopen();
  model.expectSame();
  model.truncate(begins[3]);
  EXPECT_EQ(model.relation().leafCount(), 2u);
  model.expectSame();
  model.append(50, 100);
  model.expectSame();
}

// A frame remembers where its swip was; the last one stands one place lower now.
TEST(RelationReclaim, PagesAreEvictedThroughTheirSwipsAfterTheseHaveMoved) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 1, 16 * kMiB);
  while (model.relation().leafCount() < 6) model.append(100, 200);
  const std::vector<uint64_t> begins = leafBegins(model.relation());
  model.reopen();
  model.expectSame();
  deleteTuples(model, 0, begins[1]);
  model.reclaim(0, begins[1]);
  for (int round = 0; round < 20 && model.buffers().usedBytes() > kPageBytesMin; ++round) model.buffers().evict(kMiB);
  EXPECT_EQ(model.buffers().usedBytes(), kPageBytesMin) << "the root";
  model.expectSame();
}

TEST(RelationReclaim, OfAllTuplesLeavesAnEmptyRootThatTakesTuplesAgain) {
  for (const uint64_t leaf_count : {1, 4}) {
    const TemporaryDirectory directory;
    RelationModel model(directory.path(), kTextSchema, 1, 16 * kMiB);
    do model.append(100, 200);
    while (model.relation().leafCount() < leaf_count);
    const uint64_t next = model.relation().nextTupleId().value;
    deleteTuples(model, 0, next);
    model.reclaim(0, next);
    EXPECT_EQ(model.relation().leafCount(), 1u);
    EXPECT_EQ(model.buffers().usedBytes(), kPageBytesMin);
    model.expectSame();
    model.append(3, 100);
    EXPECT_EQ(model.rows().begin()->first, next);
    model.expectSame();
    while (model.relation().leafCount() < 3) model.append(100, 200);
    model.expectSame();
    model.truncate(next / 2);
    model.expectSame();
    while (model.relation().leafCount() < 3) model.append(100, 200);
    model.expectSame();
    model.truncate(next / 2 + 7);
    model.expectSame();
  }
}

TEST(RelationReclaim, SparseNeighboursBecomeOneAndThenRest) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), everyKindSchema(), testSeed(), 16 * kMiB);
  while (model.relation().leafCount() < 20) model.append(100, 60);
  const uint64_t next = model.relation().nextTupleId().value;
  deleteTuples(model, 0, next, 5);
  model.reclaim(0, next);
  model.expectSame();
  // A fifth of each is left: three fit into three quarters of a page.
  const uint64_t leaves = model.relation().leafCount();
  EXPECT_LE(leaves, 20u / 3 + 2);
  EXPECT_EQ(model.buffers().usedBytes(), (leaves + 1) * kPageBytesMin);
  model.reclaim(0, next);
  EXPECT_EQ(model.relation().leafCount(), leaves);
  // Texts have room to grow where they are.
  for (uint64_t id = 4; id < next; id += 100) {
    ModelRow row = model.rows().at(id);
    row[9] = {false, true, {}, std::string(100, 'x')};
    ASSERT_TRUE(model.update(id, row, {9}));
  }
  EXPECT_EQ(model.buffers().usedBytes(), (leaves + 1) * kPageBytesMin);
  model.append(200, 60);
  model.expectSame();
}

TEST(RelationReclaim, RemovesOnlyTuplesOfTheRange) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 1, 16 * kMiB);
  model.append(1000, 20);
  deleteTuples(model, 100, 200);
  model.reclaim(150, 160);
  model.expectSame();
  for (uint64_t id = 100; id < 200; ++id) model.unmarkDeletedId(id);
  model.expectSame();
  EXPECT_EQ(model.rows().size(), 990u);
  model.reclaim(0, 1000);
  model.reclaim(7, 7);
  model.reclaim(900, 5000);
  model.expectSame();
}

TEST(RelationReclaim, LeafMovesToASmallerPage) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 1, 16 * kMiB);
  while (model.relation().leafCount() < 4) model.append(100, 100);
  const std::vector<uint64_t> begins = leafBegins(model.relation());
  const uint64_t used = model.buffers().usedBytes();
  ModelRow row = model.rows().at(begins[1]);
  for (uint64_t id = begins[1]; id < begins[1] + 3; ++id) {
    row[1] = {false, true, {}, std::string(500000, static_cast<char>('a' + id % 26))};
    ASSERT_TRUE(model.update(id, row, {1}));
  }
  EXPECT_EQ(model.buffers().usedBytes(), used - kPageBytesMin + 2 * kMiB);
  deleteTuples(model, begins[1], begins[1] + 2);
  // More than three quarters of a MiB would do, but that has to be had.
  model.reclaim(0, begins.back());
  EXPECT_EQ(model.buffers().usedBytes(), used - kPageBytesMin + kMiB);
  model.expectSame();
  deleteTuples(model, begins[1] + 2, begins[1] + 3);
  deleteTuples(model, begins[1] + 3, begins[2], 2);
  model.reclaim(0, begins.back());
  EXPECT_EQ(model.buffers().usedBytes(), used);
  model.expectSame();
}

TEST(RelationReclaim, WithoutASmallerPageLeavesTheLeafWhereItIs) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 1, 16 * kMiB);
  model.append(100, 20);
  ModelRow row = model.rows().at(50);
  row[1] = {false, true, {}, std::string(200000, 'x')};
  ASSERT_TRUE(model.update(50, row, {1}));
  ASSERT_TRUE(model.markDeletedId(50));
  const auto sizeClass = [&] {
    LeafView leaf;
    uint32_t place = 0;
    EXPECT_TRUE(model.relation().find(TupleId{1}, leaf, place));
    return leaf.frame().size_class.index;
  };
  std::vector<Frame*> held;
  {
    const FullDisk full(kMiB);
    const SqlError error = errorOf([&] {
      while (held.size() < 100)
        held.push_back(&model.buffers().allocate(SizeClass{0}, RelationId{1}, PageType::RelationLeaf).frame());
    });
    ASSERT_STREQ(error.state().text(), "53100");
    model.reclaim(0, 100);
  }
  EXPECT_EQ(sizeClass(), 2);
  model.expectSame();
  for (Frame* frame : held) model.buffers().free(ExclusiveGuard(*frame));
  model.reclaim(0, 100);
  EXPECT_EQ(sizeClass(), 0);
  model.expectSame();
}

TEST(RelationReclaim, LeafWithAVersionMapStaysAsItIs) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 1, 16 * kMiB);
  while (model.relation().leafCount() < 5) model.append(100, 100);
  const std::vector<uint64_t> begins = leafBegins(model.relation());
  deleteTuples(model, 0, begins[5], 8);
  int map = 0;
  LeafView leaf;
  uint32_t row = 0;
  ASSERT_TRUE(model.relation().find(TupleId{model.rows().lower_bound(begins[2])->first}, leaf, row));
  Frame& frame = leaf.frame();
  frame.version_map.store(&map);
  leaf.release();
  const uint64_t kept = begins[3] - begins[2] - (begins[3] / 8 - begins[2] / 8);
  EXPECT_EQ(model.relation().reclaim(TupleId{0}, TupleId{begins[5]}), begins[5] - model.rows().size() - kept);
  EXPECT_EQ(frame.version_map.exchange(nullptr), &map);
  EXPECT_EQ(model.relation().leafCount(), 3u);
  EXPECT_EQ(model.relation().reclaim(TupleId{0}, TupleId{begins[5]}), kept);
  EXPECT_EQ(model.relation().leafCount(), 1u);
  model.expectSame();
}

// Leaves that are not in memory are freed unread only when the ids say how many tuples they hold.
TEST(RelationReclaim, TruncateCountsTuplesOfColdLeavesWhoseIdsHaveGaps) {
  for (const bool has_gaps : {false, true}) {
    const TemporaryDirectory directory;
    RelationModel model(directory.path(), {{StoredKind::Int64, false}}, 1, 16 * kMiB);
    while (model.relation().leafCount() < 8) model.append(1000, 0);
    const uint64_t next = model.relation().nextTupleId().value;
    if (has_gaps) {
      deleteTuples(model, next / 4, next, 2);
      model.reclaim(0, next);
    }
    model.reopen();
    const uint64_t reads = model.buffers().counts().reads;
    model.truncate(next / 8);
    EXPECT_EQ(model.buffers().counts().reads - reads > 3, has_gaps);
    model.expectSame();
    model.append(5000, 0);
    model.expectSame();
  }
}

// scan:    leaf 0                                  leaf 0 again? no: what it held was seen
// writer:          truncate at the scan's bound: leaf 1 begins below it, but holds nothing there
TEST(RelationReclaim, ScanSeesNothingTwiceWhenALeafGoesAboveItsBound) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 1, 16 * kMiB);
  while (model.relation().leafCount() < 2) model.append(100, 100);
  const std::vector<uint64_t> begins = leafBegins(model.relation());
  model.append(200, 100);
  const uint64_t bound = begins[1] + 50;
  deleteTuples(model, begins[1], bound + 10);
  model.reclaim(0, bound + 10);
  RelationScan scan(model.relation(), TupleId{bound});
  RelationScan::Claim claim;
  LeafView leaf;
  ASSERT_TRUE(scan.next(claim, leaf));
  EXPECT_EQ(leaf.rowCount(), begins[1]);
  leaf.release();
  model.truncate(bound);
  EXPECT_EQ(model.relation().leafCount(), 1u);
  EXPECT_FALSE(scan.next(claim, leaf));
  model.expectSame();
}

TEST(RelationReclaim, InnerNodesWithoutEntriesGo) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 640 * kMiB});
  Relation relation(buffers, RelationId{9}, kTextSchema);
  RelationAppender appender(relation);
  const std::string text(40000, 'x');
  const StringValue header = StringValue::refer(text, StringValue::Storage::Temporary);
  const uint8_t null_flags[2] = {};
  const auto append = [&](uint64_t count) {
    for (uint64_t row = 0; row < count; ++row) {
      const Datum values[] = {{relation.nextTupleId().value * 3, 0}, {header.lo(), header.hi()}};
      appender.append(values, null_flags);
    }
  };
  const auto expectIds = [&](const std::set<uint64_t>& ids) {
    relation.audit();
    RowCursor cursor(relation, relation.nextTupleId());
    for (const uint64_t id : ids) {
      ASSERT_TRUE(cursor.next());
      ASSERT_EQ(cursor.tupleId().value, id);
      ASSERT_EQ(cursor.value(0).lo, id * 3);
    }
    ASSERT_FALSE(cursor.next());
  };
  const auto remove = [&](uint64_t from, uint64_t to) {
    for (uint64_t id = from; id < to; ++id) relation.markDeleted(TupleId{id});
    relation.reclaim(TupleId{from}, TupleId{to});
  };
  const auto find = [&](uint64_t id) {
    LeafView leaf;
    uint32_t row = 0;
    return relation.find(TupleId{id}, leaf, row);
  };
  append(4300);
  // The second inner node but for its last leaf, then that, too: new tuples find a place all the same.
  remove(4000, 4299);
  EXPECT_EQ(relation.leafCount(), 4001u);
  for (const uint64_t id : {3999, 4299}) EXPECT_TRUE(find(id));
  for (const uint64_t id : {4000, 4091, 4092, 4298, 4300}) EXPECT_FALSE(find(id));
  remove(4299, 4300);
  append(200);
  EXPECT_EQ(relation.leafCount(), 4200u);
  EXPECT_TRUE(find(4499));
  // The first inner node.
  remove(0, 4000);
  std::set<uint64_t> ids;
  for (uint64_t id = 4300; id < 4500; ++id) ids.insert(id);
  expectIds(ids);
  EXPECT_FALSE(find(0));
  relation.truncate(TupleId{4310});
  ids.erase(ids.lower_bound(4310), ids.end());
  expectIds(ids);
  remove(4300, 4310);
  expectIds({});
  EXPECT_EQ(relation.leafCount(), 1u);
  EXPECT_EQ(buffers.usedBytes(), kPageBytesMin);
  append(2);
  expectIds({4310, 4311});
}

}  // namespace
}  // namespace gnomon::storage
