#include "base/epoch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace gnomon {
namespace {

TEST(EpochManager, FreesAtOnceWhereNobodyLooks) {
  EpochManager epochs;
  int freed = 0;
  epochs.retire([&] { ++freed; });
  EXPECT_EQ(freed, 1);
}

TEST(EpochManager, WaitsForGuardsThatWereThereAndForNoLaterOne) {
  EpochManager epochs;
  int freed = 0;
  {
    const EpochManager::Guard outer(epochs);
    {
      const EpochManager::Guard inner(epochs);
      epochs.retire([&] { ++freed; });
    }
    epochs.collect();
    EXPECT_EQ(freed, 0) << "the outer guard still holds";
  }
  const EpochManager::Guard later(epochs);
  epochs.collect();
  EXPECT_EQ(freed, 1);
}

TEST(EpochManager, FreesAllThatGatheredInTheOrderInWhichItCame) {
  constexpr int kRetired = 11;
  EpochManager epochs;
  std::vector<int> freed;
  {
    const EpochManager::Guard guard(epochs);
    for (int i = 0; i + 1 < kRetired; ++i) epochs.retire([&freed, i] { freed.push_back(i); });
    EXPECT_TRUE(freed.empty());
  }
  epochs.retire([&freed] { freed.push_back(kRetired - 1); });
  ASSERT_EQ(freed.size(), kRetired);
  for (int i = 0; i < kRetired; ++i) EXPECT_EQ(freed[static_cast<size_t>(i)], i);
}

/// What comes while others are being freed is no part of that.
TEST(EpochManager, WhatIsRetiredWhileOthersAreFreedWaitsForTheGuardsOfItsOwnTime) {
  constexpr int kRetired = 12;
  EpochManager epochs;
  std::promise<void> is_freeing, is_retired, is_collected;
  std::atomic<bool> is_first{true};
  std::atomic<bool> is_gone{false};
  std::thread reader([&] {
    is_freeing.get_future().wait();
    {
      const EpochManager::Guard guard(epochs);
      epochs.retire([&] { is_gone = true; });
      is_retired.set_value();
      is_collected.get_future().wait();
      EXPECT_FALSE(is_gone.load());
    }
    epochs.collect();
  });
  {
    const EpochManager::Guard guard(epochs);
    for (int i = 0; i < kRetired; ++i)
      epochs.retire([&] {
        if (!is_first.exchange(false)) return;
        is_freeing.set_value();
        is_retired.get_future().wait();
      });
  }
  epochs.collect();
  is_collected.set_value();
  reader.join();
  EXPECT_TRUE(is_gone.load());
}

TEST(EpochManager, FreesTheRestWhenItGoes) {
  int freed = 0;
  {
    EpochManager epochs;
    {
      const EpochManager::Guard guard(epochs);
      for (int i = 0; i < 3; ++i) epochs.retire([&] { ++freed; });
      EXPECT_EQ(freed, 0);
    }
  }
  EXPECT_EQ(freed, 3);
}

// writers:  exchange the object, retire the old one, which spoils it
// readers:  guard, look at the object: never spoiled
TEST(EpochManager, NoReaderSeesWhatWasFreed) {
  struct Object {
    std::atomic<uint64_t> sound{1};
  };
  EpochManager epochs;
  std::atomic<Object*> current{new Object};
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> spoiled{0}, seen{0};
  std::vector<std::thread> threads;
  for (int reader = 0; reader < 3; ++reader) {
    threads.emplace_back([&] {
      while (!stop.load()) {
        const EpochManager::Guard guard(epochs);
        const Object* object = current.load(std::memory_order_acquire);
        for (int look = 0; look < 10; ++look)
          if (object->sound.load(std::memory_order_relaxed) != 1) spoiled.fetch_add(1);
        seen.fetch_add(1);
      }
    });
  }
  for (int writer = 0; writer < 2; ++writer) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        Object* before = current.exchange(new Object, std::memory_order_acq_rel);
        epochs.retire([before] {
          before->sound.store(0);
          delete before;
        });
      }
    });
  }
  threads[3].join();
  threads[4].join();
  stop = true;
  for (int reader = 0; reader < 3; ++reader) threads[static_cast<size_t>(reader)].join();
  delete current.load();
  EXPECT_EQ(spoiled.load(), 0u);
  EXPECT_GT(seen.load(), 0u);
}

}  // namespace
}  // namespace gnomon
