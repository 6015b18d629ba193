#include "base/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gnomon {
namespace {

TEST(WorkerPool, CallsEverySlotOnce) {
  for (const unsigned workers : {1u, 2u, 5u}) {
    WorkerPool pool(workers);
    ASSERT_EQ(pool.workerCount(), workers);
    for (int round = 0; round < 200; ++round) {
      std::vector<std::atomic<int>> calls(workers);
      pool.run([&](unsigned slot) { ++calls.at(slot); });
      for (const auto& count : calls) EXPECT_EQ(count.load(), 1);
    }
  }
}

TEST(WorkerPool, ThrowsWhatABodyThrewAfterAllHaveEnded) {
  WorkerPool pool(4);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ended{0};
    try {
      pool.run([&](unsigned slot) {
        ++ended;
        if (slot == 2) throw std::runtime_error("slot 2");
      });
      ADD_FAILURE();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "slot 2");
    }
    EXPECT_EQ(ended.load(), 4);
  }
}

// first:    all its slots wait for the release
// second:             run() by another thread: ends all the same
TEST(WorkerPool, AStatementDoesNotWaitForAnotherOnes) {
  WorkerPool pool(3);
  std::atomic<unsigned> waiting{0};
  std::latch release(1);
  std::thread first([&] {
    pool.run([&](unsigned) {
      ++waiting;
      release.wait();
    });
  });
  // The helpers come when they come; the caller's own slot is enough.
  while (waiting.load() == 0) std::this_thread::yield();
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> calls{0};
    pool.run([&](unsigned) { ++calls; });
    EXPECT_EQ(calls.load(), 3);
  }
  release.count_down();
  first.join();
  EXPECT_EQ(waiting.load(), 3u);
}

TEST(WorkerPool, ServesManyThreadsAtOnce) {
  WorkerPool pool(2);
  std::atomic<uint64_t> sum{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) pool.run([&](unsigned slot) { sum += slot + 1; });
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum.load(), 8u * 200 * 3);
}

}  // namespace
}  // namespace gnomon
