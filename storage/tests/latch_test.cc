#include "storage/latch.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "storage/page_guard.h"

namespace gnomon::storage {
namespace {

TEST(VersionedLatch, ExclusiveKeepsOthersOutAndMovesTheVersion) {
  VersionedLatch latch;
  const auto before = latch.readVersion();
  latch.lockExclusive();
  EXPECT_FALSE(latch.tryLockExclusive());
  EXPECT_FALSE(latch.tryLockShared());
  EXPECT_FALSE(latch.validate(before));
  latch.unlockExclusive();
  EXPECT_FALSE(latch.validate(before));
  EXPECT_EQ(latch.readVersion(), before + 1);
}

TEST(VersionedLatch, ReleaseWithoutChangeLeavesOptimisticReadersValid) {
  VersionedLatch latch;
  const auto before = latch.readVersion();
  latch.lockExclusive();
  latch.unlockExclusive(false);
  EXPECT_TRUE(latch.validate(before));
  EXPECT_TRUE(latch.tryUpgrade(before));
  latch.unlockExclusive();
  EXPECT_FALSE(latch.tryUpgrade(before));
}

TEST(VersionedLatch, SharedHoldersBeyondTheStateBitsAreCounted) {
  VersionedLatch latch;
  constexpr int kHolders = 100;
  const auto before = latch.readVersion();
  for (int holder = 0; holder < kHolders; ++holder) ASSERT_TRUE(latch.tryLockShared());
  EXPECT_TRUE(latch.validate(before));
  for (int holder = 0; holder < kHolders; ++holder) {
    ASSERT_FALSE(latch.tryLockExclusive()) << holder << " of " << kHolders << " released";
    latch.unlockShared();
  }
  EXPECT_TRUE(latch.tryLockExclusive());
}

// thread 1..n:  lock exclusive   count += 1   unlock
// thread n+1..: lock shared      read both counts, equal   unlock
TEST(VersionedLatch, WritersExcludeOneAnotherAndReaders) {
  VersionedLatch latch;
  uint64_t first = 0, second = 0;
  constexpr int kThreads = 4;
  constexpr uint64_t kRounds = 3000;
  std::vector<std::thread> threads;
  for (int index = 0; index < kThreads; ++index) {
    threads.emplace_back([&] {
      for (uint64_t round = 0; round < kRounds; ++round) {
        latch.lockExclusive();
        ++first;
        ++second;
        latch.unlockExclusive();
      }
    });
    threads.emplace_back([&] {
      for (uint64_t round = 0; round < kRounds; ++round) {
        latch.lockShared();
        EXPECT_EQ(first, second);
        latch.unlockShared();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(first, kThreads * kRounds);
  EXPECT_TRUE(latch.isFree());
  EXPECT_EQ(latch.readVersion(), kThreads * kRounds);
}

// More threads than the state bits count go in and out of saturation while a writer wants in now and then.
TEST(VersionedLatch, SaturationKeepsTheCountUnderConcurrency) {
  VersionedLatch latch;
  uint64_t changes = 0;
  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < 40; ++index)
    threads.emplace_back([&, index] {
      for (int round = 0; round < 100; ++round) {
        if (index == 0) {
          latch.lockExclusive();
          EXPECT_EQ(inside.load(), 0);
          ++changes;
          latch.unlockExclusive();
        } else {
          latch.lockShared();
          inside.fetch_add(1);
          std::this_thread::yield();
          inside.fetch_sub(1);
          latch.unlockShared();
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(changes, 100u);
  EXPECT_TRUE(latch.isFree());
}

TEST(VersionedLatch, OptimisticReadersNeverAcceptHalfAChange) {
  VersionedLatch latch;
  std::atomic<uint64_t> first{0}, second{0};
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (uint64_t round = 1; round <= 20000; ++round) {
      latch.lockExclusive();
      first.store(round, std::memory_order_relaxed);
      second.store(round, std::memory_order_relaxed);
      latch.unlockExclusive();
    }
    done.store(true);
  });
  uint64_t accepted = 0;
  while (!done.load() || accepted == 0) {
    const auto version = latch.readVersion();
    const uint64_t a = first.load(std::memory_order_relaxed);
    const uint64_t b = second.load(std::memory_order_relaxed);
    if (!latch.validate(version)) continue;
    ASSERT_EQ(a, b);
    ++accepted;
  }
  writer.join();
}

TEST(PageGuard, MovedFromGuardsReleaseNothing) {
  Frame frame;
  {
    ExclusiveGuard first(frame);
    ExclusiveGuard second(std::move(first));
    EXPECT_FALSE(first.holds());  // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(frame.latch.isExclusive());
  }
  EXPECT_TRUE(frame.latch.isFree());
  const OptimisticGuard reader(frame);
  EXPECT_TRUE(reader.isValid());
  {
    const ExclusiveGuard writer = reader.tryUpgrade();
  }
  EXPECT_FALSE(reader.isValid());
  EXPECT_FALSE(reader.tryUpgrade().holds());
}

}  // namespace
}  // namespace gnomon::storage
