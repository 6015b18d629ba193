#pragma once

#include <memory>
#include <vector>

#include "wal/log_read_ahead.h"

namespace gnomon::wal {

/// Records of several logs, in the order of their GSNs. Each log is read in a thread of its own.
///
/// Records of one page come in the order of its changes, and what a record depends on comes before it.
/// Threads: one at a time.
class MergedCursor {
 public:
  explicit MergedCursor(LogReadAhead::Contents contents = LogReadAhead::Contents::Whole) : contents_(contents) {}

  /// Before the first next().
  void add(std::unique_ptr<LogCursor> cursor);
  /// False at the end. Claims and body live until the next call, and as long as block(). Failure: as LogCursor.
  bool next(LogRecord& record);
  /// What has the memory of the last record.
  [[nodiscard]] const std::shared_ptr<const RecordBlock>& block() const { return sources_[delivered_].block; }

 private:
  struct Source {
    std::unique_ptr<LogReadAhead> log;
    std::shared_ptr<const RecordBlock> block;
    size_t index = 0;  ///< of the next record in the block
  };
  static constexpr size_t kNone = SIZE_MAX;
  void advance(size_t index);

  const LogReadAhead::Contents contents_;
  std::vector<Source> sources_;
  std::vector<Gsn> heads_;  ///< of the sources' next records; the largest GSN: there is none
  size_t delivered_ = kNone;
  bool has_begun_ = false;
};

}  // namespace gnomon::wal
