#include "storage/relation/leaf_count.h"

#include <gtest/gtest.h>

namespace gnomon::storage {
namespace {

TEST(LeafCount, NeverFallsBelowOne) {
  std::atomic<uint64_t> count = 10;
  subtractLeaves(count, 3);
  EXPECT_EQ(count, 7U);
  // An estimate that is too small.
  subtractLeaves(count, 9);
  EXPECT_EQ(count, 1U);
  subtractLeaves(count, 1);
  EXPECT_EQ(count, 1U);
}

}  // namespace
}  // namespace gnomon::storage
