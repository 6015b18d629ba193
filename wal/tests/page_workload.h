#pragma once

#include <array>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "wal/tests/wal_test_support.h"

namespace gnomon::wal::testing {

/// Threads that change pages and commit, and what must hold of the log that is read back.
///
/// A change's body: the page's count of changes before it. A commit's body: how many transactions of each thread were
/// visible when it began. Transactions of thread t have the numbers t << 32 | 1, 2, 3 ...; every one commits.
class PageWorkload {
 public:
  static constexpr size_t kThreadsMax = 8;
  static constexpr size_t kPageCount = 24;

  struct Shape {
    size_t threads = 4;
    uint64_t transactions = 200;    ///< of each thread
    unsigned waiting_percent = 50;  ///< of commits; the others are visible before they are stable
    unsigned local_percent = 60;    ///< of changes: to a page that is this thread's own
    size_t change_bytes_max = 300;
  };

  explicit PageWorkload(uint64_t seed) : seed_(seed) {}

  /// `acknowledge`: called after a wait, with the transaction's number; may be called at once by several threads.
  template <typename Acknowledge>
  void run(WriteAheadLog& wal, const Shape& shape, Acknowledge&& acknowledge) {
    std::vector<std::thread> threads;
    for (size_t thread = 0; thread < shape.threads; ++thread)
      threads.emplace_back([&, thread] { runThread(wal, shape, thread, acknowledge); });
    for (std::thread& thread : threads) thread.join();
  }

  /// The state of pages goes on from what was read back: what does not count never happened. Pages on disk would say
  /// so; here the log is read from its first record.
  void restart(const LogScan& scan) {
    for (Page& page : pages_) {
      page.stamp = {};
      page.changes = 0;
    }
    MergedCursor cursor = scan.merged();
    for (LogRecord record; cursor.next(record);) {
      if (record.type != kChange) continue;
      pages_[record.page - 1].stamp = {record.gsn, kNoLog};
      ++pages_[record.page - 1].changes;
    }
    std::array<uint64_t, kThreadsMax> last{};
    MergedCursor again = scan.merged();
    for (LogRecord record; again.next(record);) {
      const size_t thread = record.transaction.value >> 32;
      last[thread] = std::max(last[thread], record.transaction.value & UINT32_MAX);
    }
    for (size_t thread = 0; thread < kThreadsMax; ++thread) {
      next_[thread] = std::max(next_[thread], last[thread]);
      visible_[thread] = 0;
    }
  }

  /// Numbers of transactions used so far; a child process has used others since.
  void skipNumbers(uint64_t count) {
    for (uint64_t& next : next_) next += count;
  }

  struct Found {
    std::set<uint64_t> committed;
    uint64_t changes = 0;
  };
  /// Reads all that counts: pages' changes come in their order and without gaps, GSNs grow along each page and each
  /// log, and who committed saw only what counts.
  static Found check(const LogScan& scan) {
    Found found;
    std::array<uint64_t, kPageCount> changes{};
    std::array<Gsn, kPageCount> page_gsns{};
    std::map<uint16_t, Gsn> log_gsns;
    MergedCursor cursor = scan.merged();
    for (LogRecord record; cursor.next(record);) {
      EXPECT_GT(record.gsn, log_gsns[record.log.value]);
      log_gsns[record.log.value] = record.gsn;
      if (record.type == kChange) {
        uint64_t count = 0;
        std::memcpy(&count, record.body.data(), sizeof(count));
        EXPECT_EQ(count, changes[record.page - 1]) << describe(record);
        EXPECT_GT(record.gsn, page_gsns[record.page - 1]);
        ++changes[record.page - 1];
        page_gsns[record.page - 1] = record.gsn;
        ++found.changes;
      } else if (record.type == kCommitRecord) {
        std::array<uint64_t, kThreadsMax> seen{};
        std::memcpy(seen.data(), record.body.data(), sizeof(seen));
        for (size_t thread = 0; thread < kThreadsMax; ++thread)
          if (seen[thread] != 0)
            EXPECT_TRUE(found.committed.contains(uint64_t{thread} << 32 | seen[thread])) << describe(record);
        found.committed.insert(record.transaction.value);
      }
    }
    return found;
  }

 private:
  struct Page {
    std::mutex mutex;
    RecordStamp stamp;
    uint64_t changes = 0;
  };

  template <typename Acknowledge>
  void runThread(WriteAheadLog& wal, const Shape& shape, size_t thread, Acknowledge& acknowledge) {
    std::mt19937_64 random(seed_ + thread + ++runs_ * 1000);
    for (uint64_t count = 0; count < shape.transactions; ++count) {
      auto writer = wal.lease();
      const uint64_t number = uint64_t{thread} << 32 | ++next_[thread];
      writer->begin(TransactionNumber{number});
      std::array<uint64_t, kThreadsMax> seen{};
      for (size_t i = 0; i < kThreadsMax; ++i) seen[i] = visible_[i].load();
      for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
        const bool is_own = random() % 100 < shape.local_percent;
        change(*writer, is_own ? thread : random() % kPageCount, random, shape.change_bytes_max);
      }
      const bool is_waiting = random() % 100 < shape.waiting_percent;
      const Bytes body[] = {std::as_bytes(std::span(seen))};
      const CommitTicket ticket = writer->commit(is_waiting ? Visibility::AfterStable : Visibility::BeforeStable, body);
      if (random() % 2 == 0) writer.reset();
      if (is_waiting) {
        wal.waitFor(ticket);
        acknowledge(number);
      }
      visible_[thread].store(number & UINT32_MAX);
    }
  }

  void change(LogWriter& writer, size_t index, std::mt19937_64& random, size_t bytes_max) {
    Page& page = pages_[index];
    const std::scoped_lock latch(page.mutex);
    const std::string text = randomText(random, random() % bytes_max);
    const Bytes body[] = {std::as_bytes(std::span(&page.changes, 1)), bytesOf(text)};
    const Appended appended =
        writer.append({.type = kChange, .page = index + 1, .relation = 1, .body = body, .rollback_bytes = text.size()},
                      {&page.stamp, 1});
    EXPECT_GT(appended.gsn, page.stamp.gsn);
    page.stamp = {appended.gsn, writer.log()};
    ++page.changes;
  }

  const uint64_t seed_;
  std::atomic<uint64_t> runs_{0};
  std::array<Page, kPageCount> pages_;
  std::array<std::atomic<uint64_t>, kThreadsMax> visible_{};
  std::array<uint64_t, kThreadsMax> next_{};
};

}  // namespace gnomon::wal::testing
