#include "storage/page_redo.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "storage/index/index_builder.h"
#include "storage/index/index_cursor.h"
#include "storage/tests/logged_store.h"
#include "storage/tests/relation_model.h"

namespace gnomon::storage {
namespace {

using testing::copyCrashed;
using testing::kMiB;
using testing::openWal;
using testing::Redone;
using testing::TemporaryDirectory;
using testing::testSeed;

/// The relation of a crashed directory holds these rows, if any are given, and is sound.
void expectRelation(Redone& redone, const RelationSchema& schema, const testing::RelationModel::Rows* rows) {
  const auto trees = redone.buffers->registry().trees();
  ASSERT_EQ(trees.size(), 1u);
  RelationState state{};
  state.root = trees.begin()->first;
  Relation relation(*redone.buffers, RelationId{9}, schema, state);
  Findings findings;
  relation.tree().check(findings);
  for (const std::string& problem : findings.problems) ADD_FAILURE() << problem;
  redone.expectPages(findings);
  if (rows == nullptr) return;
  RowCursor cursor(relation, TupleId{tuple_id_flags::kIdMask});
  for (const auto& [id, row] : *rows) {
    ASSERT_TRUE(cursor.next()) << "tuple " << id << " is missing";
    ASSERT_EQ(cursor.tupleId().value, id);
    ASSERT_EQ(testing::readRow(schema, cursor), row) << "tuple " << id;
  }
  EXPECT_FALSE(cursor.next());
}

void changeRelation(testing::RelationModel& model) {
  const size_t text_bytes_max = model.textBytesMax();
  switch (model.below(12)) {
    case 0:
    case 1:
    case 2:
      return model.append(1 + model.below(200), text_bytes_max);
    case 3:
    case 4:
    case 5:
      return model.update(20, text_bytes_max);
    case 6:
      return model.markDeleted(20);
    case 7:
      return model.deleteRange();
    case 8:
      return model.unmarkDeleted(10);
    case 9:
    case 10:
      return model.reclaim();
    default:
      if (model.below(3) == 0) model.truncate();
  }
}

/// A relation changes at random, pages are written and checkpoints taken at random; copies of its files are redone.
TEST(PageRedo, ARelationIsAsTheLogSaysAfterACrashAtAnyTime) {
  const uint64_t seed = testSeed();
  uint64_t compared = 0;
  for (uint64_t round = 0; round < 6; ++round) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " round " << round);
    const TemporaryDirectory directory, crashed;
    const auto wal = openWal(directory.path());
    const RelationSchema schema =
        round % 3 == 0 ? testing::withLeafClass(testing::everyKindSchema(), SizeClass{1}) : testing::everyKindSchema();
    testing::RelationModel model(directory.path(), schema, seed + round, 6 * kMiB, wal.get());
    Checkpointer checkpointer(model.buffers(), {});
    testing::RelationModel::Rows stable;
    Gsn stable_gsn;
    for (int step = 0; step < 400; ++step) {
      changeRelation(model);
      if (model.below(10) == 0) {
        wal->flushAll();
        stable = model.rows();
        stable_gsn = wal->lastGsn();
        if (model.below(2) == 0) model.buffers().evict(model.below(6 * kMiB));
        if (model.below(2) == 0) checkpointer.advance(model.below(2 * kMiB));
        if (model.below(8) == 0) checkpointer.checkpoint();
      }
      if (model.below(25) != 0) continue;
      copyCrashed(directory.path(), crashed.path() / "data");
      for (int crash = 0; crash < 2; ++crash) {
        Redone redone(crashed.path() / "data", crash == 0 ? 2 * kMiB : 8 * kMiB);
        const bool is_same = redone.last == stable_gsn;
        if (is_same) ++compared;
        ASSERT_NO_FATAL_FAILURE(expectRelation(redone, schema, is_same ? &stable : nullptr));
        if (::testing::Test::HasFailure()) return;
      }
    }
    model.expectSame();
  }
  EXPECT_GT(compared, 10u);
}

}  // namespace
}  // namespace gnomon::storage
