#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "server/pgwire/byte_buffer.h"
#include "server/pgwire/client_socket.h"
#include "server/pgwire/reply_courier.h"
#include "server/pgwire/wire_number.h"

namespace gnomon::server {

/// The messages to the client: gathered in a bounded buffer and sent when it is full or the client would otherwise
/// wait.
///
/// Invariant:  M1  what is held back, then `leaving_`, then the buffer begin where the stream stands: an interrupt in
/// the
///                 middle of sending loses nothing, and whatever is written next follows in order
///             M2  `leaving_` is empty while something is held back
///             M3  no byte leaves before what it may tell of is on stable storage
/// Threads: the session's. Failure of what sends: ConnectionLost; what Interrupts::poll() throws.
class MessageWriter {
 public:
  /// Both outlive the writer.
  MessageWriter(ClientSocket& socket, ReplyCourier& courier)
      : socket_(socket), courier_(courier), held_(courier, socket) {}

  /// What is written from now on tells of what waits for this (TransactionManager::waitForStable).
  void require(const wal::CommitTicket& ticket) { required_.join(ticket); }

  /// A message is begin(), fields, end().
  void begin(char type) {
    message_offset_ = buffer_.size();
    char* header = buffer_.reserve(kHeaderBytes);
    header[0] = type;
    buffer_.extend(kHeaderBytes);
  }
  template <std::integral T>
  void putNumber(T value) {
    writeBigEndian(buffer_.reserve(sizeof(T)), value);
    buffer_.extend(sizeof(T));
  }
  void putBytes(std::string_view bytes) { buffer_.append(bytes); }
  /// The text up to its first NUL, if it has one, and a NUL.
  void putString(std::string_view text) {
    buffer_.append(text.substr(0, text.find('\0')));
    buffer_.append("", 1);
  }
  void end() {
    writeBigEndian(buffer_.data() + message_offset_ + 1, static_cast<uint32_t>(buffer_.size() - message_offset_ - 1));
  }
  /// The message that was ended last, until something is written or sent.
  [[nodiscard]] std::string_view lastMessage() const { return buffer_.view().substr(message_offset_); }
  /// A message without fields.
  void putEmpty(char type) {
    begin(type);
    end();
  }
  /// One byte that is not a message: the answer to a request for encryption.
  void putBare(char byte) { buffer_.append(&byte, 1); }

  /// Whole messages, encoded already; sends when there is enough.
  void write(std::span<const char> messages);
  /// Sends when there is enough.
  void flushIfFull() {
    if (buffer_.size() >= kFlushBytes) flush();
  }
  /// Sends ahead what a quick client can read while the next messages are answered.
  void flushAhead() {
    if (buffer_.size() >= kAheadBytes && ClientSocket::isProcessorFree()) sendAhead();
  }
  void flush();
  /// In the place of flush() while the next messages are there already: what is written leaves with what comes next, or
  /// is sent once it is late.
  void flushSoon();
  /// Sends what flushSoon() has left.
  void flushHeld() {
    if (holds_) sendHeld();
  }
  /// Sends what there is in the little time that a session has at its end.
  void flushLast(std::chrono::milliseconds patience) noexcept;

  /// Where the buffer ends now, and back to there: what was written since is forgotten. Only while nothing was sent.
  struct Mark {
    uint64_t sent_bytes;
    size_t buffered_bytes;
  };
  [[nodiscard]] Mark mark() const { return {sent_bytes_, buffer_.size()}; }
  [[nodiscard]] bool canReturnTo(Mark mark) const { return mark.sent_bytes == sent_bytes_; }
  void returnTo(Mark mark) { buffer_.truncate(mark.buffered_bytes); }

 private:
  void sendAhead();
  void sendHeld();
  void takeHeld();
  void awaitStable();
  [[nodiscard]] bool mustWait();

  static constexpr size_t kHeaderBytes = 5;
  static constexpr size_t kFlushBytes = 64 << 10;
  static constexpr size_t kAheadBytes = 2 << 10;
  static constexpr size_t kKeptBytesMax = 1 << 20;
  /// A client that waits for half of a pipeline does not stand still for longer. Waking it takes tens of microseconds
  /// where its processor sleeps, so it is not done for every reply.
  static constexpr std::chrono::microseconds kHeldMax{1500};

  ClientSocket& socket_;
  ReplyCourier& courier_;
  wal::CommitTicket required_;  ///< by anything that has not left, or is held back
  ByteBuffer leaving_;          ///< was written, and cannot be taken back
  ByteBuffer buffer_;
  ReplyCourier::Parcel held_;
  bool holds_ = false;  ///< there may be something in `held_`
  std::chrono::steady_clock::time_point held_since_;
  size_t message_offset_ = 0;
  uint64_t sent_bytes_ = 0;  ///< that have left the buffer
};

}  // namespace gnomon::server
