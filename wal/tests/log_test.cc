#include "wal/log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "wal/tests/wal_test_support.h"

namespace gnomon::wal {
namespace {

using namespace testing;
using gnomon::testing::TemporaryDirectory;
using gnomon::testing::testSeed;

bool overlap(const IoRequest& left, const IoRequest& right) {
  return left.descriptor == right.descriptor && left.offset < right.offset + right.bytes &&
         right.offset < left.offset + left.bytes;
}

/// Requests of one batch reach the disk in any order.
TEST(Log, WhatABatchWritesIsTheSameInAnyOrder) {
  const uint64_t seed = testSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const TemporaryDirectory directory;
  SegmentPool pool(directory.path(), kSegmentBytes, SyncMethod::Fdatasync, 2);
  LogBoard board;
  LogHealth health(nullptr);
  const auto io = FileIo::create(IoMethod::Pread);
  Log log(LogNumber{0}, directory.path(), pool, *io, board, health, kBufferBytes, {}, false);
  RecordChain chain;
  chain.transaction = TransactionNumber{1};
  std::vector<std::pair<LogPosition, std::string>> written;
  int batches_over_the_end_of_the_ring = 0;
  for (int batch = 0; batch < 200; ++batch) {
    for (uint64_t records = 1 + random() % 3; records > 0; --records) {
      std::string text = randomText(random, 8 + random() % 4000);
      const Bytes body[] = {bytesOf(text)};
      const Appended appended =
          log.append({.type = kChange, .page = 1, .relation = 7, .body = body}, chain, {}, Visibility::AfterStable);
      written.emplace_back(appended.position, std::move(text));
    }
    std::unique_lock<std::mutex> lock;
    std::vector<IoRequest> requests;
    log.beginWrites(lock, requests, random() % 4 == 0 ? Log::Extent::FullBlocks : Log::Extent::All);
    for (size_t i = 0; i < requests.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        EXPECT_FALSE(overlap(requests[i], requests[j])) << "batch " << batch << " at " << requests[i].offset;
    if (requests.size() > 2) ++batches_over_the_end_of_the_ring;
    std::ranges::shuffle(requests, random);
    io->perform(requests);
    log.finishWrites(requests);
  }
  EXPECT_GT(batches_over_the_end_of_the_ring, 0);
  for (const auto& [position, text] : written)
    ASSERT_EQ(textOf(log.read(position)->body), text) << "at " << position.value;
}

}  // namespace
}  // namespace gnomon::wal
