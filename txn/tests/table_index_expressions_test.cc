#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <random>

#include "base/string_value.h"
#include "storage/index/index_cursor.h"
#include "storage/tests/test_support.h"
#include "txn/database_storage.h"
#include "txn/local_transaction.h"

namespace gnomon::txn {
namespace {

using storage::EncodedKey;
using storage::StoredKind;
using storage::testing::errorOf;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int64, true}, {StoredKind::String, true}};
const CancelToken kCalm;

/// Rows (id, number, text). The index has rows whose number is not NULL and even; its parts are number / 10 and the
/// text twice. Where number is 1000 it fails.
class Tens final : public KeyExpressions {
 public:
  bool evaluate(const Datum* values, const uint8_t* null_flags, Datum* parts, uint8_t* part_nulls,
                Arena& memory) const override {
    if (null_flags[1] == 0 && values[1].lo == 1000) throw SqlError(sqlstate::kDivisionByZero, "division by zero");
    if (null_flags[1] != 0 || values[1].lo % 2 != 0) return false;
    parts[0] = {values[1].lo / 10, 0};
    part_nulls[0] = 0;
    part_nulls[1] = null_flags[2];
    if (null_flags[2] != 0) return true;
    const StringValue text(values[2].lo, values[2].hi);
    const std::string twice = std::string(text.view()) + std::string(text.view());
    const StringValue copy = StringValue::refer(memory.copy(twice), StringValue::Storage::Transient);
    parts[1] = {copy.lo(), copy.hi()};
    return true;
  }
};

IndexDefinition tens(bool is_unique) {
  return {.columns = {1, 2},
          .parts = {{.kind = StoredKind::Int64}, {.kind = StoredKind::String}},
          .is_unique = is_unique,
          .expressions = std::make_shared<Tens>(),
          .is_partial = true,
          .duplicate = [](const Datum* values, const uint8_t*, bool) {
            const StringValue text(values[1].lo, values[1].hi);
            return SqlError(sqlstate::kUniqueViolation, fmt::format("{} {}", values[0].lo, text.view()));
          }};
}

struct Row {
  uint64_t number;
  bool is_null;
  std::string text;  ///< empty: NULL
};

class TableIndexExpressions : public ::testing::Test {
 protected:
  TableIndexExpressions()
      : storage_(DatabaseStorage::open(directory_.path(), {.pool_bytes = 64 * kMiB})),
        table_(storage_->createTable(kSchema)) {}

  TupleId append(WriteStatement& statement, const Row& row) {
    const StringValue text = StringValue::refer(row.text, StringValue::Storage::Temporary);
    const Datum values[] = {{next_id_++, 0}, {row.is_null ? 0 : row.number, 0}, {text.lo(), text.hi()}};
    const uint8_t null_flags[] = {0, static_cast<uint8_t>(row.is_null), static_cast<uint8_t>(row.text.empty())};
    return statement.append(values, null_flags);
  }
  TupleId insert(const Row& row) {
    LoneStatement statement(*table_, kCalm);
    const TupleId id = append(*statement, row);
    statement.commit();
    return id;
  }
  void makeIndex(bool is_unique) { index_ = storage_->createIndex(*table_, tens(is_unique), kCalm); }
  std::vector<uint64_t> entries() {
    std::vector<uint64_t> ids;
    storage::IndexCursor cursor(index_->tree(), {});
    storage::IndexEntry entry;
    while (cursor.next(entry)) ids.push_back(entry.id.value);
    return ids;
  }
  std::vector<std::string> problems() {
    storage::Findings findings;
    index_->check(table_->relation(), findings);
    return findings.problems;
  }
  std::string prefix() const { return fmt::format("index {} of relation {} ", index_->id().value, table_->id().value); }
  EncodedKey keyOf(uint64_t part, const std::string& text) const {
    const storage::KeyValue values[] = {{{part, 0}, {}, false}, {{}, text, false}};
    EncodedKey key;
    index_->encoder().encode(values, key);
    return key;
  }
  void setNumber(WriteStatement& statement, TupleId id, const Row& row) {
    const uint32_t column = 1;
    const Datum value{row.is_null ? 0 : row.number, 0};
    const auto null_flag = static_cast<uint8_t>(row.is_null);
    statement.update(id, {{&column, 1}, &value, &null_flag});
  }

  const TemporaryDirectory directory_;
  std::unique_ptr<DatabaseStorage> storage_;
  std::shared_ptr<Table> table_;
  std::shared_ptr<TableIndex> index_;
  uint64_t next_id_ = 0;
};

TEST_F(TableIndexExpressions, OnlyTuplesThatThePredicateTakesInHaveEntries) {
  insert({22, false, "a"});
  insert({23, false, "b"});
  insert({0, true, "c"});
  makeIndex(false);
  insert({4, false, "d"});
  insert({5, false, "e"});
  EXPECT_THAT(entries(), ElementsAre(3, 0));
  EXPECT_TRUE(index_->tree().contains(keyOf(2, "aa").view(), TupleId{0}));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(TableIndexExpressions, AnUpdateMovesTuplesInAndOut) {
  makeIndex(false);
  const TupleId in = insert({22, false, "a"});
  const TupleId out = insert({23, false, "b"});
  {
    LoneStatement statement(*table_, kCalm);
    setNumber(*statement, in, {21, false, ""});
    setNumber(*statement, out, {24, false, ""});
    statement.commit();
  }
  EXPECT_THAT(entries(), ElementsAre(3));
  EXPECT_TRUE(index_->tree().contains(keyOf(2, "bb").view(), TupleId{3}));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(TableIndexExpressions, IsUniqueAmongTheTuplesThatAreIn) {
  makeIndex(true);
  insert({22, false, "a long text that is not inline"});
  insert({23, false, "a long text that is not inline"});
  EXPECT_EQ(errorOf([&] { insert({24, false, "a long text that is not inline"}); }).message(),
            "2 a long text that is not inlinea long text that is not inline");
  EXPECT_THAT(entries(), ElementsAre(0));
  insert({24, false, ""});
  insert({26, false, ""});
  EXPECT_THAT(entries(), ElementsAre(0, 3, 4));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(TableIndexExpressions, BuildingAUniqueOneNamesTheKey) {
  insert({22, false, "a"});
  insert({25, false, "a"});
  insert({24, false, "a"});
  EXPECT_EQ(errorOf([&] { makeIndex(true); }).message(), "2 aa");
}

TEST_F(TableIndexExpressions, AnExpressionThatFailsUndoesTheStatement) {
  makeIndex(false);
  insert({22, false, "a"});
  const SqlError error = errorOf([&] {
    LoneStatement statement(*table_, kCalm);
    append(*statement, {2, false, "b"});
    append(*statement, {1000, false, "c"});
    statement.commit();
  });
  EXPECT_EQ(error.message(), "division by zero");
  EXPECT_EQ(table_->tupleCountEstimate(), 1u);
  EXPECT_THAT(entries(), ElementsAre(0));
  EXPECT_THAT(problems(), IsEmpty());
  // Ids are not given out again.
  EXPECT_EQ(insert({4, false, "d"}), TupleId{3});
}

TEST_F(TableIndexExpressions, CheckNamesMissingAndWrongEntries) {
  makeIndex(true);
  for (uint64_t i = 0; i < 6; ++i) insert({i, false, std::string(1, static_cast<char>('a' + i))});
  ASSERT_TRUE(index_->tree().erase(keyOf(0, "cc").view(), TupleId{2}));
  EXPECT_THAT(problems(), ElementsAre(prefix() + "has no entry for tuple 2"));
  index_->tree().insert(keyOf(0, "dd").view(), TupleId{3});
  EXPECT_THAT(problems(), ElementsAre(prefix() + "has an entry for tuple 3, which its predicate leaves out",
                                      prefix() + "has no entry for tuple 2"));
  ASSERT_TRUE(index_->tree().erase(keyOf(0, "dd").view(), TupleId{3}));
  index_->tree().insert(keyOf(0, "xx").view(), TupleId{2});
  EXPECT_THAT(problems(), ElementsAre(prefix() + "has an entry for tuple 2 with another key than the tuple's",
                                      prefix() + "has no entry for tuple 2"));
}

TEST_F(TableIndexExpressions, RandomChangesKeepTheIndexWhole) {
  makeIndex(true);
  std::mt19937_64 random(5);
  std::map<uint64_t, Row> live;
  const auto randomRow = [&] {
    return Row{random() % 50 == 0 ? 1000 : random() % 400, random() % 10 == 0, std::string(random() % 3, 'x')};
  };
  int failed_count = 0;
  for (int step = 0; step < 2000; ++step) {
    const std::map<uint64_t, Row> before = live;
    try {
      LoneStatement statement(*table_, kCalm);
      for (uint64_t change = 0; change < 1 + random() % 3; ++change) {
        const auto picked = live.lower_bound(random() % (next_id_ + 1));
        if (picked == live.end() || random() % 2 == 0) {
          const Row row = randomRow();
          live[append(*statement, row).value] = row;
        } else if (random() % 2 == 0) {
          statement->remove(TupleId{picked->first});
          live.erase(picked);
        }
      }
      if (random() % 8 == 0) throw SqlError(sqlstate::kQueryCanceled, "canceled");
      statement.commit();
    } catch (const SqlError&) {
      live = before;
      ++failed_count;
    }
    size_t in_count = 0;
    for (const auto& [id, row] : live) in_count += !row.is_null && row.number % 2 == 0;
    ASSERT_EQ(entries().size(), in_count) << "step " << step;
    if (step % 50 == 0) {
      ASSERT_THAT(problems(), IsEmpty()) << "step " << step;
    }
  }
  EXPECT_GT(failed_count, 100);
  EXPECT_THAT(problems(), IsEmpty());
}

}  // namespace
}  // namespace gnomon::txn
