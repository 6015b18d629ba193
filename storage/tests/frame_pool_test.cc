#include "storage/frame_pool.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

namespace gnomon::storage {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(FramePool, AFramesAddressTellsItsPage) {
  FramePool pool(64 * kMiB);
  for (uint8_t index = 0; index <= pool.sizeClassMax().index; ++index) {
    for (int i = 0; i < 3; ++i) {
      const FramePool::Taken taken = pool.tryTake(SizeClass{index});
      // Of the large ones there is room for few.
      if (!taken.frame) break;
      const auto page = pool.pageOf(*taken.frame);
      EXPECT_EQ(page.data(), taken.frame->page);
      EXPECT_EQ(page.size(), pageBytes(SizeClass{index}));
    }
  }
  const Frame elsewhere{};
  EXPECT_TRUE(pool.pageOf(elsewhere).empty());
  EXPECT_TRUE(pool.pageOf(*(&pool.frame(SizeClass{0}, 64 * kMiB / kPageBytesMin - 1) + 1)).empty());
}

TEST(FramePool, MemoryIsThereBeforeAPageIsTaken) {
  FramePool pool(256 * kMiB);
  EXPECT_FALSE(pool.wantsMemoryAhead());
  const FramePool::Taken taken = pool.tryTake(SizeClass{2});
  EXPECT_TRUE(pool.wantsMemoryAhead());
  pool.takeMemoryAhead();
  EXPECT_FALSE(pool.wantsMemoryAhead());
  constexpr uint64_t kSystemPage = 4096, kAhead = 4 * kMiB;
  std::vector<unsigned char> is_there(kAhead / kSystemPage);
  ASSERT_EQ(::mincore(taken.frame->page + taken.frame->pageBytes(), kAhead, is_there.data()), 0);
  for (const unsigned char each : is_there) EXPECT_EQ(each & 1, 1);
  EXPECT_EQ(pool.usedBytes(), pageBytes(SizeClass{2}));
}

}  // namespace
}  // namespace gnomon::storage
