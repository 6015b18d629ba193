#include "storage/swip.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

namespace gnomon::storage {
namespace {

TEST(Swip, ColdKeepsPageNumberAndClassAtTheirLimits) {
  for (const uint64_t number : {uint64_t{1}, uint64_t{77}, (uint64_t{1} << PageId::kNumberBits) - 1})
    for (uint8_t index = 0; index < kSizeClassCount; ++index) {
      const PageId id(number, SizeClass{index});
      const Swip swip = Swip::fromBits(Swip::cold(id).bits());
      EXPECT_TRUE(swip.isCold());
      EXPECT_FALSE(swip.isHot());
      EXPECT_EQ(swip.pageId().number(), number);
      EXPECT_EQ(swip.pageId().sizeClass().index, index);
    }
}

TEST(Swip, HotIsTheFrameAddress) {
  Frame frame;
  frame.page_id.store(PageId(5, SizeClass{2}));
  const Swip swip = Swip::hot(&frame);
  EXPECT_TRUE(swip.isHot());
  EXPECT_EQ(swip.bits(), reinterpret_cast<uint64_t>(&frame));
  EXPECT_EQ(swip.frame(), &frame);
  EXPECT_EQ(swip.pageId(), PageId(5, SizeClass{2}));
  EXPECT_TRUE(Swip().isNone());
}

/// As it is when the page provider marks swips, and readers take the mark away, beside the page writer.
TEST(Swip, PagesAreCopiedWhileTheirSwipsChange) {
  constexpr size_t kWords = 64;
  constexpr uint64_t kOther = 0x0123456789abcdef;
  Frame frame;
  const uint64_t hot = Swip::hot(&frame).bits(), cooling = Swip::cooling(&frame).bits();
  const uint64_t cold = Swip::cold(PageId(uint64_t{1} << 40, SizeClass{3})).bits();
  std::array<uint64_t, kWords> page;
  page.fill(kOther);
  for (size_t word = 0; word < kWords; word += 2) page[word] = cold;
  std::atomic<bool> is_done{false};
  std::thread provider([&] {
    for (size_t turn = 0; !is_done.load(); ++turn) {
      const std::atomic_ref word(page[turn * 2 % kWords]);
      uint64_t before = word.load();
      word.compare_exchange_strong(before, before == cold ? hot : before == hot ? cooling : cold);
    }
  });
  for (int round = 0; round < 20'000; ++round) {
    std::array<uint64_t, kWords> copy;
    copyWithSwips(reinterpret_cast<const std::byte*>(page.data()), sizeof(page),
                  reinterpret_cast<std::byte*>(copy.data()));
    for (size_t word = 0; word < kWords; ++word) {
      const uint64_t bits = copy[word];
      ASSERT_TRUE(word % 2 == 1 ? bits == kOther : bits == hot || bits == cooling || bits == cold) << bits;
    }
  }
  is_done.store(true);
  provider.join();
}

}  // namespace
}  // namespace gnomon::storage
