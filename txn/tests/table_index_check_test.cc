#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "storage/index/index_cursor.h"
#include "storage/tests/test_support.h"
#include "txn/database_storage.h"
#include "txn/local_transaction.h"

namespace gnomon::txn {
namespace {

using storage::EncodedKey;
using storage::PageHeader;
using storage::PageType;
using storage::StoredKind;
using storage::testing::errorOf;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int64, true}};
const CancelToken kCalm;
constexpr uint64_t kCount = 20'000;

IndexDefinition definition(uint32_t column, bool is_unique) {
  return {.columns = {column},
          .parts = {{.kind = StoredKind::Int64}},
          .is_unique = is_unique,
          .duplicate = [](const Datum*, const uint8_t*, bool) {
            return SqlError(sqlstate::kUniqueViolation, "duplicate key");
          }};
}

/// Rows (number, number / 2), the second column null for each tenth.
void insert(Table& table, uint64_t first, uint64_t count) {
  LoneStatement statement(table, kCalm);
  for (uint64_t number = first; number < first + count; ++number) {
    const Datum values[] = {{number, 0}, {number / 2, 0}};
    const uint8_t null_flags[] = {0, static_cast<uint8_t>(number % 10 == 0)};
    const Datum stored[] = {values[0], null_flags[1] ? Datum{} : values[1]};
    statement->append(stored, null_flags);
  }
  statement.commit();
}

EncodedKey keyOf(const TableIndex& index, uint64_t number) {
  EncodedKey key;
  const storage::KeyValue value{{number, 0}, {}, false};
  index.encoder().encode({&value, 1}, key);
  return key;
}

struct Opened {
  std::unique_ptr<DatabaseStorage> storage;
  std::shared_ptr<Table> table;
  std::shared_ptr<TableIndex> numbers;  ///< unique, of column 0
  std::shared_ptr<TableIndex> halves;   ///< of column 1

  [[nodiscard]] std::vector<std::string> problems() const {
    storage::Findings findings;
    storage->check(findings);
    return findings.problems;
  }
};

Opened create(const TemporaryDirectory& directory) {
  Opened made;
  made.storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  made.table = made.storage->createTable(kSchema);
  insert(*made.table, 0, kCount / 2);
  made.numbers = made.storage->createIndex(*made.table, definition(0, true), kCalm);
  made.halves = made.storage->createIndex(*made.table, definition(1, false), kCalm);
  insert(*made.table, kCount / 2, kCount / 2);
  return made;
}

Opened reopen(const TemporaryDirectory& directory, RelationId table, bool are_halves_unique) {
  Opened opened;
  opened.storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  opened.table = opened.storage->openTable(table);
  opened.numbers = opened.storage->openIndex(*opened.table, RelationId{table.value + 1}, definition(0, true));
  opened.halves =
      opened.storage->openIndex(*opened.table, RelationId{table.value + 2}, definition(1, are_halves_unique));
  return opened;
}

TEST(TableIndexCheck, ADirectoryWithIndexesIsSound) {
  const TemporaryDirectory directory;
  RelationId id;
  {
    const Opened made = create(directory);
    id = made.table->id();
    EXPECT_THAT(made.problems(), IsEmpty());
    LoneStatement statement(*made.table, kCalm);
    for (uint64_t tuple = 0; tuple < 500; ++tuple) statement->remove(TupleId{tuple * 3});
    statement.commit();
    EXPECT_THAT(made.problems(), IsEmpty());
    made.storage->checkpointAndClose();
  }
  EXPECT_THAT(reopen(directory, id, false).problems(), IsEmpty());
}

TEST(TableIndexCheck, EntriesOfDeletedTuplesAreCountedOnly) {
  const TemporaryDirectory directory;
  const Opened made = create(directory);
  {
    LoneStatement statement(*made.table, kCalm);
    statement->remove(TupleId{7});
    statement->remove(TupleId{9});
    statement.commit();
  }
  made.numbers->tree().insert(keyOf(*made.numbers, 7).view(), TupleId{7});
  made.numbers->tree().insert(keyOf(*made.numbers, 8).view(), TupleId{9});
  storage::Findings findings;
  EXPECT_EQ(made.numbers->check(made.table->relation(), findings), 2u);
  EXPECT_EQ(made.halves->check(made.table->relation(), findings), 0u);
  EXPECT_THAT(findings.problems, IsEmpty());
}

TEST(TableIndexCheck, WhatDoesNotFitTheTableIsNamed) {
  const TemporaryDirectory directory;
  const Opened made = create(directory);
  const auto begin = fmt::format("index {} of relation {} ", made.numbers->id().value, made.table->id().value);
  storage::IndexTree& tree = made.numbers->tree();
  ASSERT_TRUE(tree.erase(keyOf(*made.numbers, 5000).view(), TupleId{5000}));
  EXPECT_THAT(made.problems(), ElementsAre(begin + "has no entry for tuple 5000"));
  tree.insert(keyOf(*made.numbers, 5001).view(), TupleId{5000});
  EXPECT_THAT(made.problems(), ElementsAre(begin + "has an entry for tuple 5000 with another key than the tuple's",
                                           begin + "has no entry for tuple 5000"));
  ASSERT_TRUE(tree.erase(keyOf(*made.numbers, 5001).view(), TupleId{5000}));
  tree.insert(keyOf(*made.numbers, 5000).view(), TupleId{5000});
  tree.insert(keyOf(*made.numbers, 5000).view(), TupleId{kCount});
  EXPECT_THAT(made.problems(), ElementsAre(begin + fmt::format("has an entry for tuple {}, which never was", kCount)));
}

TEST(TableIndexCheck, EqualKeysInAUniqueIndexAreNamedAndNullsAreNotEqual) {
  const TemporaryDirectory directory;
  RelationId id;
  {
    const Opened made = create(directory);
    id = made.table->id();
    LoneStatement statement(*made.table, kCalm);
    for (uint64_t tuple = 0; tuple < kCount - 6; ++tuple) statement->remove(TupleId{tuple});
    statement.commit();
    made.storage->checkpointAndClose();
  }
  // Left: 19994 to 19999; none of them is a tenth, so they are three pairs.
  const Opened opened = reopen(directory, id, true);
  const auto begin = fmt::format("index {} of relation {} is unique, and tuples ", id.value + 2, id.value);
  const auto end = std::string(" have the same key");
  EXPECT_THAT(opened.problems(), ElementsAre(begin + "19994 and 19995" + end, begin + "19996 and 19997" + end,
                                             begin + "19998 and 19999" + end));
}

/// The page numbers of a relation's pages of a type.
std::vector<uint64_t> pagesOf(const TemporaryDirectory& directory, RelationId relation, PageType type) {
  std::vector<uint64_t> numbers;
  std::ifstream file(directory.path() / "pages.00", std::ios::binary);
  std::vector<char> page(storage::kPageBytesMin);
  for (uint64_t number = 1; file.read(page.data(), static_cast<std::streamsize>(page.size())); ++number) {
    const auto& header = *reinterpret_cast<const PageHeader*>(page.data());
    if (header.relation_id == relation && header.type == type) numbers.push_back(number);
  }
  return numbers;
}

void damage(const TemporaryDirectory& directory, uint64_t number) {
  std::fstream file(directory.path() / "pages.00", std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>((number - 1) * storage::kPageBytesMin + 1000)).write("damage", 6);
}

// rows 20000 .. 20999: their keys belong into the last leaf, which is damaged, or into the first of `halves`, which is
// not: what was added there is taken back, or leads nowhere.
TEST(WriteStatement, IsUndoneWhereAnIndexIsDamaged) {
  const TemporaryDirectory directory;
  RelationId id;
  {
    const Opened made = create(directory);
    id = made.table->id();
    made.storage->checkpointAndClose();
  }
  const std::vector<uint64_t> leaves = pagesOf(directory, RelationId{id.value + 2}, PageType::IndexLeaf);
  ASSERT_GT(leaves.size(), 2u);
  for (const uint64_t leaf : leaves) damage(directory, leaf);
  const Opened opened = reopen(directory, id, false);
  for (int attempt = 0; attempt < 3; ++attempt)
    EXPECT_STREQ(errorOf([&] { insert(*opened.table, kCount, 1000); }).state().text(), "XX001");
  EXPECT_EQ(opened.table->tupleCountEstimate(), kCount);
  uint64_t next = 0;
  storage::RowCursor cursor(opened.table->relation(), opened.table->readBound());
  while (cursor.next()) ASSERT_EQ(cursor.value(0).lo, next++);
  EXPECT_EQ(next, kCount);
  storage::Findings findings;
  opened.numbers->check(opened.table->relation(), findings);
  EXPECT_THAT(findings.problems, IsEmpty());
  // Without the damaged index the table is as good as before.
  opened.storage->dropIndex(*opened.table, opened.halves);
  insert(*opened.table, kCount, 1000);
  EXPECT_EQ(opened.table->tupleCountEstimate(), kCount + 1000);
  opened.table->relation().audit();
  opened.numbers->check(opened.table->relation(), findings);
  EXPECT_THAT(findings.problems, IsEmpty());
  opened.storage->checkpointAndClose();
}

}  // namespace
}  // namespace gnomon::txn
