#include "wal/log_scan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "wal/tests/page_workload.h"

/// What is read back from files that were cut, damaged or used before.
namespace gnomon::wal {
namespace {

using namespace testing;
using gnomon::testing::errorOf;
using gnomon::testing::TemporaryDirectory;
using gnomon::testing::testSeed;

/// A directory with logs, as a test left it.
struct Written {
  TemporaryDirectory temporary;
  std::filesystem::path directory = temporary.path() / "wal";
};

/// One log with transactions "0", "1", ..., each committed and synced before the next.
std::vector<Appended> commitEach(const std::filesystem::path& directory, int count) {
  std::vector<Appended> appended;
  WriteAheadLog wal(LogScan(directory), smallOptions());
  const auto writer = wal.lease();
  for (int i = 0; i < count; ++i) {
    writer->begin(TransactionNumber{static_cast<uint64_t>(i) + 1});
    appended.push_back(appendText(*writer, std::to_string(i)));
    wal.waitFor(writer->commit(Visibility::AfterStable));
  }
  return appended;
}

TEST(LogScan, ADirectoryThatDoesNotExistHasNoLogs) {
  const TemporaryDirectory directory;
  const LogScan scan(directory.path() / "wal");
  EXPECT_TRUE(scan.logs().empty());
  EXPECT_EQ(scan.segmentBytes(), 0u);
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "wal"));
}

TEST(LogScan, ALogCutAnywhereGivesThePrefixBeforeTheCut) {
  const Written written;
  const std::vector<Appended> appended = commitEach(written.directory, 12);
  const std::filesystem::path path = segmentPath(written.directory, 0, 0);
  // Behind a whole record the next begins, so records that end below the cut are there, and no others.
  for (uint64_t cut = appended.back().end.value + 200; cut > sizeof(SegmentHeader); --cut) {
    std::filesystem::resize_file(path, cut);
    std::vector<std::string> expected;
    for (size_t i = 0; i < appended.size(); ++i)
      if (appended[i].end.value <= cut + kPieceAlignment - 1) expected.push_back(std::to_string(i));
    const std::vector<std::string> found = changesOf(LogScan(written.directory));
    ASSERT_LE(found.size(), expected.size()) << cut;
    expected.resize(found.size());
    ASSERT_EQ(found, expected) << cut;
    const size_t whole = static_cast<size_t>(
        std::ranges::count_if(appended, [&](const Appended& record) { return record.end.value <= cut; }));
    ASSERT_GE(found.size(), whole) << cut;
  }
  EXPECT_EQ(errorOf([&] {
              std::filesystem::resize_file(path, sizeof(SegmentHeader) - 1);
              const LogScan scan(written.directory);
            }).state(),
            sqlstate::kDataCorrupted);
}

TEST(LogScan, ALogThatWasCutGoesOnBehindTheCut) {
  const Written written;
  std::mt19937_64 random(testSeed());
  std::vector<Appended> appended = commitEach(written.directory, 40);
  const std::filesystem::path path = segmentPath(written.directory, 0, 0);
  for (int round = 0; round < 20; ++round) {
    std::filesystem::resize_file(path, random() % (appended.back().end.value - 100) + 100);
    const std::vector<std::string> before = changesOf(LogScan(written.directory));
    appended = commitEach(written.directory, 10);
    const std::vector<std::string> after = changesOf(LogScan(written.directory));
    ASSERT_EQ(after.size(), before.size() + 10);
    EXPECT_TRUE(std::ranges::equal(before, std::span(after).first(before.size())));
    EXPECT_EQ(after.back(), "9");
    EXPECT_EQ(std::filesystem::file_size(path), kSegmentBytes);
  }
}

TEST(LogScan, DamageBeforeWhatWasKnownDurableIsRefusedByName) {
  const Written written;
  const std::vector<Appended> appended = commitEach(written.directory, 12);
  const std::filesystem::path path = segmentPath(written.directory, 0, 0);
  const uint64_t end = appended.back().position.value;
  // The records of a transaction claim that the one before it was synced: only damage in the last two may be a torn
  // tail.
  const uint64_t refused_below = appended[10].position.value;
  size_t tolerated = 0;
  for (uint64_t offset = 0; offset < end; ++offset) {
    const FlippedByte flipped(path, offset, 1);
    try {
      const LogScan scan(written.directory);
      const bool is_padding = changesOf(scan).size() == 12;
      EXPECT_TRUE(is_padding || offset >= refused_below) << offset;
      ++tolerated;
    } catch (const SqlError& error) {
      EXPECT_EQ(error.state(), sqlstate::kDataCorrupted);
      EXPECT_NE(error.message().find(path.string()), std::string::npos) << error.message();
    }
  }
  EXPECT_LT(tolerated, end / 2);
}

TEST(LogScan, ATornTailIsNoDamage) {
  const Written written;
  std::vector<Appended> tail;
  {
    WriteAheadLog wal(LogScan(written.directory), smallOptions());
    const auto writer = wal.lease();
    writer->begin(TransactionNumber{1});
    appendText(*writer, "synced");
    wal.waitFor(writer->commit(Visibility::AfterStable));
    // One flush for all of these.
    writer->begin(TransactionNumber{2});
    for (int i = 0; i < 50; ++i) tail.push_back(appendText(*writer, std::string(100, 'x')));
  }
  std::mt19937_64 random(testSeed());
  const std::filesystem::path path = segmentPath(written.directory, 0, 0);
  for (int round = 0; round < 300; ++round) {
    const size_t torn = random() % tail.size();
    const FlippedByte flipped(path, tail[torn].position.value + random() % 100, static_cast<char>(1 + random() % 255));
    EXPECT_EQ(changesOf(LogScan(written.directory)).size(), torn + 1);
  }
}

TEST(LogScan, WhatAFileHeldBeforeIsNeverTakenForARecord) {
  const Written written;
  Appended last;
  {
    WriteAheadLog wal(LogScan(written.directory), smallOptions());
    const auto writer = wal.lease();
    // The same records at the same places in every segment, and segments that are used again and again.
    for (uint64_t number = 1; number < 400; ++number) {
      writer->begin(TransactionNumber{number});
      last = appendText(*writer, std::string(900, 'x'));
      wal.waitFor(writer->commit(Visibility::AfterStable));
      if (number % 10 == 0) wal.releaseBelow(wal.stableGsn());
    }
    EXPECT_LT(wal.totalBytes(), 6 * kSegmentBytes);
  }
  const LogScan scan(written.directory);
  const auto cursor = scan.read(LogNumber{0});
  LogRecord record;
  Gsn last_gsn;
  while (cursor->next(record)) last_gsn = record.gsn;
  EXPECT_EQ(last_gsn.value, last.gsn.value + 1);  // the commit
  EXPECT_FALSE(scan.logs()[0].has_remains);
}

TEST(LogScan, RecordsThatDependOnALostOneDoNotCount) {
  const Written written;
  {
    WriteAheadLog wal(LogScan(written.directory), smallOptions());
    const auto first = wal.lease(), second = wal.lease(), third = wal.lease();
    first->begin(TransactionNumber{1});
    second->begin(TransactionNumber{2});
    third->begin(TransactionNumber{3});
    const Appended a = appendText(*first, "a");
    const RecordStamp stamp{a.gsn, first->log()};
    const Appended b = appendText(*second, "b", 1, {&stamp, 1});
    EXPECT_EQ(b.foreign, a.gsn);
    const RecordStamp next{b.gsn, second->log()};
    appendText(*third, "c");
    appendText(*third, "d", 1, {&next, 1});
    appendText(*third, "e");
    const CommitTicket ticket = second->commit(Visibility::AfterStable);
    EXPECT_EQ(ticket.foreign, a.gsn);
  }
  EXPECT_EQ(changesOf(LogScan(written.directory)).size(), 5u);
  std::filesystem::resize_file(segmentPath(written.directory, 0, 0), 100);
  const LogScan scan(written.directory);
  EXPECT_EQ(changesOf(scan), (std::vector<std::string>{"c"}));
  ASSERT_EQ(scan.losers().size(), 1u);
  EXPECT_EQ(scan.losers()[0].transaction, TransactionNumber{3});
  // Once opened, what did not count is gone for good, however the logs grow.
  {
    WriteAheadLog wal(scan, smallOptions());
    for (int i = 0; i < 3; ++i) {
      const auto writer = wal.lease();
      writer->begin(TransactionNumber{9});
      appendText(*writer, "new");
      writer->commit(Visibility::BeforeStable);
    }
  }
  EXPECT_EQ(changesOf(LogScan(written.directory)), (std::vector<std::string>{"c", "new", "new", "new"}));
}

TEST(LogScan, ACommitThatSawALostCommitDoesNotCount) {
  const Written written;
  CommitTicket first_ticket, second_ticket;
  {
    WriteAheadLog wal(LogScan(written.directory), smallOptions());
    const auto first = wal.lease(), second = wal.lease();
    first->begin(TransactionNumber{1});
    appendText(*first, "a");
    wal.flushAll();
    first_ticket = first->commit(Visibility::BeforeStable);
    second->begin(TransactionNumber{2});
    appendText(*second, "b");
    second_ticket = second->commit(Visibility::BeforeStable);
    EXPECT_EQ(second_ticket.foreign, first_ticket.gsn);
  }
  {
    const FlippedByte flipped(segmentPath(written.directory, 0, 0), first_ticket.end.value - 30, 1);
    const LogScan scan(written.directory);
    EXPECT_EQ(scan.losers().size(), 2u);
  }
  EXPECT_TRUE(LogScan(written.directory).losers().empty());
}

TEST(LogScan, ALogThatOthersKnowToHoldMoreIsRefused) {
  const Written written;
  {
    WriteAheadLog wal(LogScan(written.directory), smallOptions());
    const auto first = wal.lease(), second = wal.lease();
    first->begin(TransactionNumber{1});
    const Appended a = appendText(*first, "a");
    wal.waitFor(first->commit(Visibility::AfterStable));
    wal.flushAll();
    second->begin(TransactionNumber{2});
    const RecordStamp stamp{a.gsn, first->log()};
    EXPECT_EQ(appendText(*second, "b", 1, {&stamp, 1}).foreign, Gsn{});
    wal.waitFor(second->commit(Visibility::AfterStable));
  }
  const std::filesystem::path path = segmentPath(written.directory, 0, 0);
  std::filesystem::resize_file(path, 70);
  const SqlError damaged = errorOf([&] { const LogScan scan(written.directory); });
  EXPECT_EQ(damaged.state(), sqlstate::kDataCorrupted);
  EXPECT_NE(damaged.message().find(path.string()), std::string::npos) << damaged.message();
  std::filesystem::remove(path);
  const SqlError missing = errorOf([&] { const LogScan scan(written.directory); });
  EXPECT_EQ(missing.state(), sqlstate::kDataCorrupted);
}

TEST(LogScan, ALogThatIsShorterThanItsStartSaysIsRefused) {
  const Written written;
  {
    WriteAheadLog wal(LogScan(written.directory), smallOptions());
    const auto writer = wal.lease();
    writer->begin(TransactionNumber{1});
    for (int i = 0; i < 100; ++i) appendText(*writer, std::string(2000, 'x'));
    wal.waitFor(writer->commit(Visibility::AfterStable));
    wal.flushAll();
    wal.releaseBelow(Gsn{60});
  }
  const LogScan scan(written.directory);
  EXPECT_GT(scan.logs()[0].start.value, kSegmentBytes / 2);
  const uint64_t segment = scan.logs()[0].end.value / kSegmentBytes;
  std::filesystem::remove(segmentPath(written.directory, 0, segment));
  EXPECT_EQ(errorOf([&] { const LogScan again(written.directory); }).state(), sqlstate::kDataCorrupted);
  std::filesystem::remove(written.directory / "start");
  EXPECT_EQ(errorOf([&] { const LogScan again(written.directory); }).state(), sqlstate::kDataCorrupted);
}

/// What the log itself cannot know: pages went home after its last flush.
TEST(LogScan, ALogThatIsShorterThanPagesSayIsRefused) {
  const Written written;
  const std::vector<Appended> appended = commitEach(written.directory, 12);
  const std::filesystem::path path = segmentPath(written.directory, 0, 0);
  const Gsn last{appended.back().gsn.value + 1};  // the commit
  std::array<Gsn, kLogCountMax> known{last};
  EXPECT_EQ(changesOf(LogScan(written.directory, nullptr, known)).size(), 12u);
  const FlippedByte flipped(path, appended.back().position.value + 20, 1);
  EXPECT_EQ(changesOf(LogScan(written.directory)).size(), 11u) << "a torn tail";
  const SqlError damaged = errorOf([&] { const LogScan scan(written.directory, nullptr, known); });
  EXPECT_EQ(damaged.state(), sqlstate::kDataCorrupted);
  EXPECT_NE(damaged.message().find(path.string()), std::string::npos) << damaged.message();
  known[0] = Gsn{appended.back().gsn.value - 1};
  EXPECT_EQ(changesOf(LogScan(written.directory, nullptr, known)).size(), 11u);
  known[1] = Gsn{1};
  EXPECT_EQ(errorOf([&] { const LogScan scan(written.directory, nullptr, known); }).state(), sqlstate::kDataCorrupted)
      << "a log that is not there";
}

/// Logs of several threads; each damage either is refused or leaves a prefix that is consistent and lacks nothing that
/// was numbered before the damage.
TEST(LogScan, DamageOfOneLogLeavesAConsistentPrefixOrIsRefused) {
  const Written written;
  const uint64_t seed = testSeed();
  PageWorkload workload(seed);
  {
    WriteAheadLog wal(LogScan(written.directory), smallOptions());
    workload.run(wal, {.threads = 4, .transactions = 150, .waiting_percent = 30}, [](uint64_t) {});
  }
  struct Place {
    LogPosition position, end;
    Gsn gsn;
  };
  std::map<uint16_t, std::vector<Place>> records;
  const LogScan whole(written.directory);
  MergedCursor all = whole.merged();
  for (LogRecord record; all.next(record);)
    records[record.log.value].push_back({record.position, record.end, record.gsn});
  const size_t commit_count = PageWorkload::check(whole).committed.size();
  std::mt19937_64 random(seed);
  int refused = 0, shorter = 0;
  for (int round = 0; round < 400; ++round) {
    const auto log = static_cast<uint16_t>(random() % records.size());
    // Mostly near the end, where nobody knows better.
    const std::vector<Place>& places = records[log];
    const size_t back = random() % 4 == 0   ? 0
                        : random() % 3 == 0 ? random() % places.size()
                                            : random() % std::min<size_t>(places.size(), 12);
    const Place& place = places[places.size() - 1 - back];
    const uint64_t damage = place.position.value + random() % (place.end.value - place.position.value);
    const FlippedByte flipped(segmentPath(written.directory, log, damage / kSegmentBytes), damage % kSegmentBytes,
                              static_cast<char>(1 + random() % 255));
    try {
      const LogScan scan(written.directory);
      const PageWorkload::Found found = PageWorkload::check(scan);
      shorter += found.committed.size() < commit_count ? 1 : 0;
      std::set<std::pair<uint16_t, uint64_t>> there;
      MergedCursor cursor = scan.merged();
      for (LogRecord record; cursor.next(record);) there.insert({record.log.value, record.position.value});
      for (const auto& [number, others] : records)
        for (const Place& other : others)
          if (other.gsn < place.gsn) EXPECT_TRUE(there.contains({number, other.position.value}));
    } catch (const SqlError& error) {
      EXPECT_EQ(error.state(), sqlstate::kDataCorrupted);
      EXPECT_NE(error.message().find(SegmentName{LogNumber{log}, damage / kSegmentBytes}.text()), std::string::npos)
          << error.message();
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
  EXPECT_GT(shorter, 0);
}

/// A power cut keeps of what was not synced any blocks, and not others.
TEST(LogScan, APowerCutLosesNothingThatWasAcknowledged) {
  const uint64_t seed = testSeed();
  std::mt19937_64 random(seed);
  for (int round = 0; round < 12; ++round) {
    const Written written;
    PageWorkload workload(seed + static_cast<uint64_t>(round));
    std::set<uint64_t> acknowledged;
    std::mutex mutex;
    std::vector<LogPosition> stable;
    const std::filesystem::path cut = written.temporary.path() / "cut";
    {
      WalOptions options = smallOptions();
      options.flush_interval = std::chrono::seconds(60);
      WriteAheadLog wal(LogScan(written.directory), options);
      const auto note = [&](uint64_t number) {
        const std::scoped_lock lock(mutex);
        acknowledged.insert(number);
      };
      workload.run(wal, {.threads = 4, .transactions = 40, .waiting_percent = 40}, note);
      // Then only what buffers that are full bring to the files.
      workload.run(wal, {.threads = 4, .transactions = 60, .waiting_percent = 0, .change_bytes_max = 2000}, note);
      stable = wal.stablePositions();
      copyDirectory(written.directory, cut);
    }
    for (size_t log = 0; log < stable.size(); ++log) {
      for (uint64_t at = stable[log].value; at < stable[log].value + 4 * kSegmentBytes;) {
        const std::filesystem::path path = segmentPath(cut, static_cast<uint16_t>(log), at / kSegmentBytes);
        const uint64_t next = (at / 512 + 1) * 512;
        if (std::filesystem::exists(path) && at % kSegmentBytes >= sizeof(SegmentHeader) && random() % 12 == 0) {
          std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
          file.seekp(static_cast<std::streamoff>(at % kSegmentBytes));
          const std::string zeros(next - at, '\0');
          file.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
        }
        at = next;
      }
    }
    const LogScan scan(cut);
    const PageWorkload::Found found = PageWorkload::check(scan);
    for (const uint64_t number : acknowledged) EXPECT_TRUE(found.committed.contains(number)) << number;
    // And again after opening it, which removes what does not count.
    {
      const WriteAheadLog wal(scan, smallOptions());
    }
    EXPECT_EQ(PageWorkload::check(LogScan(cut)).committed, found.committed);
  }
}

}  // namespace
}  // namespace gnomon::wal
