// What the log costs: commits a second with 1, 2, 4 and 16 threads, waiting for the disk and not, beside a plain loop
// of pwrite and fdatasync that writes the same blocks to a file, and the time of appending a record.
//
//   wal_benchmark DIRECTORY [seconds of each slice, default 0.4]
//
// A transaction is four records of 100 bytes, each of a page of its thread's own, and the commit. The loop writes as
// many bytes as such a transaction takes in the log, one after the other into a file whose blocks are allocated and
// were written before, each time syncing; with more threads each has a file of its own. Rates are of all threads
// together.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "wal/write_ahead_log.h"

namespace {

using namespace gnomon;
using namespace gnomon::wal;
using Clock = std::chrono::steady_clock;

constexpr size_t kRecordsPerTransaction = 4;
constexpr size_t kBodyBytes = 100;
/// In the log: envelopes of 64 bytes, bodies padded to 16, the commit with a claim.
constexpr size_t kTransactionBytes = kRecordsPerTransaction * (64 + 112) + 64 + 16;
constexpr RecordType kChange{16};
constexpr int kSlices = 9;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Runs `step` in so many threads until the time is over; the sum of what the calls returned, for each second.
template <typename Step>
double rateOf(size_t thread_count, double seconds, Step&& step) {
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> count{0};
  std::vector<std::thread> threads;
  const Clock::time_point begin = Clock::now();
  for (size_t thread = 0; thread < thread_count; ++thread)
    threads.emplace_back([&, thread] { count += step(thread, is_over); });
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  return static_cast<double>(count) / secondsSince(begin);
}

/// The files of the plain loop: allocated and written before.
class PlainFiles {
 public:
  static constexpr uint64_t kFileBytes = uint64_t{16} << 20;

  PlainFiles(const std::filesystem::path& directory, size_t count) {
    const std::string zeros(kFileBytes, '\0');
    for (size_t i = 0; i < count; ++i) {
      const std::string path = (directory / fmt::format("plain-{}", i)).string();
      files_.push_back(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
      if (::pwrite(files_.back(), zeros.data(), kFileBytes, 0) != static_cast<ssize_t>(kFileBytes)) std::abort();
      if (::fsync(files_.back()) != 0) std::abort();
    }
  }
  ~PlainFiles() {
    for (const int file : files_) ::close(file);
  }

  double run(double seconds) {
    return rateOf(files_.size(), seconds, [&](size_t thread, const std::atomic<bool>& is_over) {
      const std::string bytes(kTransactionBytes, 'x');
      uint64_t count = 0, offset = 0;
      for (; !is_over; ++count) {
        if (::pwrite(files_[thread], bytes.data(), bytes.size(), static_cast<off_t>(offset)) < 0) std::abort();
        if (::fdatasync(files_[thread]) != 0) std::abort();
        offset = (offset + bytes.size()) % (kFileBytes - bytes.size());
      }
      return count;
    });
  }

 private:
  std::vector<int> files_;
};

/// A log whose segments go round, as they do in a server.
class LogUnderTest {
 public:
  explicit LogUnderTest(const std::filesystem::path& directory)
      : wal_(LogScan(fresh(directory)), {.logs_max = 32, .on_fatal = nullptr}), checkpointer_([this] {
          while (!is_ending_) {
            wal_.releaseBelow(wal_.stableGsn());
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
          }
        }) {}
  ~LogUnderTest() {
    is_ending_ = true;
    checkpointer_.join();
  }
  WriteAheadLog& wal() { return wal_; }

  double run(size_t thread_count, double seconds, Visibility visibility) {
    const std::string text(kBodyBytes, 'x');
    const Bytes body[] = {std::as_bytes(std::span(text))};
    return rateOf(thread_count, seconds, [&](size_t, const std::atomic<bool>& is_over) {
      uint64_t count = 0;
      RecordStamp page;
      for (; !is_over; ++count) {
        auto writer = wal_.lease();
        writer->begin(TransactionNumber{++number_});
        for (size_t i = 0; i < kRecordsPerTransaction; ++i)
          page = {
              writer->append({.type = kChange, .page = 1, .body = body, .rollback_bytes = kBodyBytes}, {&page, 1}).gsn,
              writer->log()};
        const CommitTicket ticket = writer->commit(visibility);
        // While this one waits another may use the log: one sync serves both.
        writer.reset();
        if (visibility == Visibility::AfterStable) wal_.waitFor(ticket);
      }
      return count;
    });
  }

 private:
  static std::filesystem::path fresh(const std::filesystem::path& directory) {
    std::filesystem::remove_all(directory / "wal");
    return directory / "wal";
  }
  WriteAheadLog wal_;
  std::atomic<uint64_t> number_{0};
  std::atomic<bool> is_ending_{false};
  std::thread checkpointer_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// One thread, records of one transaction after the other, everything written out but nothing waited for.
double appendNanoseconds(const std::filesystem::path& directory, size_t body_bytes) {
  std::filesystem::remove_all(directory / "wal");
  WriteAheadLog wal(LogScan(directory / "wal"), {.on_fatal = nullptr});
  const std::string text(body_bytes, 'x');
  const Bytes body[] = {std::as_bytes(std::span(text))};
  const auto writer = wal.lease();
  const uint64_t count = (uint64_t{1} << 30) / (body_bytes + 64) / 4;
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    const Clock::time_point begin = Clock::now();
    for (uint64_t i = 0; i < count; ++i) {
      if (i % 1000 == 0) writer->begin(TransactionNumber{i + 1});
      writer->append({.type = kChange, .page = 1, .body = body});
      if (i % 1000 == 999) writer->commit(Visibility::AfterStable);
    }
    best = std::min(best, secondsSince(begin) * 1e9 / static_cast<double>(count));
    if (count % 1000 != 0) writer->commit(Visibility::AfterStable);
    wal.flushAll();
    wal.releaseBelow(wal.stableGsn());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: wal_benchmark DIRECTORY [SECONDS]\n");
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  const double seconds = argc > 2 ? std::atof(argv[2]) : 0.4;
  for (const size_t bytes : {16, 100, 1000, 10000})
    fmt::print("append of a record with {} bytes: {:.0f} ns\n", bytes, appendNanoseconds(directory, bytes));
  fmt::print("{:>7} {:>12} {:>12} {:>8} {:>16} {:>14} {:>12}\n", "threads", "plain loop/s", "waiting/s", "ratio",
             "commits per sync", "not waiting/s", "remote avoided");
  for (const size_t threads : {1, 2, 4, 16}) {
    PlainFiles plain(directory, threads);
    std::vector<double> plain_rates, rates, ratios, free_rates;
    double commits_per_sync = 0, remote_avoided = 0;
    {
      LogUnderTest log(directory);
      // Until segments are used for the second time: the file system then has nothing to note down.
      log.run(threads, seconds, Visibility::BeforeStable);
      // In turns: what else the device does meets both.
      for (int slice = 0; slice < kSlices; ++slice) {
        plain_rates.push_back(plain.run(seconds));
        rates.push_back(log.run(threads, seconds, Visibility::AfterStable));
        ratios.push_back(rates.back() / plain_rates.back());
      }
      const WalCounts counts = log.wal().counts();
      commits_per_sync = static_cast<double>(counts.commits_waited) / static_cast<double>(counts.device_syncs);
      remote_avoided = static_cast<double>(counts.remote_flushes_avoided) / static_cast<double>(counts.commits_waited);
    }
    LogUnderTest log(directory);
    for (int slice = 0; slice < kSlices; ++slice)
      free_rates.push_back(log.run(threads, seconds, Visibility::BeforeStable));
    fmt::print("{:>7} {:>12.0f} {:>12.0f} {:>8.2f} {:>16.2f} {:>14.0f} {:>12.3f}\n", threads, median(plain_rates),
               median(rates), median(ratios), commits_per_sync, median(free_rates), remote_avoided);
  }
  return 0;
}
