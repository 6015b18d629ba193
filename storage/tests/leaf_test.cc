#include "storage/relation/leaf.h"

#include <gtest/gtest.h>

#include <memory>

#include "storage/tests/row_model.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using testing::Batch;
using testing::everyKindSchema;
using testing::ModelRow;
using testing::RowGenerator;

/// A leaf page in plain memory.
class LeafPage {
 public:
  LeafPage(const RelationSchema& schema, uint32_t capacity) : memory_(new Block) {
    reinterpret_cast<PageHeader*>(page())->type = PageType::RelationLeaf;
    Leaf::initialise(page(), kPageBytesMin, schema, capacity, TupleId{0});
  }
  std::byte* page() { return memory_->bytes; }

 private:
  struct alignas(4096) Block {
    std::byte bytes[kPageBytesMin] = {};
  };
  std::unique_ptr<Block> memory_;
};

TEST(LeafLayout, ArraysAreAlignedAndDoNotOverlap) {
  for (const uint64_t capacity : {1, 2, 63, 64, 65, 500}) {
    LeafLayout layout;
    const RelationSchema& schema = everyKindSchema();
    layout.compute(schema, static_cast<uint32_t>(schema.size()), capacity);
    uint64_t end = LeafLayout::kTupleIdsOffset + capacity * 8;
    for (size_t column = 0; column < schema.size(); ++column) {
      EXPECT_EQ(layout.column_offsets[column] % 16, 0u);
      EXPECT_GE(layout.column_offsets[column], end);
      end = layout.column_offsets[column] + capacity * storedWidth(schema[column].kind);
    }
    for (size_t column = 0; column < schema.size(); ++column) {
      EXPECT_EQ(layout.null_offsets[column] != 0, schema[column].nullable);
      if (!schema[column].nullable) continue;
      EXPECT_GE(layout.null_offsets[column], end);
      end = layout.null_offsets[column] + (capacity + 7) / 8;
    }
    EXPECT_GE(layout.fixed_end, end);
    EXPECT_EQ(layout.fixed_end, leafFixedBytes(schema, 1, capacity));
  }
}

TEST(Leaf, CapacityUsesThePageToTheLastTuple) {
  const RelationSchema schema = {{StoredKind::Int64, false}};
  const uint32_t capacity = leafCapacity(schema, kPageBytesMin, 0);
  EXPECT_LE(leafFixedBytes(schema, 1, capacity), kPageBytesMin);
  EXPECT_GT(leafFixedBytes(schema, 1, capacity + 1), kPageBytesMin);
  EXPECT_EQ(leafCapacity(schema, kPageBytesMin, 100000), 1u);
}

void expectRows(const Leaf& leaf, std::byte* page, const RelationSchema& schema, const std::deque<ModelRow>& model) {
  ASSERT_EQ(leaf.header().tuple_count, model.size());
  ASSERT_TRUE(Leaf::isSound(page, kPageBytesMin, schema));
  for (uint32_t row = 0; row < model.size(); ++row) {
    ASSERT_EQ(leaf.tupleId(row), TupleId{row});
    for (uint32_t column = 0; column < schema.size(); ++column) {
      bool is_null = false;
      const Datum datum = readValue(page, schema, leaf.layout(), column, row, is_null);
      ASSERT_EQ(testing::fromDatum(schema[column], datum, is_null), model[row][column])
          << "row " << row << " column " << column;
    }
  }
}

TEST(Leaf, AgreesWithAModelUnderAppendsRearrangementsAndTruncations) {
  const RelationSchema& schema = everyKindSchema();
  const uint64_t seed = testing::testSeed();
  RowGenerator generator(schema, seed);
  for (int round = 0; round < 40; ++round) {
    LeafPage memory(schema, static_cast<uint32_t>(1 + generator.below(60)));
    Leaf leaf(memory.page(), schema);
    std::deque<ModelRow> model;
    const size_t text_bytes_max = generator.below(2) ? 8 : 400;
    for (int step = 0; step < 60; ++step) {
      Batch batch;
      std::deque<ModelRow> rows;
      for (uint64_t count = 1 + generator.below(30); count > 0; --count)
        batch.add(rows.emplace_back(generator.row(text_bytes_max)));
      uint64_t bytes = 0;
      uint32_t taken = leaf.append(TupleId{model.size()}, batch.values.data(), batch.null_flags.data(), rows.size(),
                                   kPageBytesMin, bytes);
      model.insert(model.end(), rows.begin(), rows.begin() + taken);
      if (taken == 0) {
        const uint64_t row_bytes = variableBytes(schema, batch.values.data(), batch.null_flags.data());
        const uint32_t better = leaf.betterCapacity(kPageBytesMin, row_bytes);
        if (better == 0) {
          leaf.truncate(TupleId{generator.below(model.size() + 1)}, kPageBytesMin);
          model.resize(leaf.header().tuple_count);
        } else {
          leaf.changeCapacity(better);
          taken =
              leaf.append(TupleId{model.size()}, batch.values.data(), batch.null_flags.data(), 1, kPageBytesMin, bytes);
          ASSERT_EQ(taken, 1u);
          model.push_back(rows[0]);
        }
      }
      if (step % 10 == 9) expectRows(leaf, memory.page(), schema, model);
    }
    expectRows(leaf, memory.page(), schema, model);
  }
}

TEST(Leaf, IsFilledWellWhateverTheStringLengths) {
  for (const size_t text_bytes_max : {5, 30, 100, 1000}) {
    const RelationSchema schema = {{StoredKind::Int64, false}, {StoredKind::String, false}};
    RowGenerator generator(schema, 1);
    LeafPage memory(schema, leafCapacity(schema, kPageBytesMin, 0));
    Leaf leaf(memory.page(), schema);
    for (;;) {
      const ModelRow row = generator.row(text_bytes_max);
      Batch batch;
      batch.add(row);
      uint64_t bytes = 0;
      const TupleId id{leaf.header().tuple_count};
      if (leaf.append(id, batch.values.data(), batch.null_flags.data(), 1, kPageBytesMin, bytes) == 1) continue;
      const uint32_t better =
          leaf.betterCapacity(kPageBytesMin, variableBytes(schema, batch.values.data(), batch.null_flags.data()));
      if (better == 0) break;
      leaf.changeCapacity(better);
    }
    const uint64_t used =
        leafFixedBytes(schema, 1, leaf.header().tuple_count) + kPageBytesMin - leaf.header().variable_begin;
    EXPECT_GT(used, kPageBytesMin * 93 / 100) << text_bytes_max;
  }
}

TEST(Leaf, DeletedFlagIsCountedOnceAndLeavesTheIdReadable) {
  const RelationSchema schema = {{StoredKind::Int64, false}};
  LeafPage memory(schema, 10);
  Leaf leaf(memory.page(), schema);
  const Datum values[] = {{1, 0}, {2, 0}, {3, 0}};
  const uint8_t null_flags[3] = {};
  uint64_t bytes = 0;
  ASSERT_EQ(leaf.append(TupleId{100}, values, null_flags, 3, kPageBytesMin, bytes), 3u);
  EXPECT_TRUE(leaf.markDeleted(TupleId{101}));
  EXPECT_FALSE(leaf.markDeleted(TupleId{101}));
  EXPECT_FALSE(leaf.markDeleted(TupleId{99}));
  EXPECT_FALSE(leaf.markDeleted(TupleId{103}));
  EXPECT_EQ(leaf.header().flagged_count, 1u);
  EXPECT_TRUE(leaf.isDeleted(1));
  EXPECT_EQ(leaf.tupleId(1), TupleId{101});
  EXPECT_EQ(leaf.lowerBound(TupleId{102}), 2u);
  leaf.truncate(TupleId{101}, kPageBytesMin);
  EXPECT_EQ(leaf.header().flagged_count, 0u);
}

TEST(Leaf, ColumnsAddedAfterTheLeafWasWrittenReadAsNull) {
  const RelationSchema old_schema = {{StoredKind::Int64, false}};
  const RelationSchema schema = {{StoredKind::Int64, false}, {StoredKind::String, true, 2, 2}};
  LeafPage memory(old_schema, 10);
  const Datum value{7, 0};
  const uint8_t not_null = 0;
  uint64_t bytes = 0;
  Leaf(memory.page(), old_schema).append(TupleId{0}, &value, &not_null, 1, kPageBytesMin, bytes);
  ASSERT_TRUE(Leaf::isSound(memory.page(), kPageBytesMin, schema));
  const Leaf leaf(memory.page(), schema);
  bool is_null = false;
  EXPECT_EQ(readValue(memory.page(), schema, leaf.layout(), 0, 0, is_null).lo, 7u);
  EXPECT_FALSE(is_null);
  readValue(memory.page(), schema, leaf.layout(), 1, 0, is_null);
  EXPECT_TRUE(is_null);
}

}  // namespace
}  // namespace gnomon::storage
