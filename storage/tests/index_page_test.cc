#include "storage/index/index_page.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <string>

#include "storage/index/index_search.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using testing::errorOf;

/// An index page in memory of its own, so that AddressSanitizer sees what reads beyond it.
class TestPage {
 public:
  TestPage(uint32_t level, bool is_unique, KeyView lower, const KeyView* upper)
      : memory_(std::make_unique<IndexPageBuffer>()) {
    std::memset(memory_->bytes, 0, kIndexPageBytes);
    auto& header = *reinterpret_cast<PageHeader*>(memory_->bytes);
    header.page_id = PageId(7, SizeClass{0});
    header.relation_id = RelationId{9};
    header.type = level == 0 ? PageType::IndexLeaf : PageType::IndexInner;
    page().initialise(level, is_unique, lower, upper);
  }
  [[nodiscard]] IndexPage page() const { return IndexPage(memory_->bytes); }
  [[nodiscard]] std::byte* bytes() const { return memory_->bytes; }

 private:
  std::unique_ptr<IndexPageBuffer> memory_;
};

/// Fills pages at random: short and long keys, a common prefix or none, leaves of both kinds and inner pages.
TestPage randomPage(std::mt19937_64& random, std::set<std::string>& keys) {
  const uint32_t level = random() % 2;
  const bool is_unique = random() % 2 == 0;
  const std::string prefix(random() % 3 * 10, 'p');
  const std::string lower = prefix.empty() ? "" : prefix + "a", upper = prefix + "z";
  const KeyView upper_view = upper;
  TestPage result(level, is_unique, lower, prefix.empty() ? nullptr : &upper_view);
  const uint64_t length_max = random() % 2 == 0 ? 12 : 3000;
  if (level > 0) {
    result.page().append({}, {}, Swip::cold(PageId(3, SizeClass{0})).bits());
    keys.insert(lower);
  }
  for (;;) {
    std::string key = prefix + static_cast<char>('b' + random() % 20);
    for (uint64_t bytes = 8 + random() % length_max; bytes > 0; --bytes) key += static_cast<char>(random());
    if (result.page().entryBytes(key.size()) > result.page().freeBytes()) return result;
    if (!keys.insert(key).second) continue;
    IndexPosition position;
    EXPECT_TRUE(findPosition(result.bytes(), key, position));
    EXPECT_FALSE(position.is_equal);
    result.page().insert(position.index, key, Swip::cold(PageId(position.index + 1, SizeClass{0})).bits());
  }
}

TEST(IndexPage, HoldsAndFindsWhatWasInsertedAndErased) {
  std::mt19937_64 random(testing::testSeed());
  for (int round = 0; round < 40; ++round) {
    std::set<std::string> keys;
    const TestPage test = randomPage(random, keys);
    IndexPage page = test.page();
    ASSERT_EQ(findPageProblem(test.bytes(), true), nullptr);
    for (int pass = 0; pass < 2; ++pass) {
      ASSERT_EQ(page.count(), keys.size());
      uint32_t index = 0;
      for (const std::string& key : keys) {
        EncodedKey held;
        page.appendKey(index, held);
        ASSERT_EQ(held.view(), key);
        IndexPosition position;
        if (index > 0 || page.isLeaf()) {
          ASSERT_TRUE(findPosition(test.bytes(), key, position));
          ASSERT_TRUE(position.is_equal);
          ASSERT_EQ(position.index, index);
          ASSERT_TRUE(findPosition(test.bytes(), key + '\0', position));
          ASSERT_FALSE(position.is_equal);
          ASSERT_EQ(position.index, index + 1);
        }
        ++index;
      }
      for (uint32_t erase = page.count() - 1; erase > 0; --erase) {
        if (random() % 2 == 0) continue;
        page.erase(erase);
        keys.erase(std::next(keys.begin(), erase));
      }
      ASSERT_EQ(findPageProblem(test.bytes(), true), nullptr);
    }
  }
}

TEST(IndexPage, DamagedBytesNeverLeadOutOfThePage) {
  std::mt19937_64 random(testing::testSeed());
  uint64_t found_damaged = 0, rounds = 0;
  for (int page_round = 0; page_round < 20; ++page_round) {
    std::set<std::string> keys;
    const TestPage sound = randomPage(random, keys);
    for (int round = 0; round < 300; ++round, ++rounds) {
      TestPage damaged(0, false, {}, nullptr);
      std::memcpy(damaged.bytes(), sound.bytes(), kIndexPageBytes);
      // Header and slots decide what is read, so most flips go there.
      const uint64_t reach = round % 3 == 0 ? 64 : round % 3 == 1 ? 4096 : kIndexPageBytes;
      for (uint64_t flips = 1 + random() % 16; flips > 0; --flips)
        damaged.bytes()[28 + random() % (reach - 28)] ^= static_cast<std::byte>(1 << random() % 8);
      const bool is_sound = findPageProblem(damaged.bytes(), true) == nullptr;
      found_damaged += is_sound ? 0 : 1;
      for (int probe = 0; probe < 20; ++probe) {
        const std::string key = probe % 2 == 0
                                    ? *std::next(keys.begin(), static_cast<ptrdiff_t>(random() % keys.size()))
                                    : std::string(random() % 40, static_cast<char>(random()));
        IndexPosition position;
        IndexChild child;
        bool is_found = false;
        uint64_t id = 0;
        (void)findPosition(damaged.bytes(), key, position);
        (void)findTuple(damaged.bytes(), key, is_found, id);
        (void)lastChild(damaged.bytes(), child);
        if (!findChild(damaged.bytes(), key, Side::Below, child)) continue;
        EXPECT_GE(reinterpret_cast<std::byte*>(child.where), damaged.bytes());
        EXPECT_LE(reinterpret_cast<std::byte*>(child.where) + 8, damaged.bytes() + kIndexPageBytes);
      }
      if (!is_sound) continue;
      // What passes as sound can be changed.
      IndexPage page = damaged.page();
      while (page.count() > 1) page.erase(page.count() - 1);
      const KeyView lower = page.lowerFence();
      const std::string key = std::string(page.prefix()) + "q12345678";
      if (key > lower && page.entryBytes(key.size()) < page.freeBytes()) page.insert(page.count(), key, 1);
    }
  }
  EXPECT_GT(found_damaged, rounds / 4);
}

TEST(IndexPage, WhatIsWrongWithAPageIsSaid) {
  const std::string upper = "pz";
  const KeyView upper_view = upper;
  const auto problemAfter = [&](auto&& change) {
    const TestPage test(0, true, "pa", &upper_view);
    for (char end = 'b'; end < 'f'; ++end) test.page().append(std::string(1, end), {}, 7);
    EXPECT_EQ(findPageProblem(test.bytes(), true), nullptr);
    change(test.page().header());
    return std::string(findPageProblem(test.bytes(), true));
  };
  EXPECT_EQ(problemAfter([](IndexPageHeader& header) { header.entry_count = 60000; }), "has a damaged header");
  EXPECT_EQ(problemAfter([](IndexPageHeader& header) { header.level = kIndexLevelMax + 1; }), "has a damaged header");
  EXPECT_EQ(problemAfter([](IndexPageHeader& header) { header.prefix_bytes = 0; }), "has damaged fences");
  EXPECT_EQ(problemAfter([](IndexPageHeader& header) { header.slots()[1].head ^= 1; }), "has damaged entries");
  EXPECT_EQ(problemAfter([](IndexPageHeader& header) { std::swap(header.slots()[1], header.slots()[2]); }),
            "has damaged entries");
}

TEST(IndexPage, ASwipFromDiskMustBeCold) {
  const TestPage test(1, true, {}, nullptr);
  alignas(64) Frame frame;
  test.page().append({}, {}, Swip::hot(&frame).bits());
  EXPECT_STREQ(findPageProblem(test.bytes(), true), "has damaged swips");
  EXPECT_EQ(findPageProblem(test.bytes(), false), nullptr);
}

}  // namespace
}  // namespace gnomon::storage
