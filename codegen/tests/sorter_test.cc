#include "codegen/runtime/sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace gnomon::codegen {
namespace {

uint64_t valueOf(const char* row) {
  uint64_t value;
  std::memcpy(&value, row, 8);
  return value;
}

struct Window {
  uint64_t rows, offset, limit;
};

class SorterOverWindows : public testing::TestWithParam<Window> {};

TEST_P(SorterOverWindows, GivesTheRowsOfTheWindowInOrder) {
  const auto [row_count, offset, limit] = GetParam();
  std::mt19937_64 random(row_count * 31 + limit);
  MemoryAccount memory;
  WorkerPool workers(2);
  CancelToken cancel;
  RowComparator comparator;
  comparator.fallback = [](const char* left, const char* right) { return valueOf(left) < valueOf(right); };
  Arena arenas[2];
  LocalSort first(arenas[0], 16), second(arenas[1], 16);
  Sorter sorter(memory);
  std::vector<uint64_t> model;
  for (LocalSort* local : {&first, &second}) {
    sorter.addLocal(local);
    const bool bounded = limit != LocalSort::kNoLimit;
    local->open(&comparator, bounded ? offset + limit : LocalSort::kNoLimit);
    for (uint64_t i = 0; i < row_count; ++i) {
      char candidate[16] = {};
      const uint64_t value = random() % (row_count * 4);
      std::memcpy(candidate, &value, 8);
      char* row = bounded ? local->admit(candidate) : local->append();
      if (row) std::memcpy(row, candidate, 16);
      model.push_back(value);
    }
  }
  sorter.sort(workers, comparator, cancel, offset, limit);
  std::sort(model.begin(), model.end());
  model.erase(model.begin(), model.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(offset, model.size())));
  if (model.size() > limit) model.resize(limit);
  std::vector<uint64_t> got;
  for (const char* row : sorter.rows()) got.push_back(valueOf(row));
  EXPECT_EQ(got, model);
}

INSTANTIATE_TEST_SUITE_P(Windows, SorterOverWindows,
                         testing::Values(Window{0, 0, LocalSort::kNoLimit}, Window{1, 0, 1}, Window{10, 3, 5},
                                         Window{5000, 0, LocalSort::kNoLimit}, Window{5000, 0, 10},
                                         Window{9000, 100, 1}, Window{9000, 20000, 5}, Window{9000, 0, 0},
                                         Window{9000, 0, 8000}, Window{9000, 7, LocalSort::kNoLimit}));

TEST(Sorter, StopsWhenCancelled) {
  MemoryAccount memory;
  WorkerPool workers(1);
  CancelToken cancel;
  RowComparator comparator;
  comparator.fallback = [](const char* left, const char* right) { return valueOf(left) < valueOf(right); };
  Arena arena;
  LocalSort local(arena, 16);
  Sorter sorter(memory);
  sorter.addLocal(&local);
  local.open(&comparator, LocalSort::kNoLimit);
  std::mt19937_64 random(5);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t value = random();
    std::memcpy(local.append(), &value, 8);
  }
  cancel.request(CancelToken::Reason::UserRequest);
  EXPECT_THROW(sorter.sort(workers, comparator, cancel, 0, LocalSort::kNoLimit), SqlError);
}

}  // namespace
}  // namespace gnomon::codegen
