#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <string>

#include "base/failpoint.h"
#include "codegen/ir/hash.h"
#include "codegen/runtime/group_source.h"
#include "codegen/runtime/sorted_source.h"
#include "codegen/runtime/sorter.h"
#include "codegen/runtime/spilled_join.h"

namespace gnomon::codegen {
namespace {

/// Rows of 48 bytes: next, hash, key, value, and a string.
constexpr uint64_t kRowBytes = 48;
constexpr uint32_t kTextOffset = 32;

uint64_t wordAt(const char* row, size_t offset) {
  uint64_t value;
  std::memcpy(&value, row + offset, sizeof(value));
  return value;
}
void setWord(char* row, size_t offset, uint64_t value) {
  std::memcpy(row + offset, &value, sizeof(value));
}
std::string textAt(const char* row) {
  const StringValue value(wordAt(row, kTextOffset), wordAt(row, kTextOffset + 8));
  return std::string(value.view());
}
std::string textOf(uint64_t value) {
  return std::string(value % 40, static_cast<char>('a' + value % 26)) + std::to_string(value);
}

struct Spilling {
  explicit Spilling(uint64_t operator_bytes, uint64_t space_bytes = UINT64_MAX)
      : space(std::filesystem::temp_directory_path(), space_bytes),
        operator_memory(memory, {operator_bytes, 2, &space}),
        areas{{operator_memory, format}, {operator_memory, format}} {}

  static void setText(char* row, uint64_t value, Arena& arena) {
    const std::string text = textOf(value);
    const StringValue kept =
        StringValue::refer(text.size() > StringValue::kInlineBytesMax ? arena.copy(text) : std::string_view(text),
                           StringValue::Storage::Temporary);
    RowFormat::setString(row, kTextOffset, kept);
  }
  static void fill(char* row, uint64_t key, uint64_t value, Arena& arena) {
    setWord(row, 8, hash64(kHashSeed, key));
    setWord(row, 16, key);
    setWord(row, 24, value);
    setText(row, value, arena);
  }

  const RowFormat format{kRowBytes, {{kTextOffset, RowFormat::kNeverNull}}, true};
  MemoryAccount memory;
  TemporarySpace space;
  OperatorMemory operator_memory;
  SpillArea areas[2];
  WorkerPool workers{2};
  CancelToken cancel;
};

struct Window {
  uint64_t rows, offset, limit;
};

class SpilledSort : public testing::TestWithParam<Window> {};

TEST_P(SpilledSort, GivesTheRowsOfTheWindowInOrder) {
  const auto [row_count, offset, limit] = GetParam();
  std::mt19937_64 random(row_count + limit);
  Spilling with(uint64_t{64} << 10);
  RowComparator comparator;
  comparator.fallback = [](const char* left, const char* right) { return wordAt(left, 16) < wordAt(right, 16); };
  LocalSort first(with.areas[0].arena, kRowBytes, &with.areas[0]);
  LocalSort second(with.areas[1].arena, kRowBytes, &with.areas[1]);
  Sorter sorter(with.memory);
  std::vector<std::pair<uint64_t, std::string>> model, got;
  const bool is_bounded = limit != LocalSort::kNoLimit;
  for (LocalSort* local : {&first, &second}) {
    sorter.addLocal(local);
    local->open(&comparator, is_bounded ? offset + limit : LocalSort::kNoLimit);
    for (uint64_t i = 0; i < row_count; ++i) {
      const uint64_t key = random();
      char candidate[kRowBytes] = {};
      setWord(candidate, 16, key);
      char* const row = is_bounded ? local->admit(candidate) : local->append();
      if (row != nullptr) Spilling::fill(row, key, key % 100000, local->area()->arena);
      model.emplace_back(key, textOf(key % 100000));
    }
  }
  sorter.sort(with.workers, comparator, with.cancel, offset, limit);
  EXPECT_TRUE(sorter.isSpilled());
  SortedSource source(sorter, true, 1, with.cancel, with.memory);
  Morsel morsel;
  while (source.next(morsel))
    for (uint64_t i = morsel.begin; i < morsel.end; ++i) {
      const char* row = static_cast<char* const*>(morsel.data)[i];
      got.emplace_back(wordAt(row, 16), textAt(row));
    }
  std::ranges::sort(model);
  model.erase(model.begin(), model.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(offset, model.size())));
  if (model.size() > limit) model.resize(limit);
  EXPECT_EQ(got, model);
}

INSTANTIATE_TEST_SUITE_P(Windows, SpilledSort,
                         testing::Values(Window{3000, 0, LocalSort::kNoLimit}, Window{40000, 7, LocalSort::kNoLimit},
                                         Window{20000, 100, 9000}, Window{3000, 50000, 5}, Window{20000, 0, 19000}));

/// What generated code does for sum(value), max(text) group by key.
void addToGroup(LocalAggregation::Shared& table, uint64_t key, uint64_t value, Arena& arena) {
  const uint64_t hash = hash64(kHashSeed, key);
  for (char* row = table.directory[hash & table.mask]; row != nullptr; row = reinterpret_cast<char*>(wordAt(row, 0)))
    if (wordAt(row, 16) == key) return setWord(row, 24, wordAt(row, 24) + value);
  char* const row = rt::aggregationInsert(&table, hash);
  setWord(row, 16, key);
  setWord(row, 24, value);
  Spilling::setText(row, key, arena);
}

void mergeGroups(PartitionMerge* merge, char* first, uint64_t count, unsigned, Arena&) {
  for (char* row = first; row != first + count * kRowBytes; row += kRowBytes) {
    char*& head = merge->directory[wordAt(row, 8) & merge->mask];
    char* group = head;
    while (group != nullptr && wordAt(group, 16) != wordAt(row, 16)) group = reinterpret_cast<char*>(wordAt(group, 0));
    if (group != nullptr) {
      setWord(group, 24, wordAt(group, 24) + wordAt(row, 24));
      continue;
    }
    setWord(row, 0, reinterpret_cast<uint64_t>(head));
    head = row;
    merge->groups[merge->group_count++] = row;
  }
}

class SpilledGroups : public testing::TestWithParam<uint64_t> {};

TEST_P(SpilledGroups, AreSummedOnceEach) {
  std::mt19937_64 random(GetParam());
  std::map<uint64_t, uint64_t> model, got;
  Spilling with(uint64_t{100} << 10);
  LocalAggregation first(with.areas[0].arena, kRowBytes, with.memory, &with.areas[0]);
  LocalAggregation second(with.areas[1].arena, kRowBytes, with.memory, &with.areas[1]);
  Aggregation aggregation(with.memory);
  for (LocalAggregation* local : {&first, &second}) {
    aggregation.addLocal(*local);
    for (int i = 0; i < 100000; ++i) {
      const uint64_t key = random() % GetParam(), value = random() % 1000;
      addToGroup(*local->shared(), key, value, local->area()->arena);
      model[key] += value;
    }
  }
  aggregation.merge(with.workers, kRowBytes, {});
  ASSERT_TRUE(aggregation.isSpilled());
  GroupSource source(aggregation, 1, with.cancel);
  source.open(&mergeGroups, &with.areas[0]);
  Morsel morsel;
  while (source.next(morsel))
    for (uint64_t i = morsel.begin; i < morsel.end; ++i) {
      const char* row = static_cast<char* const*>(morsel.data)[i];
      EXPECT_TRUE(got.emplace(wordAt(row, 16), wordAt(row, 24)).second);
      EXPECT_EQ(textAt(row), textOf(wordAt(row, 16)));
    }
  EXPECT_EQ(got, model);
}

INSTANTIATE_TEST_SUITE_P(Counts, SpilledGroups, testing::Values(5000, 30000, 1000000));

class SpilledJoinOverKeys : public testing::TestWithParam<uint64_t> {};

TEST_P(SpilledJoinOverKeys, FindsEveryPairOnceAndGivesTheBuildRowsBack) {
  std::mt19937_64 random(GetParam());
  Spilling with(uint64_t{64} << 10);
  OperatorMemory probe_memory(with.memory, {uint64_t{64} << 10, 2, &with.space});
  SpillArea probe_area(probe_memory, with.format);
  PartitionedRows build(with.areas[0].arena, kRowBytes, &with.areas[0]);
  PartitionedRows probe(probe_area.arena, kRowBytes, &probe_area);
  std::multimap<uint64_t, uint64_t> build_model;
  std::vector<std::pair<uint64_t, uint64_t>> model, got;
  for (uint64_t i = 0; i < 20000; ++i) {
    const uint64_t key = random() % GetParam();
    Spilling::fill(build.rows().append(), key, i, with.areas[0].arena);
    build_model.emplace(key, i);
  }
  ASSERT_TRUE(build.hasSpilled());
  const uint64_t probe_count = std::min<uint64_t>(5000, GetParam() * 20);
  for (uint64_t i = 0; i < probe_count; ++i) {
    const uint64_t key = random() % (GetParam() * 2);
    Spilling::fill(probe.rows().append(), key, i, probe_area.arena);
    const auto [begin, end] = build_model.equal_range(key);
    for (auto at = begin; at != end; ++at) model.emplace_back(i, at->second);
  }
  build.spill();
  probe.spill();
  SpilledJoinSource source({.emits_unmatched = true, .keeps_build_rows = true}, 1, with.cancel);
  source.open({}, {&build}, {&probe});
  Morsel morsel;
  uint64_t probe_rows = 0;
  while (source.next(morsel)) {
    const JoinTable::Shared& table = *source.table(0);
    for (uint64_t i = morsel.begin; i < morsel.end; ++i) {
      const char* row = static_cast<char* const*>(morsel.data)[i];
      ++probe_rows;
      EXPECT_EQ(textAt(row), textOf(wordAt(row, 24)));
      uint64_t address = table.directory[wordAt(row, 8) >> table.shift] & JoinTable::kAddressMask;
      for (; address != 0; address = wordAt(reinterpret_cast<const char*>(address), 0)) {
        const char* found = reinterpret_cast<const char*>(address);
        if (wordAt(found, 16) != wordAt(row, 16)) continue;
        EXPECT_EQ(textAt(found), textOf(wordAt(found, 24)));
        got.emplace_back(wordAt(row, 24), wordAt(found, 24));
      }
    }
  }
  EXPECT_EQ(probe_rows, probe_count);
  std::ranges::sort(model);
  std::ranges::sort(got);
  EXPECT_EQ(got, model);

  SpilledRunSource back(1, with.cancel);
  back.open(source.takeBuildRows(), source.buildArea());
  Morsel rest;
  std::vector<uint64_t> values;
  while (back.next(rest))
    for (uint64_t i = rest.begin; i < rest.end; ++i)
      values.push_back(wordAt(static_cast<char* const*>(rest.data)[i], 24));
  std::ranges::sort(values);
  ASSERT_EQ(values.size(), 20000u);
  for (uint64_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], i);
}

// One key: no bits of the hash tell its rows apart.
INSTANTIATE_TEST_SUITE_P(Keys, SpilledJoinOverKeys, testing::Values(1, 3, 700, 20000));

TEST(Spill, AFullDiskAndALimitAreTold) {
  for (const bool is_limit : {false, true}) {
    Spilling with(uint64_t{64} << 10, is_limit ? uint64_t{200} << 10 : UINT64_MAX);
    PartitionedRows rows(with.areas[0].arena, kRowBytes, &with.areas[0]);
    if (!is_limit) armFailpoint("temporary_file_write=28");
    try {
      for (uint64_t i = 0; i < 100000; ++i) Spilling::fill(rows.rows().append(), i, i, with.areas[0].arena);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const SqlError& error) {
      EXPECT_STREQ(error.state().text(), is_limit ? "53400" : "53100");
    }
    armFailpoint("");
  }
}

TEST(Spill, LeavesNeitherFilesNorCharges) {
  Spilling with(uint64_t{64} << 10);
  {
    SpillArea area(with.operator_memory, with.format);
    PartitionedRows rows(area.arena, kRowBytes, &area);
    for (uint64_t i = 0; i < 20000; ++i) Spilling::fill(rows.rows().append(), i, i, area.arena);
    EXPECT_GT(with.space.usedBytes(), 0u);
  }
  EXPECT_EQ(with.space.usedBytes(), 0u);
  EXPECT_EQ(with.memory.usedBytes(), 0u);
}

}  // namespace
}  // namespace gnomon::codegen
