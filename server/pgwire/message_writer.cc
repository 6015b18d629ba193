#include "server/pgwire/message_writer.h"

#include <utility>

namespace gnomon::server {

void MessageWriter::write(std::span<const char> messages) {
  if (buffer_.size() + messages.size() < kFlushBytes) {
    buffer_.append(messages.data(), messages.size());
    return;
  }
  size_t sent = 0;
  try {
    flush();
    while (sent < messages.size()) {
      const size_t count = socket_.send(messages.data() + sent, messages.size() - sent);
      sent += count;
      sent_bytes_ += count;
    }
  } catch (const SqlError&) {
    // M1: a message that has begun must be finished before anything else can be said.
    buffer_.append(messages.data() + sent, messages.size() - sent);
    throw;
  }
}

void MessageWriter::awaitStable() {
  if (required_.isEmpty()) return;
  courier_.transactions().waitForStable(required_);
  required_ = {};
}

bool MessageWriter::mustWait() {
  if (required_.isEmpty()) return false;
  if (!courier_.transactions().isStable(required_)) return true;
  required_ = {};
  return false;
}

void MessageWriter::sendAhead() {
  if (mustWait()) return;
  flushHeld();
  const size_t count = socket_.trySend(buffer_.data(), buffer_.size());
  sent_bytes_ += count;
  buffer_.removeFront(count);
}

void MessageWriter::takeHeld() {
  if (std::exchange(holds_, false)) held_.take(leaving_, required_);
}

void MessageWriter::sendHeld() {
  takeHeld();
  if (!leaving_.empty()) awaitStable();
  while (!leaving_.empty()) leaving_.removeFront(socket_.send(leaving_.data(), leaving_.size()));
}

void MessageWriter::flush() {
  takeHeld();
  if (!leaving_.empty() && buffer_.size() < kFlushBytes) {
    // In one piece.
    leaving_.append(buffer_.view());
    sent_bytes_ += buffer_.size();
    buffer_.clear();
  }
  sendHeld();
  if (!buffer_.empty()) awaitStable();
  while (!buffer_.empty()) {
    const size_t count = socket_.send(buffer_.data(), buffer_.size());
    sent_bytes_ += count;
    buffer_.removeFront(count);
  }
  buffer_.shrink(kKeptBytesMax);
}

void MessageWriter::flushSoon() {
  if (!leaving_.empty()) return flush();
  const auto now = std::chrono::steady_clock::now();
  if (!holds_) held_since_ = now;
  // The courier syncs the log while the session answers what has come.
  const bool is_courier_to_sync = mustWait();
  if (!is_courier_to_sync && (now - held_since_ > kHeldMax || buffer_.size() > kAheadBytes)) return flush();
  const size_t held_bytes = held_.add(buffer_.view(), required_);
  holds_ = true;
  sent_bytes_ += buffer_.size();
  buffer_.clear();
  if (held_bytes > kFlushBytes) sendHeld();
}

void MessageWriter::flushLast(std::chrono::milliseconds patience) noexcept {
  takeHeld();
  leaving_.append(buffer_.view());
  try {
    awaitStable();
  } catch (const SqlError&) {
    // The log has failed: nothing is acknowledged any more.
    return;
  }
  socket_.sendLast(leaving_.data(), leaving_.size(), patience);
  leaving_.clear();
  buffer_.clear();
}

}  // namespace gnomon::server
