#include "txn/sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "base/sql_error.h"
#include "storage/tests/test_support.h"
#include "txn/database_storage.h"
#include "txn/local_transaction.h"

namespace gnomon::txn {
namespace {

using storage::StoredKind;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;
using ::testing::ElementsAre;

const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int64, false}, {StoredKind::Bool1, false}};
constexpr RelationId kId{kFirstUserRelationId};
const CancelToken kCalm;

class SequenceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    open();
    storage_->finishCreation();
    sequence_ = std::make_unique<Sequence>(storage_->createTable(kSchema), SequenceState{});
  }
  void open() { storage_ = DatabaseStorage::open(directory_.path(), {.pool_bytes = 16 * kMiB}); }
  /// As after a kill: what is not on stable storage is gone, or not.
  void crash() {
    sequence_.reset();
    storage_.reset();
    open();
    sequence_ = std::make_unique<Sequence>(storage_->openTable(kId));
  }
  int64_t next(const SequenceRange& range = {}) { return sequence_->next(range, "s").first; }
  std::vector<int64_t> take(const SequenceRange& range, int count) {
    std::vector<int64_t> values;
    for (int i = 0; i < count; ++i) values.push_back(next(range));
    return values;
  }
  std::string endOf(const SequenceRange& range) {
    try {
      next(range);
    } catch (const SqlError& error) {
      EXPECT_EQ(error.state(), SqlState("2200H"));
      return error.message();
    }
    return "";
  }

  TemporaryDirectory directory_;
  std::unique_ptr<DatabaseStorage> storage_;
  std::unique_ptr<Sequence> sequence_;
};

TEST_F(SequenceTest, GivesEachValueOnceAndCountsWhatIsLoggedAhead) {
  EXPECT_FALSE(sequence_->state().is_called);
  EXPECT_EQ(next(), 1);
  EXPECT_EQ(sequence_->state().log_count, 32);
  EXPECT_THAT(take({}, 3), ElementsAre(2, 3, 4));
  EXPECT_EQ(sequence_->state().log_count, 29);
  EXPECT_EQ(sequence_->state().last_value, 4);
  take({}, 29);
  EXPECT_EQ(sequence_->state().log_count, 0);
  EXPECT_EQ(next(), 34);
  EXPECT_EQ(sequence_->state().log_count, 32);
}

TEST_F(SequenceTest, GivesSeveralValuesAtATimeAndFewerAtTheEnd) {
  const SequenceRange range{.increment = 10, .minimum = 1, .maximum = 60, .cache = 4};
  Sequence::Values values = sequence_->next(range, "s");
  EXPECT_EQ(values.first, 1);
  EXPECT_EQ(values.last, 31);
  values = sequence_->next(range, "s");
  EXPECT_EQ(values.first, 41);
  EXPECT_EQ(values.last, 51);
  EXPECT_EQ(endOf(range), "nextval: reached maximum value of sequence \"s\" (60)");
}

TEST_F(SequenceTest, EndsOrBeginsAnewAtItsLimitsInBothDirections) {
  SequenceRange range{.increment = -3, .minimum = -4, .maximum = 2};
  sequence_->set(2, false);
  EXPECT_THAT(take(range, 3), ElementsAre(2, -1, -4));
  EXPECT_EQ(endOf(range), "nextval: reached minimum value of sequence \"s\" (-4)");
  EXPECT_EQ(sequence_->state().last_value, -4);
  range.is_cycle = true;
  EXPECT_THAT(take(range, 2), ElementsAre(2, -1));
  const SequenceRange widest{.increment = INT64_MAX, .minimum = INT64_MIN, .maximum = INT64_MAX};
  sequence_->set(INT64_MIN, false);
  EXPECT_THAT(take(widest, 3), ElementsAre(INT64_MIN, -1, INT64_MAX - 1));
  EXPECT_EQ(endOf(widest), "nextval: reached maximum value of sequence \"s\" (9223372036854775807)");
}

TEST_F(SequenceTest, GoesOnBehindWhatItGaveAfterACrash) {
  int64_t last = 0;
  wal::Gsn logged{0};
  for (const int count : {1, 31, 5, 100}) {
    for (int i = 0; i < count; ++i) {
      const Sequence::Values values = sequence_->next({}, "s");
      EXPECT_GT(values.first, last);
      last = values.first;
      logged = values.logged;
    }
    storage_->transactions().log()->wal().flushUpTo(logged);
    crash();
    EXPECT_GE(sequence_->state().last_value, last);
    EXPECT_LE(sequence_->state().last_value, last + 32);
    EXPECT_EQ(sequence_->state().log_count, 0);
  }
  storage_->transactions().log()->wal().flushUpTo(sequence_->set(7, false));
  crash();
  EXPECT_EQ(next(), 7);
}

TEST_F(SequenceTest, ACommitThatFollowsBringsItsValuesToStableStorage) {
  const auto table = storage_->createTable({{StoredKind::Int64, false}});
  take({}, 40);
  {
    LoneStatement statement(*table, kCalm);
    const Datum value{40, 0};
    const uint8_t is_null = 0;
    statement->append(&value, &is_null);
    statement.commit();
  }
  EXPECT_GE(storage_->transactions().log()->wal().stableGsn(), sequence_->next({}, "s").logged);
  crash();
  EXPECT_GT(next(), 41);
}

TEST_F(SequenceTest, SkipsNothingWhenItWasSettled) {
  take({}, 5);
  sequence_->settle();
  sequence_.reset();
  storage_->checkpointAndClose();
  crash();
  EXPECT_EQ(next(), 6);
}

TEST_F(SequenceTest, GivesSessionsDistinctValues) {
  constexpr size_t kSessions = 4;
  constexpr int kCount = 500;
  std::vector<std::vector<int64_t>> taken(kSessions);
  {
    std::vector<std::jthread> sessions;
    for (std::vector<int64_t>& values : taken) sessions.emplace_back([this, &values] { values = take({}, kCount); });
  }
  std::vector<int64_t> all;
  for (const std::vector<int64_t>& values : taken) {
    EXPECT_TRUE(std::ranges::is_sorted(values));
    all.insert(all.end(), values.begin(), values.end());
  }
  std::ranges::sort(all);
  EXPECT_TRUE(std::ranges::unique(all).empty());
  EXPECT_EQ(all.back(), static_cast<int64_t>(kSessions * kCount));
}

TEST_F(SequenceTest, ARelationWithoutItsRowIsDamaged) {
  const auto table = storage_->createTable(kSchema);
  EXPECT_THROW(Sequence{table}, SqlError);
}

}  // namespace
}  // namespace gnomon::txn
