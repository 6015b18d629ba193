#pragma once

#include <cstddef>
#include <cstdint>

#include "base/strong_id.h"

namespace gnomon::wal {

/// Global sequence number: orders the log records of all logs that touched one page (page.gsn = log.gsn =
/// max(page.gsn, log.gsn) + 1). Strictly grows along each log and along the changes of each page; records of different
/// logs that have nothing to do with each other may have the same. From 1; 0 is before all.
using Gsn = StrongId<struct GsnTag>;

/// Which of the logs. From 0, below kLogCountMax; kNoLog: none.
using LogNumber = StrongId<struct LogNumberTag, uint16_t>;
inline constexpr LogNumber kNoLog{UINT16_MAX};
inline constexpr size_t kLogCountMax = 64;

/// A byte's place in one log, counted from the log's first segment; only grows. Segment n holds the positions
/// [n * segment_bytes, (n + 1) * segment_bytes). 0, which lies in a segment's header, is no record's.
using LogPosition = StrongId<struct LogPositionTag>;

/// Whose record: what the rooms above call the transaction. 0: nobody's.
using TransactionNumber = StrongId<struct TransactionNumberTag>;

/// The record that last changed a page, or any other record on which something depends. A page that was read from disk
/// has kNoLog: what lies on disk is in the log for certain.
struct RecordStamp {
  Gsn gsn;
  LogNumber log = kNoLog;
  constexpr bool operator==(const RecordStamp&) const = default;
};

}  // namespace gnomon::wal
