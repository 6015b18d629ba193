#include "base/thread_counters.h"

#include <gtest/gtest.h>

#include <barrier>
#include <set>
#include <thread>
#include <vector>

namespace gnomon {
namespace {

TEST(ThreadNumber, LivingThreadsHaveNumbersOfTheirOwnAndEndedOnesGiveTheirsBack) {
  constexpr int kThreads = 8;
  std::set<uint32_t> seen;
  for (int round = 0; round < 20; ++round) {
    std::vector<uint32_t> numbers(kThreads);
    std::barrier all_alive(kThreads);
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        numbers[static_cast<size_t>(i)] = ThreadNumber::current();
        all_alive.arrive_and_wait();
        EXPECT_EQ(ThreadNumber::current(), numbers[static_cast<size_t>(i)]);
      });
    threads.clear();
    EXPECT_EQ(std::set<uint32_t>(numbers.begin(), numbers.end()).size(), size_t{kThreads});
    seen.insert(numbers.begin(), numbers.end());
  }
  EXPECT_EQ(seen.size(), size_t{kThreads});
}

TEST(ThreadCounters, SumIsExactOnceThreadsHaveEnded) {
  ThreadCounters<3> counters;
  ThreadCounters<3> others;
  for (int round = 0; round < 10; ++round) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < 10'000; ++n) {
          counters.add(1);
          if (n % 2 == 0) counters.add(2);
        }
        others.add(0);
      });
  }
  EXPECT_EQ(counters.sum(0), 0u);
  EXPECT_EQ(counters.sum(1), 400'000u);
  EXPECT_EQ(counters.sum(2), 200'000u);
  EXPECT_EQ(others.sum(0), 40u);
}

TEST(ThreadCounters, ThreadsBeyondTheTableAreCountedToo) {
  constexpr int kThreads = 1100;
  ThreadCounters<1> counters;
  std::barrier all_alive(kThreads);
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      counters.add(0);
      all_alive.arrive_and_wait();
      counters.add(0);
    });
  threads.clear();
  EXPECT_EQ(counters.sum(0), uint64_t{2 * kThreads});
}

}  // namespace
}  // namespace gnomon
