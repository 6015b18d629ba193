#include "wal/segment_pool.h"

#include <gtest/gtest.h>

#include "base/failpoint.h"
#include "wal/log_start.h"
#include "wal/tests/wal_test_support.h"

namespace gnomon::wal {
namespace {

using namespace testing;
using gnomon::testing::errorOf;
using gnomon::testing::FullDisk;
using gnomon::testing::TemporaryDirectory;

SegmentHeader headerOf(uint16_t log, uint64_t segment) {
  SegmentHeader header{.magic = SegmentHeader::kMagic,
                       .checksum = 0,
                       .format_version = kLogFormatVersion,
                       .log = LogNumber{log},
                       .spare = 0,
                       .segment = segment,
                       .first = LogPosition{segment * kSegmentBytes},
                       .salt = 5,
                       .gsn_before = {},
                       .continued = {}};
  header.checksum = header.computeChecksum();
  return header;
}

TEST(SegmentPool, AFullDiskRefusesAPromiseAndKeepsThoseItMade) {
  const TemporaryDirectory directory;
  SegmentPool pool(directory.path(), kSegmentBytes, SyncMethod::Fdatasync, 0);
  pool.promise(2);
  {
    const FullDisk full(kSegmentBytes - 1);
    const SqlError error = errorOf([&] { pool.promise(1); });
    EXPECT_EQ(error.state(), sqlstate::kDiskFull);
    EXPECT_EQ(pool.totalBytes(), 2 * kSegmentBytes);
    pool.take(headerOf(0, 0));
    pool.take(headerOf(0, 1));
  }
  EXPECT_EQ(std::filesystem::file_size(segmentPath(directory.path(), 0, 1)), kSegmentBytes);
  pool.promise(1);
  EXPECT_EQ(pool.totalBytes(), 3 * kSegmentBytes);
}

TEST(SegmentPool, KeepsSomeSparesAndPromisedOnes) {
  const TemporaryDirectory directory;
  {
    SegmentPool pool(directory.path(), kSegmentBytes, SyncMethod::Fdatasync, 2);
    pool.promise(6);
    for (uint64_t segment = 0; segment < 6; ++segment) pool.take(headerOf(1, segment));
    EXPECT_EQ(pool.spareCount(), 0u);
    for (uint64_t segment = 0; segment < 6; ++segment) pool.recycle({LogNumber{1}, segment});
    EXPECT_EQ(pool.spareCount(), 2u);
    EXPECT_EQ(pool.totalBytes(), 2 * kSegmentBytes);
    pool.promise(4);
    pool.takeBackPromise(1);
    EXPECT_EQ(pool.spareCount(), 4u);
    pool.takeBackPromise(3);
    EXPECT_EQ(pool.spareCount(), 2u);
    pool.recycle({LogNumber{1}, 99});  // there is none
  }
  std::ofstream(directory.path() / spareName(500)) << "too short";
  const SegmentPool pool(directory.path(), kSegmentBytes, SyncMethod::Fdatasync, 2);
  EXPECT_EQ(pool.spareCount(), 2u);
  EXPECT_FALSE(std::filesystem::exists(directory.path() / spareName(500)));
}

TEST(LogStart, IsReadAsItWasWrittenOrRefused) {
  const TemporaryDirectory directory;
  EXPECT_EQ(LogStart::read(directory.path()), std::nullopt);
  LogStart start{.segment_bytes = kSegmentBytes, .released = Gsn{12}};
  for (uint16_t log = 0; log < 3; ++log)
    start.entries.push_back({LogPosition{100u + log}, Gsn{10u + log}, Gsn{20u + log}, LogNumber{log}, {}});
  start.write(directory.path());
  const std::optional<LogStart> read = LogStart::read(directory.path());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->released, Gsn{12});
  EXPECT_EQ(read->segment_bytes, kSegmentBytes);
  ASSERT_EQ(read->entries.size(), 3u);
  EXPECT_EQ(read->find(LogNumber{2})->position, LogPosition{102});
  EXPECT_EQ(read->find(LogNumber{2})->gsn_before, Gsn{12});
  EXPECT_EQ(read->find(LogNumber{2})->stable, Gsn{22});
  EXPECT_EQ(read->find(LogNumber{3}), nullptr);
  for (uint64_t offset = 0; offset < std::filesystem::file_size(directory.path() / "start"); ++offset) {
    const FlippedByte flipped(directory.path() / "start", offset, 4);
    EXPECT_EQ(errorOf([&] { LogStart::read(directory.path()); }).state(), sqlstate::kDataCorrupted) << offset;
  }
}

}  // namespace
}  // namespace gnomon::wal
