#pragma once

#include <span>

#include "base/recycled_block.h"
#include "wal/log.h"

namespace gnomon::wal {

class WriteAheadLog;

/// What a commit waits for, or several. Without anything: nothing.
struct CommitTicket {
  LogNumber log = kNoLog;  ///< kNoLog: no log in particular
  LogPosition end{};       ///< its own log stable up to here
  Gsn gsn{};               ///< of the commit record, the last one in that log
  Gsn foreign{};           ///< all logs stable up to here; 0: it depends on no other log

  [[nodiscard]] bool isEmpty() const { return log == kNoLog && foreign.value == 0; }
  /// From now on it waits for what `other` waits for as well.
  void join(const CommitTicket& other);
};

/// A lease of one log, for one transaction after the other. When more leases are out than there may be logs, some share
/// one.
///
/// What a structure change makes reachable must carry the stamp of the change's last record, so that whoever builds on
/// any part of it depends on all of it.
/// Threads: one at a time, except firstGsn(). Failure of what appends: 53100 when the disk is full and the record
/// cannot draw on what is reserved, nothing happened; 58030 once the log has failed.
class LogWriter {
 public:
  LogWriter(WriteAheadLog& wal, Log& log) : wal_(wal), log_(log) {}
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  static void* operator new(size_t bytes) {
    return RecyclingAllocator<LogWriter>().allocate(bytes / sizeof(LogWriter));
  }
  static void operator delete(void* writer) {
    RecyclingAllocator<LogWriter>().deallocate(static_cast<LogWriter*>(writer), 1);
  }

  /// From here on records belong to `transaction`; the one before has ended. `last`: its last record in this log, when
  /// a restart goes on with undoing it.
  void begin(TransactionNumber transaction, LogPosition last = {});
  /// `depends_on`: the stamps of the pages that the record changes, under their latches. The pages' new stamp is
  /// {gsn, log()}.
  Appended append(const NewRecord& record, std::span<const RecordStamp> depends_on = {});
  /// Makes sure of room for the next record, so that what cannot be taken back may be done before it is appended: it
  /// does not fail if its body and its rollback_bytes sum to at most `bytes`.
  void prepare(uint64_t bytes) { log_.prepare(chain_, bytes); }
  /// Whether a compensation record with a body of `bytes` bytes is certain to find room in what is reserved.
  [[nodiscard]] bool canCompensate(uint64_t bytes) const { return Log::holdsReserved(chain_, bytes); }
  /// Appends the commit record. AfterStable: nobody sees the transaction's changes before waitFor(ticket) has returned.
  /// BeforeStable: they may at once, and the log is flushed within the interval.
  /// `depends_on`: the transaction's last records in other logs, when it wrote to several.
  CommitTicket commit(Visibility visibility, std::span<const Bytes> body = {},
                      std::span<const RecordStamp> depends_on = {});
  /// Appends the record that says that everything is undone.
  Appended end();
  /// A record of this log, for undoing. Failure: XX001.
  [[nodiscard]] OwnedRecord read(LogPosition position) { return log_.read(position); }

  /// The transaction's last record in this log: what a savepoint remembers. 0: none.
  [[nodiscard]] LogPosition last() const { return chain_.last; }
  /// Of the running transaction's first record that may be undone; 0: none. Threads: any.
  [[nodiscard]] Gsn firstGsn() const { return chain_.first_gsn.load(std::memory_order_acquire); }
  [[nodiscard]] LogNumber log() const { return log_.number(); }
  [[nodiscard]] uint64_t reservedBytes() const { return chain_.reserved_bytes; }

 private:
  void finish();
  WriteAheadLog& wal_;
  Log& log_;
  RecordChain chain_;
};

}  // namespace gnomon::wal
