#include <gtest/gtest.h>

#include <vector>

#include "storage/relation/appender.h"
#include "storage/relation/editor.h"
#include "storage/relation/scan.h"
#include "storage/tests/test_support.h"

/// Tuples that are created and deleted in bulk epochs.
namespace gnomon::storage {
namespace {

using namespace testing;
using namespace tuple_id_flags;

const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int64, false}};
constexpr uint64_t kRows = 5000;

class VirtualFlags : public ::testing::Test {
 protected:
  void append(uint64_t rows, uint64_t epoch) {
    const std::vector<Datum> values(rows * 2);
    const std::vector<uint8_t> nulls(rows * 2);
    RelationAppender appender(relation_);
    appender.enterEpoch(epoch);
    appender.appendBatch(values.data(), nulls.data(), rows);
  }
  struct Stored {
    uint64_t flags;
    uint64_t epoch;  ///< 0: it has no virtual flag
    bool operator==(const Stored&) const = default;
  };
  Stored stored(uint64_t id) {
    LeafView leaf;
    uint32_t row = 0;
    EXPECT_TRUE(relation_.findStored(TupleId{id}, leaf, row)) << id;
    const uint64_t flags = leaf.storedTupleId(row) & ~kIdMask;
    const uint64_t epoch = reinterpret_cast<const LeafHeader*>(leaf.access().page_base)->reference_epoch;
    return {flags, (flags & kVirtual) == 0 ? 0 : epoch};
  }
  void TearDown() override {
    Findings findings;
    relation_.check(findings);
    EXPECT_EQ(findings.problems, std::vector<std::string>());
  }

  const TemporaryDirectory directory_;
  BufferManager buffers_{directory_.path(), {.pool_bytes = 16 * kMiB}};
  Relation relation_{buffers_, RelationId{7}, kSchema};
};

TEST_F(VirtualFlags, CountAgainstTheEpochOfTheLeafAndGoWithTheNext) {
  append(10, 0);
  append(kRows, 3);
  EXPECT_EQ(stored(5), (Stored{0, 0}));
  EXPECT_EQ(stored(10), (Stored{kVirtuallyCreated, 3}));
  EXPECT_EQ(stored(kRows), (Stored{kVirtuallyCreated, 3}));
  RelationEditor editor(relation_);
  EXPECT_TRUE(editor.markVirtuallyDeleted(TupleId{5}, 3));
  EXPECT_TRUE(editor.markVirtuallyDeleted(TupleId{11}, 3));
  EXPECT_FALSE(editor.markVirtuallyDeleted(TupleId{11}, 3));
  EXPECT_TRUE(editor.markDeleted(TupleId{12}));
  EXPECT_EQ(stored(5), (Stored{kDeleted | kVirtuallyDeleted, 3}));
  EXPECT_EQ(stored(11), (Stored{kDeleted | kVirtuallyDeleted | kVirtuallyCreated, 3}));
  EXPECT_EQ(stored(12), (Stored{kDeleted | kVirtuallyCreated, 3}));
  EXPECT_EQ(relation_.deletedCount(), 3u);
  // Another epoch in the first leaf, not in the others.
  EXPECT_TRUE(editor.markVirtuallyDeleted(TupleId{20}, 4));
  EXPECT_EQ(stored(5), (Stored{kDeleted, 0}));
  EXPECT_EQ(stored(11), (Stored{kDeleted, 0}));
  EXPECT_EQ(stored(13), (Stored{0, 0}));
  EXPECT_EQ(stored(20), (Stored{kDeleted | kVirtuallyDeleted, 4}));
  EXPECT_EQ(stored(kRows), (Stored{kVirtuallyCreated, 3}));
}

TEST_F(VirtualFlags, RestoringTakesBackTheDeletionsOfOneEpoch) {
  append(kRows, 0);
  RelationEditor editor(relation_);
  EXPECT_TRUE(editor.markDeleted(TupleId{4}));
  for (uint64_t id = 0; id < kRows; id += id % 10 == 5 ? 5 : 1)
    if (id != 4) ASSERT_TRUE(editor.markVirtuallyDeleted(TupleId{id}, 9));
  const uint64_t deleted = relation_.deletedCount();
  EXPECT_GT(deleted, kRows / 2);
  const auto restore = [&](uint64_t epoch) {
    for (TupleId at{2}; at.value < kRows - 7;) at = editor.restoreVirtuallyDeleted(at, TupleId{kRows - 7}, epoch);
  };
  restore(8);
  EXPECT_EQ(relation_.deletedCount(), deleted);
  restore(9);
  EXPECT_EQ(stored(1), (Stored{kDeleted | kVirtuallyDeleted, 9}));
  EXPECT_EQ(stored(2), (Stored{0, 0}));
  EXPECT_EQ(stored(4), (Stored{kDeleted, 0}));
  EXPECT_EQ(stored(kRows / 2), (Stored{0, 0}));
  EXPECT_EQ(stored(kRows - 8), (Stored{0, 0}));
  EXPECT_EQ(stored(kRows - 6), (Stored{kDeleted | kVirtuallyDeleted, 9}));
}

TEST_F(VirtualFlags, KeepDeletedTuplesUntilTheirEpochIsOver) {
  append(kRows, 0);
  RelationEditor editor(relation_);
  for (uint64_t id = 0; id < kRows; id += 2) ASSERT_TRUE(editor.markVirtuallyDeleted(TupleId{id}, 9));
  EXPECT_EQ(relation_.reclaim(TupleId{0}, TupleId{kRows}, 9), 0u);
  EXPECT_EQ(stored(2), (Stored{kDeleted | kVirtuallyDeleted, 9}));
  EXPECT_EQ(relation_.reclaim(TupleId{0}, TupleId{kRows}, 10), kRows / 2);
  EXPECT_EQ(relation_.deletedCount(), 0u);
  EXPECT_EQ(stored(3), (Stored{0, 0}));
}

TEST_F(VirtualFlags, ComeBackWithAPageThatWasEvicted) {
  append(100, 3);
  RelationEditor editor(relation_);
  ASSERT_TRUE(editor.markVirtuallyDeleted(TupleId{7}, 3));
  buffers_.evict(16 * kMiB);
  EXPECT_EQ(stored(6), (Stored{kVirtuallyCreated, 3}));
  EXPECT_EQ(stored(7), (Stored{kDeleted | kVirtuallyDeleted | kVirtuallyCreated, 3}));
}

}  // namespace
}  // namespace gnomon::storage
