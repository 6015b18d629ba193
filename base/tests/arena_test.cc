#include "base/arena.h"

#include <gtest/gtest.h>

namespace gnomon {
namespace {

TEST(Arena, KeepsEarlierAllocationsIntactAcrossBlocks) {
  Arena arena;
  std::vector<std::pair<char*, size_t>> pieces;
  for (size_t i = 1; i < 3000; ++i) {
    char* piece = static_cast<char*>(arena.allocate(i));
    ASSERT_EQ(reinterpret_cast<uintptr_t>(piece) % 16, 0u);
    std::memset(piece, static_cast<int>(i % 251), i);
    pieces.emplace_back(piece, i);
  }
  for (const auto& [piece, bytes] : pieces)
    for (size_t j = 0; j < bytes; ++j) ASSERT_EQ(static_cast<unsigned char>(piece[j]), bytes % 251);
}

TEST(Arena, ChargesTheAccountAndGivesEverythingBack) {
  MemoryAccount account(1 << 20);
  {
    Arena arena(&account);
    arena.allocate(100000);
    EXPECT_GE(account.usedBytes(), 100000u);
    EXPECT_THROW(arena.allocate(size_t{2} << 20), SqlError);
    EXPECT_LE(account.usedBytes(), size_t{1} << 20);
  }
  EXPECT_EQ(account.usedBytes(), 0u);
}

}  // namespace
}  // namespace gnomon
