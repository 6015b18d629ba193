#include "codegen/runtime/aggregation_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

#include "codegen/ir/hash.h"

namespace gnomon::codegen {
namespace {

constexpr uint64_t kRowBytes = 32;  // header, key, sum

struct Row {
  char* at;
  uint64_t& key() { return *reinterpret_cast<uint64_t*>(at + 16); }
  uint64_t& sum() { return *reinterpret_cast<uint64_t*>(at + 24); }
  char*& next() { return *reinterpret_cast<char**>(at); }
  uint64_t hash() const { return *reinterpret_cast<const uint64_t*>(at + 8); }
};

/// What generated code does for sum(value) group by key.
void add(LocalAggregation::Shared& table, uint64_t key, uint64_t value) {
  const uint64_t hash = hash64(kHashSeed, key);
  for (char* at = table.directory[hash & table.mask]; at; at = Row{at}.next()) {
    if (Row{at}.hash() == hash && Row{at}.key() == key) {
      Row{at}.sum() += value;
      return;
    }
  }
  Row row{rt::aggregationInsert(&table, hash)};
  row.key() = key;
  row.sum() += value;
}

void mergeRows(PartitionMerge* merge, char* first, uint64_t count, unsigned) {
  for (uint64_t i = 0; i < count; ++i) {
    Row row{first + i * kRowBytes};
    char*& head = merge->directory[row.hash() & merge->mask];
    bool found = false;
    for (char* at = head; at && !found; at = Row{at}.next()) {
      if (Row{at}.key() != row.key()) continue;
      Row{at}.sum() += row.sum();
      found = true;
    }
    if (found) continue;
    row.next() = head;
    head = row.at;
    merge->groups[merge->group_count++] = row.at;
  }
}

class AggregationOverGroups : public testing::TestWithParam<uint64_t> {};

TEST_P(AggregationOverGroups, SumsEveryGroupOnce) {
  std::mt19937_64 random(GetParam());
  MemoryAccount memory;
  WorkerPool workers(2);
  Arena arenas[2];
  std::map<uint64_t, uint64_t> model, got;
  {
    LocalAggregation first(arenas[0], kRowBytes, memory), second(arenas[1], kRowBytes, memory);
    Aggregation aggregation(memory);
    aggregation.addLocal(first);
    aggregation.addLocal(second);
    for (LocalAggregation* local : {&first, &second}) {
      for (int i = 0; i < 300000; ++i) {
        const uint64_t key = random() % GetParam(), value = random() % 1000;
        add(*local->shared(), key, value);
        model[key] += value;
      }
    }
    aggregation.merge(workers, kRowBytes, &mergeRows);
    for (const auto& rows : aggregation.groups())
      for (char* row : rows) EXPECT_TRUE(got.emplace(Row{row}.key(), Row{row}.sum()).second);
  }
  EXPECT_EQ(got, model);
  EXPECT_EQ(memory.usedBytes(), 0u);
}

// The largest has more groups than the pre-aggregation keeps, so workers make several rows of one group.
INSTANTIATE_TEST_SUITE_P(Groups, AggregationOverGroups, testing::Values(1, 100, 20000, 250000));

}  // namespace
}  // namespace gnomon::codegen
