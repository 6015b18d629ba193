#include "wal/group_commit.h"

#include <gtest/gtest.h>

#include <thread>

#include "wal/tests/page_workload.h"

namespace gnomon::wal {
namespace {

using namespace testing;
using gnomon::testing::TemporaryDirectory;
using gnomon::testing::testSeed;

TEST(GroupCommit, ACommitThatDependsOnNoOtherLogWaitsForItsOwnOnly) {
  const TemporaryDirectory directory;
  WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
  const auto local = wal.lease(), other = wal.lease();
  other->begin(TransactionNumber{1});
  const Appended unsynced = appendText(*other, "not synced");
  local->begin(TransactionNumber{2});
  appendText(*local, "a");
  const CommitTicket ticket = local->commit(Visibility::AfterStable);
  EXPECT_EQ(ticket.foreign, Gsn{});
  wal.waitFor(ticket);
  EXPECT_EQ(wal.stablePositions()[local->log().value], ticket.end);
  EXPECT_EQ(wal.stablePositions()[other->log().value], LogPosition{});
  EXPECT_EQ(wal.counts().remote_flushes_avoided, 1u);
  // A page that the other log changed last: it has to be stable as well.
  local->begin(TransactionNumber{3});
  const RecordStamp stamp{unsynced.gsn, other->log()};
  appendText(*local, "b", 1, {&stamp, 1});
  wal.waitFor(local->commit(Visibility::AfterStable));
  EXPECT_GE(wal.stableGsn(), unsynced.gsn);
  EXPECT_EQ(wal.stablePositions()[other->log().value], unsynced.end);
  EXPECT_EQ(wal.counts().remote_flushes_avoided, 1u);
}

TEST(GroupCommit, ALogPassesItsDependenciesOn) {
  const TemporaryDirectory directory;
  WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
  const auto first = wal.lease(), second = wal.lease();
  first->begin(TransactionNumber{1});
  const Appended a = appendText(*first, "a");
  second->begin(TransactionNumber{2});
  const RecordStamp stamp{a.gsn, first->log()};
  const Appended b = appendText(*second, "b", 1, {&stamp, 1});
  second->append({.type = kUndo, .is_compensation = true});
  second->end();
  // The next transaction finds the page last changed by its own log, and yet depends on the other.
  second->begin(TransactionNumber{3});
  const RecordStamp own{b.gsn, second->log()};
  appendText(*second, "c", 1, {&own, 1});
  EXPECT_EQ(second->commit(Visibility::AfterStable).foreign, a.gsn);
}

TEST(GroupCommit, ACommitThatDidNotWaitIsADependencyOfThoseAfterIt) {
  const TemporaryDirectory directory;
  WalOptions options = smallOptions();
  options.flush_interval = std::chrono::seconds(60);
  WriteAheadLog wal(LogScan(directory.path() / "wal"), options);
  const auto first = wal.lease(), second = wal.lease();
  first->begin(TransactionNumber{1});
  appendText(*first, "a");
  const CommitTicket early = first->commit(Visibility::BeforeStable);
  second->begin(TransactionNumber{2});
  appendText(*second, "b");
  const CommitTicket ticket = second->commit(Visibility::AfterStable);
  EXPECT_EQ(ticket.foreign, early.gsn);
  wal.waitFor(ticket);
  EXPECT_EQ(wal.stablePositions()[first->log().value], early.end);
}

TEST(GroupCommit, ACommitThatNobodyWaitsForIsStableSoon) {
  const TemporaryDirectory directory;
  WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
  const auto writer = wal.lease();
  for (uint64_t number = 1; number < 5; ++number) {
    writer->begin(TransactionNumber{number});
    appendText(*writer, "a");
    const CommitTicket ticket = writer->commit(Visibility::BeforeStable);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (wal.stableGsn() < ticket.gsn && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_GE(wal.stableGsn(), ticket.gsn);
  }
}

TEST(GroupCommit, WhatFillsTheMemoryOfALogIsWrittenBeforeItIsFull) {
  const TemporaryDirectory directory;
  WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
  const auto writer = wal.lease();
  writer->begin(TransactionNumber{1});
  const std::string text(kBufferBytes / 8, 'x');
  appendText(*writer, text);
  EXPECT_EQ(wal.counts().written_bytes, 0u);
  appendText(*writer, text);
  // The background thread's work, and nobody waits for it.
  while (wal.counts().written_bytes == 0) std::this_thread::yield();
  EXPECT_EQ(wal.counts().flushes, 0u);
}

TEST(GroupCommit, APageIsWrittenAfterItsLog) {
  const TemporaryDirectory directory;
  WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
  const auto first = wal.lease(), second = wal.lease();
  first->begin(TransactionNumber{1});
  second->begin(TransactionNumber{2});
  appendText(*first, "a");
  const Appended b = appendText(*second, std::string(100'000, 'b'));
  const Appended c = appendText(*first, "c", 1, std::array{RecordStamp{b.gsn, second->log()}});
  EXPECT_LT(wal.stableGsn(), c.gsn);
  wal.flushUpTo(c.gsn);
  EXPECT_GE(wal.stableGsn(), c.gsn);
  EXPECT_EQ(wal.stablePositions()[first->log().value], c.end);
  EXPECT_EQ(wal.stablePositions()[second->log().value], b.end);
  const uint64_t rounds = wal.counts().flushes;
  wal.flushUpTo(b.gsn);
  EXPECT_EQ(wal.counts().flushes, rounds);
}

class SyncMethods : public ::testing::TestWithParam<std::pair<SyncMethod, IoMethod>> {};

TEST_P(SyncMethods, BringEveryCommitToTheFiles) {
  const TemporaryDirectory directory;
  PageWorkload workload(testSeed());
  std::mutex mutex;
  std::set<uint64_t> acknowledged;
  WalOptions options = smallOptions();
  options.sync_method = GetParam().first;
  options.io_method = GetParam().second;
  {
    WriteAheadLog wal(LogScan(directory.path() / "wal"), options);
    workload.run(wal, {.threads = 4, .transactions = 100, .waiting_percent = 90}, [&](uint64_t number) {
      const std::scoped_lock lock(mutex);
      acknowledged.insert(number);
    });
    const WalCounts counts = wal.counts();
    EXPECT_EQ(counts.commits_waited, acknowledged.size());
    EXPECT_GT(counts.flushes, 0u);
    const bool is_synchronous =
        options.sync_method == SyncMethod::OpenDatasync || options.sync_method == SyncMethod::OpenSync;
    EXPECT_EQ(counts.device_syncs == 0, is_synchronous);
  }
  const PageWorkload::Found found = PageWorkload::check(LogScan(directory.path() / "wal"));
  EXPECT_EQ(found.committed.size(), 400u);
}

INSTANTIATE_TEST_SUITE_P(AllMethods, SyncMethods,
                         ::testing::Values(std::pair(SyncMethod::Fdatasync, IoMethod::Auto),
                                           std::pair(SyncMethod::Fdatasync, IoMethod::Pread),
                                           std::pair(SyncMethod::Fsync, IoMethod::Auto),
                                           std::pair(SyncMethod::OpenDatasync, IoMethod::Auto),
                                           std::pair(SyncMethod::OpenSync, IoMethod::Pread)));

TEST(GroupCommit, IsCountedInTheMetrics) {
  const TemporaryDirectory directory;
  {
    WriteAheadLog wal(LogScan(directory.path() / "wal"), smallOptions());
    const auto writer = wal.lease();
    writer->begin(TransactionNumber{1});
    wal.waitFor(writer->commit(Visibility::AfterStable));
    const std::string text = Metrics::instance().print();
    EXPECT_NE(text.find("gnomon_wal_records_total 1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("gnomon_wal_commits_waited_total 1\n"), std::string::npos);
    EXPECT_NE(text.find("gnomon_wal_device_syncs_total 1\n"), std::string::npos);
  }
  EXPECT_EQ(Metrics::instance().print().find("gnomon_wal"), std::string::npos);
}

}  // namespace
}  // namespace gnomon::wal
