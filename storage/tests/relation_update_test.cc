#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "storage/tests/relation_model.h"
#include "storage/tests/test_support.h"

/// Changes of tuples in place, against a model and at the limits of page, pool and disk.
namespace gnomon::storage {
namespace {

using namespace testing;

constexpr RelationId kRelation{9};
const RelationSchema kTextSchema = {{StoredKind::Int64, false}, {StoredKind::String, true}};

ModelRow textRow(uint64_t number, std::string text) {
  ModelRow row(2);
  row[0].bits.lo = number;
  row[1].is_text = true;
  row[1].text = std::move(text);
  return row;
}

/// A text of this length that tells its tuple.
std::string textOf(uint64_t id, size_t length) {
  std::string text(length, '\0');
  for (size_t at = 0; at < length; ++at) text[at] = static_cast<char>('a' + (at * 7 + id * 3) % 26);
  return text;
}

TEST(RelationUpdate, AgreesWithAModelOnATinyPool) {
  const TemporaryDirectory directory;
  const uint64_t seed = testSeed();
  RelationModel model(directory.path(), everyKindSchema(), seed, 6 * kMiB);
  for (int step = 0; step < 300; ++step) {
    const uint64_t kind = model.below(20);
    if (kind < 6) model.append(1 + model.below(200), model.textBytesMax());
    if (kind >= 6 && kind < 12) model.update(1 + model.below(60), model.textBytesMax());
    if (kind >= 12 && kind < 14) model.updateTogether(1 + model.below(100));
    if (kind == 14) model.markDeleted(20);
    if (kind == 15) model.unmarkDeleted(20);
    if (kind == 16) model.truncate();
    if (kind == 17) model.reopen();
    if (kind == 18) model.buffers().evict(model.below(3 * kMiB));
    if (kind == 19) model.expectSame();
    model.expectFound(10);
    if (HasFatalFailure()) return;
  }
  model.expectSame();
  EXPECT_GT(model.togetherCount(), 0u) << "seed " << seed;
  model.destroy();
}

TEST(RelationUpdate, CrossesTheBorderOfInlineTextsBothWays) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 1, 2 * kMiB);
  for (uint64_t row = 0; row < 3; ++row) model.append(textRow(row, textOf(row, 5)));
  for (const size_t length : {0, 12, 13, 12, 14, 13, 100, 99, 100, 12, 0, 13, 500, 4, 501})
    for (uint64_t id = 0; id < 3; ++id) {
      ModelRow row = textRow(id * 10 + length, textOf(id + length, length));
      ASSERT_TRUE(model.update(id, row, id == 1 ? std::vector<uint32_t>{1} : std::vector<uint32_t>{0, 1}));
      model.expectSame();
    }
  ModelRow null_row = textRow(5, "");
  null_row[1] = ModelValue{.is_null = true, .is_text = false, .bits = {}, .text = {}};
  for (const size_t length : {3, 50}) {
    ASSERT_TRUE(model.update(1, textRow(5, textOf(1, length)), {1}));
    ASSERT_TRUE(model.update(1, null_row, {1}));
    model.expectSame();
  }
  EXPECT_FALSE(model.relation().update(TupleId{3}, ModelChange(null_row, {0}).change()));
  ASSERT_TRUE(model.relation().markDeleted(TupleId{2}));
  EXPECT_FALSE(model.relation().update(TupleId{2}, ModelChange(null_row, {0}).change()));
  EXPECT_TRUE(model.relation().unmarkDeleted(TupleId{2}));
  EXPECT_FALSE(model.relation().unmarkDeleted(TupleId{2}));
  EXPECT_FALSE(model.relation().unmarkDeleted(TupleId{3}));
  model.expectSame();
}

/// What an editor was told of a tuple's leaf is good for nothing when the leaf has been evicted or has grown meanwhile.
TEST(RelationUpdate, AnExpectedLeafMayHaveGone) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 1, 16 * kMiB);
  while (model.relation().leafCount() < 4)
    model.append(textRow(model.relation().nextTupleId().value, textOf(model.relation().nextTupleId().value, 300)));
  const uint64_t last = model.relation().nextTupleId().value - 1;
  const auto change = [&](uint64_t id, size_t length, const std::function<void()>& meanwhile) {
    RelationEditor editor(model.relation());
    model.tellPlace(editor, id);
    meanwhile();
    const ModelRow row = textRow(length, textOf(length, length));
    ASSERT_TRUE(editor.update(TupleId{id}, ModelChange(row, {0, 1}).change()));
    // The model writes the same.
    ASSERT_TRUE(model.update(id, row, {0, 1}));
    model.expectSame();
  };
  size_t length = 300;
  for (const uint64_t id : {uint64_t{7}, last / 2, last}) {
    change(id, ++length, [] {});
    change(id, ++length, [&] { model.buffers().evict(16 * kMiB); });
    change(id, ++length, [&] {
      model.buffers().evict(16 * kMiB);
      model.expectSame();
    });
    change(id, ++length, [&] { ASSERT_TRUE(model.update(id - 1, textRow(1, textOf(1, 50'000)), {0, 1})); });
    change(id, 70'000, [] {});
    change(id, 10, [] {});
  }
  // Rows find room behind the last leaf that was changed so.
  for (uint64_t row = 0; row < 500; ++row) model.append(textRow(row, textOf(row, 100)));
  model.expectSame();
}

SizeClass classOf(Relation& relation, uint64_t id) {
  LeafView leaf;
  uint32_t row = 0;
  EXPECT_TRUE(relation.find(TupleId{id}, leaf, row));
  return leaf.frame().size_class;
}

// Root leaf: 64 KiB page -> parent of one leaf in a larger page -> ... Others stay where they are.
TEST(RelationUpdate, LeafOutgrowsOnePageAfterTheOther) {
  for (const uint64_t leaf_count : {1, 5}) {
    const TemporaryDirectory directory;
    RelationModel model(directory.path(), kTextSchema, 1, 16 * kMiB);
    while (model.relation().leafCount() < leaf_count || model.relation().nextTupleId().value < 20)
      model.append(textRow(model.relation().nextTupleId().value, textOf(1, 1000)));
    const PageId root = model.relation().tree().root();
    const uint64_t used_before = model.buffers().usedBytes();
    uint8_t class_before = 0;
    for (size_t length = 2000; length < 3 * kMiB; length = length * 5 / 3) {
      ASSERT_TRUE(model.update(7, textRow(length, textOf(length, length)), {0, 1}));
      model.expectSame();
      const uint8_t size_class = classOf(model.relation(), 7).index;
      EXPECT_GE(size_class, class_before);
      EXPECT_GE(pageBytes(SizeClass{size_class}), length);
      class_before = size_class;
    }
    EXPECT_EQ(class_before, 6) << "4 MiB";
    EXPECT_EQ(model.relation().tree().root(), root);
    EXPECT_EQ(model.relation().leafCount(), leaf_count);
    // The pages that the leaf had are free again; a root that was a leaf has become an inner node.
    const uint64_t grown = 4 * kMiB - (leaf_count == 1 ? 0 : kPageBytesMin);
    EXPECT_EQ(model.buffers().usedBytes(), used_before + grown);
    ASSERT_TRUE(model.update(7, textRow(1, textOf(1, 10)), {0, 1}));
    model.append(3, 100);
    model.reopen();
    model.expectSame();
    model.destroy();
  }
}

TEST(RelationUpdate, AppenderGoesOnWithALeafThatWasRearrangedOrMoved) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 3, 16 * kMiB);
  for (uint8_t round = 0; round < 60; ++round) {
    model.append(1 + round % 7, 30);
    const uint64_t last = model.relation().nextTupleId().value - 1;
    const size_t length = round % 10 == 9 ? 30000 * round / 10 : 300;
    ASSERT_TRUE(model.update(last, textRow(round, textOf(round, length)), {0, 1}));
  }
  model.expectSame();
}

TEST(RelationUpdate, LeafUsesTheRoomOfSlotsThatNoTupleWillTake) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 4, 16 * kMiB);
  while (model.relation().leafCount() < 2) model.append(100, 5);
  // Its 32 bytes per tuple leave room for a text in every eighth.
  const uint64_t first_leaf_rows = 1800;
  for (uint64_t id = 0; id < first_leaf_rows; id += 4) {
    ASSERT_TRUE(model.update(id, textRow(id, textOf(id, 3)), {0, 1}));
    ASSERT_TRUE(model.markDeletedId(id + 1));
  }
  EXPECT_EQ(classOf(model.relation(), 0).index, 0);
  model.expectSame();
}

/// Takes every page of the pool that is left.
class FullPool {
 public:
  explicit FullPool(BufferManager& buffers) : buffers_(buffers) {
    while (buffers.usedBytes() + kPageBytesMin <= buffers.poolBytes())
      held_.push_back(&buffers.allocate(SizeClass{0}, RelationId{1}, PageType::RelationLeaf).frame());
  }
  ~FullPool() {
    for (Frame* frame : held_) buffers_.free(ExclusiveGuard(*frame));
  }

 private:
  BufferManager& buffers_;
  std::vector<Frame*> held_;
};

TEST(RelationUpdate, WithoutALargerPageLeavesTheTupleAsItWas) {
  for (const uint64_t row_count : {20, 200}) {
    const TemporaryDirectory directory;
    RelationModel model(directory.path(), kTextSchema, 5, kMiB);
    for (uint64_t row = 0; row < row_count; ++row) model.append(textRow(row, textOf(row, 1000)));
    const ModelRow large = textRow(77, textOf(77, 100000));
    {
      const FullPool full(model.buffers());
      EXPECT_STREQ(
          errorOf([&] { model.relation().update(TupleId{3}, ModelChange(large, {0, 1}).change()); }).state().text(),
          "53200");
      model.expectSame();
    }
    ASSERT_TRUE(model.update(3, large, {0, 1}));
    model.expectSame();
  }
}

TEST(RelationUpdate, FullDiskLeavesTheTupleAsItWas) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 5, 64 * kMiB);
  for (uint64_t row = 0; row < 200; ++row) model.append(textRow(row, textOf(row, 1000)));
  const uint64_t used = model.buffers().usedBytes();
  const ModelRow large = textRow(77, textOf(77, 5 * kMiB));
  std::optional<FullDisk> full(3 * kMiB);
  const SqlError error = errorOf([&] { model.relation().update(TupleId{150}, ModelChange(large, {0, 1}).change()); });
  full.reset();
  EXPECT_STREQ(error.state().text(), "53100");
  EXPECT_EQ(model.buffers().usedBytes(), used);
  model.expectSame();
  ASSERT_TRUE(model.update(150, large, {0, 1}));
  model.expectSame();
}

TEST(RelationUpdate, TupleOverOneGigabyteIs54000) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kTextSchema, 6, 4 * kMiB);
  model.append(5, 100);
  // The length alone decides; the bytes are never looked at.
  const Datum value{(uint64_t{'x'} << 32) | (uint64_t{1} << 30), 0};
  const uint8_t not_null = 0;
  const uint32_t column = 1;
  const SqlError error = errorOf([&] { model.relation().update(TupleId{2}, {{&column, 1}, &value, &not_null}); });
  EXPECT_STREQ(error.state().text(), "54000");
  EXPECT_EQ(error.message(), "row is too big: size 1073741968, maximum size 1073741824");
  model.expectSame();
}

/// The page numbers that are in use, of all classes.
uint64_t pagesInUse(BufferManager& buffers) {
  uint64_t pages = 0;
  for (uint8_t index = 0; index < kSizeClassCount; ++index) {
    const PageNumbers& numbers = buffers.pageNumbers();
    pages += numbers.nextNumber(SizeClass{index}) - 1 - numbers.freeNumbers(SizeClass{index}).size();
  }
  return pages;
}

// statement:  update | mark deleted | append ...    leaves grow, are rearranged, strings move
// rollback:                                         undo in reverse order: no step takes a page
TEST(RelationUpdate, UndoInReverseOrderTakesNoPage) {
  const uint64_t seed = testSeed();
  for (uint8_t round = 0; round < 10; ++round) {
    const TemporaryDirectory directory;
    const RelationSchema schema = withLeafClass(everyKindSchema(), SizeClass{static_cast<uint8_t>(round % 4)});
    RelationModel model(directory.path(), schema, seed + round, 24 * kMiB);
    model.append(200 + model.below(600), round % 3 == 0 ? 400 : 60);
    model.update(200, 100);
    model.markDeleted(30);
    const auto before = model.rows();
    std::vector<std::function<void()>> undo;
    for (int step = 0; step < 400; ++step) {
      model.recordStep(undo, step % 50 == 49 ? 20000 : round % 2 == 0 ? 500 : 40, true);
      if (HasFatalFailure()) return;
    }
    model.expectSame();
    for (; !undo.empty(); undo.pop_back()) {
      const uint64_t pages = pagesInUse(model.buffers());
      undo.back()();
      ASSERT_LE(pagesInUse(model.buffers()), pages) << "seed " << seed;
    }
    EXPECT_TRUE(model.rows() == before) << "seed " << seed;
    model.expectSame();
  }
}

TEST(RelationUpdate, UndoWorksWhereNoPageIsToBeHad) {
  const uint64_t seed = testSeed();
  for (const uint64_t row_count : {50, 500}) {
    const TemporaryDirectory directory;
    RelationModel model(directory.path(), kTextSchema, seed, 24 * kMiB);
    model.append(row_count, 400);
    const auto before = model.rows();
    std::vector<std::function<void()>> undo;
    for (int step = 0; step < 300; ++step) model.recordStep(undo, step % 50 == 49 ? 20000 : 800, false);
    // A root stays, and nobody takes a child from a parent that is held.
    LeafView leaf;
    uint32_t row = 0;
    ASSERT_TRUE(model.relation().find(TupleId{model.rows().begin()->first}, leaf, row));
    Frame* parent = leaf.frame().parent.load();
    leaf.release();
    const SharedGuard held = parent ? SharedGuard(*parent) : SharedGuard();
    const FullPool full(model.buffers());
    ASSERT_STREQ(
        errorOf([&] { model.buffers().allocate(SizeClass{0}, kRelation, PageType::RelationLeaf); }).state().text(),
        "53200");
    for (; !undo.empty(); undo.pop_back()) undo.back()();
    EXPECT_TRUE(model.rows() == before) << "seed " << seed;
    model.expectSame();
  }
}

TEST(RelationUpdate, VersionMapGoesWithTheLeaf) {
  for (const uint64_t row_count : {20, 200}) {
    const TemporaryDirectory directory;
    RelationModel model(directory.path(), kTextSchema, 5, 64 * kMiB);
    for (uint64_t row = 0; row < row_count; ++row) model.append(textRow(row, textOf(row, 1000)));
    int map = 0;
    LeafView leaf;
    uint32_t row = 0;
    ASSERT_TRUE(model.relation().find(TupleId{3}, leaf, row));
    Frame& before = leaf.frame();
    before.version_map.store(&map);
    leaf.release();
    ASSERT_TRUE(model.update(3, textRow(4, textOf(4, 200000)), {0, 1}));
    EXPECT_EQ(before.version_map.load(), nullptr);
    ASSERT_TRUE(model.relation().find(TupleId{3}, leaf, row));
    EXPECT_NE(&leaf.frame(), &before);
    EXPECT_EQ(leaf.frame().version_map.exchange(nullptr), &map);
    leaf.release();
    model.expectSame();
  }
}

}  // namespace
}  // namespace gnomon::storage
