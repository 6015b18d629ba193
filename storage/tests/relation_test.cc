#include "storage/relation/relation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <optional>
#include <thread>

#include "storage/relation/schema_bytes.h"
#include "storage/tests/row_model.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using testing::Batch;
using testing::errorOf;
using testing::everyKindSchema;
using testing::kMiB;
using testing::ModelRow;
using testing::RowGenerator;
using testing::TemporaryDirectory;

constexpr RelationId kRelation{9};
using Model = std::map<uint64_t, ModelRow>;

void expectSame(Relation& relation, const Model& model) {
  relation.audit();
  RowCursor cursor(relation, relation.nextTupleId());
  for (const auto& [id, row] : model) {
    ASSERT_TRUE(cursor.next());
    ASSERT_EQ(cursor.tupleId().value, id);
    ASSERT_EQ(testing::readRow(relation.schema(), cursor), row) << "tuple " << id;
  }
  ASSERT_FALSE(cursor.next());
  ASSERT_EQ(relation.tupleCount(), model.size());
}

void expectFound(Relation& relation, const Model& model, uint64_t id) {
  LeafView leaf;
  uint32_t row = 0;
  const auto expected = model.find(id);
  ASSERT_EQ(relation.find(TupleId{id}, leaf, row), expected != model.end()) << "tuple " << id;
  if (expected == model.end()) return;
  for (uint32_t column = 0; column < relation.schema().size(); ++column) {
    bool is_null = false;
    const Datum datum = leaf.value(column, row, is_null);
    ASSERT_EQ(testing::fromDatum(relation.schema()[column], datum, is_null), expected->second[column]);
  }
}

/// One open relation and its model.
struct Fixture {
  Fixture(const std::filesystem::path& directory, const RelationState* state)
      : buffers(directory, {.pool_bytes = 64 * kMiB}),
        relation(state ? std::make_unique<Relation>(buffers, kRelation, everyKindSchema(), *state)
                       : std::make_unique<Relation>(buffers, kRelation, everyKindSchema())),
        appender(std::in_place, *relation) {}
  BufferManager buffers;
  std::unique_ptr<Relation> relation;
  std::optional<RelationAppender> appender;
};

void appendRandom(Fixture& fixture, RowGenerator& generator, Model& model) {
  // Mostly short rows; now and then some that need larger pages.
  const size_t text_bytes_max = generator.below(40) == 0 ? 200000 : generator.below(4) == 0 ? 2000 : 40;
  const uint64_t count = text_bytes_max > 2000 ? 2 : 1 + generator.below(300);
  Batch batch;
  std::deque<ModelRow> rows;
  for (uint64_t row = 0; row < count; ++row) batch.add(rows.emplace_back(generator.row(text_bytes_max)));
  const TupleId first = fixture.appender->appendBatch(batch.values.data(), batch.null_flags.data(), count);
  for (uint64_t row = 0; row < count; ++row) model[first.value + row] = std::move(rows[row]);
}

TEST(Relation, AgreesWithAModelUnderRandomOperationsAndReopening) {
  const TemporaryDirectory directory;
  const uint64_t seed = testing::testSeed();
  RowGenerator generator(everyKindSchema(), seed);
  Model model;
  auto fixture = std::make_unique<Fixture>(directory.path(), nullptr);
  for (int step = 0; step < 150; ++step) {
    Relation& relation = *fixture->relation;
    const uint64_t next = relation.nextTupleId().value;
    switch (generator.below(12)) {
      case 0: {
        const uint64_t bound = generator.below(6) == 0 ? 0 : next - generator.below(next / 3 + 1);
        relation.truncate(TupleId{bound});
        fixture->appender.emplace(relation);
        model.erase(model.lower_bound(bound), model.end());
        break;
      }
      case 1:
        for (int victim = 0; victim < 20; ++victim) {
          const uint64_t id = generator.below(next + 2);
          ASSERT_EQ(relation.markDeleted(TupleId{id}), model.erase(id) == 1);
        }
        break;
      case 2: {
        const RelationState state = relation.state();
        fixture->buffers.writeAll();
        fixture = nullptr;
        fixture = std::make_unique<Fixture>(directory.path(), &state);
        break;
      }
      case 3:
        expectSame(relation, model);
        break;
      default:
        appendRandom(*fixture, generator, model);
    }
    for (int look = 0; look < 10; ++look)
      expectFound(*fixture->relation, model, generator.below(fixture->relation->nextTupleId().value + 3));
    if (HasFatalFailure()) return;
  }
  expectSame(*fixture->relation, model);
  fixture->relation->destroy();
  EXPECT_EQ(fixture->buffers.usedBytes(), 0u);
}

// Numbers, the greatest of other columns, and NULLs are not it.
TEST(Relation, NotesTheFirstNaN) {
  constexpr uint64_t kGreatest = INT64_MAX;
  const RelationSchema schema = {{.kind = StoredKind::Int64, .nullable = true},
                                 {.kind = StoredKind::Int64, .nullable = true, .greatest_is_nan = true},
                                 {.kind = StoredKind::Int128, .nullable = true, .greatest_is_nan = true}};
  const Datum plain[] = {{kGreatest, 0}, {kGreatest - 1, 0}, {kGreatest, 0}};
  const Datum nulls[] = {{1, 0}, {kGreatest, 0}, {UINT64_MAX, kGreatest}};
  const uint8_t none_null[] = {0, 0, 0}, both_null[] = {0, 1, 1};
  const Datum narrow{kGreatest, 0}, wide{UINT64_MAX, kGreatest};
  enum class By { Append, AppendWide, Update };
  for (const By by : {By::Append, By::AppendWide, By::Update}) {
    const TemporaryDirectory directory;
    BufferManager buffers(directory.path(), {.pool_bytes = 16 * kMiB});
    Relation relation(buffers, kRelation, schema);
    RelationAppender appender(relation);
    appender.append(plain, none_null);
    const TupleId second = appender.append(nulls, both_null);
    const uint32_t numbers[] = {0, 1};
    const Datum other[] = {{kGreatest, 0}, {5, 0}};
    EXPECT_TRUE(relation.update(second, {numbers, other, none_null}));
    EXPECT_FALSE(relation.holdsNan());
    EXPECT_FALSE(parseSchema(relation.registered().schema).holdsNan());
    const uint32_t column = 2;
    if (by == By::Append) {
      const Datum row[] = {{1, 0}, narrow, {1, 0}};
      appender.append(row, none_null);
    } else if (by == By::AppendWide) {
      const Datum rows[] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, wide};
      const uint8_t flags[6] = {};
      appender.appendBatch(rows, flags, 2);
    } else {
      EXPECT_TRUE(relation.update(second, {{&column, 1}, &wide, none_null}));
    }
    EXPECT_TRUE(relation.holdsNan());
    const RelationSchema kept = parseSchema(relation.registered().schema);
    EXPECT_TRUE(kept.holdsNan());
    EXPECT_TRUE(Relation(buffers, RelationId{kRelation.value + 1}, kept).holdsNan());
    relation.audit();
  }
}

// One value to a page of 64 KiB, and as many more as larger ones hold beside the room for strings that grow.
TEST(Relation, LeavesGrowWithIt) {
  const TemporaryDirectory directory;
  const RelationSchema schema({{StoredKind::Int64, false}, {StoredKind::String, false}}, std::nullopt);
  constexpr uint64_t kPoolBytes = 640 * kMiB;
  const std::string text(40000, 'x');
  const StringValue header = StringValue::refer(text, StringValue::Storage::Temporary);
  const uint8_t null_flags[2] = {};
  constexpr uint64_t kRowsOfLeaf[] = {1, 3, 6, 12};
  RelationState state;
  uint64_t rows = 0;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = kPoolBytes});
    Relation relation(buffers, kRelation, schema);
    RelationAppender appender(relation);
    for (uint64_t leaf = 0; leaf < 1100; ++leaf) {
      const unsigned index = leaf < 512 ? 0 : leaf < 768 ? 1 : leaf < 1024 ? 2 : 3;
      for (uint64_t row = 0; row < kRowsOfLeaf[index]; ++row, ++rows) {
        const Datum values[] = {{rows * 3, 0}, {header.lo(), header.hi()}};
        ASSERT_EQ(appender.append(values, null_flags).value, rows);
      }
      ASSERT_EQ(relation.leafCount(), leaf + 1);
    }
    EXPECT_EQ(relation.leafBytes(), (32 + 32 + 64) * kMiB + 76 * 512 * 1024);
    EXPECT_EQ(buffers.usedBytes(), relation.leafBytes() + kPageBytesMin) << "the leaves and their parent";
    relation.audit();
    state = relation.state();
    buffers.writeAll();
  }
  BufferManager buffers(directory.path(), {.pool_bytes = kPoolBytes});
  Relation relation(buffers, kRelation, parseSchema(serialiseSchema(schema)), state);
  EXPECT_EQ(relation.nextLeafClass(), SizeClass{3});
  LeafView leaf;
  uint32_t row = 0;
  bool is_null = false;
  for (uint64_t id = 0; id < rows; ++id) {
    ASSERT_TRUE(relation.find(TupleId{id}, leaf, row));
    ASSERT_EQ(leaf.value(0, row, is_null).lo, id * 3);
  }
  leaf.release();
  relation.truncate(TupleId{600});
  EXPECT_EQ(relation.nextLeafClass(), SizeClass{1});
  relation.destroy();
}

// One large value to a page makes enough leaves for the root to split: an inner node has 4092 children at most.
TEST(Relation, GrowsBeyondOneInnerNodeAndShrinksBack) {
  const TemporaryDirectory directory;
  const RelationSchema schema = {{StoredKind::Int64, false}, {StoredKind::String, false}};
  BufferManager buffers(directory.path(), {.pool_bytes = 640 * kMiB});
  const std::string text(40000, 'x');
  const StringValue header = StringValue::refer(text, StringValue::Storage::Temporary);
  const uint8_t null_flags[2] = {};
  constexpr uint64_t kRows = 4300;
  RelationState state;
  {
    Relation relation(buffers, kRelation, schema);
    RelationAppender appender(relation);
    for (uint64_t row = 0; row < kRows; ++row) {
      const Datum values[] = {{row * 3, 0}, {header.lo(), header.hi()}};
      ASSERT_EQ(appender.append(values, null_flags).value, row);
    }
    EXPECT_EQ(relation.leafCount(), kRows);
    relation.audit();
    LeafView leaf;
    uint32_t row = 0;
    bool is_null = false;
    for (uint64_t id = 0; id < kRows; ++id) {
      ASSERT_TRUE(relation.find(TupleId{id}, leaf, row));
      ASSERT_EQ(leaf.value(0, row, is_null).lo, id * 3);
    }
    leaf.release();
    {
      RowCursor cursor(relation, TupleId{kRows});
      for (uint64_t id = 0; id < kRows; ++id) {
        ASSERT_TRUE(cursor.next());
        ASSERT_EQ(cursor.value(0).lo, id * 3);
      }
      ASSERT_FALSE(cursor.next());
    }
    for (const uint64_t bound : {uint64_t{4200}, uint64_t{4092}, uint64_t{4091}, uint64_t{2}}) {
      relation.truncate(TupleId{bound});
      relation.audit();
      EXPECT_EQ(relation.leafCount(), bound);
      EXPECT_FALSE(relation.find(TupleId{bound}, leaf, row));
      ASSERT_TRUE(relation.find(TupleId{bound - 1}, leaf, row));
      leaf.release();
    }
    const Datum values[] = {{77, 0}, {header.lo(), header.hi()}};
    RelationAppender second(relation);
    EXPECT_EQ(second.append(values, null_flags), TupleId{2});
    ASSERT_TRUE(relation.find(TupleId{2}, leaf, row));
    EXPECT_EQ(leaf.value(0, row, is_null).lo, 77u);
    leaf.release();
    relation.destroy();
  }
  EXPECT_EQ(buffers.usedBytes(), 0u);
}

// writer:   the root turns into an inner node (append), and back into a leaf (truncate), again and again
// readers:  find tuple 0: there with its value, or not there; never a page that is no leaf
TEST(Relation, ReadersFollowARootThatChangesItsKind) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 16 * kMiB});
  Relation relation(buffers, kRelation, {{StoredKind::Int64, false}});
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  for (int index = 0; index < 2; ++index)
    readers.emplace_back([&] {
      LeafView leaf;
      uint32_t row = 0;
      while (!done.load()) {
        bool is_null = false;
        if (relation.find(TupleId{0}, leaf, row)) EXPECT_EQ(leaf.value(0, row, is_null).lo, 77u);
        leaf.release();
      }
    });
  const std::vector<Datum> values(5000, Datum{77, 0});
  const std::vector<uint8_t> null_flags(5000, 0);
  for (int round = 0; round < 1000; ++round) {
    RelationAppender appender(relation);
    appender.appendBatch(values.data(), null_flags.data(), 5000);
    relation.truncate(TupleId{0});
  }
  done.store(true);
  for (std::thread& reader : readers) reader.join();
  relation.audit();
}

TEST(Relation, HoldsAHundredMegabyteValueInOnePageAndReadsItBackAfterReopen) {
  const TemporaryDirectory directory;
  const RelationSchema schema = {{StoredKind::String, true}};
  std::string text(100 * 1000 * 1000, 'a');
  for (size_t at = 0; at < text.size(); at += 4099) text[at] = static_cast<char>('b' + at % 23);
  const StringValue header = StringValue::refer(text, StringValue::Storage::Temporary);
  const Datum values[] = {{1, 'z'}, {header.lo(), header.hi()}, {0, 0}};
  const uint8_t null_flags[] = {1, 0, 0};
  RelationState state;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = 160 * kMiB});
    Relation relation(buffers, kRelation, schema);
    RelationAppender appender(relation);
    appender.appendBatch(values, null_flags, 3);
    relation.audit();
    state = relation.state();
    EXPECT_EQ(buffers.usedBytes(), 128 * kMiB + 2 * kPageBytesMin);
    buffers.writeAll();
  }
  BufferManager buffers(directory.path(), {.pool_bytes = 160 * kMiB});
  Relation relation(buffers, kRelation, schema, state);
  RowCursor cursor(relation, relation.nextTupleId());
  ASSERT_TRUE(cursor.next());
  EXPECT_TRUE(cursor.isNull(0));
  ASSERT_TRUE(cursor.next());
  const Datum datum = cursor.value(0);
  EXPECT_TRUE(StringValue(datum.lo, datum.hi).view() == text);
  ASSERT_TRUE(cursor.next());
  EXPECT_EQ(StringValue(cursor.value(0).lo, cursor.value(0).hi).length(), 0u);
  EXPECT_FALSE(cursor.next());
}

TEST(Relation, TupleOverOneGigabyteIs54000) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
  Relation relation(buffers, kRelation, {{StoredKind::String, false}});
  RelationAppender appender(relation);
  // The length alone decides; the bytes are never looked at.
  const Datum value{(uint64_t{'x'} << 32) | (uint64_t{1} << 30), 0};
  const uint8_t not_null = 0;
  EXPECT_STREQ(errorOf([&] { appender.append(&value, &not_null); }).state().text(), "54000");
  EXPECT_EQ(relation.tupleCount(), 0u);
}

TEST(Relation, FullPoolLeavesWhatWasThere) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = kMiB});
  // Pages without an owner never leave.
  std::vector<Frame*> held;
  for (int page = 0; page < 15; ++page)
    held.push_back(&buffers.allocate(SizeClass{0}, kRelation, PageType::RelationLeaf).frame());
  const RelationSchema schema = {{StoredKind::Int64, false}};
  Relation relation(buffers, kRelation, schema);
  RelationAppender appender(relation);
  std::vector<Datum> values(1000);
  const std::vector<uint8_t> null_flags(1000, 0);
  const auto appendThousand = [&] {
    const uint64_t first = relation.nextTupleId().value;
    for (size_t row = 0; row < values.size(); ++row) values[row].lo = first + row;
    appender.appendBatch(values.data(), null_flags.data(), values.size());
  };
  appendThousand();
  const SqlError error = errorOf([&] {
    for (int batch = 0; batch < 1000; ++batch) appendThousand();
  });
  EXPECT_STREQ(error.state().text(), "53200");
  relation.audit();
  relation.truncate(TupleId{1000});
  relation.audit();
  for (int page = 0; page < 3; ++page) buffers.free(ExclusiveGuard(*held[page]));
  for (int batch = 0; batch < 39; ++batch) appendThousand();
  relation.audit();
  RowCursor cursor(relation, relation.nextTupleId());
  for (uint64_t row = 0; row < 40000; ++row) {
    ASSERT_TRUE(cursor.next());
    ASSERT_EQ(cursor.value(0).lo, row);
  }
  EXPECT_FALSE(cursor.next());
}

TEST(Relation, WithoutColumnsCountsItsTuples) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = kMiB});
  Relation relation(buffers, kRelation, {});
  RelationAppender appender(relation);
  appender.appendBatch(nullptr, nullptr, 10000);
  relation.audit();
  RowCursor cursor(relation, TupleId{9000});
  uint64_t rows = 0;
  while (cursor.next()) EXPECT_EQ(cursor.tupleId().value, rows++);
  EXPECT_EQ(rows, 9000u);
}

TEST(Relation, OpenedWithOtherColumnsIsXX001) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = kMiB});
  RelationState state;
  {
    Relation relation(buffers, kRelation, {{StoredKind::Int64, false}, {StoredKind::Int64, false}});
    RelationAppender appender(relation);
    const Datum values[2] = {};
    const uint8_t null_flags[2] = {};
    appender.append(values, null_flags);
    state = relation.state();
    buffers.writeAll();
  }
  BufferManager again(directory.path(), {.pool_bytes = kMiB});
  Relation relation(again, kRelation, {{StoredKind::Int64, false}, {StoredKind::Int16, false}}, state);
  EXPECT_STREQ(errorOf([&] {
                 RowCursor cursor(relation, relation.nextTupleId());
                 cursor.next();
               })
                   .state()
                   .text(),
               "XX001");
}

}  // namespace
}  // namespace gnomon::storage
