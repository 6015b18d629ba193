#include <gtest/gtest.h>

#include <bit>

#include "storage/tests/relation_model.h"
#include "storage/tests/test_support.h"

/// Leaves that were written before columns were added to their relation.
namespace gnomon::storage {
namespace {

using namespace testing;

const RelationSchema kBegun = {{StoredKind::Int64, false}, {StoredKind::String, true}};
const RelationSchema kExtended = {{StoredKind::Int64, false},
                                  {StoredKind::String, true},
                                  {StoredKind::Int32, true, 2, 2},
                                  {StoredKind::String, true, 2, 2},
                                  {StoredKind::Int128, true, 2, 2}};
const auto kSeven = std::make_shared<const OwnedValue>(StoredKind::Float32, Datum{std::bit_cast<uint64_t>(7.5), 0});
const auto kLongText = std::make_shared<const OwnedValue>(std::string(90, 'm'));

/// From the schema of two columns to one that has seen every change: a column a version, and one that becomes nullable.
RelationSchema schemaOfVersion(uint32_t version) {
  std::vector<StoredColumn> columns = {
      {StoredKind::Int64, version >= 5, 1, 5},   {StoredKind::String, true},
      {StoredKind::Int32, true, 2, 2},           {StoredKind::String, version >= 6, 3, 6, kLongText},
      {StoredKind::Float32, true, 4, 4, kSeven}, {StoredKind::String, true, 4, 4}};
  std::erase_if(columns, [version](const StoredColumn& column) { return column.since > version; });
  return RelationSchema(std::move(columns));
}

uint32_t columnsOf(Relation& relation, uint64_t id) {
  LeafView leaf;
  uint32_t row = 0;
  EXPECT_TRUE(relation.find(TupleId{id}, leaf, row));
  return leaf.access().column_count;
}

ModelRow rowOf(uint64_t number, std::string text, std::string added) {
  ModelRow row(kExtended.size());
  row[0].bits.lo = number;
  row[1] = {false, true, {}, std::move(text)};
  row[2].bits.lo = number % 1000;
  row[3] = {false, true, {}, std::move(added)};
  row[4].bits = {number, number * 3};
  return row;
}

TEST(RelationColumns, ValueInAnAddedColumnBringsAllColumnsIntoTheLeaf) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kBegun, testSeed(), 16 * kMiB);
  while (model.relation().leafCount() < 4) model.append(100, 60);
  model.reopen(kExtended);
  model.expectSame();
  const uint64_t last = model.relation().nextTupleId().value - 1;
  const ModelRow all_null(kExtended.size(), ModelValue{true, false, {}, {}});
  ASSERT_TRUE(model.update(5, all_null, {2, 3, 4}));
  EXPECT_EQ(columnsOf(model.relation(), 5), 2u) << "null is what the column was";
  ASSERT_TRUE(model.update(5, rowOf(5, "", std::string(40, 'x')), {0, 3}));
  EXPECT_EQ(columnsOf(model.relation(), 5), 5u);
  EXPECT_EQ(columnsOf(model.relation(), last), 2u);
  model.expectSame();
  ASSERT_TRUE(model.update(last, rowOf(7, "a", "b"), {2, 4}));
  EXPECT_EQ(columnsOf(model.relation(), last), 5u);
  model.expectSame();
  model.reopen();
  model.expectSame();
}

TEST(RelationColumns, AppenderGoesOnInALeafWithFewerColumnsOrBeginsAnother) {
  for (const bool is_full : {false, true}) {
    const TemporaryDirectory directory;
    RelationModel model(directory.path(), kBegun, testSeed(), 16 * kMiB);
    model.append(rowOf(1, std::string(is_full ? 65250 : 300, 'x'), ""));
    model.reopen(kExtended);
    model.append(10, 50);
    EXPECT_EQ(model.relation().leafCount(), is_full ? 2u : 1u);
    EXPECT_EQ(columnsOf(model.relation(), 0), is_full ? 2u : 5u);
    EXPECT_EQ(columnsOf(model.relation(), 1), 5u);
    model.expectSame();
    // An empty root with fewer columns.
    model.truncate(0);
    model.append(2000, 10);
    model.expectSame();
    model.destroy();
  }
}

// The text shrinks, an added column takes its room; taken back, the column must go for the text to fit again.
TEST(RelationColumns, UndoLeavesOutColumnsThatAreNullAgain) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kBegun, testSeed(), 16 * kMiB);
  model.append(rowOf(0, std::string(57000, 'x'), ""));
  for (uint64_t id = 1; id < 100; ++id) model.append(rowOf(id, std::string(20, 'y'), ""));
  model.append(rowOf(100, std::string(60000, 'z'), ""));
  ASSERT_EQ(model.relation().leafCount(), 2u);
  // Into the room that is left for that.
  ASSERT_TRUE(model.update(0, rowOf(0, std::string(60000, 'x'), ""), {1}));
  ASSERT_EQ(model.relation().leafCount(), 2u);
  model.reopen(kExtended);
  const ModelRow before = model.rows().at(0);
  ASSERT_TRUE(model.update(0, rowOf(0, "", ""), {1}));
  ASSERT_TRUE(model.update(50, rowOf(50, "", std::string(30000, 'n')), {3}));
  EXPECT_EQ(columnsOf(model.relation(), 0), 5u);
  model.expectSame();
  const uint64_t used = model.buffers().usedBytes();
  ASSERT_TRUE(model.update(50, before, {3}));
  ASSERT_TRUE(model.update(0, before, {1}));
  EXPECT_EQ(columnsOf(model.relation(), 0), 2u);
  EXPECT_EQ(model.buffers().usedBytes(), used);
  model.expectSame();
}

TEST(RelationColumns, RowsFromBeforeHaveTheMissingValue) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kBegun, testSeed(), 16 * kMiB);
  while (model.relation().leafCount() < 3) model.append(100, 60);
  model.changeSchema(schemaOfVersion(4));
  model.expectSame();
  EXPECT_EQ(columnsOf(model.relation(), 5), 2u);
  // The values that are there already change nothing.
  ASSERT_TRUE(model.update(5, model.rows().at(5), {2, 3, 4, 5}));
  EXPECT_EQ(columnsOf(model.relation(), 5), 2u);
  // The others of the leaf, which moves to a larger page, get theirs.
  ModelRow row = model.rows().at(6);
  row[3].text = "new";
  ASSERT_TRUE(model.update(6, row, {3}));
  EXPECT_EQ(columnsOf(model.relation(), 6), 6u);
  model.expectSame();
  model.reopen();
  model.expectSame();
}

TEST(RelationColumns, AColumnThatBecomesNullableTakesNullsInAnyLeaf) {
  const TemporaryDirectory directory;
  RelationModel model(directory.path(), kBegun, testSeed(), 16 * kMiB);
  while (model.relation().leafCount() < 3) model.append(100, 60);
  const RelationSchema schema = {{StoredKind::Int64, true, 1, 2}, {StoredKind::String, true}};
  model.changeSchema(schema);
  model.expectSame();
  const ModelRow all_null(2, ModelValue{true, false, {}, {}});
  ASSERT_TRUE(model.update(3, all_null, {0}));
  model.append(all_null);
  model.append(2000, 60);
  model.expectSame();
  model.reopen();
  model.expectSame();
}

TEST(RelationColumns, NeighboursOfDifferentVersionsMerge) {
  for (const bool left_is_newer : {false, true}) {
    const TemporaryDirectory directory;
    RelationModel model(directory.path(), kBegun, testSeed(), 16 * kMiB);
    while (model.relation().leafCount() < 2) model.append(100, 60);
    const uint64_t last = model.relation().nextTupleId().value - 1;
    model.changeSchema(schemaOfVersion(6));
    ModelRow row(6, ModelValue{true, false, {}, {}});
    ASSERT_TRUE(model.update(left_is_newer ? 0 : last, row, {0, 3}));
    for (uint64_t id = 2; id < last; ++id) model.markDeletedId(id);
    model.reclaim(0, last + 1);
    EXPECT_EQ(model.relation().leafCount(), 1u);
    model.expectSame();
    model.append(100, 60);
    model.expectSame();
    model.destroy();
  }
}

TEST(RelationColumns, AgreesWithAModelWhileTheSchemaChanges) {
  const uint64_t seed = testSeed();
  for (uint64_t round = 0; round < 5; ++round) {
    const TemporaryDirectory directory;
    RelationModel model(directory.path(), kBegun, seed + round, 16 * kMiB);
    for (uint32_t version = 1; version <= 7; ++version) {
      model.append(200 + model.below(2000), 60);
      if (model.below(2) == 0)
        model.changeSchema(schemaOfVersion(version));
      else
        model.reopen(schemaOfVersion(version));
      model.expectSame();
      if (model.below(2) == 0) model.append(10, 60);
      std::vector<std::function<void()>> undo;
      const auto before = model.rows();
      for (int step = 0; step < 200; ++step) model.recordStep(undo, step % 50 == 49 ? 20000 : 100, true);
      model.expectSame();
      if (model.below(2) == 0) {
        for (; !undo.empty(); undo.pop_back()) undo.back()();
        ASSERT_TRUE(model.rows() == before) << "seed " << seed;
        model.expectSame();
      }
      if (HasFatalFailure()) return;
    }
    model.destroy();
  }
}

}  // namespace
}  // namespace gnomon::storage
