#include "storage/page_writer.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "base/failpoint.h"
#include "storage/tests/logged_store.h"
#include "storage/tests/relation_model.h"
#include "storage/tests/torn_pages.h"

namespace gnomon::storage {
namespace {

using testing::kMiB;
using testing::openWal;
using testing::Redone;
using testing::TemporaryDirectory;
using testing::tornPages;

/// Of the last batch in the double-write area.
std::set<PageId> guardedPages(const std::filesystem::path& directory) {
  DoubleWriteArea::Header header{};
  std::ifstream(DoubleWriteArea::filePath(directory), std::ios::binary)
      .read(reinterpret_cast<char*>(&header), sizeof(header));
  std::set<PageId> pages;
  for (uint64_t i = 0; i < header.count; ++i) pages.insert(PageId::fromPacked(header.page_ids[i]));
  return pages;
}

/// Writes every dirty page; returns the number of pages written.
uint64_t writeDirty(BufferManager& buffers) {
  const uint64_t before = buffers.counts().writes;
  buffers.writeOldest(Gsn{UINT64_MAX}, UINT64_MAX);
  return buffers.counts().writes - before;
}

void appendRows(Relation& relation, uint64_t count) {
  RelationAppender appender(relation);
  const uint8_t null_flag = 0;
  for (uint64_t row = 0; row < count; ++row) {
    const Datum value{row, 0};
    appender.append(&value, &null_flag);
  }
}

const RelationSchema kNumbers = {{StoredKind::Int64, false}};
/// More than a leaf takes.
constexpr uint64_t kRows = 10'000;

TEST(PageWriter, SortsFramesThatGoOverToOtherPagesMeanwhile) {
  constexpr size_t kFrames = 200;
  std::vector<Frame> frames(kFrames);
  const auto place = [&](size_t frame, uint64_t number) { frames[frame].page_id.store(PageId(number, SizeClass{0})); };
  std::vector<Frame*> sorted;
  for (size_t i = 0; i < kFrames; ++i) {
    place(i, kFrames - i);
    sorted.push_back(&frames[i]);
  }
  sortByPage(sorted);
  for (size_t i = 0; i < kFrames; ++i) ASSERT_EQ(sorted[i], &frames[kFrames - 1 - i]);
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    std::mt19937_64 random(testing::testSeed());
    while (!is_over) place(random() % kFrames, random() % 1000);
  });
  const std::set<Frame*> all(sorted.begin(), sorted.end());
  for (int round = 0; round < 3000; ++round) {
    sortByPage(sorted);
    ASSERT_EQ(std::set<Frame*>(sorted.begin(), sorted.end()), all);
  }
  is_over = true;
  other.join();
}

TEST(PageWriter, GuardsWhatTheLogCannotMakeAnew) {
  const TemporaryDirectory directory;
  const auto wal = openWal(directory.path());
  BufferManager buffers(directory.path(), {.pool_bytes = 8 * kMiB});
  buffers.log().attach(wal.get());
  Relation relation(buffers, RelationId{9}, kNumbers);
  appendRows(relation, kRows);
  EXPECT_GT(writeDirty(buffers), 2u);
  EXPECT_EQ(guardedPages(directory.path()), std::set<PageId>());
  // The same pages again, changed: the log may go that has them whole.
  ASSERT_TRUE(relation.markDeleted(TupleId{0}));
  EXPECT_EQ(writeDirty(buffers), 1u);
  const std::set<PageId> guarded = guardedPages(directory.path());
  EXPECT_EQ(guarded.size(), 1u);
  // New pages beside changed ones.
  ASSERT_TRUE(relation.markDeleted(TupleId{kRows - 1}));
  appendRows(relation, kRows);
  EXPECT_GT(writeDirty(buffers), 3u);
  EXPECT_EQ(guardedPages(directory.path()).size(), 2u) << "the former last leaf, and the root that has new entries";
  EXPECT_FALSE(guardedPages(directory.path()).contains(*guarded.begin()));
}

TEST(PageWriter, GuardsEveryPageThatIsNotLogged) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 8 * kMiB});
  Relation relation(buffers, RelationId{9}, kNumbers);
  appendRows(relation, kRows);
  const uint64_t written = writeDirty(buffers);
  EXPECT_GT(written, 2u);
  EXPECT_EQ(guardedPages(directory.path()).size(), written);
}

/// A relation changes at random and checkpoints are taken until the failpoint ends the process.
[[noreturn]] void changeUntilKilled(const std::filesystem::path& directory, const std::string& failpoint,
                                    uint64_t seed) {
  armFailpoint(failpoint);
  const auto wal = openWal(directory);
  testing::RelationModel model(directory, testing::everyKindSchema(), seed, 6 * kMiB, wal.get());
  Checkpointer checkpointer(model.buffers(), {});
  for (int step = 0; step < 4000; ++step) {
    model.append(1 + model.below(200), model.textBytesMax());
    if (model.below(3) == 0) model.update(10, model.textBytesMax());
    if (model.below(10) == 0) model.deleteRange();
    if (model.below(20) == 0) model.reclaim();
    if (model.below(20) == 0) checkpointer.advance(model.below(2 * kMiB));
  }
  std::_Exit(1);
}

class KilledWhileWritingLogged : public ::testing::TestWithParam<const char*> {};

TEST_P(KilledWhileWritingLogged, IsMadeAnewByTheLog) {
  const uint64_t seed = testing::testSeed();
  size_t torn_count = 0;
  for (const int pass : {1, 4, 15, 40}) {
    SCOPED_TRACE(::testing::Message() << GetParam() << ':' << pass << " seed " << seed);
    const TemporaryDirectory directory;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) changeUntilKilled(directory.path(), std::string(GetParam()) + ":" + std::to_string(pass), seed);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "was not passed";
    {
      const BufferManager buffers(directory.path(), {.pool_bytes = kMiB});
    }
    torn_count += tornPages(directory.path()).size();
    Redone redone(directory.path());
    const auto trees = redone.buffers->registry().trees();
    ASSERT_EQ(trees.size(), 1u);
    RelationState state{};
    state.root = trees.begin()->first;
    Relation relation(*redone.buffers, RelationId{9}, testing::everyKindSchema(), state);
    Findings findings;
    relation.tree().check(findings);
    for (const std::string& problem : findings.problems) ADD_FAILURE() << problem;
    redone.expectPages(findings);
  }
  // The area had no copies of some.
  if (std::string(GetParam()) == "doublewrite.torn") EXPECT_GT(torn_count, 0u);
}

INSTANTIATE_TEST_SUITE_P(Failpoints, KilledWhileWritingLogged,
                         ::testing::Values("doublewrite.synced", "doublewrite.torn", "doublewrite.home_written",
                                           "doublewrite.home_synced"));

}  // namespace
}  // namespace gnomon::storage
