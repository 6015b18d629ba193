#include "txn/snapshot_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace gnomon::txn {
namespace {

std::vector<Timestamp> startsOf(const SnapshotRegistry& registry) {
  std::vector<Timestamp> starts;
  registry.forEachStart([&](Timestamp start) { starts.push_back(start); });
  std::ranges::sort(starts);
  return starts;
}

/// A horizon whose parts belong together.
SnapshotRegistry::Horizon horizon(Timestamp last_commit) {
  return {.last_commit = last_commit, .epoch = last_commit * 3, .ended = last_commit * 7, .unbegun = last_commit * 9};
}

TEST(SnapshotRegistry, ASnapshotSeesWhatWasPublishedLast) {
  SnapshotRegistry registry;
  registry.publish(horizon(4));
  registry.publish(horizon(5));
  LockManager locks;
  const LockOwner owner(locks);
  Snapshot snapshot;
  SnapshotRegistry::Place& place = registry.take(&owner, snapshot);
  EXPECT_EQ(snapshot.start, 5u);
  EXPECT_EQ(snapshot.epoch, 15u);
  EXPECT_EQ(snapshot.ended, 35u);
  EXPECT_EQ(snapshot.unbegun, 45u);
  EXPECT_EQ(place.owner(), &owner);
  EXPECT_EQ(place.start(), 5u);
  SnapshotRegistry::free(place);
}

TEST(SnapshotRegistry, OneThreadHoldsSeveralSnapshotsAndGivesThemBackInAnyOrder) {
  SnapshotRegistry registry;
  std::vector<SnapshotRegistry::Place*> places;
  for (Timestamp start = 1; start <= 4; ++start) {
    registry.publish(horizon(start));
    Snapshot snapshot;
    places.push_back(&registry.take(nullptr, snapshot));
  }
  EXPECT_EQ(startsOf(registry), (std::vector<Timestamp>{1, 2, 3, 4}));
  SnapshotRegistry::free(*places[0]);
  EXPECT_EQ(startsOf(registry), (std::vector<Timestamp>{2, 3, 4}));
  EXPECT_EQ(registry.oldest(), 2u);
  EXPECT_EQ(registry.findOlder(2), nullptr);
  EXPECT_EQ(registry.findOlder(3), places[1]);
  SnapshotRegistry::free(*places[2]);
  EXPECT_EQ(startsOf(registry), (std::vector<Timestamp>{2, 4}));
  Snapshot again;
  SnapshotRegistry::Place& first = registry.take(nullptr, again);
  EXPECT_EQ(startsOf(registry), (std::vector<Timestamp>{2, 4, 4}));
  SnapshotRegistry::free(*places[1]);
  EXPECT_EQ(registry.findOlder(4), nullptr);
  SnapshotRegistry::free(*places[3]);
  SnapshotRegistry::free(first);
  EXPECT_EQ(startsOf(registry), std::vector<Timestamp>());
  EXPECT_EQ(registry.oldest(), SnapshotRegistry::kFree);
}

TEST(SnapshotRegistry, ASnapshotOfAThreadThatHasEndedStays) {
  SnapshotRegistry registry;
  registry.publish(horizon(1));
  SnapshotRegistry::Place* place = nullptr;
  std::thread([&] {
    Snapshot snapshot;
    place = &registry.take(nullptr, snapshot);
  }).join();
  registry.publish(horizon(2));
  std::thread([&] {
    Snapshot snapshot;
    SnapshotRegistry::Place& other = registry.take(nullptr, snapshot);
    EXPECT_EQ(startsOf(registry), (std::vector<Timestamp>{1, 2}));
    SnapshotRegistry::free(other);
  }).join();
  SnapshotRegistry::free(*place);
  EXPECT_EQ(startsOf(registry), std::vector<Timestamp>());
}

/// R1: what is done away with, behind a look at all snapshots, every snapshot sees.
TEST(SnapshotRegistry, NoSnapshotIsOverlookedWhileOthersPublish) {
  constexpr Timestamp kCommits = 100'000;
  constexpr int kThreads = 3;
  SnapshotRegistry registry;
  registry.publish(horizon(0));
  std::atomic<Timestamp> collected{0};
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> taken{0}, torn{0}, overlooked{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      while (!is_over.load()) {
        Snapshot first, second;
        SnapshotRegistry::Place& place = registry.take(nullptr, first);
        SnapshotRegistry::Place& behind = registry.take(nullptr, second);
        for (const Snapshot* each : {&first, &second}) {
          if (each->epoch != each->start * 3 || each->ended != each->start * 7 || each->unbegun != each->start * 9)
            ++torn;
          if (collected.load() > each->start) ++overlooked;
        }
        SnapshotRegistry::free(place);
        if (collected.load() > second.start) ++overlooked;
        SnapshotRegistry::free(behind);
        ++taken;
      }
    });
  for (Timestamp commit = 1; commit <= kCommits || taken.load() < 1000; ++commit) {
    registry.publish(horizon(commit));
    if (commit % 2 == 0) {
      collected.store(std::min(registry.oldest(), commit));
    } else if (!registry.findOlder(commit)) {
      collected.store(commit);
    }
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(torn.load(), 0u);
  EXPECT_EQ(overlooked.load(), 0u);
  EXPECT_EQ(startsOf(registry), std::vector<Timestamp>());
}

}  // namespace
}  // namespace gnomon::txn
