#include "wal/log_writer.h"

#include <algorithm>

#include "base/assert.h"
#include "wal/write_ahead_log.h"

namespace gnomon::wal {

void CommitTicket::join(const CommitTicket& other) {
  foreign = std::max(foreign, other.foreign);
  if (other.log == kNoLog) return;
  if (log != kNoLog && log != other.log) {
    // One log can be waited for by position; of the others only all are.
    foreign = std::max(foreign, other.gsn);
    return;
  }
  log = other.log;
  end = std::max(end, other.end);
  gsn = std::max(gsn, other.gsn);
}

LogWriter::~LogWriter() {
  log_.release(chain_);
  wal_.giveBack(*this);
}

void LogWriter::begin(TransactionNumber transaction, LogPosition last) {
  CHECK(chain_.transaction.value == 0, "a lease has one transaction at a time");
  chain_.transaction = transaction;
  chain_.last = last;
}

Appended LogWriter::append(const NewRecord& record, std::span<const RecordStamp> depends_on) {
  CHECK(record.type != kCommitRecord && record.type != kEndRecord, "a transaction ends by commit() or end()");
  CHECK(chain_.transaction.value != 0 || record.is_system, "a record that may be undone is a transaction's");
  const Appended appended = log_.append(record, chain_, depends_on, Visibility::AfterStable);
  if (log_.isWritingDue()) wal_.writeSoon();
  return appended;
}

CommitTicket LogWriter::commit(Visibility visibility, std::span<const Bytes> body,
                               std::span<const RecordStamp> depends_on) {
  CHECK(chain_.transaction.value != 0, "somebody commits");
  const Appended appended = log_.append({.type = kCommitRecord, .body = body}, chain_, depends_on, visibility);
  finish();
  if (visibility == Visibility::BeforeStable) wal_.flushSoon();
  return {log_.number(), appended.end, appended.gsn, appended.foreign};
}

Appended LogWriter::end() {
  CHECK(chain_.transaction.value != 0, "somebody ends");
  const Appended appended = log_.append({.type = kEndRecord}, chain_, {}, Visibility::AfterStable);
  finish();
  return appended;
}

void LogWriter::finish() {
  chain_.transaction = TransactionNumber{};
  chain_.last = LogPosition{};
}

}  // namespace gnomon::wal
