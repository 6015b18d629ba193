#include "server/pgwire/message_writer.h"

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

void MessageWriter::sendAhead() {
  const size_t count = socket_.trySend(buffer_.data(), buffer_.size());
  sent_bytes_ += count;
  buffer_.removeFront(count);
}

void MessageWriter::flush() {
  while (!buffer_.empty()) {
    const size_t count = socket_.send(buffer_.data(), buffer_.size());
    sent_bytes_ += count;
    buffer_.removeFront(count);
  }
  buffer_.shrink(kKeptBytesMax);
}

void MessageWriter::flushLast(std::chrono::milliseconds patience) noexcept {
  socket_.sendLast(buffer_.data(), buffer_.size(), patience);
  buffer_.clear();
}

}  // namespace gnomon::server
