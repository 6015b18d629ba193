#include "storage/page_redo.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <random>

#include "base/string_value.h"
#include "storage/checkpointer.h"
#include "storage/index/index_builder.h"
#include "storage/index/index_cursor.h"
#include "storage/relation/appender.h"
#include "storage/tests/logged_store.h"
#include "storage/tests/relation_model.h"

namespace gnomon::storage {
namespace {

using testing::copyCrashed;
using testing::kMiB;
using testing::openWal;
using testing::Redone;
using testing::TemporaryDirectory;
using testing::testSeed;

RelationState stateOf(PageId root) {
  RelationState state{};
  state.root = root;
  return state;
}

/// The relation of a crashed directory holds these rows, if any are given, and is sound.
void expectRelation(Redone& redone, const RelationSchema& schema, const testing::RelationModel::Rows* rows) {
  const auto trees = redone.buffers->registry().trees();
  ASSERT_EQ(trees.size(), 1u);
  Relation relation(*redone.buffers, RelationId{9}, schema, stateOf(trees.begin()->first));
  Findings findings;
  relation.tree().check(findings);
  for (const std::string& problem : findings.problems) ADD_FAILURE() << problem;
  redone.expectPages(findings);
  if (rows == nullptr) return;
  RowCursor cursor(relation, TupleId{tuple_id_flags::kIdMask});
  for (const auto& [id, row] : *rows) {
    ASSERT_TRUE(cursor.next()) << "tuple " << id << " is missing";
    ASSERT_EQ(cursor.tupleId().value, id);
    ASSERT_EQ(testing::readRow(schema, cursor), row) << "tuple " << id;
  }
  EXPECT_FALSE(cursor.next());
}

void changeRelation(testing::RelationModel& model) {
  const size_t text_bytes_max = model.textBytesMax();
  switch (model.below(12)) {
    case 0:
    case 1:
    case 2:
      return model.append(1 + model.below(200), text_bytes_max);
    case 3:
    case 4:
    case 5:
      return model.update(20, text_bytes_max);
    case 6:
      return model.markDeleted(20);
    case 7:
      return model.deleteRange();
    case 8:
      return model.unmarkDeleted(10);
    case 9:
    case 10:
      return model.reclaim();
    default:
      if (model.below(3) == 0) model.truncate();
  }
}

/// A relation changes at random, pages are written and checkpoints taken at random; copies of its files are redone.
TEST(PageRedo, ARelationIsAsTheLogSaysAfterACrashAtAnyTime) {
  const uint64_t seed = testSeed();
  uint64_t compared = 0;
  for (uint64_t round = 0; round < 6; ++round) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " round " << round);
    const TemporaryDirectory directory, crashed;
    const auto wal = openWal(directory.path());
    const RelationSchema schema =
        round % 3 == 0 ? testing::withLeafClass(testing::everyKindSchema(), SizeClass{1}) : testing::everyKindSchema();
    testing::RelationModel model(directory.path(), schema, seed + round, 6 * kMiB, wal.get());
    Checkpointer checkpointer(model.buffers(), {});
    testing::RelationModel::Rows stable;
    wal->flushAll();
    Gsn stable_gsn = wal->lastGsn();
    for (int step = 0; step < 400; ++step) {
      changeRelation(model);
      if (model.below(10) == 0) {
        wal->flushAll();
        stable = model.rows();
        stable_gsn = wal->lastGsn();
        if (model.below(2) == 0) model.buffers().evict(model.below(6 * kMiB));
        if (model.below(2) == 0) checkpointer.advance(model.below(2 * kMiB));
        if (model.below(8) == 0) checkpointer.checkpoint();
      }
      if (model.below(25) != 0) continue;
      copyCrashed(model.buffers(), directory.path(), crashed.path() / "data");
      if (wal->stableGsn() == wal->lastGsn()) {
        stable = model.rows();
        stable_gsn = wal->lastGsn();
      }
      for (int crash = 0; crash < 2; ++crash) {
        Redone redone(crashed.path() / "data", crash == 0 ? 2 * kMiB : 8 * kMiB);
        const bool is_same = redone.last == stable_gsn;
        if (is_same) ++compared;
        ASSERT_NO_FATAL_FAILURE(expectRelation(redone, schema, is_same ? &stable : nullptr));
        if (::testing::Test::HasFailure()) return;
      }
    }
    model.expectSame();
  }
  EXPECT_GT(compared, 10u);
}

using Entries = std::map<std::string, uint64_t>;

std::string someKey(std::mt19937_64& random, unsigned shape) {
  const uint64_t number = random() % 20000;
  std::string key = shape == 0 ? "" : std::string(shape == 1 ? 600 : 30, 'k');
  for (int shift = 24; shift >= 0; shift -= 8) key.push_back(static_cast<char>(1 + (number >> shift) % 250));
  if (shape == 2) key += std::string(number % 7 == 0 ? 3000 : number % 50, 'e');
  key.push_back('\0');
  return key;
}

void expectIndex(Redone& redone, bool is_unique, const Entries* entries) {
  const auto trees = redone.buffers->registry().trees();
  ASSERT_EQ(trees.size(), 1u);
  EXPECT_EQ(trees.begin()->second.kind, is_unique ? TreeKind::UniqueIndex : TreeKind::Index);
  IndexTree tree(*redone.buffers, RelationId{9}, is_unique, trees.begin()->first);
  Findings findings;
  tree.check(findings);
  for (const std::string& problem : findings.problems) ADD_FAILURE() << problem;
  redone.expectPages(findings);
  if (entries == nullptr) return;
  IndexCursor cursor(tree, KeyRange{});
  IndexEntry entry;
  for (const auto& [key, id] : *entries) {
    ASSERT_TRUE(cursor.next(entry));
    ASSERT_EQ(entry.key, key);
    ASSERT_EQ(entry.id.value, id);
  }
  EXPECT_FALSE(cursor.next(entry));
}

/// The same for an index that grows and shrinks.
TEST(PageRedo, AnIndexIsAsTheLogSaysAfterACrashAtAnyTime) {
  const uint64_t seed = testSeed();
  uint64_t compared = 0;
  for (unsigned round = 0; round < 6; ++round) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " round " << round);
    std::mt19937_64 random(seed + round);
    const TemporaryDirectory directory, crashed;
    const bool is_unique = round % 2 == 0;
    const auto wal = openWal(directory.path());
    BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
    buffers.log().attach(wal.get());
    buffers.writePageNumbers(buffers.pageNumbers().state());
    IndexTree tree(buffers, RelationId{9}, is_unique);
    Checkpointer checkpointer(buffers, {});
    Entries entries, stable;
    wal->flushAll();
    Gsn stable_gsn = wal->lastGsn();
    if (round >= 4) {
      IndexBuilder builder(tree);
      for (int i = 0; i < 3000; ++i) entries[someKey(random, round % 3)] = random() % 1000;
      for (const auto& [key, id] : entries) ASSERT_TRUE(builder.add(key, TupleId{id}));
      builder.finish();
    }
    bool is_growing = true;
    for (int step = 0; step < 300; ++step) {
      if (random() % 30 == 0) is_growing = !is_growing;
      for (uint64_t count = random() % 100; count > 0; --count) {
        const std::string key = someKey(random, round % 3);
        const auto found = entries.find(key);
        if (random() % 8 < (is_growing ? 7u : 1u)) {
          const TupleId id{random() % 1000};
          if (found != entries.end()) continue;
          EXPECT_FALSE(tree.insert(key, id));
          entries[key] = id.value;
        } else if (const auto next = entries.lower_bound(key); next != entries.end()) {
          EXPECT_TRUE(tree.erase(next->first, TupleId{next->second}));
          entries.erase(next);
        }
      }
      if (random() % 10 == 0) {
        wal->flushAll();
        stable = entries;
        stable_gsn = wal->lastGsn();
        if (random() % 2 == 0) buffers.evict(random() % (4 * kMiB));
        if (random() % 2 == 0) checkpointer.advance(random() % (2 * kMiB));
        if (random() % 8 == 0) checkpointer.checkpoint();
      }
      if (random() % 25 != 0) continue;
      copyCrashed(buffers, directory.path(), crashed.path() / "data");
      if (wal->stableGsn() == wal->lastGsn()) {
        stable = entries;
        stable_gsn = wal->lastGsn();
      }
      for (int crash = 0; crash < 2; ++crash) {
        Redone redone(crashed.path() / "data", crash == 0 ? kMiB : 8 * kMiB);
        const bool is_same = redone.last == stable_gsn;
        if (is_same) ++compared;
        ASSERT_NO_FATAL_FAILURE(expectIndex(redone, is_unique, is_same ? &stable : nullptr));
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
  EXPECT_GT(compared, 10u);
}

/// Trees go in several records; what is left after a crash between two of them can go, too.
TEST(PageRedo, WhatIsLeftOfATreeThatWasBeingDestroyedCanBeDestroyed) {
  const TemporaryDirectory directory, crashed;
  std::mt19937_64 random(testSeed());
  const auto wal = openWal(directory.path());
  BufferManager buffers(directory.path(), {.pool_bytes = 16 * kMiB});
  buffers.log().attach(wal.get());
  buffers.writePageNumbers(buffers.pageNumbers().state());
  IndexTree index(buffers, RelationId{9}, true);
  for (int i = 0; i % 100 != 0 || index.audit().inner_pages < 8; ++i)
    index.insert(std::string(3000, 'k') + someKey(random, 2) + std::to_string(random()), TupleId{1});
  Relation relation(buffers, RelationId{10}, {{StoredKind::Int64, false}});
  RelationAppender appender(relation);
  const uint8_t null_flag = 0;
  for (uint64_t i = 0; i < 30000; ++i) {
    const Datum value{i, 0};
    appender.append(&value, &null_flag);
  }
  // The records are flushed when pages are written.
  wal->flushAll();
  copyCrashed(directory.path(), crashed.path() / "before");
  index.destroy();
  relation.destroy();
  wal->flushAll();
  copyCrashed(directory.path(), crashed.path() / "after");
  const Redone after(crashed.path() / "after");
  EXPECT_TRUE(after.buffers->registry().trees().empty());
  after.expectPages({});
  // Every prefix of the log is one that a crash can leave.
  wal::LogScan scan(crashed.path() / "after" / "wal");
  std::vector<Gsn> gsns;
  {
    const wal::LogScan before(crashed.path() / "before" / "wal");
    wal::MergedCursor cursor = scan.merged();
    for (wal::LogRecord record; cursor.next(record);)
      if (record.gsn > before.lastGsn()) gsns.push_back(record.gsn);
  }
  ASSERT_GT(gsns.size(), 4u);
  for (size_t kept = 0; kept < gsns.size(); kept += 1 + gsns.size() / 12) {
    copyCrashed(crashed.path() / "after", crashed.path() / "prefix");
    BufferManager pages(crashed.path() / "prefix", {.pool_bytes = 16 * kMiB});
    PageRedo redo(pages, 2);
    wal::MergedCursor cursor = scan.merged();
    for (wal::LogRecord record; cursor.next(record) && record.gsn <= gsns[kept];) {
      redo.apply(record, cursor.block());
      pages.registry().apply(record);
    }
    redo.finish();
    for (const auto& [root, tree] : pages.registry().trees()) {
      if (tree.kind == TreeKind::Relation)
        Relation(pages, tree.relation, {{StoredKind::Int64, false}}, stateOf(root)).destroy();
      else
        IndexTree(pages, tree.relation, true, root).destroy();
    }
    EXPECT_TRUE(pages.registry().trees().empty());
    for (uint64_t number = 1; number < pages.pageNumbers().nextNumber(SizeClass{0}); ++number)
      EXPECT_TRUE(std::ranges::count(pages.pageNumbers().freeNumbers(SizeClass{0}), number) == 1) << number;
  }
}

/// Two trees and a relation that change at random, by transactions with logs of their own.
class ManyLogs {
 public:
  ManyLogs(const std::filesystem::path& directory, uint64_t seed)
      : random_(seed), wal_(openWal(directory)), buffers_(directory, {.pool_bytes = 4 * kMiB}) {
    buffers_.log().attach(wal_.get());
    buffers_.writePageNumbers(buffers_.pageNumbers().state());
    checkpointer_.emplace(buffers_, CheckpointOptions{});
    tree_.emplace(buffers_, RelationId{9}, true);
    passing_tree_.emplace(buffers_, RelationId{10}, true);
    relation_.emplace(buffers_, RelationId{11}, kSchema);
    for (uint64_t number = 1; number <= 4; ++number) {
      writers_.push_back(wal_->lease());
      writers_.back()->begin(wal::TransactionNumber{number});
    }
  }
  ~ManyLogs() {
    for (const auto& writer : writers_) writer->commit(wal::Visibility::AfterStable);
    writers_.clear();
  }

  void step() {
    {
      const PageLog::Scope scope(buffers_.log(), *writers_[random_() % writers_.size()]);
      for (uint64_t count = random_() % 60; count > 0; --count) changeTree(*tree_, entries_);
      for (uint64_t count = random_() % 30; count > 0; --count) changeTree(*passing_tree_, passing_entries_);
      for (uint64_t count = random_() % 30; count > 0; --count) append();
    }
    if (random_() % 10 == 0) buffers_.evict(random_() % (4 * kMiB));
    if (random_() % 20 == 0) checkpointer_->advance(random_() % (2 * kMiB));
    if (random_() % 40 != 0) return;
    // Its pages are used again, for others.
    passing_tree_->destroy();
    passing_tree_.emplace(buffers_, RelationId{10}, true);
    passing_entries_.clear();
  }
  void flush() { wal_->flushAll(); }
  BufferManager& buffers() { return buffers_; }

 private:
  inline static const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::String, false}};

  void changeTree(IndexTree& tree, Entries& entries) {
    const std::string key = someKey(random_, 2);
    const auto found = entries.find(key);
    if (found == entries.end()) {
      entries[key] = random_() % 1000;
      tree.insert(key, TupleId{entries[key]});
    } else {
      tree.erase(key, TupleId{found->second});
      entries.erase(found);
    }
  }

  void append() {
    const std::string text(random_() % 40 == 0 ? random_() % (300 << 10) : random_() % 400, 't');
    const StringValue value = StringValue::refer(text, StringValue::Storage::Transient);
    const Datum values[] = {{random_(), 0}, {value.lo(), value.hi()}};
    const uint8_t null_flags[] = {0, 0};
    RelationAppender(*relation_).append(values, null_flags);
  }

  std::mt19937_64 random_;
  std::unique_ptr<wal::WriteAheadLog> wal_;
  BufferManager buffers_;
  std::vector<std::unique_ptr<wal::LogWriter>> writers_;
  std::optional<IndexTree> tree_, passing_tree_;
  std::optional<Relation> relation_;
  Entries entries_, passing_entries_;
  std::optional<Checkpointer> checkpointer_;
};

/// The bytes of all pages that are in a tree.
std::map<PageId, std::string> pagesOf(Redone& redone) {
  redone.buffers->writeAll();
  std::map<PageId, std::string> pages;
  for (uint8_t index = 0; index < kSizeClassCount; ++index) {
    const SizeClass size_class{index};
    const auto free = redone.buffers->pageNumbers().freeNumbers(size_class);
    const uint64_t next = redone.buffers->pageNumbers().nextNumber(size_class);
    if (next == 1) continue;
    std::ifstream file(redone.buffers->file(size_class).path(), std::ios::binary);
    for (uint64_t number = 1; number < next; ++number) {
      std::string bytes(pageBytes(size_class), '\0');
      file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      if (std::ranges::count(free, number) == 0) pages[PageId(number, size_class)] = bytes;
    }
    EXPECT_TRUE(file.good());
  }
  return pages;
}

TEST(PageRedo, SeveralWorkersMakeTheSamePagesAsOneInAnyPool) {
  const uint64_t seed = testSeed();
  for (uint64_t round = 0; round < 3; ++round) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " round " << round);
    const TemporaryDirectory directory, crashed;
    {
      ManyLogs store(directory.path(), seed + round);
      for (int step = 0; step < 150; ++step) store.step();
      store.flush();
      copyCrashed(store.buffers(), directory.path(), crashed.path() / "crashed");
    }
    const auto copy = [&] {
      copyCrashed(crashed.path() / "crashed", crashed.path() / "data");
      return crashed.path() / "data";
    };
    Redone by_one(copy(), 64 * kMiB, 1);
    EXPECT_GE(std::ranges::count_if(by_one.scan.logs(), [](const auto& log) { return log.end > log.start; }), 4);
    EXPECT_GT(by_one.change_count, 1000u);
    const auto expected = pagesOf(by_one);
    EXPECT_GT(expected.size(), 20u);
    struct Way {
      unsigned workers;
      uint64_t pool_bytes;
    };
    for (const Way way : {Way{1, 2 * kMiB}, Way{2, 2 * kMiB}, Way{5, 4 * kMiB}, Way{16, 2 * kMiB}, Way{3, 64 * kMiB}}) {
      SCOPED_TRACE(::testing::Message() << way.workers << " workers, " << way.pool_bytes / kMiB << " MiB");
      Redone redone(copy(), way.pool_bytes, way.workers);
      EXPECT_EQ(redone.change_count, by_one.change_count);
      EXPECT_EQ(redone.last, by_one.last);
      const auto pages = pagesOf(redone);
      ASSERT_EQ(pages.size(), expected.size());
      for (const auto& [id, bytes] : expected)
        ASSERT_TRUE(pages.contains(id) && pages.at(id) == bytes)
            << "page " << id.number() << " of class " << int{id.sizeClass().index};
      EXPECT_EQ(redone.buffers->registry().serialise(), by_one.buffers->registry().serialise());
    }
  }
}

TEST(PageRedo, APageThatNoPoolHoldsIsAnErrorAndLeavesNothingBehind) {
  const TemporaryDirectory directory, crashed;
  {
    ManyLogs store(directory.path(), testSeed());
    for (int step = 0; step < 60; ++step) store.step();
    store.flush();
    copyCrashed(store.buffers(), directory.path(), crashed.path() / "data");
  }
  for (const unsigned workers : {1u, 4u})
    EXPECT_STREQ(
        testing::errorOf([&] { const Redone redone(crashed.path() / "data", 128 << 10, workers); }).state().text(),
        "53200");
  const Redone redone(crashed.path() / "data");
}

/// A page that lacks a change is found out, unless it goes later.
TEST(PageRedo, ARecordThatDoesNotFollowWhatThePageHadIsDamage) {
  const TemporaryDirectory directory;
  std::vector<wal::OwnedRecord> records;
  {
    const auto wal = openWal(directory.path());
    BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
    buffers.log().attach(wal.get());
    IndexTree tree(buffers, RelationId{9}, true);
    tree.insert("one", TupleId{1});
    tree.insert("two", TupleId{2});
    tree.insert("three", TupleId{3});
    tree.destroy();
    wal->flushAll();
    const wal::LogScan scan(directory.path() / "wal");
    wal::MergedCursor cursor = scan.merged();
    for (wal::LogRecord record; cursor.next(record);) records.emplace_back(record);
  }
  ASSERT_EQ(records.size(), 5u);
  const auto redo = [&](std::initializer_list<size_t> chosen) {
    const TemporaryDirectory fresh;
    BufferManager buffers(fresh.path(), {.pool_bytes = 4 * kMiB});
    PageRedo redo(buffers, 2);
    for (const size_t index : chosen) redo.apply(*records[index]);
    redo.finish();
    return redo.changeCount();
  };
  EXPECT_EQ(redo({0, 1, 2, 3}), 4u);
  EXPECT_EQ(redo({0, 1, 2, 3, 1, 2, 3}), 4u) << "what the page has is not done again";
  EXPECT_STREQ(testing::errorOf([&] { redo({0, 1, 3}); }).state().text(), "XX001");
  EXPECT_STREQ(testing::errorOf([&] { redo({1, 2}); }).state().text(), "XX001");
  EXPECT_EQ(redo({0, 1, 3, 4}), 2u);
  EXPECT_EQ(redo({2, 3, 4}), 0u);
}

}  // namespace
}  // namespace gnomon::storage
