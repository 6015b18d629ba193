#include "server/pgwire/message_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "server/pgwire/wire_number.h"

namespace gnomon::server {
namespace {

/// For each type of message the most that its length word may say; 0: there is no such type.
constexpr std::array<uint32_t, 256> kLengthMax = [] {
  std::array<uint32_t, 256> length_max{};
  for (const char large : std::string_view("QPBFd"))
    length_max[static_cast<unsigned char>(large)] = MessageReader::kLargeMessageBytesMax;
  for (const char small : std::string_view("CDEHSXcfp"))
    length_max[static_cast<unsigned char>(small)] = MessageReader::kSmallMessageBytesMax;
  return length_max;
}();

[[noreturn, gnu::cold]] void raiseHeader(unsigned char type) {
  if (kLengthMax[type] == 0)
    throw FatalProtocolError(fmt::format("invalid frontend message type {}", static_cast<int>(type)));
  throw FatalProtocolError("invalid message length");
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

uint32_t MessageReader::checkedBodyBytes() const {
  const auto type = static_cast<unsigned char>(buffer_.data()[0]);
  const auto length = readBigEndian<uint32_t>(buffer_.data() + 1);
  // Also false where there is no such type.
  if (length < 4 || length > kLengthMax[type]) [[unlikely]]
    raiseHeader(type);
  return length - 4;
}

void MessageReader::dropCopyRest() {
  while (copy_rest_bytes_ > 0) {
    if (buffer_.empty()) receiveMore();
    const auto taken = static_cast<uint32_t>(std::min<size_t>(buffer_.size(), copy_rest_bytes_));
    buffer_.removeFront(taken);
    copy_rest_bytes_ -= taken;
  }
}

Message MessageReader::next() {
  releaseCurrent();
  if (copy_rest_bytes_ > 0) dropCopyRest();
  fill(kHeaderBytes);
  const uint32_t body_bytes = checkedBodyBytes();
  fill(kHeaderBytes + body_bytes);
  current_bytes_ = kHeaderBytes + body_bytes;
  return {buffer_.data()[0], {buffer_.data() + kHeaderBytes, body_bytes}};
}

bool MessageReader::hasNextBehindSync() const {
  const size_t next = current_bytes_ + copy_rest_bytes_;
  if (!hasNextAt(next)) return false;
  return buffer_.data()[next] != 'S' || hasNextAt(next + kHeaderBytes);
}

bool MessageReader::hasNextAt(size_t offset) const {
  const std::string_view rest = buffer_.view().substr(std::min(buffer_.size(), offset));
  return rest.size() >= kHeaderBytes && rest.size() - 1 >= readBigEndian<uint32_t>(rest.data() + 1);
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
      const uint32_t body_bytes = checkedBodyBytes();
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
