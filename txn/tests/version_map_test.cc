#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/epoch.h"
#include "storage/tests/test_support.h"
#include "txn/version_map.h"

/// Chains of one page, and what becomes of those without versions.
namespace gnomon::txn {
namespace {

using storage::testing::testSeed;

std::unique_ptr<Version> versionOf(uint64_t id, Version::Kind kind = Version::Kind::Updated) {
  return std::make_unique<Version>(kTransactionIdMin, 1, kind, TupleId{id});
}

std::vector<uint64_t> idsOf(const VersionChains& chains) {
  std::vector<uint64_t> ids;
  for (const VersionChain& chain : chains) ids.push_back(chain.first().value);
  return ids;
}

class VersionMapTest : public ::testing::Test {
 protected:
  Version& add(uint64_t id) {
    versions_.push_back(versionOf(id));
    map_.add(*versions_.back());
    return *versions_.back();
  }
  Version& addCreated(uint64_t first, uint64_t end) {
    versions_.push_back(versionOf(first, Version::Kind::Created));
    map_.addCreated(*versions_.back(), TupleId{end});
    return *versions_.back();
  }
  /// With a before-image.
  Version& addUpdate(uint64_t id, std::vector<std::pair<uint32_t, Datum>> before, uint8_t null_flag = 0,
                     Timestamp writer = kWriter) {
    const auto columns = static_cast<uint16_t>(before.size());
    updates_.push_back(std::make_unique_for_overwrite<std::byte[]>(Version::bytes(columns)));
    auto* const version = new (updates_.back().get()) Version(writer, 1, Version::Kind::Updated, TupleId{id}, columns);
    for (size_t i = 0; i < columns; ++i) {
      version->columns()[i] = before[i].first;
      version->values()[i] = before[i].second;
      version->nullFlags()[i] = null_flag;
    }
    map_.add(*version);
    return *version;
  }
  /// What undoes it for a snapshot from before the writer: column, value, whether it is null.
  std::optional<std::tuple<uint32_t, uint64_t, bool>> loneUpdate(uint64_t id) {
    const VersionChain* const chain = map_.find(TupleId{id});
    const VersionChain::LoneUpdate* const lone = chain ? chain->loneUpdateFor({.unbegun = kWriter}) : nullptr;
    if (!lone) return std::nullopt;
    return std::tuple(lone->column, lone->value, lone->null_flag != 0);
  }
  /// Of all tuples: their column, tuples and values.
  using Noted = std::tuple<uint32_t, std::vector<uint64_t>, std::vector<uint64_t>>;
  std::optional<Noted> noted(const Snapshot& snapshot) {
    const auto updates = map_.loneUpdatesFor(snapshot);
    if (!updates) return std::nullopt;
    Noted result{updates->column, {}, {updates->values.begin(), updates->values.end()}};
    for (const TupleId id : updates->ids) std::get<1>(result).push_back(id.value);
    return result;
  }
  static constexpr Timestamp kWriter = kTransactionIdMin + 5;
  std::vector<std::unique_ptr<Version>> versions_;
  std::vector<std::unique_ptr<std::byte[]>> updates_;
  VersionMap map_;
};

TEST_F(VersionMapTest, AnEmptyChainBecomesThatOfATupleBesideIt) {
  add(10);
  Version& gone = add(20);
  add(30);
  unlinkVisible(gone);
  Version& behind = add(25);
  const VersionChain* const chain = map_.find(TupleId{25});
  EXPECT_EQ(idsOf(map_.tuples()), (std::vector<uint64_t>{10, 25, 30}));
  EXPECT_EQ(map_.find(TupleId{20}), nullptr);
  ASSERT_NE(chain, nullptr);
  EXPECT_EQ(chain->newest(), &behind);
  EXPECT_EQ(chain->length(), 1u);
  // What was cut off has nothing to do with it any more.
  unlinkVisible(gone);
  EXPECT_EQ(chain->newest(), &behind);
  unlinkVisible(behind);
  Version& before = add(11);
  EXPECT_EQ(idsOf(map_.tuples()), (std::vector<uint64_t>{10, 11, 30}));
  ASSERT_NE(map_.find(TupleId{11}), nullptr);
  EXPECT_EQ(map_.find(TupleId{11})->newest(), &before);
}

TEST_F(VersionMapTest, AnEmptyChainNearByMovesToATuplesPlace) {
  std::map<uint64_t, Version*> newest;
  for (uint64_t id = 10; id <= 100; id += 10) newest[id] = &addUpdate(id, {{3, {1000 + id, 0}}});
  const auto move = [&](uint64_t from, uint64_t to) {
    unlinkVisible(*newest.extract(from).mapped());
    newest[to] = &addUpdate(to, {{3, {1000 + to, 0}}});
  };
  const auto expect = [&] {
    std::vector<uint64_t> ids, values;
    for (const auto& [id, version] : newest) {
      ids.push_back(id);
      values.push_back(1000 + id);
      const VersionChain* const chain = map_.find(TupleId{id});
      ASSERT_NE(chain, nullptr) << id;
      EXPECT_EQ(chain->newest(), version);
      EXPECT_EQ(loneUpdate(id), std::tuple(3u, 1000 + id, false));
    }
    EXPECT_EQ(idsOf(map_.tuples()), ids);
    EXPECT_EQ(noted({.unbegun = kWriter}), Noted(3, ids, values));
  };
  move(40, 75);
  expect();
  move(90, 15);
  expect();
  move(10, 200);
  expect();
  move(200, 1);
  expect();
}

TEST_F(VersionMapTest, AChainWithVersionsStays) {
  add(10);
  Version& second = add(20);
  add(30);
  add(20);
  EXPECT_EQ(map_.find(TupleId{20})->length(), 2u);
  unlinkVisible(second);
  EXPECT_EQ(map_.find(TupleId{20})->length(), 1u);
  add(25);
  EXPECT_EQ(idsOf(map_.tuples()), (std::vector<uint64_t>{10, 20, 25, 30}));
}

TEST_F(VersionMapTest, TheLastChainOfAppendedTuplesIsUsedAgain) {
  addCreated(1, 5);
  Version& gone = addCreated(5, 8);
  unlinkVisible(gone);
  Version& next = addCreated(9, 10);
  map_.addCreated(next, TupleId{12});
  EXPECT_EQ(idsOf(map_.created()), (std::vector<uint64_t>{1, 9}));
  EXPECT_EQ(map_.findCreated(TupleId{6}), nullptr);
  EXPECT_EQ(map_.findCreated(TupleId{8}), nullptr);
  EXPECT_EQ(map_.findCreated(TupleId{11}), &next);
  EXPECT_EQ(map_.findCreated(TupleId{9}), &next);
  EXPECT_EQ(map_.findCreated(TupleId{12}), nullptr);
  addCreated(12, 13);
  EXPECT_EQ(idsOf(map_.created()), (std::vector<uint64_t>{1, 9, 12}));
}

TEST_F(VersionMapTest, AChainHasWhatUndoesItsOnlyVersion) {
  using Lone = std::tuple<uint32_t, uint64_t, bool>;
  Version& first = addUpdate(10, {{3, {77, 0}}});
  EXPECT_EQ(loneUpdate(10), Lone(3, 77, false));
  addUpdate(11, {{2, {0, 0}}}, 1);
  EXPECT_EQ(loneUpdate(11), Lone(2, 0, true));
  addUpdate(12, {{1, {1, 1}}});
  EXPECT_EQ(loneUpdate(12), std::nullopt) << "its value is too long";
  addUpdate(13, {{1, {1, 0}}, {2, {1, 0}}});
  EXPECT_EQ(loneUpdate(13), std::nullopt) << "of two columns";
  // Others move it.
  for (uint64_t id = 0; id < 10; ++id) add(id);
  EXPECT_EQ(loneUpdate(10), Lone(3, 77, false));
  // A commit changes nothing of it.
  first.timestamp = 8;
  EXPECT_EQ(loneUpdate(10), Lone(3, 77, false));
  Version& second = addUpdate(10, {{3, {78, 0}}});
  EXPECT_EQ(loneUpdate(10), std::nullopt) << "there is an older one";
  unlinkOwn(second);
  EXPECT_EQ(loneUpdate(10), std::nullopt);
  unlinkVisible(first);
  addUpdate(10, {{4, {79, 0}}});
  EXPECT_EQ(loneUpdate(10), Lone(4, 79, false)) << "the chain had been empty";
  for (const auto kind : {Version::Kind::Locked, Version::Kind::Deleted}) {
    versions_.push_back(versionOf(10, kind));
    map_.add(*versions_.back());
    EXPECT_EQ(loneUpdate(10), std::nullopt);
    unlinkOwn(*versions_.back());
    EXPECT_EQ(loneUpdate(10), std::nullopt);
  }
  versions_.push_back(versionOf(20, Version::Kind::Deleted));
  map_.add(*versions_.back());
  EXPECT_EQ(loneUpdate(20), std::nullopt);
}

TEST_F(VersionMapTest, ALoneUpdateIsForSnapshotsFromBeforeItsWriter) {
  addUpdate(10, {{3, {77, 0}}});
  const VersionChain& chain = *map_.find(TupleId{10});
  EXPECT_NE(chain.loneUpdateFor({.start = 4, .unbegun = kWriter}), nullptr);
  EXPECT_NE(chain.loneUpdateFor({.start = 4, .own = kWriter + 1, .unbegun = kWriter - 1}), nullptr);
  EXPECT_EQ(chain.loneUpdateFor({.start = 4, .own = kWriter, .command = 1, .unbegun = kWriter}), nullptr);
  EXPECT_EQ(chain.loneUpdateFor({.start = 4, .unbegun = kWriter + 1}), nullptr);
  EXPECT_EQ(chain.loneUpdateFor({}), nullptr);
}

TEST_F(VersionMapTest, LoneUpdatesOfOneColumnAreNotedTogether) {
  const Snapshot before{.start = 4, .unbegun = kWriter};
  addUpdate(20, {{3, {77, 0}}});
  addUpdate(10, {{3, {78, 0}}}, 0, kWriter + 2);
  Version& middle = addUpdate(15, {{3, {79, 0}}}, 0, kWriter + 4);
  EXPECT_EQ(noted(before), Noted(3, {10, 15, 20}, {78, 79, 77}));
  EXPECT_EQ(noted({.start = 4, .unbegun = kWriter + 1}), std::nullopt) << "one had begun";
  EXPECT_EQ(noted({.start = 4, .own = kWriter, .unbegun = kWriter}), std::nullopt) << "one is its own";
  EXPECT_EQ(noted({.start = 4, .own = kWriter + 4, .unbegun = kWriter}), std::nullopt) << "one is its own";
  EXPECT_NE(noted({.start = 4, .own = kWriter + 5, .unbegun = kWriter}), std::nullopt) << "none is its own";
  unlinkOwn(middle);
  EXPECT_EQ(noted(before), Noted(3, {10, 15, 20}, {78, 79, 77})) << "what it undid is undone once more";
  addUpdate(16, {{3, {80, 0}}});
  EXPECT_EQ(noted(before), Noted(3, {10, 16, 20}, {78, 80, 77})) << "in its place";
  Version& other = addUpdate(30, {{2, {1, 0}}});
  EXPECT_EQ(noted(before), std::nullopt) << "of another column";
  unlinkOwn(other);
  EXPECT_EQ(noted(before), std::nullopt);
  map_.prune();
  EXPECT_EQ(noted(before), Noted(3, {10, 16, 20}, {78, 80, 77}));
  Version& null = addUpdate(5, {{3, {0, 0}}}, 1);
  EXPECT_EQ(noted(before), std::nullopt) << "there is a NULL";
  unlinkOwn(null);
  map_.prune();
  add(10);
  EXPECT_EQ(noted(before), std::nullopt) << "a tuple has two versions";
}

TEST_F(VersionMapTest, TheOnlyChainIsNotedAnew) {
  Version& first = addUpdate(10, {{3, {77, 0}}});
  first.timestamp = 8;
  unlinkVisible(first);
  addUpdate(10, {{4, {78, 0}}}, 0, kWriter + 1);
  EXPECT_EQ(noted({.start = 9, .unbegun = kWriter + 1}), Noted(4, {10}, {78}));
}

/// Beside what each chain says.
TEST_F(VersionMapTest, WhatIsNotedTogetherIsWhatEachChainHas) {
  constexpr uint64_t kIds = 60;
  const uint64_t seed = testSeed();
  std::mt19937_64 random(seed);
  std::vector<Version*> all;
  uint64_t found = 0;
  for (uint64_t step = 0; step < 20'000; ++step) {
    const uint64_t what = random() % 100;
    if (what < 35) {
      // A kind of change that seldom changes, so that often all are alike.
      const auto column = static_cast<uint32_t>(step / 200 % 3 + (random() % 300 == 0 ? 1 : 0));
      all.push_back(&addUpdate(random() % kIds, {{column, {step, 0}}}, random() % 300 == 0 ? 1 : 0, kWriter + step));
    } else if (what < 99 && !all.empty()) {
      const size_t which = random() % all.size();
      unlinkVisible(*all[which]);
      all.erase(all.begin() + static_cast<ptrdiff_t>(which));
    } else {
      map_.prune();
    }
    const Snapshot snapshot{.start = 4,
                            .unbegun = kWriter + (random() % 2 == 0 ? 0 : step - std::min(step, step % 64))};
    Noted expected;
    bool is_alike = true;
    for (const VersionChain& chain : map_.tuples()) {
      const auto* const lone = chain.loneUpdateFor(snapshot);
      if (!lone || lone->null_flag != 0 || (&chain != map_.tuples().begin() && lone->column != std::get<0>(expected))) {
        is_alike = false;
        break;
      }
      std::get<0>(expected) = lone->column;
      std::get<1>(expected).push_back(chain.first().value);
      std::get<2>(expected).push_back(lone->value);
    }
    const auto together = noted(snapshot);
    if (together) {
      ++found;
      ASSERT_TRUE(is_alike) << "seed " << seed;
      if (!map_.tuples().empty()) ASSERT_EQ(*together, expected) << "seed " << seed;
    } else if (what == 99) {
      ASSERT_FALSE(is_alike) << "seed " << seed;
    }
  }
  EXPECT_GT(found, 1000u) << "seed " << seed;
}

TEST_F(VersionMapTest, ChainsStayInOrderWhileTheyMove) {
  constexpr uint64_t kIds = 1000;
  const uint64_t seed = testSeed();
  std::mt19937_64 random(seed);
  std::vector<uint64_t> ids(kIds);
  std::iota(ids.begin(), ids.end(), 0);
  std::ranges::shuffle(ids, random);
  for (const uint64_t id : ids) add(id);
  ASSERT_EQ(map_.tuples().size(), kIds) << "seed " << seed;
  // Odd ones go, in another order: each is found where it has been moved to.
  std::ranges::shuffle(versions_, random);
  for (const auto& version : versions_)
    if (version->id.value % 2 == 1) unlinkVisible(*version);
  EXPECT_TRUE(map_.isCrowded()) << "seed " << seed;
  map_.prune();
  ASSERT_EQ(map_.tuples().size(), kIds / 2) << "seed " << seed;
  for (const auto& version : versions_) {
    const VersionChain* const chain = map_.find(version->id);
    ASSERT_EQ(chain != nullptr, version->id.value % 2 == 0) << "seed " << seed;
    if (chain) ASSERT_EQ(chain->newest(), version.get()) << "seed " << seed;
  }
}

/// Beside a map of lists. Chains are never more than there were versions at a time since the last prune.
TEST_F(VersionMapTest, IsLikeAMapOfLists) {
  constexpr uint64_t kIds = 100;
  const uint64_t seed = testSeed();
  std::mt19937_64 random(seed);
  std::map<uint64_t, std::deque<Version*>> model;
  for (int step = 0; step < 5000; ++step) {
    const uint64_t id = random() % kIds;
    if (random() % 2 == 0) {
      model[id].push_front(&add(id));
    } else if (const auto found = model.lower_bound(id); found != model.end()) {
      std::deque<Version*>& chain = found->second;
      const size_t kept = random() % chain.size();
      unlinkVisible(*chain[kept]);
      chain.resize(kept);
      if (chain.empty()) model.erase(found);
    }
    if (random() % 1000 == 0) {
      map_.prune();
      ASSERT_EQ(map_.tuples().size(), model.size()) << "seed " << seed;
      ASSERT_FALSE(map_.isWorthPruning()) << "seed " << seed;
    }
    const std::vector<uint64_t> ids = idsOf(map_.tuples());
    ASSERT_TRUE(std::ranges::is_sorted(ids, std::ranges::less_equal{})) << "seed " << seed;
    for (const auto& [tuple, expected] : model) {
      const VersionChain* const chain = map_.find(TupleId{tuple});
      ASSERT_NE(chain, nullptr) << "seed " << seed;
      ASSERT_EQ(chain->length(), expected.size()) << "seed " << seed;
      const Version* version = chain->newest();
      for (const Version* const each : expected) {
        ASSERT_EQ(version, each) << "seed " << seed;
        version = version->older;
      }
      ASSERT_EQ(version, nullptr) << "seed " << seed;
    }
  }
}

// writer:      adds versions, as the holder of the page; hands them to a collector
// collectors:  take versions out that everybody sees, each of which some other may have cut off
TEST(VersionMap, ChainsAreUsedAgainWhileVersionsAreCutOff) {
  constexpr int kVersions = 20000;
  constexpr uint64_t kIds = 6;
  const uint64_t seed = testSeed();
  std::mt19937_64 random(seed);
  VersionMap map;
  std::vector<std::unique_ptr<Version>> versions;
  versions.reserve(kVersions);
  std::atomic<int> added{0}, taken{0};
  std::vector<std::thread> collectors;
  for (int i = 0; i < 2; ++i) {
    collectors.emplace_back([&] {
      while (taken.load() < kVersions) {
        int next = taken.load();
        if (next < added.load() && taken.compare_exchange_strong(next, next + 1))
          unlinkVisible(*versions[static_cast<size_t>(next)]);
      }
    });
  }
  for (int i = 0; i < kVersions; ++i) {
    const uint64_t id = random() % kIds;
    versions.push_back(versionOf(id));
    Version& version = *versions.back();
    if (VersionChain* const chain = map.find(TupleId{id}))
      map.add(version, *chain);
    else
      map.add(version);
    ++added;
  }
  for (std::thread& collector : collectors) collector.join();
  for (const VersionChain& chain : map.tuples()) {
    EXPECT_EQ(chain.newest(), nullptr) << "seed " << seed;
    EXPECT_EQ(chain.length(), 0u) << "seed " << seed;
  }
  for (const auto& version : versions) EXPECT_EQ(version->map.load(), nullptr) << "seed " << seed;
  EXPECT_LE(map.tuples().size(), kIds);
  map.prune();
  EXPECT_TRUE(map.isEmpty()) << "seed " << seed;
  EXPECT_FALSE(map.isWorthPruning()) << "seed " << seed;
}

}  // namespace
}  // namespace gnomon::txn
