#include "wal/merged_cursor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "wal/tests/page_workload.h"

/// Logs that are read ahead, each by a thread, give what they give one by one.
namespace gnomon::wal {
namespace {

using namespace testing;
using gnomon::testing::errorOf;
using gnomon::testing::TemporaryDirectory;
using gnomon::testing::testSeed;

struct Seen {
  LogNumber log;
  LogPosition position;
  Gsn gsn;
  std::string body;
  std::vector<uint64_t> claims;
  bool operator==(const Seen&) const = default;
};

Seen seen(const LogRecord& record) {
  Seen what{
      .log = record.log, .position = record.position, .gsn = record.gsn, .body = textOf(record.body), .claims = {}};
  for (const LogClaim& claim : record.claims) what.claims.push_back(claim.gsn.value << 8 | claim.log.value);
  return what;
}

/// Several logs, with records of up to `body_bytes_max` bytes.
void write(const std::filesystem::path& directory, uint64_t seed, size_t body_bytes_max) {
  std::mt19937_64 random(seed);
  WriteAheadLog wal(LogScan(directory), smallOptions());
  std::vector<std::unique_ptr<LogWriter>> writers;
  for (int i = 0; i < 5; ++i) writers.push_back(wal.lease());
  RecordStamp stamp;
  for (uint64_t number = 1; number <= 40; ++number) {
    LogWriter& writer = *writers[random() % writers.size()];
    writer.begin(TransactionNumber{number});
    for (uint64_t count = random() % 20; count > 0; --count) {
      const size_t bytes = random() % 10 == 0 ? random() % body_bytes_max : random() % 300;
      const bool depends = stamp.gsn.value != 0 && random() % 2 == 0;
      const Appended appended = appendText(writer, randomText(random, bytes), number, {&stamp, depends ? 1u : 0u});
      stamp = {appended.gsn, writer.log()};
    }
    wal.waitFor(writer.commit(Visibility::AfterStable));
  }
}

/// Each log by itself, then in the order of GSNs.
std::vector<Seen> oneByOne(const LogScan& scan) {
  std::vector<Seen> all;
  for (const ScannedLog& log : scan.logs()) {
    const auto cursor = scan.read(log.log);
    for (LogRecord record; cursor->next(record);) all.push_back(seen(record));
  }
  std::ranges::sort(all, {}, &Seen::gsn);
  return all;
}

TEST(MergedCursor, GivesEachRecordOnceInTheOrderOfGsnsAndKeepsItWithItsBlock) {
  const uint64_t seed = testSeed();
  for (const size_t body_bytes_max : {size_t{400}, size_t{40'000}, size_t{3'000'000}}) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " bodies of up to " << body_bytes_max);
    const TemporaryDirectory directory;
    write(directory.path() / "wal", seed + body_bytes_max, body_bytes_max);
    const LogScan scan(directory.path() / "wal");
    ASSERT_GE(scan.logs().size(), 2u);
    const std::vector<Seen> expected = oneByOne(scan);
    ASSERT_GT(expected.size(), 100u);
    std::vector<LogRecord> records;
    std::vector<std::shared_ptr<const RecordBlock>> blocks;
    MergedCursor merged = scan.merged();
    for (LogRecord record; merged.next(record);) {
      records.push_back(record);
      blocks.push_back(merged.block());
    }
    LogRecord none;
    EXPECT_FALSE(merged.next(none));
    ASSERT_EQ(records.size(), expected.size());
    std::map<std::pair<LogNumber, LogPosition>, const Seen*> by_place;
    for (const Seen& one : expected) by_place[{one.log, one.position}] = &one;
    // Only now: the bodies are the blocks', and were not moved meanwhile.
    for (size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ(records[i].gsn, expected[i].gsn) << i;
      const auto found = by_place.find({records[i].log, records[i].position});
      ASSERT_NE(found, by_place.end()) << i;
      EXPECT_TRUE(seen(records[i]) == *found->second) << i;
    }
  }
}

TEST(MergedCursor, MayBeLeftBeforeTheEnd) {
  const TemporaryDirectory directory;
  write(directory.path() / "wal", testSeed(), 500'000);
  const LogScan scan(directory.path() / "wal");
  for (int taken = 0; taken < 40; ++taken) {
    MergedCursor merged = scan.merged();
    LogRecord record;
    for (int i = 0; i < taken; ++i) ASSERT_TRUE(merged.next(record));
  }
}

TEST(MergedCursor, WhatCannotBeReadFailsAfterWhatCameBefore) {
  const TemporaryDirectory directory;
  const std::filesystem::path logs = directory.path() / "wal";
  {
    WriteAheadLog wal(LogScan(logs), smallOptions());
    const auto writer = wal.lease();
    for (uint64_t number = 1; number <= 200; ++number) {
      writer->begin(TransactionNumber{number});
      appendText(*writer, std::string(2000, 'x'));
      wal.waitFor(writer->commit(Visibility::AfterStable));
    }
  }
  const LogScan scan(logs);
  const uint64_t before = std::ranges::count_if(
      oneByOne(scan), [](const Seen& record) { return record.position.value < 2 * kSegmentBytes; });
  const FlippedByte flipped(segmentPath(logs, 0, 2), 20, 1);
  MergedCursor merged = scan.merged();
  uint64_t count = 0;
  const SqlError error = errorOf([&] {
    for (LogRecord record; merged.next(record);) ++count;
  });
  EXPECT_EQ(error.state(), sqlstate::kDataCorrupted);
  EXPECT_NE(error.message().find(segmentPath(logs, 0, 2).string()), std::string::npos) << error.message();
  EXPECT_GE(count + 1, before) << "a record may end in the damaged segment";
  EXPECT_LE(count, before);
}

}  // namespace
}  // namespace gnomon::wal
