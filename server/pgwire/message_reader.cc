#include "server/pgwire/message_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/pgwire/wire_number.h"

namespace gnomon::server {
namespace {

enum class SizeLimit : uint8_t { Unknown, Small, Large };

SizeLimit sizeLimitOf(char type) {
  switch (type) {
    case 'Q':
    case 'P':
    case 'B':
    case 'F':
    case 'd':
      return SizeLimit::Large;
    case 'C':
    case 'D':
    case 'E':
    case 'H':
    case 'S':
    case 'X':
    case 'c':
    case 'f':
    case 'p':
      return SizeLimit::Small;
    default:
      return SizeLimit::Unknown;
  }
}

}  // namespace

void MessageReader::receiveMore() {
  // The more is waiting, the larger the pieces: a large message is copied a bounded number of times.
  const size_t bytes = std::clamp(buffer_.size(), kReceiveBytes, kReceiveBytesMax);
  char* end = buffer_.reserve(bytes);
  const size_t received = socket_.receive(end, buffer_.room());
  ++receive_count_;
  if (received == 0) throw ConnectionLost();
  buffer_.extend(received);
}

void MessageReader::releaseCurrent() {
  if (current_bytes_ == 0) return;
  buffer_.removeFront(current_bytes_);
  current_bytes_ = 0;
  buffer_.shrink(kKeptBytesMax);
}

uint32_t MessageReader::checkedBodyBytes(size_t offset) const {
  const char* header = buffer_.data() + offset;
  const SizeLimit limit = sizeLimitOf(header[0]);
  if (limit == SizeLimit::Unknown)
    throw FatalProtocolError(
        fmt::format("invalid frontend message type {}", static_cast<int>(static_cast<unsigned char>(header[0]))));
  const auto length = readBigEndian<uint32_t>(header + 1);
  const uint32_t length_max = limit == SizeLimit::Large ? kLargeMessageBytesMax : kSmallMessageBytesMax;
  if (length < 4 || length > length_max) throw FatalProtocolError("invalid message length");
  return length - 4;
}

Message MessageReader::next() {
  releaseCurrent();
  if (copy_rest_bytes_ > 0) {
    // The rest of a CopyData message that nobody wants any more.
    while (copy_rest_bytes_ > 0) {
      if (buffer_.empty()) receiveMore();
      const auto taken = static_cast<uint32_t>(std::min<size_t>(buffer_.size(), copy_rest_bytes_));
      buffer_.removeFront(taken);
      copy_rest_bytes_ -= taken;
    }
  }
  fill(kHeaderBytes);
  const uint32_t body_bytes = checkedBodyBytes(0);
  fill(kHeaderBytes + body_bytes);
  current_bytes_ = kHeaderBytes + body_bytes;
  return {buffer_.data()[0], {buffer_.data() + kHeaderBytes, body_bytes}};
}

std::string_view MessageReader::nextStartupPacket() {
  releaseCurrent();
  fill(sizeof(uint32_t));
  const auto length = readBigEndian<uint32_t>(buffer_.data());
  if (length < 8 || length > kStartupPacketBytesMax) throw FatalProtocolError("invalid length of startup packet");
  fill(length);
  current_bytes_ = length;
  return {buffer_.data() + sizeof(uint32_t), length - sizeof(uint32_t)};
}

bool MessageReader::readCopyData(ByteBuffer& out, size_t bytes_wanted) {
  releaseCurrent();
  const size_t size_before = out.size();
  const size_t size_wanted = size_before + bytes_wanted;
  while (out.size() < size_wanted) {
    if (copy_rest_bytes_ == 0) {
      if (buffer_.size() < kHeaderBytes) {
        if (out.size() > size_before) return true;
        receiveMore();
        continue;
      }
      const uint32_t body_bytes = checkedBodyBytes(0);
      if (buffer_.data()[0] != 'd') return false;
      copy_rest_bytes_ = body_bytes;
      buffer_.removeFront(kHeaderBytes);
      continue;
    }
    if (buffer_.empty()) {
      if (out.size() > size_before) return true;
      receiveMore();
    }
    const auto taken = static_cast<uint32_t>(std::min<size_t>(buffer_.size(), copy_rest_bytes_));
    out.append(buffer_.data(), taken);
    buffer_.removeFront(taken);
    copy_rest_bytes_ -= taken;
  }
  return true;
}

}  // namespace gnomon::server
