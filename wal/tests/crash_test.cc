#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/failpoint.h"
#include "wal/tests/page_workload.h"

/// A process that is killed while it commits loses nothing that it acknowledged. ThreadSanitizer does not follow forks.
#if !__has_feature(thread_sanitizer)

namespace gnomon::wal {
namespace {

using namespace testing;
using gnomon::testing::TemporaryDirectory;
using gnomon::testing::testSeed;

/// Works until it is killed, and tells the pipe what was acknowledged.
[[noreturn]] void commitUntilKilled(const std::filesystem::path& directory, PageWorkload& workload, int pipe,
                                    const std::string& failpoint) {
  armFailpoint(failpoint);
  WriteAheadLog wal(LogScan(directory), smallOptions());
  std::atomic<bool> is_ending{false};
  std::thread checkpointer([&] {
    while (!is_ending) {
      // Nothing is released: the test wants to read everything.
      wal.flushSoon();
      ::usleep(3000);
    }
  });
  workload.run(wal, {.threads = 4, .transactions = 100'000, .change_bytes_max = 600}, [&](uint64_t number) {
    if (::write(pipe, &number, sizeof(number)) != sizeof(number)) std::_Exit(2);
  });
  std::_Exit(1);
}

class KilledProcess {
 public:
  KilledProcess(const std::filesystem::path& directory, PageWorkload& workload, const std::string& failpoint) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    child_ = ::fork();
    if (child_ == 0) {
      ::close(ends[0]);
      commitUntilKilled(directory, workload, ends[1], failpoint);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
  }
  /// When it has acknowledged so many, and a while later.
  void killAfter(size_t count, useconds_t us) {
    while (numbers_.size() < count && readNumber()) continue;
    ::usleep(us);
    ::kill(child_, SIGKILL);
  }
  /// What it acknowledged until its end.
  std::set<uint64_t> acknowledged() {
    while (readNumber()) continue;
    ::close(pipe_);
    int status = 0;
    EXPECT_EQ(::waitpid(child_, &status, 0), child_);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "status " << status;
    return std::move(numbers_);
  }

 private:
  bool readNumber() {
    uint64_t number;
    if (::read(pipe_, &number, sizeof(number)) != sizeof(number)) return false;
    numbers_.insert(number);
    return true;
  }
  std::set<uint64_t> numbers_;
  pid_t child_;
  int pipe_;
};

TEST(KilledProcess, LosesNothingThatItAcknowledged) {
  const TemporaryDirectory directory;
  const std::filesystem::path wal_directory = directory.path() / "wal";
  const uint64_t seed = testSeed();
  std::mt19937_64 random(seed);
  PageWorkload workload(seed);
  std::set<uint64_t> acknowledged, committed_before;
  for (int round = 0; round < 20; ++round) {
    workload.restart(LogScan(wal_directory));
    KilledProcess process(wal_directory, workload, "");
    process.killAfter(round % 4 == 0 ? 0 : 8, static_cast<useconds_t>(random() % 60'000));
    acknowledged.merge(process.acknowledged());
    const LogScan scan(wal_directory);
    const PageWorkload::Found found = PageWorkload::check(scan);
    for (const uint64_t number : acknowledged) ASSERT_TRUE(found.committed.contains(number)) << number;
    for (const uint64_t number : committed_before) ASSERT_TRUE(found.committed.contains(number)) << number;
    committed_before = found.committed;
    // What did not end before the kill is undone, as recovery would.
    WriteAheadLog wal(scan, smallOptions());
    for (const Loser& loser : scan.losers())
      for (const Loser::Tail& tail : loser.tails) wal.resume(loser.transaction, tail)->end();
  }
  EXPECT_TRUE(LogScan(wal_directory).losers().empty());
  EXPECT_GT(acknowledged.size(), 100u);
}

class KilledAt : public ::testing::TestWithParam<const char*> {};

TEST_P(KilledAt, LosesNothingThatItAcknowledged) {
  const uint64_t seed = testSeed();
  const TemporaryDirectory directory;
  const std::filesystem::path wal_directory = directory.path() / "wal";
  PageWorkload workload(seed);
  std::set<uint64_t> acknowledged;
  for (const int pass : {1, 3, 30}) {
    if (pass > 8 && std::string_view(GetParam()).starts_with("wal.segment")) continue;
    if (std::string_view(GetParam()) == "wal.repaired" && pass > 1) continue;
    if (std::string_view(GetParam()) == "wal.repaired") {
      // There is nothing to repair in a new directory.
      WriteAheadLog wal(LogScan(wal_directory), smallOptions());
      workload.run(wal, {.threads = 2, .transactions = 50}, [&](uint64_t) {});
    }
    workload.restart(LogScan(wal_directory));
    KilledProcess process(wal_directory, workload, std::string(GetParam()) + ":" + std::to_string(pass));
    acknowledged.merge(process.acknowledged());
    const LogScan scan(wal_directory);
    const PageWorkload::Found found = PageWorkload::check(scan);
    for (const uint64_t number : acknowledged) EXPECT_TRUE(found.committed.contains(number)) << number;
    WriteAheadLog wal(scan, smallOptions());
    for (const Loser& loser : scan.losers())
      for (const Loser::Tail& tail : loser.tails) wal.resume(loser.transaction, tail)->end();
  }
}

INSTANTIATE_TEST_SUITE_P(Failpoints, KilledAt,
                         ::testing::Values("wal.round_begun", "wal.torn", "wal.written", "wal.synced",
                                           "wal.segment_headed", "wal.segment_named", "wal.repaired"));

TEST(KilledProcess, BetweenReleasingAndRecyclingLosesNothing) {
  const TemporaryDirectory directory;
  const std::filesystem::path wal_directory = directory.path() / "wal";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    WriteAheadLog wal(LogScan(wal_directory), smallOptions());
    const auto writer = wal.lease();
    for (uint64_t number = 1; number < 100; ++number) {
      writer->begin(TransactionNumber{number});
      appendText(*writer, std::string(3000, 'x'));
      wal.waitFor(writer->commit(Visibility::AfterStable));
    }
    wal.flushAll();
    armFailpoint("wal.released");
    wal.releaseBelow(Gsn{150});
    std::_Exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(wal_directory), std::filesystem::directory_iterator());
  };
  const LogScan scan(wal_directory);
  EXPECT_EQ(scan.released(), Gsn{150});
  EXPECT_GT(scan.logs()[0].start.value, kSegmentBytes);
  const auto before = files();
  const WriteAheadLog wal(scan, smallOptions());
  EXPECT_LT(files(), before);
  EXPECT_EQ(wal.lastGsn(), Gsn{198});
}

}  // namespace
}  // namespace gnomon::wal

#endif
