#include "storage/swip.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gnomon::storage
