#include "wal/write_ahead_log.h"

#include <gtest/gtest.h>

#include <set>

#include "base/failpoint.h"
#include "wal/tests/page_workload.h"

namespace gnomon::wal {
namespace {

using namespace testing;
using gnomon::testing::errorOf;
using gnomon::testing::TemporaryDirectory;
using gnomon::testing::testSeed;

TEST(WriteAheadLog, GivesBackEveryRecordAsItWasAppended) {
  const TemporaryDirectory directory;
  std::mt19937_64 random(testSeed());
  struct Expected {
    Appended appended;
    LogPosition previous, undo_next;
    std::string text;
    uint64_t page;
    uint32_t relation;
    bool is_compensation, is_system;
  };
  std::vector<Expected> expected;
  {
    WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
    const auto writer = wal.lease();
    writer->begin(TransactionNumber{99});
    for (int i = 0; i < 600; ++i) {
      // Now and then larger than a segment, or ending where one ends.
      const size_t bytes = i % 97 == 5 ? random() % (3 * kSegmentBytes) : random() % (i % 10 == 0 ? 9000 : 200);
      Expected record{.appended = {},
                      .previous = writer->last(),
                      .undo_next = {},
                      .text = randomText(random, bytes),
                      .page = random(),
                      .relation = static_cast<uint32_t>(random()),
                      .is_compensation = random() % 5 == 0,
                      .is_system = false};
      record.is_system = !record.is_compensation && random() % 5 == 0;
      if (record.is_system) record.previous = {};
      if (record.is_compensation) record.undo_next = LogPosition{random()};
      const size_t cut = record.text.empty() ? 0 : random() % record.text.size();
      const Bytes body[] = {bytesOf(record.text).first(cut), {}, bytesOf(record.text).subspan(cut)};
      record.appended = writer->append({.type = kChange,
                                        .page = record.page,
                                        .relation = record.relation,
                                        .is_compensation = record.is_compensation,
                                        .is_system = record.is_system,
                                        .undo_next = record.undo_next,
                                        .body = body});
      expected.push_back(record);
      const Expected& back = expected[random() % expected.size()];
      const OwnedRecord read = writer->read(back.appended.position);
      EXPECT_EQ(read->gsn, back.appended.gsn);
      EXPECT_EQ(textOf(read->body), back.text);
      EXPECT_EQ(read->undo_next, back.undo_next);
      if (random() % 20 == 0) wal.flushAll();
    }
    writer->commit(Visibility::BeforeStable);
  }
  const LogScan scan(directory.path() / "wal");
  ASSERT_EQ(scan.logs().size(), 1u);
  EXPECT_TRUE(scan.losers().empty());
  const auto cursor = scan.read(LogNumber{0});
  LogRecord record;
  for (const Expected& wanted : expected) {
    ASSERT_TRUE(cursor->next(record));
    EXPECT_EQ(record.position, wanted.appended.position);
    EXPECT_EQ(record.end, wanted.appended.end);
    EXPECT_EQ(record.gsn, wanted.appended.gsn);
    EXPECT_EQ(record.transaction, TransactionNumber{99});
    EXPECT_EQ(record.previous, wanted.previous);
    EXPECT_EQ(record.undo_next, wanted.undo_next);
    EXPECT_EQ(record.page, wanted.page);
    EXPECT_EQ(record.relation, wanted.relation);
    EXPECT_EQ(record.is_compensation, wanted.is_compensation);
    EXPECT_EQ(record.is_system, wanted.is_system);
    EXPECT_EQ(textOf(record.body), wanted.text);
  }
  ASSERT_TRUE(cursor->next(record));
  EXPECT_EQ(record.type, kCommitRecord);
  EXPECT_FALSE(cursor->next(record));
  for (size_t i = expected.size(); i-- > 0;)
    EXPECT_EQ(textOf(scan.at(LogNumber{0}, expected[i].appended.position)->body), expected[i].text);
}

TEST(WriteAheadLog, GoesOnBehindWhatItFinds) {
  const TemporaryDirectory directory;
  std::vector<std::string> expected;
  Gsn last;
  std::mt19937_64 random(testSeed());
  for (int run = 0; run < 12; ++run) {
    const LogScan scan(directory.path() / "wal");
    EXPECT_EQ(changesOf(scan), expected);
    EXPECT_EQ(scan.losers().size(), static_cast<size_t>(run));
    WriteAheadLog wal(scan, smallOptions());
    const auto writer = wal.lease();
    writer->begin(TransactionNumber{static_cast<uint64_t>(run) + 1});
    for (int i = 0; i < 20; ++i) {
      expected.push_back(randomText(random, random() % 2000));
      const Appended appended = appendText(*writer, expected.back());
      EXPECT_GT(appended.gsn, last);
      last = appended.gsn;
    }
  }
}

TEST(WriteAheadLog, UnfinishedTransactionsAreLosersUntilTheyEnd) {
  const TemporaryDirectory directory;
  LogPosition first, second;
  {
    WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
    const auto committed = wal.lease(), running = wal.lease(), ended = wal.lease();
    EXPECT_NE(committed->log(), running->log());
    committed->begin(TransactionNumber{1});
    running->begin(TransactionNumber{2});
    ended->begin(TransactionNumber{3});
    appendText(*committed, "a");
    first = appendText(*running, "b").position;
    second = appendText(*running, "c").position;
    running->append({.type = kChange, .is_system = true});
    appendText(*ended, "d");
    ended->append({.type = kUndo, .is_compensation = true});
    ended->end();
    committed->commit(Visibility::BeforeStable);
  }
  {
    const LogScan scan(directory.path() / "wal");
    ASSERT_EQ(scan.losers().size(), 1u);
    const Loser& loser = scan.losers()[0];
    EXPECT_EQ(loser.transaction, TransactionNumber{2});
    ASSERT_EQ(loser.tails.size(), 1u);
    EXPECT_EQ(loser.tails[0].last, second);
    EXPECT_EQ(scan.at(loser.tails[0].log, second)->previous, first);
    WriteAheadLog wal(scan, smallOptions());
    const auto undo = wal.resume(loser.transaction, loser.tails[0]);
    EXPECT_EQ(textOf(undo->read(undo->last())->body), "c");
    undo->append({.type = kUndo, .is_compensation = true, .undo_next = first});
  }
  {
    // A crash while undoing: the compensation record says where to go on.
    const LogScan scan(directory.path() / "wal");
    ASSERT_EQ(scan.losers().size(), 1u);
    const Loser::Tail tail = scan.losers()[0].tails[0];
    EXPECT_EQ(scan.at(tail.log, tail.last)->undo_next, first);
    EXPECT_EQ(scan.at(tail.log, tail.last)->previous, second);
    WriteAheadLog wal(scan, smallOptions());
    const auto undo = wal.resume(TransactionNumber{2}, tail);
    undo->append({.type = kUndo, .is_compensation = true});
    undo->end();
  }
  EXPECT_TRUE(LogScan(directory.path() / "wal").losers().empty());
}

TEST(WriteAheadLog, RecordsOfEachPageComeInOrderAndWithoutGaps) {
  const TemporaryDirectory directory;
  PageWorkload workload(testSeed());
  std::mutex mutex;
  std::set<uint64_t> acknowledged;
  for (int run = 0; run < 3; ++run) {
    const LogScan before(directory.path() / "wal");
    workload.restart(before);
    WriteAheadLog wal(before, smallOptions());
    workload.run(wal, {.threads = 6}, [&](uint64_t number) {
      const std::scoped_lock lock(mutex);
      acknowledged.insert(number);
    });
    EXPECT_GT(wal.counts().commits_waited, 0u);
  }
  const LogScan scan(directory.path() / "wal");
  EXPECT_GT(scan.logs().size(), 1u);
  const PageWorkload::Found found = PageWorkload::check(scan);
  EXPECT_EQ(found.committed.size(), 6 * 200 * 3u);
  for (const uint64_t number : acknowledged) EXPECT_TRUE(found.committed.contains(number));
}

TEST(WriteAheadLog, SharesLogsWhenThereAreMoreLeasesThanLogs) {
  const TemporaryDirectory directory;
  PageWorkload workload(testSeed());
  {
    WalOptions options = smallOptions();
    options.logs_max = 2;
    WriteAheadLog wal(LogScan(directory.path() / "wal"), options);
    // Larger than the buffer, so that an append lets go of the log in its middle.
    workload.run(wal, {.threads = 6, .transactions = 60, .change_bytes_max = 30'000}, [](uint64_t) {});
  }
  const LogScan scan(directory.path() / "wal");
  EXPECT_EQ(scan.logs().size(), 2u);
  EXPECT_EQ(PageWorkload::check(scan).committed.size(), 6 * 60u);
}

TEST(WriteAheadLog, CommitsThatAreWaitedForShareFewLogs) {
  const TemporaryDirectory directory;
  WalOptions options = smallOptions();
  options.logs_max = 3;
  options.shared_logs_max = 1;
  WriteAheadLog wal(LogScan(directory.path() / "wal"), options);
  const auto first = wal.lease(true), second = wal.lease(true);
  EXPECT_EQ(first->log(), LogNumber{0});
  EXPECT_EQ(second->log(), LogNumber{0});
  auto third = wal.lease(false);
  const auto fourth = wal.lease(false);
  EXPECT_EQ(third->log(), LogNumber{1});
  EXPECT_EQ(fourth->log(), LogNumber{2});
  third.reset();
  // The free one is not for those who are waited for.
  EXPECT_EQ(wal.lease(true)->log(), LogNumber{0});
  EXPECT_EQ(wal.lease(false)->log(), LogNumber{1});
}

TEST(WriteAheadLog, FewerLogsThanThereWereAreWrittenTo) {
  const TemporaryDirectory directory;
  PageWorkload workload(testSeed());
  {
    WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
    std::vector<std::unique_ptr<LogWriter>> leases;
    for (int i = 0; i < 3; ++i) leases.push_back(wal.lease());
    workload.run(wal, {.threads = 3, .transactions = 60}, [](uint64_t) {});
    leases.clear();
  }
  const LogScan before(directory.path() / "wal");
  EXPECT_GE(before.logs().back().log.value, 2) << "the leases that wrote nothing have the first ones";
  workload.restart(before);
  WalOptions options = smallOptions();
  options.logs_max = 2;
  WriteAheadLog wal(before, options);
  std::set<uint16_t> used;
  std::vector<std::unique_ptr<LogWriter>> leases;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 6; ++i) leases.push_back(wal.lease());
    for (const auto& lease : leases) used.insert(lease->log().value);
    leases.clear();
  }
  EXPECT_EQ(used, (std::set<uint16_t>{0, 1}));
  workload.run(wal, {.threads = 4, .transactions = 60}, [](uint64_t) {});
}

TEST(WriteAheadLog, RecyclesWhatIsReleasedWhileOthersWrite) {
  const TemporaryDirectory directory;
  PageWorkload workload(testSeed());
  Gsn released;
  {
    WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
    std::atomic<bool> is_done{false};
    std::thread checkpointer([&] {
      while (!is_done) {
        // What is stable now is "on the pages" now.
        const Gsn stable = wal.stableGsn();
        released = std::max(released, wal.releaseBelow(stable));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    });
    workload.run(wal, {.threads = 4, .transactions = 800}, [](uint64_t) {});
    is_done = true;
    checkpointer.join();
    wal.flushAll();
    released = wal.releaseBelow(wal.stableGsn());
    EXPECT_GT(wal.counts().written_bytes, 20 * kSegmentBytes);
    // The last segment of each log, and spares.
    EXPECT_LE(wal.totalBytes(), (4 + 4 + 4) * kSegmentBytes);
  }
  const LogScan scan(directory.path() / "wal");
  EXPECT_EQ(scan.released(), released);
  MergedCursor cursor = scan.merged();
  Gsn last;
  uint64_t count = 0;
  for (LogRecord record; cursor.next(record); ++count) last = std::max(last, record.gsn);
  EXPECT_LE(count, 4 * kSegmentBytes / 64);
  // New records go on from there.
  WriteAheadLog wal(scan, smallOptions());
  EXPECT_GE(wal.lastGsn(), released.value == 0 ? released : Gsn{released.value - 1});
}

TEST(WriteAheadLog, WhatWasReleasedIsNotAskedForAgain) {
  const TemporaryDirectory directory;
  const auto commitText = [](WriteAheadLog& wal, uint64_t number, const std::string& text) {
    const auto writer = wal.lease();
    writer->begin(TransactionNumber{number});
    appendText(*writer, text);
    wal.waitFor(writer->commit(Visibility::AfterStable));
    wal.flushAll();
  };
  // The second segment goes on with a record from the first; then nothing before its end is needed.
  {
    WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
    commitText(wal, 1, std::string(kSegmentBytes, 'x'));
    wal.releaseBelow(wal.lastGsn());
    commitText(wal, 2, "a");
    wal.releaseBelow(Gsn{wal.stableGsn().value + 1});
    EXPECT_FALSE(std::filesystem::exists(segmentPath(directory.path() / "wal", 0, 0)));
    commitText(wal, 3, "b");
    wal.releaseBelow(Gsn{wal.stableGsn().value - 1});
    commitText(wal, 4, "c");
  }
  const LogScan scan(directory.path() / "wal");
  EXPECT_EQ(changesOf(scan).back(), "c");
  {
    WriteAheadLog wal(scan, smallOptions());
    commitText(wal, 5, "d");
    wal.releaseBelow(wal.stableGsn());
  }
  const LogScan again(directory.path() / "wal");
  EXPECT_GE(again.logs()[0].start.value, scan.logs()[0].start.value);
  EXPECT_EQ(changesOf(again).back(), "d");
}

TEST(WriteAheadLog, WhatARunningTransactionMayHaveToUndoIsNotReleased) {
  const TemporaryDirectory directory;
  LogPosition begin;
  {
    WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
    const auto running = wal.lease();
    running->begin(TransactionNumber{1});
    const Appended first = appendText(*running, "first");
    begin = first.position;
    const auto other = wal.lease();
    for (uint64_t number = 2; number < 200; ++number) {
      other->begin(TransactionNumber{number});
      appendText(*other, std::string(3000, 'x'));
      other->commit(Visibility::BeforeStable);
    }
    appendText(*running, std::string(100'000, 'y'));
    wal.flushAll();
    EXPECT_EQ(wal.releaseBelow(wal.stableGsn()), first.gsn);
  }
  {
    const LogScan scan(directory.path() / "wal");
    ASSERT_EQ(scan.losers().size(), 1u);
    const Loser::Tail tail = scan.losers()[0].tails[0];
    EXPECT_EQ(scan.at(tail.log, tail.last)->previous, begin);
    EXPECT_EQ(textOf(scan.at(tail.log, begin)->body), "first");
    WriteAheadLog wal(scan, smallOptions());
    const auto undo = wal.resume(TransactionNumber{1}, tail);
    undo->end();
    wal.flushAll();
    const uint64_t before = wal.totalBytes();
    wal.releaseBelow(wal.stableGsn());
    EXPECT_LT(wal.totalBytes(), before);
  }
  EXPECT_TRUE(LogScan(directory.path() / "wal").losers().empty());
}

TEST(WriteAheadLog, RollsBackAndCommitsOnAFullDisk) {
  const TemporaryDirectory directory;
  std::mt19937_64 random(testSeed());
  {
    WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
    const auto rolled_back = wal.lease(), committing = wal.lease();
    rolled_back->begin(TransactionNumber{1});
    committing->begin(TransactionNumber{2});
    appendText(*committing, "kept");
    std::vector<std::string> texts;
    for (int i = 0; i < 30; ++i) {
      texts.push_back(randomText(random, random() % 5000));
      appendText(*rolled_back, texts.back());
    }
    armFailpoint("wal.preallocate=28");
    const SqlError error = errorOf([&] {
      for (int i = 0; i < 100'000; ++i) {
        texts.push_back(randomText(random, random() % 5000));
        appendText(*rolled_back, texts.back());
      }
    });
    texts.pop_back();
    EXPECT_EQ(error.state(), sqlstate::kDiskFull);
    const uint64_t total = wal.totalBytes();
    // As large as was said, each.
    for (LogPosition at = rolled_back->last(); at.value != 0;) {
      const OwnedRecord record = rolled_back->read(at);
      ASSERT_FALSE(texts.empty());
      EXPECT_EQ(textOf(record->body), texts.back());
      texts.pop_back();
      const Bytes body[] = {record->body};
      rolled_back->append({.type = kUndo, .is_compensation = true, .undo_next = record->previous, .body = body});
      at = record->previous;
    }
    EXPECT_TRUE(texts.empty());
    rolled_back->end();
    EXPECT_EQ(wal.totalBytes(), total);
    wal.waitFor(committing->commit(Visibility::AfterStable));
    // Room again.
    armFailpoint("");
    committing->begin(TransactionNumber{3});
    appendText(*committing, std::string(5 * kSegmentBytes, 'z'));
    wal.waitFor(committing->commit(Visibility::AfterStable));
  }
  const LogScan scan(directory.path() / "wal");
  EXPECT_TRUE(scan.losers().empty());
  EXPECT_EQ(changesOf(scan).back(), std::string(5 * kSegmentBytes, 'z'));
}

/// Others append meanwhile until there is no room for them.
TEST(WriteAheadLog, WhatWasPreparedIsAppendedAlsoWhenTheDiskIsFull) {
  const TemporaryDirectory directory;
  std::mt19937_64 random(testSeed());
  WalOptions options = smallOptions();
  options.logs_max = 1;
  for (int round = 0; round < 20; ++round) {
    WriteAheadLog wal(LogScan(directory.path() / "wal"), options);
    const auto prepared = wal.lease(), other = wal.lease();
    prepared->begin(TransactionNumber{1});
    other->begin(TransactionNumber{2});
    const std::string text = randomText(random, random() % (3 * kSegmentBytes));
    prepared->prepare(2 * text.size());
    armFailpoint("wal.preallocate=28");
    const SqlError error = errorOf([&] {
      for (;;) appendText(*other, randomText(random, random() % 5000));
    });
    EXPECT_EQ(error.state(), sqlstate::kDiskFull);
    EXPECT_EQ(errorOf([&] { other->prepare(2 * kSegmentBytes); }).state(), sqlstate::kDiskFull);
    appendText(*prepared, text);
    EXPECT_EQ(textOf(prepared->read(prepared->last())->body), text);
    // Undoing it was prepared as well.
    const Bytes body[] = {bytesOf(text)};
    prepared->append({.type = kUndo, .is_compensation = true, .body = body});
    prepared->end();
    armFailpoint("");
    other->commit(Visibility::AfterStable);
  }
}

/// What one prepares is also there for it behind what others append, wherever the ring and the segments end.
TEST(WriteAheadLog, WhoeverPreparesEachRecordIsOnlyRefusedThere) {
  const TemporaryDirectory directory;
  std::mt19937_64 random(testSeed());
  WalOptions options = smallOptions();
  options.logs_max = 1;
  for (int round = 0; round < 200; ++round) {
    WriteAheadLog wal(LogScan(directory.path() / "wal"), options);
    const auto first = wal.lease(), second = wal.lease();
    first->begin(TransactionNumber{1});
    second->begin(TransactionNumber{2});
    armFailpoint("wal.preallocate=28");
    const uint64_t bytes_max = uint64_t{1} << (4 + random() % 12);
    size_t refused = 0, appended[] = {0, 0};
    while (refused == 0) {
      std::string texts[] = {randomText(random, random() % bytes_max), randomText(random, random() % bytes_max)};
      bool is_prepared[] = {true, true};
      LogWriter* const writers[] = {first.get(), second.get()};
      for (size_t i = 0; i < 2; ++i) {
        try {
          writers[i]->prepare(2 * texts[i].size());
        } catch (const SqlError& error) {
          EXPECT_EQ(error.state(), sqlstate::kDiskFull);
          is_prepared[i] = false;
          ++refused;
        }
      }
      for (size_t i = 0; i < 2; ++i) {
        if (!is_prepared[i]) continue;
        ASSERT_NO_THROW(appendText(*writers[i], texts[i])) << "round " << round << ", after " << appended[i];
        ++appended[i];
      }
    }
    // There is also room for the ends of those who have begun.
    if (appended[0] > 0) first->end();
    if (appended[1] > 0) second->end();
    armFailpoint("");
  }
}

TEST(WriteAheadLog, ALogThatCannotBeMadeOnAFullDiskIsShared) {
  const TemporaryDirectory directory;
  WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
  const auto first = wal.lease();
  armFailpoint("wal.preallocate=28");
  const auto second = wal.lease();
  armFailpoint("");
  EXPECT_EQ(first->log(), second->log());
}

class FailingDevice : public ::testing::TestWithParam<const char*> {};

TEST_P(FailingDevice, AcknowledgesNothingAndTellsOnce) {
  const TemporaryDirectory directory;
  std::atomic<int> told{0};
  {
    WalOptions options = smallOptions();
    options.on_fatal = [&](const std::string& reason) {
      EXPECT_NE(reason.find("Input/output error"), std::string::npos) << reason;
      ++told;
    };
    WriteAheadLog wal(LogScan(directory.path() / "wal"), options);
    const auto writer = wal.lease();
    writer->begin(TransactionNumber{1});
    appendText(*writer, "a");
    wal.waitFor(writer->commit(Visibility::AfterStable));
    armFailpoint(GetParam() + std::string("=5:1"));
    std::vector<std::thread> threads;
    std::atomic<int> refused{0};
    for (uint64_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        try {
          const auto own = wal.lease();
          own->begin(TransactionNumber{10 + i});
          appendText(*own, "b");
          wal.waitFor(own->commit(Visibility::AfterStable));
        } catch (const SqlError& error) {
          EXPECT_EQ(error.state(), sqlstate::kIoError);
          ++refused;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    armFailpoint("");
    EXPECT_EQ(refused, 4);
    EXPECT_EQ(errorOf([&] { wal.lease(); }).state(), sqlstate::kIoError);
    EXPECT_EQ(errorOf([&] { wal.flushUpTo(wal.lastGsn()); }).state(), sqlstate::kIoError);
  }
  EXPECT_EQ(told, 1);
}

INSTANTIATE_TEST_SUITE_P(Failpoints, FailingDevice, ::testing::Values("wal.write", "wal.sync"));

}  // namespace
}  // namespace gnomon::wal
