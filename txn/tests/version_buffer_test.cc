#include "txn/version_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "storage/tests/test_support.h"

namespace gnomon::txn {
namespace {

TEST(VersionBuffer, KeepsWhatIsWrittenApart) {
  const uint64_t seed = storage::testing::testSeed();
  std::mt19937_64 random(seed);
  for (const size_t bytes_max : {40u, 200u, 3000u}) {
    VersionBuffer buffer;
    std::vector<std::pair<std::span<std::byte>, std::byte>> pieces;
    std::vector<std::pair<std::string_view, std::string>> texts;
    for (int i = 0; i < 100; ++i) {
      const size_t bytes = random() % bytes_max;
      auto* const piece = static_cast<std::byte*>(buffer.allocate(bytes));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % 16, 0u) << "seed " << seed;
      pieces.emplace_back(std::span(piece, bytes), static_cast<std::byte>(i));
      std::ranges::fill(pieces.back().first, pieces.back().second);
      const std::string text(random() % bytes_max, static_cast<char>('a' + i % 26));
      texts.emplace_back(buffer.copy(text), text);
    }
    for (const auto& [piece, value] : pieces)
      EXPECT_EQ(std::ranges::count(piece, value), std::ssize(piece)) << "seed " << seed;
    for (const auto& [copy, text] : texts) EXPECT_EQ(copy, text) << "seed " << seed;
  }
}

TEST(VersionBuffer, SmallTransactionsUseItsOwnMemory) {
  VersionBuffer buffer;
  const auto* const begin = reinterpret_cast<const std::byte*>(&buffer);
  const auto isInside = [&](const void* piece) { return piece >= begin && piece < begin + sizeof(VersionBuffer); };
  EXPECT_TRUE(isInside(buffer.allocate(128)));
  EXPECT_TRUE(isInside(buffer.allocate(384)));
  EXPECT_FALSE(isInside(buffer.allocate(1)));
}

}  // namespace
}  // namespace gnomon::txn
