#include "codegen/runtime/join_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "codegen/ir/hash.h"

namespace gnomon::codegen {
namespace {

constexpr uint64_t kRowBytes = 32;

std::multimap<uint64_t, uint64_t> fill(RowBuffer& rows, uint64_t count, uint64_t key_range, std::mt19937_64& random) {
  std::multimap<uint64_t, uint64_t> model;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t key = random() % key_range;
    const uint64_t hash = hash64(kHashSeed, key);
    char* row = rows.append();
    std::memcpy(row + 8, &hash, 8);
    std::memcpy(row + 16, &key, 8);
    std::memcpy(row + 24, &i, 8);
    model.emplace(key, i);
  }
  return model;
}

/// What generated code does: the tag test, then the chain.
std::vector<uint64_t> lookUp(const JoinTable::Shared& table, uint64_t key) {
  const uint64_t hash = hash64(kHashSeed, key);
  const uint64_t entry = table.directory[hash >> table.shift];
  std::vector<uint64_t> found;
  if (!((entry >> (JoinTable::kTagShift + (hash & 15))) & 1)) return found;
  for (uint64_t address = entry & JoinTable::kAddressMask; address;) {
    const char* row = reinterpret_cast<const char*>(address);
    uint64_t row_key, value;
    std::memcpy(&row_key, row + 16, 8);
    std::memcpy(&value, row + 24, 8);
    if (row_key == key) found.push_back(value);
    std::memcpy(&address, row, 8);
  }
  std::sort(found.begin(), found.end());
  return found;
}

class JoinTableOverSizes : public testing::TestWithParam<uint64_t> {};

TEST_P(JoinTableOverSizes, FindsExactlyTheRowsOfEachKey) {
  const uint64_t seed = GetParam() * 7 + 1;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  MemoryAccount memory;
  WorkerPool workers(2);
  Arena first_arena(&memory), second_arena(&memory);
  {
    JoinTable table(memory);
    RowBuffer first, second;
    first.open(&first_arena, kRowBytes);
    second.open(&second_arena, kRowBytes);
    table.addBuilder(&first);
    table.addBuilder(&second);
    const uint64_t range = GetParam() / 2 + 1;
    std::multimap<uint64_t, uint64_t> model = fill(first, GetParam(), range, random);
    model.merge(fill(second, GetParam() / 3, range, random));
    table.buildDirectory(workers);
    for (uint64_t key = 0; key < range + 10; ++key) {
      std::vector<uint64_t> expected;
      for (auto [at, end] = model.equal_range(key); at != end; ++at) expected.push_back(at->second);
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(lookUp(*table.shared(), key), expected) << key;
    }
  }
  first_arena.clear();
  second_arena.clear();
  // An arena keeps a block.
  EXPECT_EQ(memory.usedBytes(), first_arena.reservedBytes() + second_arena.reservedBytes());
}

INSTANTIATE_TEST_SUITE_P(Sizes, JoinTableOverSizes, testing::Values(0, 1, 2, 63, 1000, 60000));

}  // namespace
}  // namespace gnomon::codegen
