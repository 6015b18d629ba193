#include "base/striped_shared_mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace gnomon {
namespace {

// Readers see both numbers change together, and are inside at the same time.
TEST(StripedSharedMutex, IsHeldAloneOrShared) {
  constexpr int kReaders = 20, kRounds = 100, kReads = 2000;
  StripedSharedMutex mutex;
  int left = 0, right = 0;
  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  for (int reader = 0; reader < kReaders; ++reader)
    threads.emplace_back([&] {
      for (int read = 0; read < kReads; ++read) {
        const std::shared_lock lock(mutex);
        inside.fetch_add(1);
        EXPECT_EQ(left, right);
        inside.fetch_sub(1);
      }
    });
  for (int round = 0; round < kRounds; ++round) {
    const std::scoped_lock lock(mutex);
    EXPECT_EQ(inside.load(), 0);
    ++left;
    std::this_thread::yield();
    ++right;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(left, kRounds);
  {
    const std::shared_lock first(mutex);
    std::thread([&] { const std::shared_lock second(mutex); }).join();
  }
}

}  // namespace
}  // namespace gnomon
