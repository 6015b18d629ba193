#pragma once

#include <cstdint>
#include <exception>
#include <string_view>

#include "base/sql_error.h"
#include "server/pgwire/byte_buffer.h"
#include "server/pgwire/client_socket.h"

namespace gnomon::server {

/// What came cannot be a message: the connection ends (FATAL, 08P01), since where the next one begins is unknown.
class FatalProtocolError : public SqlError {
 public:
  explicit FatalProtocolError(std::string message) : SqlError(sqlstate::kProtocolViolation, std::move(message)) {}
};

/// A message that cannot come here, in the middle of a COPY: the client is told so, and then the connection ends.
class LostSynchronization : public FatalProtocolError {
 public:
  using FatalProtocolError::FatalProtocolError;
};

/// A message of the client: a type byte, a length word that counts itself, and the body.
struct Message {
  char type;
  std::string_view body;
};

/// Cuts the client's byte stream into messages.
///
/// The buffer grows as bytes arrive, never to what a length word announces.
/// Threads: the session's. Failure of all reads: ConnectionLost (also when the client closes), FatalProtocolError, what
/// Interrupts::poll() throws; after that last one reading may go on.
class MessageReader {
 public:
  explicit MessageReader(ClientSocket& socket) : socket_(socket) {}

  /// The next message, waited for. The body is valid until the next call.
  Message next();
  /// Whether next() has one without waiting.
  [[nodiscard]] bool hasNext() const { return hasNextAt(current_bytes_ + copy_rest_bytes_); }
  /// The same; a Sync does not count, as what is before it is answered with it.
  [[nodiscard]] bool hasNextBehindSync() const;
  /// The body of the first packet of a connection, which has a length word and no type.
  std::string_view nextStartupPacket();

  /// Takes CopyData messages: appends their payload to `out` until `bytes_wanted` more are there or no more have
  /// arrived; waits only while it has none. Returns false when the next message is of another type.
  bool readCopyData(ByteBuffer& out, size_t bytes_wanted);

  /// How often bytes were waited for, or taken from the socket.
  [[nodiscard]] uint64_t receiveCount() const { return receive_count_; }

  /// The most bytes a message may have; PostgreSQL's limits for large and small ones.
  static constexpr uint32_t kLargeMessageBytesMax = 0x3ffffffe;
  static constexpr uint32_t kSmallMessageBytesMax = 10000;
  static constexpr uint32_t kStartupPacketBytesMax = 10000;

 private:
  static constexpr size_t kHeaderBytes = 5;
  static constexpr size_t kReceiveBytes = 64 << 10;
  static constexpr size_t kReceiveBytesMax = 1 << 20;
  static constexpr size_t kKeptBytesMax = 4 << 20;

  /// Waits until `bytes` unread bytes are in the buffer.
  void fill(size_t bytes) {
    while (buffer_.size() < bytes) [[unlikely]]
      receiveMore();
  }
  void receiveMore();
  [[nodiscard]] bool hasNextAt(size_t offset) const;
  /// Drops the message that was handed out last.
  void releaseCurrent() {
    buffer_.removeFront(current_bytes_);
    current_bytes_ = 0;
    if (buffer_.empty()) buffer_.shrink(kKeptBytesMax);
  }
  /// Drops the rest of a CopyData message that nobody wants any more.
  void dropCopyRest();
  /// The body length of the message whose header stands in front of the buffer.
  [[nodiscard]] uint32_t checkedBodyBytes() const;

  ClientSocket& socket_;
  ByteBuffer buffer_;
  uint64_t receive_count_ = 0;
  size_t current_bytes_ = 0;      ///< of the message handed out by next(), still at the front
  uint32_t copy_rest_bytes_ = 0;  ///< of a CopyData message whose header was taken
};

}  // namespace gnomon::server
