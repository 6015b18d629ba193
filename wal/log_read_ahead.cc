#include "wal/log_read_ahead.h"

#include <cstring>

#include "base/assert.h"
#include "base/wait_event.h"

namespace gnomon::wal {

bool RecordBlock::add(const LogRecord& record, bool has_body) {
  const uint64_t claim_bytes = record.claims.size_bytes();
  const uint64_t body_bytes = has_body ? record.body.size() : 0;
  // Claims lie at multiples of their alignment.
  const uint64_t bytes = (claim_bytes + body_bytes + alignof(LogClaim) - 1) / alignof(LogClaim) * alignof(LogClaim);
  if (!records_.empty() && (bytes > capacity_ - used_ || records_.size() == kRecordsMax)) return false;
  if (records_.empty()) {
    capacity_ = std::max(kBytes, bytes);
    memory_ = std::make_unique_for_overwrite<std::byte[]>(capacity_);
  }
  std::byte* const claims = memory_.get() + used_;
  std::byte* const body = claims + claim_bytes;
  if (claim_bytes > 0) std::memcpy(claims, record.claims.data(), claim_bytes);
  if (body_bytes > 0) std::memcpy(body, record.body.data(), body_bytes);
  used_ += bytes;
  LogRecord& copy = records_.emplace_back(record);
  copy.claims = {reinterpret_cast<const LogClaim*>(claims), record.claims.size()};
  copy.body = {body, body_bytes};
  return true;
}

LogReadAhead::LogReadAhead(std::unique_ptr<LogCursor> cursor, Contents contents)
    : cursor_(std::move(cursor)), contents_(contents), thread_([this] { run(); }) {}

LogReadAhead::~LogReadAhead() {
  {
    const std::scoped_lock lock(mutex_);
    is_unwanted_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::shared_ptr<const RecordBlock> LogReadAhead::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !blocks_.empty() || is_at_end_; });
  if (blocks_.empty()) {
    if (failure_) std::rethrow_exception(failure_);
    return nullptr;
  }
  auto block = std::move(blocks_.front());
  blocks_.pop_front();
  bytes_ahead_ -= block->bytes();
  changed_.notify_all();
  return block;
}

void LogReadAhead::run() {
  nameThread("log reader");
  std::exception_ptr failure;
  try {
    read();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::scoped_lock lock(mutex_);
  failure_ = failure;
  is_at_end_ = true;
  changed_.notify_all();
}

void LogReadAhead::read() {
  auto block = std::make_unique<RecordBlock>();
  LogRecord record;
  try {
    while (cursor_->next(record)) {
      if (block->add(record, contents_ == Contents::Whole)) continue;
      if (!put(block)) return;
      CHECK(block->add(record, contents_ == Contents::Whole), "an empty block takes any record");
    }
  } catch (...) {
    put(block);
    throw;
  }
  put(block);
}

/// Leaves an empty block.
bool LogReadAhead::put(std::unique_ptr<RecordBlock>& block) {
  if (block->records().empty()) return true;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_unwanted_ || blocks_.empty() || bytes_ahead_ + block->bytes() <= kBytesAhead; });
  if (is_unwanted_) return false;
  bytes_ahead_ += block->bytes();
  blocks_.push_back(std::move(block));
  changed_.notify_all();
  block = std::make_unique<RecordBlock>();
  return true;
}

}  // namespace gnomon::wal
