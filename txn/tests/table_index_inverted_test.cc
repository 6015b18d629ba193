#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>

#include "storage/index/index_cursor.h"
#include "storage/tests/test_support.h"
#include "txn/database_storage.h"
#include "txn/local_transaction.h"

namespace gnomon::txn {
namespace {

using storage::EncodedKey;
using storage::StoredKind;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const RelationSchema kSchema = {{StoredKind::Int64, true}, {StoredKind::Int64, true}};
const CancelToken kCalm;

/// The keys of a number are those of its bits that are set, each twice; of 0 it is 64.
class Bits final : public KeyExtractor {
 public:
  void extract(size_t, const Datum& value, std::vector<uint64_t>& hashes) const override {
    for (uint64_t bit = 0; bit < 64; ++bit)
      if ((value.lo >> bit & 1) != 0) hashes.insert(hashes.end(), {bit, bit});
    if (value.lo == 0) hashes.push_back(64);
  }
};

IndexDefinition bits() {
  return {.columns = {0, 1},
          .parts = {{.kind = StoredKind::Int64}, {.kind = StoredKind::Int64}},
          .is_unique = false,
          .extractor = std::make_shared<Bits>(),
          .duplicate = nullptr};
}

using Row = std::pair<std::optional<uint64_t>, std::optional<uint64_t>>;
/// (part, hash, tuple)
using Entries = std::set<std::tuple<unsigned, uint64_t, uint64_t>>;

/// What should be in the index.
void addEntries(const Row& row, uint64_t tuple, Entries& entries) {
  unsigned part = 0;
  for (const auto& number : {row.first, row.second}) {
    for (uint64_t bit = 0; number && bit < 64; ++bit)
      if ((*number >> bit & 1) != 0) entries.emplace(part, bit, tuple);
    if (number == 0) entries.emplace(part, 64, tuple);
    ++part;
  }
}

class TableIndexInverted : public ::testing::Test {
 protected:
  TableIndexInverted() { open(); }
  void open() { storage_ = DatabaseStorage::open(directory_.path(), {.pool_bytes = 64 * kMiB}); }
  void makeTable() { table_ = storage_->createTable(kSchema); }
  void makeIndex() { index_ = storage_->createIndex(*table_, bits(), kCalm); }

  static TupleId append(WriteStatement& statement, const Row& row) {
    const Datum values[] = {{row.first.value_or(0), 0}, {row.second.value_or(0), 0}};
    const uint8_t null_flags[] = {static_cast<uint8_t>(!row.first), static_cast<uint8_t>(!row.second)};
    return statement.append(values, null_flags);
  }
  TupleId insert(const Row& row) {
    LoneStatement statement(*table_, kCalm);
    const TupleId id = append(*statement, row);
    statement.commit();
    return id;
  }
  Entries entries() {
    Entries found;
    storage::IndexCursor cursor(index_->tree(), {});
    storage::IndexEntry entry;
    while (cursor.next(entry)) {
      EXPECT_EQ(entry.key.size(), kInvertedKeyBytes);
      uint64_t hash = 0;
      for (const char byte : entry.key.substr(1)) hash = hash << 8 | static_cast<uint8_t>(byte);
      found.emplace(static_cast<uint8_t>(entry.key[0]), hash, entry.id.value);
    }
    return found;
  }
  std::vector<std::string> problems() {
    storage::Findings findings;
    index_->check(table_->relation(), findings);
    return findings.problems;
  }
  static EncodedKey keyOf(size_t part, uint64_t hash) {
    EncodedKey key;
    encodeInvertedKey(part, hash, key);
    return key;
  }

  const TemporaryDirectory directory_;
  std::unique_ptr<DatabaseStorage> storage_;
  std::shared_ptr<Table> table_;
  std::shared_ptr<TableIndex> index_;
};

TEST_F(TableIndexInverted, ATupleHasAnEntryForEachOfItsKeysAndNoneForNulls) {
  makeTable();
  insert({5, std::nullopt});
  makeIndex();
  insert({0, 1});
  insert({std::nullopt, std::nullopt});
  EXPECT_EQ(entries(), (Entries{{0, 0, 0}, {0, 2, 0}, {0, 64, 1}, {1, 0, 1}}));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(TableIndexInverted, AStatementThatIsRolledBackLeavesNoEntry) {
  makeTable();
  makeIndex();
  {
    LoneStatement statement(*table_, kCalm);
    append(*statement, {7, 7});
  }
  EXPECT_THAT(entries(), IsEmpty());
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(TableIndexInverted, CheckNamesMissingAndWrongEntries) {
  makeTable();
  makeIndex();
  for (uint64_t i = 1; i < 5; ++i) insert({i, std::nullopt});
  const auto begin = fmt::format("index {} of relation {} ", index_->id().value, table_->id().value);
  ASSERT_TRUE(index_->tree().erase(keyOf(0, 1).view(), TupleId{2}));
  EXPECT_THAT(problems(), ElementsAre(begin + "has no entry for tuple 2"));
  index_->tree().insert(keyOf(0, 9).view(), TupleId{1});
  EXPECT_THAT(problems(), ElementsAre(begin + "has no entry for tuple 2",
                                      begin + "has an entry for tuple 1 with another key than the tuple's"));
  index_->tree().insert(keyOf(0, 1).view(), TupleId{2});
  EXPECT_THAT(problems(), ElementsAre(begin + "has an entry for tuple 1 with another key than the tuple's"));
  ASSERT_TRUE(index_->tree().erase(keyOf(0, 9).view(), TupleId{1}));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(TableIndexInverted, RandomChangesKeepTheIndexWholeAlsoOverARestart) {
  std::mt19937_64 random(11);
  std::map<uint64_t, Row> live;
  makeTable();
  const auto draw = [&]() -> std::optional<uint64_t> {
    return random() % 6 == 0 ? std::nullopt : std::optional(random() % 5 == 0 ? random() : random() % 16);
  };
  const auto expected = [&] {
    Entries all;
    for (const auto& [tuple, row] : live) addEntries(row, tuple, all);
    return all;
  };
  for (int i = 0; i < 300; ++i) {
    const Row row{draw(), draw()};
    live[insert(row).value] = row;
  }
  makeIndex();
  EXPECT_EQ(entries(), expected());
  for (int round = 0; round < 60; ++round) {
    std::map<uint64_t, Row> after = live;
    LoneStatement statement(*table_, kCalm);
    for (int i = 0; i < 20; ++i) {
      const auto victim = after.lower_bound(random() % (after.rbegin()->first + 1));
      const Row row{draw(), draw()};
      if (random() % 3 == 0) {
        after[append(*statement, row).value] = row;
      } else if (random() % 2 == 0 && after.size() > 100) {
        statement->remove(TupleId{victim->first});
        after.erase(victim);
      }
    }
    if (random() % 3 == 0) continue;
    statement.commit();
    live = std::move(after);
  }
  table_->vacuum();
  EXPECT_EQ(entries(), expected());
  EXPECT_THAT(problems(), IsEmpty());
  const RelationId table = table_->id(), index = index_->id();
  storage_->checkpointAndClose();
  index_.reset();
  table_.reset();
  storage_.reset();
  open();
  table_ = storage_->openTable(table);
  index_ = storage_->openIndex(*table_, index, bits());
  EXPECT_EQ(entries(), expected());
  EXPECT_THAT(problems(), IsEmpty());
}

}  // namespace
}  // namespace gnomon::txn
