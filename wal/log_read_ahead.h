#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "wal/log_cursor.h"

namespace gnomon::wal {

/// Some records of one log, one after the other, with the memory of their claims and bodies.
///
/// Memory: kBytes and the records' envelopes, or what its only record needs. Threads: one fills it, then any.
class RecordBlock {
 public:
  static constexpr uint64_t kBytes = uint64_t{64} << 10;
  static constexpr size_t kRecordsMax = 512;

  /// Copies the record; false: it is for the next block.
  bool add(const LogRecord& record, bool has_body);
  [[nodiscard]] const std::vector<LogRecord>& records() const { return records_; }
  [[nodiscard]] uint64_t bytes() const { return capacity_; }

 private:
  std::vector<LogRecord> records_;
  std::unique_ptr<std::byte[]> memory_;
  uint64_t capacity_ = 0;
  uint64_t used_ = 0;
};

/// Reads one log in a thread of its own, a little ahead of whoever takes the records.
///
/// Memory: kBytesAhead, or one block where that is larger; and the cursor's. Threads: one takes.
class LogReadAhead {
 public:
  enum class Contents : uint8_t { Whole, WithoutBodies };
  static constexpr uint64_t kBytesAhead = uint64_t{512} << 10;

  LogReadAhead(std::unique_ptr<LogCursor> cursor, Contents contents);
  /// What was not taken is not read any more.
  ~LogReadAhead();
  LogReadAhead(const LogReadAhead&) = delete;
  LogReadAhead& operator=(const LogReadAhead&) = delete;

  /// The next records, one at least; null at the end. Failure: as LogCursor::next(), after what came before it.
  std::shared_ptr<const RecordBlock> next();

 private:
  void run();
  void read();
  /// False: nobody wants it any more.
  bool put(std::unique_ptr<RecordBlock>& block);

  const std::unique_ptr<LogCursor> cursor_;  ///< the thread's until next() has returned null
  const Contents contents_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<const RecordBlock>> blocks_;  ///< guarded by mutex_, as is what follows
  uint64_t bytes_ahead_ = 0;
  bool is_at_end_ = false;
  bool is_unwanted_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  ///< last: it uses all the others
};

}  // namespace gnomon::wal
