#include "storage/relation_registry.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/sql_error.h"
#include "storage/index/index_tree.h"
#include "storage/relation/relation.h"
#include "storage/relation/schema_bytes.h"
#include "storage/tests/logged_store.h"

namespace gnomon::storage {
namespace {

using testing::errorOf;
using testing::kMiB;
using testing::Redone;
using testing::TemporaryDirectory;

RelationSchema richSchema() {
  return RelationSchema({{StoredKind::Int16, false},
                         {StoredKind::String, true},
                         {.kind = StoredKind::Int128, .nullable = true, .greatest_is_nan = true},
                         {.kind = StoredKind::Int64,
                          .nullable = false,
                          .since = 2,
                          .missing = std::make_shared<const OwnedValue>(StoredKind::Int64, Datum{77, 0})},
                         {.kind = StoredKind::String,
                          .nullable = true,
                          .since = 3,
                          .nullable_since = 4,
                          .missing = std::make_shared<const OwnedValue>(std::string(50, 'm'))}},
                        SizeClass{2});
}

void expectSame(const RelationSchema& left, const RelationSchema& right) {
  ASSERT_EQ(left.size(), right.size());
  EXPECT_EQ(left.version(), right.version());
  EXPECT_EQ(left.leafClass(), right.leafClass());
  for (size_t column = 0; column < left.size(); ++column) {
    EXPECT_EQ(left[column].kind, right[column].kind);
    EXPECT_EQ(left[column].nullable, right[column].nullable);
    EXPECT_EQ(left[column].since, right[column].since);
    EXPECT_EQ(left[column].nullable_since, right[column].nullable_since);
    EXPECT_EQ(left[column].greatest_is_nan, right[column].greatest_is_nan);
    ASSERT_EQ(left[column].missing == nullptr, right[column].missing == nullptr);
    if (left[column].missing == nullptr) continue;
    EXPECT_EQ(left[column].missing->text(), right[column].missing->text());
    if (left[column].kind != StoredKind::String)
      EXPECT_EQ(left[column].missing->datum(), right[column].missing->datum());
  }
}

TEST(RelationRegistry, SchemasComeBackFromTheirBytes) {
  const std::string bytes = serialiseSchema(richSchema());
  expectSame(parseSchema(bytes), richSchema());
  EXPECT_FALSE(parseSchema(bytes).holdsNan());
  RelationSchema with_nan = richSchema();
  with_nan.noteNan();
  EXPECT_TRUE(parseSchema(serialiseSchema(with_nan)).holdsNan());
  for (size_t count = 0; count < bytes.size(); ++count)
    EXPECT_STREQ(errorOf([&] { parseSchema(std::string_view(bytes).substr(0, count)); }).state().text(), "XX001");
}

TEST(RelationRegistry, TheFileAndTheLogSayTheSame) {
  const TemporaryDirectory directory;
  RelationRegistry::Relations relations;
  std::map<PageId, RegisteredTree> trees;
  {
    const auto wal = testing::openWal(directory.path());
    BufferManager buffers(directory.path(), {.pool_bytes = 16 * kMiB});
    buffers.log().attach(wal.get());
    buffers.writePageNumbers(buffers.pageNumbers().state());
    Relation kept(buffers, RelationId{20}, richSchema());
    Relation dropped(buffers, RelationId{21}, richSchema());
    IndexTree index(buffers, RelationId{22}, true);
    RegisteredRelation entry{.kind = TreeKind::UniqueIndex, .state = {}, .schema = {}};
    entry.state.root = index.root();
    buffers.registry().setRelations(buffers,
                                    {{RelationId{20}, kept.registered()}, {RelationId{21}, dropped.registered()}});
    buffers.registry().setRelations(buffers, {{RelationId{22}, entry}});
    const RelationId gone[] = {RelationId{21}};
    buffers.registry().dropRelations(buffers, gone);
    dropped.destroy();
    relations = buffers.registry().relations();
    trees = buffers.registry().trees();
    wal->flushAll();
    EXPECT_EQ(buffers.registry().nextRelationId(), 23u);
  }
  const auto expectKnown = [&](RelationRegistry& registry) {
    ASSERT_EQ(registry.relations().size(), relations.size());
    for (const auto& [id, relation] : registry.relations()) {
      EXPECT_EQ(relation.kind, relations[id].kind);
      EXPECT_EQ(relation.state.root, relations[id].state.root);
      EXPECT_EQ(relation.schema, relations[id].schema);
    }
    ASSERT_EQ(registry.trees().size(), trees.size());
    for (const auto& [root, tree] : registry.trees()) {
      EXPECT_EQ(tree.relation, trees[root].relation);
      EXPECT_EQ(tree.kind, trees[root].kind);
    }
    EXPECT_EQ(registry.nextRelationId(), 23u);
  };
  {
    const Redone redone(directory.path());
    expectKnown(redone.buffers->registry());
    redone.buffers->registry().write(redone.buffers->registry().serialise());
  }
  RelationRegistry read(directory.path());
  ASSERT_TRUE(read.read());
  expectKnown(read);
  // Known already: it does no harm.
  const Redone again(directory.path());
  expectKnown(again.buffers->registry());
  std::fstream(directory.path() / "gnomon.relations", std::ios::in | std::ios::out | std::ios::binary)
      .seekp(60)
      .put('\x7f');
  RelationRegistry damaged(directory.path());
  EXPECT_STREQ(errorOf([&] { damaged.read(); }).state().text(), "XX001");
}

}  // namespace
}  // namespace gnomon::storage
