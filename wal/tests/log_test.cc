#include "wal/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

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

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override { chain_.transaction = TransactionNumber{1}; }

  Appended append(const std::string& text) {
    const Bytes body[] = {bytesOf(text)};
    return log_.append({.type = kChange, .page = 1, .relation = 7, .body = body}, chain_, {}, Visibility::AfterStable);
  }
  /// `look` may change their order.
  void write(Log::Extent extent, const std::function<void(std::vector<IoRequest>&)>& look = [](auto&) {}) {
    std::unique_lock<std::mutex> lock;
    std::vector<IoRequest> requests;
    log_.beginWrites(lock, requests, extent);
    look(requests);
    io_->perform(requests);
    log_.finishWrites(requests);
  }

  const uint64_t seed_ = testSeed();
  const ::testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
  std::mt19937_64 random_{seed_};
  const TemporaryDirectory directory_;
  SegmentPool pool_{directory_.path(), kSegmentBytes, SyncMethod::Fdatasync, 2};
  LogBoard board_;
  LogHealth health_{nullptr};
  const std::unique_ptr<FileIo> io_ = FileIo::create(IoMethod::Pread);
  Log log_{LogNumber{0}, directory_.path(), pool_, *io_, board_, health_, kBufferBytes, {}, false};
  RecordChain chain_;
};

/// Requests of one batch reach the disk in any order.
TEST_F(LogTest, WhatABatchWritesIsTheSameInAnyOrder) {
  std::vector<std::pair<LogPosition, std::string>> written;
  int batches_over_the_end_of_the_ring = 0;
  for (int batch = 0; batch < 200; ++batch) {
    for (uint64_t records = 1 + random_() % 3; records > 0; --records) {
      std::string text = randomText(random_, 8 + random_() % 4000);
      const LogPosition position = append(text).position;
      written.emplace_back(position, std::move(text));
    }
    write(random_() % 4 == 0 ? Log::Extent::FullBlocks : Log::Extent::All, [&](std::vector<IoRequest>& requests) {
      for (size_t i = 0; i < requests.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          EXPECT_FALSE(overlap(requests[i], requests[j])) << "batch " << batch << " at " << requests[i].offset;
      if (requests.size() > 2) ++batches_over_the_end_of_the_ring;
      std::ranges::shuffle(requests, random_);
    });
  }
  EXPECT_GT(batches_over_the_end_of_the_ring, 0);
  for (const auto& [position, text] : written)
    ASSERT_EQ(textOf(log_.read(position)->body), text) << "at " << position.value;
}

/// Syncs end in any order. Whatever is said to be stable lies in files of which a sync has ended that began after the
/// last write into them below that position.
TEST_F(LogTest, OverlappingSyncsHaveAllFilesThatAreNotSyncedYet) {
  struct Sync {
    Log::Unsynced unsynced;
    Gsn last;
  };
  std::vector<Sync> running;
  std::map<uint64_t, uint64_t> safe;  // up to where each segment's file is on stable storage, by segment
  Gsn stable_last;
  size_t files_of_two_syncs = 0;
  for (int step = 0; step < 2000; ++step) {
    if (random_() % 2 == 0 || running.empty()) {
      append(randomText(random_, 8 + random_() % 8000));
      const Log::Snapshot snapshot = log_.snapshot(Gsn{});
      write(Log::Extent::All);
      running.push_back({log_.beginSync(), snapshot.last});
      const Sync& begun = running.back();
      ASSERT_EQ(begun.unsynced.position, snapshot.filled);
      for (size_t other = 0; other + 1 < running.size(); ++other)
        for (const auto& file : running[other].unsynced.files)
          files_of_two_syncs += std::ranges::count(begun.unsynced.files, file.file, &Log::Unsynced::File::file);
      continue;
    }
    const auto ended = running.begin() + static_cast<ptrdiff_t>(random_() % running.size());
    for (const auto& file : ended->unsynced.files) {
      const auto name = SegmentName::parse(file.file->path().filename());
      ASSERT_TRUE(name);
      uint64_t& end = safe[name->segment];
      end = std::max(end, std::min(ended->unsynced.position.value, (name->segment + 1) * kSegmentBytes));
    }
    log_.endSync(ended->unsynced, ended->last);
    stable_last = std::max(stable_last, ended->last);
    running.erase(ended);
    const uint64_t synced = log_.synced().value;
    for (uint64_t segment = 0; segment * kSegmentBytes < synced; ++segment)
      ASSERT_GE(safe[segment], std::min(synced, (segment + 1) * kSegmentBytes)) << "segment " << segment;
    ASSERT_EQ(board_.logs[0].synced_last.load(), stable_last);
  }
  EXPECT_GT(files_of_two_syncs, 0u);
  EXPECT_GT(safe.size(), 3u);
}

}  // namespace
}  // namespace gnomon::wal
