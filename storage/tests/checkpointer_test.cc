#include "storage/checkpointer.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "storage/relation/appender.h"
#include "storage/relation/editor.h"
#include "storage/tests/logged_store.h"

namespace gnomon::storage {
namespace {

using testing::kMiB;
using testing::openWal;
using testing::Redone;
using testing::TemporaryDirectory;

const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int64, false}};

/// Threads change rows all the time; the log stays about as short as it is to be, and after a crash it is enough.
TEST(Checkpointer, KeepsTheLogShortWhilePagesChange) {
  const TemporaryDirectory directory;
  constexpr uint64_t kRows = 20'000;
  constexpr uint64_t kLogBytesMax = 8 * kMiB;
  constexpr size_t kThreads = 2;
  {
    const auto wal = openWal(directory.path());
    BufferManager buffers(directory.path(), {.pool_bytes = 32 * kMiB});
    buffers.log().attach(wal.get());
    buffers.writePageNumbers(buffers.pageNumbers().state());
    Relation relation(buffers, RelationId{9}, kSchema);
    RelationAppender appender(relation);
    const uint8_t null_flags[] = {0, 0};
    for (uint64_t row = 0; row < kRows; ++row) {
      const Datum values[] = {{row, 0}, {0, 0}};
      appender.append(values, null_flags);
    }
    uint64_t largest = 0;
    {
      Checkpointer checkpointer(buffers, {.log_bytes_max = kLogBytesMax});
      std::atomic<bool> is_over{false};
      std::vector<std::thread> threads;
      for (size_t thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] {
          std::mt19937_64 random(thread);
          RelationEditor editor(relation);
          const uint32_t column = 1;
          for (uint64_t count = 0; count < 60'000; ++count) {
            const Datum value{count, 0};
            const uint64_t row = random() % (kRows / kThreads) * kThreads + thread;
            editor.update(TupleId{row}, {{&column, 1}, &value, null_flags});
            // As if it took the time that statements take.
            if (count % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
          is_over = true;
        });
      while (!is_over) {
        largest = std::max(largest, wal->totalBytes());
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      for (std::thread& thread : threads) thread.join();
    }
    // A log per thread keeps its last segment, and there are spares.
    EXPECT_LT(largest, kLogBytesMax + 8 * kMiB);
    EXPECT_GT(wal->counts().written_bytes, 2 * kLogBytesMax);
    wal->flushAll();
    // The pages not written since the last round come back from the log.
    testing::copyCrashed(directory.path(), directory.path().string() + ".crashed");
    LeafView leaf;
    Redone redone(directory.path().string() + ".crashed");
    RelationState state{};
    state.root = relation.tree().root();
    Relation again(*redone.buffers, RelationId{9}, kSchema, state);
    for (uint64_t row = 0; row < kRows; ++row) {
      LeafView other;
      uint32_t place = 0, other_place = 0;
      bool is_null = false;
      ASSERT_TRUE(relation.find(TupleId{row}, leaf, place));
      ASSERT_TRUE(again.find(TupleId{row}, other, other_place));
      ASSERT_EQ(leaf.value(1, place, is_null), other.value(1, other_place, is_null)) << row;
    }
  }
  std::filesystem::remove_all(directory.path().string() + ".crashed");
}

/// However unevenly the log grows, all is written in time; and little at once, unless the log grows by much.
TEST(Checkpointer, WritesAtThePaceOfTheLog) {
  constexpr uint64_t kDirty = 800 * kMiB;
  constexpr uint64_t kLeft = 1024 * kMiB;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    uint64_t dirty = kDirty, left = kLeft, rounds = 0;
    while (left > 16 * kMiB) {
      const uint64_t grown = random() % (8 * kMiB);
      left -= std::min(left, grown);
      const uint64_t written = std::min(dirty, pacedRoundBytes(dirty, grown, left));
      // The same share of what is left of the one and the other, or what a round is worth.
      const double share = static_cast<double>(grown) / static_cast<double>(left);
      EXPECT_LE(static_cast<double>(written), std::max(static_cast<double>(kMiB), share * static_cast<double>(dirty)));
      dirty -= written;
      ++rounds;
    }
    EXPECT_GT(rounds, 200u) << seed;
    EXPECT_LT(dirty, 32 * kMiB) << seed;
  }
  // A log that rests lets the rest be written, too; one that leaps ahead does not make a round endless.
  EXPECT_EQ(pacedRoundBytes(kDirty, 0, kLeft), kMiB);
  EXPECT_EQ(pacedRoundBytes(kDirty, 2 * kLeft, kLeft), 64 * kMiB);
  EXPECT_EQ(pacedRoundBytes(kDirty, kMiB, 0), 64 * kMiB);
}

/// After a checkpoint there is nothing to redo, but what a transaction has not finished stays in the log.
TEST(Checkpointer, ReleasesWhatNoTransactionNeeds) {
  const TemporaryDirectory directory;
  const auto wal = openWal(directory.path());
  BufferManager buffers(directory.path(), {.pool_bytes = 32 * kMiB});
  buffers.log().attach(wal.get());
  Checkpointer checkpointer(buffers, {});
  Relation relation(buffers, RelationId{9}, kSchema);
  const auto writer = wal->lease();
  writer->begin(wal::TransactionNumber{7});
  const uint8_t null_flags[] = {0, 0};
  const Datum values[] = {{1, 0}, {2, 0}};
  const Gsn before = wal->lastGsn();
  {
    const PageLog::Scope scope(buffers.log(), *writer);
    RelationAppender(relation).append(values, null_flags);
  }
  checkpointer.checkpoint();
  {
    const wal::LogScan scan(directory.path() / "wal");
    ASSERT_EQ(scan.losers().size(), 1u);
    EXPECT_EQ(scan.losers()[0].transaction, wal::TransactionNumber{7});
    EXPECT_GT(scan.released(), before);
  }
  EXPECT_EQ(buffers.oldestUnwritten(), Gsn{UINT64_MAX});
  writer->commit(wal::Visibility::AfterStable);
  checkpointer.checkpoint();
  const wal::LogScan scan(directory.path() / "wal");
  EXPECT_TRUE(scan.losers().empty());
  EXPECT_EQ(scan.released(), Gsn{wal->lastGsn().value + 1});
}

}  // namespace
}  // namespace gnomon::storage
