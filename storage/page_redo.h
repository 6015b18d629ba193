#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "storage/redo_partition.h"
#include "wal/log_read_ahead.h"

namespace gnomon::storage {

/// Brings pages and page numbers to what the log says, after a crash and before anybody uses them.
///
/// A change is made if the page does not have it: page.gsn < record.gsn. It then follows the one that the page had last
/// (PartHead::before). A page of which that is not so, or that cannot be read, was freed later, and so were what it
/// lacks: if no record says so, it is damaged. Done again after a crash it does no harm.
///
/// Records are taken apart by page; pages are divided among workers (RedoPartition), each of which is a thread.
/// Invariants:  R1  what records say of one page goes to one worker, in the order of GSNs
///              R2  what becomes of a page follows from its own bytes and its own steps: no worker waits for another's,
///                  also where a record is about several pages. Which records count is known before
///              R3  a page is in one frame, and of one worker, at most
///              R4  nothing of the log is released before all this is on disk: pages may lie there as of any time, each
///                  of another
///              R5  a page that the log has all of (PartKind::Fresh) is rebuilt by whoever begins anew, however torn it
///                  is: it is as whole in the log as it was when the record was made (F5 in frame.h)
///              R6  workers' mutexes are taken in the order of workers; who waits for room holds none of them
///              R7  of records that wait for workers there are kBytesInFlight, or one
/// Memory: the buffer pool, which nobody else uses yet; when it is full, its pages are written. When all is done, pages
/// stay there, and who follows a swip finds them.
/// Threads: one at a time.
class PageRedo {
 public:
  static constexpr uint64_t kBytesInFlight = uint64_t{8} << 20;
  static constexpr unsigned kWorkersMax = 16;

  /// `worker_count`: 0 is one.
  PageRedo(BufferManager& buffers, unsigned worker_count);
  ~PageRedo();
  PageRedo(const PageRedo&) = delete;
  PageRedo& operator=(const PageRedo&) = delete;

  /// Records in the order of their GSNs, of this room's types, from LogScan::released() on. `memory` has the body;
  /// null: it lives until finish() returns. Failure, also of earlier records: 53100, 53200, 58030; XX001.
  void apply(const wal::LogRecord& record, const std::shared_ptr<const wal::RecordBlock>& memory = nullptr);
  /// All is done when it returns, and the page numbers are known. Failure: as apply(); XX001 naming a page that is
  /// damaged.
  void finish();

  [[nodiscard]] uint64_t changeCount() const;
  [[nodiscard]] uint64_t pageCount() const;

 private:
  /// Records that go to the workers at once.
  struct Round {
    std::vector<std::vector<RedoStep>> steps;  ///< by partition
    std::vector<std::shared_ptr<const wal::RecordBlock>> memory;
    uint64_t bytes = 0;
    size_t workers_left = 0;  ///< guarded by mutex_
  };
  void work(size_t index);
  void addStep(const RecordPart& part, Gsn gsn);
  void beginRound();
  void handOut();
  void awaitWorkers();
  void endWorkers();
  Frame& takeAlone(PageId id);
  void settleNumbers();

  BufferManager& buffers_;
  std::vector<std::unique_ptr<RedoPartition>> partitions_;
  std::shared_ptr<Round> round_;
  std::array<const wal::RecordBlock*, wal::kLogCountMax> held_{};  ///< by log: the last one in the round's memory

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::deque<std::shared_ptr<Round>>> queues_;  ///< guarded by mutex_, as is what follows
  uint64_t bytes_in_flight_ = 0;
  std::exception_ptr failure_;
  bool is_ending_ = false;
  std::vector<std::thread> workers_;  ///< last: they use all the others
};

}  // namespace gnomon::storage
