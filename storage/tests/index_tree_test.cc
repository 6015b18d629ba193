#include "storage/index/index_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "storage/index/index_builder.h"
#include "storage/index/index_cursor.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using testing::errorOf;
using testing::kMiB;
using testing::TemporaryDirectory;

constexpr RelationId kRelation{42};
/// By key, then tuple id: the order of both kinds of index.
using Model = std::map<std::pair<std::string, uint64_t>, bool>;
using Entries = std::vector<std::pair<std::string, uint64_t>>;

Entries read(IndexTree& tree, const KeyRange& range, ScanDirection direction) {
  Entries entries;
  IndexCursor cursor(tree, range, direction);
  IndexEntry entry;
  while (cursor.next(entry)) entries.emplace_back(entry.key, entry.id.value);
  return entries;
}

/// What the model has in the range, forward.
Entries expectedEntries(const Model& model, const KeyRange& range) {
  Entries entries;
  for (const auto& [entry, ignored] : model) {
    const KeyView key = entry.first;
    if (range.low.kind == KeyBound::Kind::Inclusive && key < range.low.key) continue;
    if (range.low.kind == KeyBound::Kind::Exclusive && key <= range.low.key) continue;
    if (range.high.kind == KeyBound::Kind::Inclusive && key > range.high.key) continue;
    if (range.high.kind == KeyBound::Kind::Exclusive && key >= range.high.key) continue;
    entries.push_back(entry);
  }
  return entries;
}

void expectRange(IndexTree& tree, const Model& model, const KeyRange& range) {
  Entries expected = expectedEntries(model, range);
  ASSERT_EQ(read(tree, range, ScanDirection::Forward), expected);
  std::reverse(expected.begin(), expected.end());
  ASSERT_EQ(read(tree, range, ScanDirection::Backward), expected);
}

/// Makes keys of one shape. They end with a zero byte and have no other, so that none is a prefix of another (K1).
class KeyGenerator {
 public:
  enum class Shape { Short, LongPrefix, Mixed, Longest, Equal };

  KeyGenerator(Shape shape, std::mt19937_64& random) : shape_(shape), random_(random) {}
  std::string next() {
    std::string key;
    switch (shape_) {
      case Shape::Short:
        key = bytes(1 + random_() % 3, 30);
        break;
      case Shape::LongPrefix:
        key = std::string(2000, 'p') + bytes(1, 4) + std::string(500, 'q') + bytes(1 + random_() % 3, 20);
        break;
      case Shape::Mixed:
        key = bytes(1, 3) + std::string(random_() % 4 == 0 ? random_() % 3000 : random_() % 8, 'm') +
              bytes(1 + random_() % 2, 200);
        break;
      case Shape::Longest:
        key = std::string(random_() % 3 * 5000, 'l') + bytes(1, 20);
        key += std::string(random_() % 4 == 0 ? 0 : kKeyBytesMax - 1 - key.size(), 'k');
        break;
      case Shape::Equal:
        key = bytes(1, 2);
        break;
    }
    return key + '\0';
  }

 private:
  std::string bytes(uint64_t count, uint64_t kinds) {
    std::string result;
    while (result.size() < count) result += static_cast<char>(255 - random_() % kinds);
    return result;
  }
  Shape shape_;
  std::mt19937_64& random_;
};

/// Runs random operations on a tree and on the model.
class ModelTest {
 public:
  ModelTest(std::mt19937_64& random, bool is_unique, KeyGenerator::Shape shape, uint64_t pool_bytes)
      : random_(random),
        keys_(shape, random),
        buffers_(directory_.path(), {.pool_bytes = pool_bytes, .double_write = false}),
        tree_(buffers_, kRelation, is_unique),
        made_per_refusal_(shape == KeyGenerator::Shape::Longest ? 1 : 4) {}

  IndexTree& tree() { return tree_; }
  Model& model() { return model_; }
  std::string key() { return keys_.next(); }

  void insert() {
    if (random_() % 4 == 0) return insertAlone();
    if (!tree_.isUnique() && random_() % 8 == 0) return insertRun();
    const std::string key = keys_.next();
    const uint64_t id = random_() % 5000;
    const auto held = tree_.isUnique() ? model_.lower_bound({key, 0}) : model_.find({key, id});
    const bool is_held = held != model_.end() && held->first.first == key;
    const std::optional<TupleId> result = tree_.insert(key, TupleId{id});
    ASSERT_EQ(result.has_value(), is_held);
    if (is_held)
      ASSERT_EQ(result->value, held->first.second);
    else
      model_[{key, id}] = true;
  }
  void insertAlone() {
    const std::string key = keys_.next();
    const uint64_t id = random_() % 5000;
    const auto held = model_.lower_bound({key, 0});
    const bool is_held = held != model_.end() && held->first.first == key;
    const bool is_made = tree_.insertAlone(key, TupleId{id});
    if (is_held) ASSERT_FALSE(is_made);
    // A fence may have outlived the entries of its key.
    if (!is_held) ++(is_made ? made_alone_ : refused_alone_);
    if (is_made) model_[{key, id}] = true;
  }
  /// Some keys that ascend, mostly from nearby.
  void insertRun() {
    std::vector<EncodedKey> keys;
    std::vector<std::string> texts;
    const bool is_near = random_() % 2 == 0;
    const std::string begin = keys_.next();
    const bool is_short = begin.size() + 1 < kKeyBytesMax;
    for (uint64_t i = 0; i <= random_() % 12; ++i)
      texts.push_back(is_near && is_short
                          ? begin.substr(0, begin.size() - 1) + static_cast<char>(1 + i * (1 + random_() % 20)) + '\0'
                          : keys_.next());
    std::ranges::sort(texts);
    const auto repeated = std::ranges::unique(texts);
    texts.erase(repeated.begin(), repeated.end());
    for (const std::string& text : texts) keys.emplace_back(text);
    const uint64_t first = random_() % 5000;
    const bool alone = random_() % 2 == 0;
    const size_t made = tree_.insertRun(keys, TupleId{first}, alone);
    ASSERT_LE(made, texts.size());
    for (size_t i = 0; i < made; ++i) {
      const auto held = model_.lower_bound({texts[i], 0});
      const bool is_held = held != model_.end() && held->first.first == texts[i];
      if (alone) ASSERT_FALSE(is_held);
      ASSERT_TRUE(model_.emplace(std::pair(texts[i], first + i), true).second);
    }
  }
  void erase() {
    if (model_.empty()) return;
    std::pair<std::string, uint64_t> entry{keys_.next(), random_() % 5000};
    // Mostly one that is there.
    if (random_() % 8 != 0) {
      auto held = model_.lower_bound(entry);
      if (held == model_.end()) held = model_.begin();
      entry = held->first;
    }
    ASSERT_EQ(tree_.erase(entry.first, TupleId{entry.second}), model_.erase(entry) == 1);
  }
  void lookup() {
    const std::string key = keys_.next();
    const auto held = model_.lower_bound({key, 0});
    const bool is_held = held != model_.end() && held->first.first == key;
    const uint64_t id = is_held ? held->first.second : 3;
    ASSERT_EQ(tree_.contains(key, TupleId{id}), is_held);
    expectRun(key.substr(0, 1 + random_() % key.size()));
    if (!tree_.isUnique()) return;
    const std::optional<TupleId> found = tree_.lookup(key);
    ASSERT_EQ(found.has_value(), is_held);
    if (is_held) ASSERT_EQ(found->value, id);
  }
  /// What findRun() says of keys that begin with the bytes.
  void expectRun(const std::string& prefix) {
    PrefixRun run;
    tree_.findRun(prefix, run);
    std::vector<uint64_t> expected;
    for (auto held = model_.lower_bound({prefix, 0}); held != model_.end() && held->first.first.starts_with(prefix);
         ++held)
      expected.push_back(held->first.second);
    if (run.is_whole) ASSERT_EQ(run.count, expected.size());
    ASSERT_LE(run.count, expected.size());
    for (uint32_t i = 0; i < run.count; ++i) ASSERT_EQ(run.tuple_ids[i], expected[i]);
  }
  void scan() {
    const std::string low = keys_.next(), high = keys_.next();
    const auto kind = [&] { return static_cast<KeyBound::Kind>(random_() % 3); };
    const bool is_point = random_() % 4 == 0;
    expectRange(tree_, model_, {{kind(), low}, {kind(), is_point ? low : high}});
  }
  void audit() {
    ASSERT_LE(refused_alone_, 20 + made_alone_ / made_per_refusal_);
    const IndexTree::Tally tally = tree_.audit();
    ASSERT_EQ(tally.entries, model_.size());
    ASSERT_EQ(tree_.pageCount(), tally.leaves + tally.inner_pages);
    expectRange(tree_, model_, {});
  }
  uint64_t usedBytes() const { return buffers_.usedBytes(); }

 private:
  std::mt19937_64& random_;
  KeyGenerator keys_;
  TemporaryDirectory directory_;
  BufferManager buffers_;
  IndexTree tree_;
  Model model_;
  uint64_t made_alone_ = 0, refused_alone_ = 0;  ///< where nobody had the key
  /// At least. Where two keys fill a leaf, most keys have been fences: of some 60 runs one refused 33 times, and made
  /// some 40 entries.
  const uint64_t made_per_refusal_;
};

struct Case {
  KeyGenerator::Shape shape;
  bool is_unique;
  uint64_t pool_bytes = 256 * kMiB;
};
using Shape = KeyGenerator::Shape;
class IndexTreeModel : public ::testing::TestWithParam<Case> {};

TEST_P(IndexTreeModel, AgreesWithAMapWhileItGrowsAndShrinks) {
  std::mt19937_64 random(testing::testSeed());
  ModelTest test(random, GetParam().is_unique, GetParam().shape, GetParam().pool_bytes);
  uint64_t leaves_most = 0;
  for (const uint64_t inserts_of_eight : {7, 4, 1, 6, 0}) {
    for (int step = 0; step < (GetParam().shape == Shape::Longest ? 3000 : 12000); ++step) {
      if (random() % 8 < inserts_of_eight)
        test.insert();
      else
        test.erase();
      if (step % 16 == 0) test.lookup();
      if (step % 1000 == 0) test.scan();
      if (HasFatalFailure()) return;
    }
    test.audit();
    if (HasFatalFailure()) return;
    leaves_most = std::max(leaves_most, test.tree().audit().leaves);
  }
  // Emptied from front to back, it gives its pages back.
  while (!test.model().empty()) {
    const auto entry = test.model().begin()->first;
    ASSERT_TRUE(test.tree().erase(entry.first, TupleId{entry.second}));
    test.model().erase(test.model().begin());
  }
  test.audit();
  // Where two separators of 15 KiB fill an inner page, not every one finds a sibling with room (X3).
  if (GetParam().shape == Shape::Longest) {
    EXPECT_LE(test.tree().audit().leaves, leaves_most / 4);
  } else {
    EXPECT_EQ(test.tree().audit().leaves, 1u);
    EXPECT_EQ(test.usedBytes(), kPageBytesMin);
  }
  test.tree().destroy();
  EXPECT_EQ(test.usedBytes(), 0u);
}

TEST_P(IndexTreeModel, BulkBuildMakesWhatInsertsMake) {
  std::mt19937_64 random(testing::testSeed());
  for (const int count : {0, 1, 500, GetParam().shape == Shape::Longest ? 1500 : 20000}) {
    ModelTest test(random, GetParam().is_unique, GetParam().shape, GetParam().pool_bytes);
    Model& model = test.model();
    for (int step = 0; step < count; ++step) {
      const std::string key = test.key();
      const auto held = model.lower_bound({key, 0});
      if (!GetParam().is_unique || held == model.end() || held->first.first != key)
        model[{key, random() % 5000}] = true;
    }
    IndexBuilder builder(test.tree(), 0.5 + static_cast<double>(random() % 6) / 10);
    for (const auto& [entry, ignored] : model) {
      ASSERT_TRUE(builder.add(entry.first, TupleId{entry.second}));
      if (random() % 16 == 0) ASSERT_FALSE(builder.add(entry.first, TupleId{entry.second}));
    }
    builder.finish();
    test.audit();
    for (int step = 0; step < 4000 && !HasFatalFailure(); ++step) {
      if (random() % 2 == 0)
        test.insert();
      else
        test.erase();
      if (step % 500 == 0) test.scan();
    }
    if (HasFatalFailure()) return;
    test.audit();
  }
}

std::string nameOf(const ::testing::TestParamInfo<Case>& info) {
  constexpr const char* kNames[] = {"Short", "LongPrefix", "Mixed", "Longest", "Equal"};
  return std::string(kNames[static_cast<int>(info.param.shape)]) + (info.param.is_unique ? "Unique" : "") +
         (info.param.pool_bytes < 100 * kMiB ? "SmallPool" : "");
}

INSTANTIATE_TEST_SUITE_P(Shapes, IndexTreeModel,
                         ::testing::Values(Case{Shape::Short, true}, Case{Shape::Short, false},
                                           Case{Shape::LongPrefix, true}, Case{Shape::LongPrefix, false},
                                           Case{Shape::Mixed, true}, Case{Shape::Mixed, false},
                                           Case{Shape::Longest, true}, Case{Shape::Longest, false},
                                           Case{Shape::Equal, false}, Case{Shape::LongPrefix, true, 2 * kMiB},
                                           Case{Shape::Mixed, false, 2 * kMiB}),
                         nameOf);

std::string numberKey(uint64_t number) {
  std::string key(8, '\0');
  for (int byte = 0; byte < 8; ++byte) key[static_cast<size_t>(byte)] = static_cast<char>(number >> (56 - 8 * byte));
  return key;
}

TEST(IndexTree, AscendingKeysFillPages) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 256 * kMiB});
  IndexTree tree(buffers, kRelation, true);
  constexpr uint64_t kCount = 300'000;
  for (uint64_t number = 0; number < kCount; ++number) ASSERT_FALSE(tree.insert(numberKey(number), TupleId{number}));
  const IndexTree::Tally tally = tree.audit();
  EXPECT_EQ(tally.entries, kCount);
  EXPECT_GT(tally.leaf_bytes_used, tally.leaves * kIndexPageBytes / 10 * 7);
  for (uint64_t number = 0; number < kCount; number += 7) ASSERT_EQ(tree.lookup(numberKey(number)), TupleId{number});
}

/// As the orders of many districts do.
TEST(IndexTree, GroupsThatGrowInTurnsFillPages) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 256 * kMiB});
  IndexTree tree(buffers, kRelation, true);
  constexpr uint64_t kGroups = 100, kEach = 8000;
  const auto keyOf = [](uint64_t group, uint64_t number) { return numberKey((group << 32) + number); };
  uint64_t id = 0;
  for (uint64_t number = 0; number < kEach; ++number)
    for (uint64_t group = 0; group < kGroups; ++group) ASSERT_FALSE(tree.insert(keyOf(group, number), TupleId{id++}));
  const IndexTree::Tally tally = tree.audit();
  EXPECT_EQ(tally.entries, kGroups * kEach);
  EXPECT_GT(tally.leaf_bytes_used, tally.leaves * kIndexPageBytes / 10 * 7);
  for (uint64_t group = 0; group < kGroups; ++group)
    for (uint64_t number = group % 7; number < kEach; number += 7)
      ASSERT_EQ(tree.lookup(keyOf(group, number)), TupleId{number * kGroups + group});
}

TEST(IndexTree, ARunIsWholeUnlessItsLeafEndsOrThereAreMany) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 16 * kMiB, .double_write = false});
  IndexTree tree(buffers, kRelation, false);
  constexpr uint64_t kCount = 5000, kTuplesOf = 12;
  for (uint64_t number = 0; number < kCount; ++number)
    for (uint64_t tuple = 0; tuple < number % kTuplesOf; ++tuple)
      ASSERT_EQ(tree.insert(numberKey(number), TupleId{number * kTuplesOf + tuple}), std::nullopt);
  uint64_t cut = 0;
  for (uint64_t number = 0; number < kCount; ++number) {
    const uint64_t tuples = number % kTuplesOf;
    PrefixRun run;
    tree.findRun(numberKey(number), run);
    const bool is_many = tuples > PrefixRun::kTuplesMax;
    if (is_many) ASSERT_FALSE(run.is_whole);
    if (!is_many && !run.is_whole) ++cut;
    if (run.is_whole) ASSERT_EQ(run.count, tuples);
    for (uint32_t i = 0; i < run.count; ++i) ASSERT_EQ(run.tuple_ids[i], number * kTuplesOf + i);
  }
  // The last key of a leaf, and one that is not there behind it.
  EXPECT_LE(cut, 2 * tree.audit().leaves);
}

TEST(IndexTree, EntriesThatStandSideBySideComeAtOnce) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 64 * kMiB});
  IndexTree tree(buffers, kRelation, false);
  for (uint64_t number = 0; number < 1000; number += 100) ASSERT_FALSE(tree.insert(numberKey(number), TupleId{number}));
  const auto run = [&](std::initializer_list<uint64_t> numbers, uint64_t first, bool alone) {
    std::vector<EncodedKey> keys;
    for (const uint64_t number : numbers) keys.emplace_back(numberKey(number));
    return tree.insertRun(keys, TupleId{first}, alone);
  };
  EXPECT_EQ(run({201, 202, 203, 299}, 5000, true), 4u);
  // Up to the entry behind them, whether its key may be there twice or not.
  EXPECT_EQ(run({310, 320, 400, 410}, 6000, true), 2u);
  EXPECT_EQ(run({510, 600, 610}, 7000, false), 1u);
  EXPECT_EQ(run({500, 501}, 7100, true), 0u);
  EXPECT_EQ(run({500, 501}, 7100, false), 2u);
  EXPECT_EQ(run({901, 2000, 3000}, 8000, true), 3u);
  Model model;
  for (uint64_t number = 0; number < 1000; number += 100) model[{numberKey(number), number}] = true;
  const std::pair<uint64_t, uint64_t> made[] = {{201, 5000}, {202, 5001}, {203, 5002},  {299, 5003},
                                                {310, 6000}, {320, 6001}, {510, 7000},  {500, 7100},
                                                {501, 7101}, {901, 8000}, {2000, 8001}, {3000, 8002}};
  for (const auto& [number, id] : made) model[{numberKey(number), id}] = true;
  expectRange(tree, model, {});
}

TEST(IndexTree, SurvivesRestart) {
  const TemporaryDirectory directory;
  constexpr uint64_t kCount = 100'000;
  PageId root;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = 64 * kMiB});
    IndexTree tree(buffers, kRelation, false);
    for (uint64_t number = 0; number < kCount; ++number)
      ASSERT_FALSE(tree.insert(numberKey(number * 7919 % kCount), TupleId{number * 7919 % kCount}));
    root = tree.root();
    buffers.writeAll();
  }
  BufferManager buffers(directory.path(), {.pool_bytes = 64 * kMiB});
  IndexTree tree(buffers, kRelation, false, root);
  for (uint64_t number = 0; number < kCount; number += 11)
    ASSERT_TRUE(tree.contains(numberKey(number), TupleId{number}));
  EXPECT_EQ(tree.audit().entries, kCount);
  for (uint64_t number = 0; number < kCount; ++number) ASSERT_TRUE(tree.erase(numberKey(number), TupleId{number}));
  EXPECT_EQ(tree.audit().leaves, 1u);
}

TEST(IndexTree, HoldsMoreThanThePool) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 2 * kMiB, .double_write = false});
  IndexTree tree(buffers, kRelation, true);
  constexpr uint64_t kCount = 20'000;
  const auto keyAt = [](uint64_t number) { return numberKey(number * 0x9E3779B97F4A7C15) + std::string(300, 'x'); };
  for (uint64_t number = 0; number < kCount; ++number) ASSERT_FALSE(tree.insert(keyAt(number), TupleId{number}));
  for (uint64_t number = 0; number < kCount; number += 13) ASSERT_EQ(tree.lookup(keyAt(number)), TupleId{number});
  EXPECT_GT(buffers.counts().evictions, 100u);
  EXPECT_LE(buffers.usedBytes(), 2 * kMiB);
  const IndexTree::Tally tally = tree.audit();
  EXPECT_EQ(tally.entries, kCount);
  EXPECT_GT(tally.leaves * kIndexPageBytes, 5 * kMiB);
  for (uint64_t number = 0; number < kCount; ++number)
    if (number % 100 != 0) ASSERT_TRUE(tree.erase(keyAt(number), TupleId{number}));
  const IndexTree::Tally rest = tree.audit();
  EXPECT_EQ(rest.entries, kCount / 100);
  EXPECT_LT(rest.leaves, tally.leaves / 2);
  tree.destroy();
  EXPECT_EQ(buffers.usedBytes(), 0u);
}

TEST(IndexTree, ACursorSurvivesChangesBetweenItsCalls) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 64 * kMiB});
  IndexTree tree(buffers, kRelation, true);
  // Even numbers stay; odd ones come and go while the cursors are on their way.
  constexpr uint64_t kCount = 40'000;
  for (uint64_t number = 0; number < kCount; number += 2) tree.insert(numberKey(number), TupleId{number});
  for (const ScanDirection direction : {ScanDirection::Forward, ScanDirection::Backward}) {
    IndexCursor cursor(tree, {}, direction);
    std::mt19937_64 random(7);
    std::vector<uint64_t> seen;
    IndexEntry entry;
    while (cursor.next(entry)) {
      ASSERT_EQ(entry.key, numberKey(entry.id.value));
      if (entry.id.value % 2 == 0) seen.push_back(entry.id.value);
      for (int change = 0; change < 4; ++change) {
        const uint64_t odd = random() % kCount | 1;
        if (!tree.insert(numberKey(odd), TupleId{odd})) continue;
        tree.erase(numberKey(odd), TupleId{odd});
      }
    }
    if (direction == ScanDirection::Backward) std::reverse(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), kCount / 2);
    for (uint64_t index = 0; index < seen.size(); ++index) ASSERT_EQ(seen[index], index * 2);
  }
}

}  // namespace
}  // namespace gnomon::storage
