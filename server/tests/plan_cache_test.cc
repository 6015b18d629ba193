#include "server/plan_cache.h"

#include <gtest/gtest.h>

namespace gnomon::server {
namespace {

std::shared_ptr<const CompiledQuery> makeQuery() {
  return std::make_shared<const CompiledQuery>();
}

TEST(PlanCache, DropsTheLeastRecentlyUsed) {
  PlanCache cache(2);
  const auto a = makeQuery();
  const auto b = makeQuery();
  const auto c = makeQuery();
  cache.insert("a", a);
  cache.insert("b", b);
  EXPECT_EQ(cache.find("a"), a);
  cache.insert("c", c);
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_EQ(cache.find("a"), a);
  EXPECT_EQ(cache.find("c"), c);
}

TEST(PlanCache, KeepsNothingThatWasTakenOut) {
  PlanCache cache(8);
  std::weak_ptr<const CompiledQuery> erased;
  std::weak_ptr<const CompiledQuery> cleared;
  {
    const auto a = makeQuery();
    const auto b = makeQuery();
    erased = a;
    cleared = b;
    cache.insert("a", a);
    cache.insert("b", b);
  }
  cache.erase("a");
  EXPECT_TRUE(erased.expired());
  EXPECT_FALSE(cleared.expired());
  cache.clear();
  EXPECT_TRUE(cleared.expired());
  EXPECT_EQ(cache.find("b"), nullptr);
}

TEST(PlanCache, ReplacesAnEntryOfTheSameKey) {
  PlanCache cache(8);
  const auto second = makeQuery();
  cache.insert("a", makeQuery());
  cache.insert("a", second);
  EXPECT_EQ(cache.find("a"), second);
}

TEST(PlanCache, RefusesTextsThatAreMostlyLiterals) {
  PlanCache cache(8);
  const std::string key(PlanCache::kKeyBytesMax + 1, 'x');
  cache.insert(key, makeQuery());
  EXPECT_EQ(cache.find(key), nullptr);
}

TEST(PlanCache, TellsWhenAllWereDropped) {
  PlanCache cache(8);
  const uint64_t before = cache.generation();
  cache.insert("a", makeQuery());
  cache.erase("a");
  EXPECT_EQ(cache.generation(), before);
  cache.clear();
  EXPECT_GT(cache.generation(), before);
}

}  // namespace
}  // namespace gnomon::server
