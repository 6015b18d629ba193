#include "sql/functions/uuid_functions.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <string>

#include "base/random_bytes.h"
#include "base/sql_error.h"
#include "sql/types/uuid.h"

namespace gnomon::sql {
namespace {

using Arguments = std::span<const Value>;
using Bytes = std::array<char, kUuidBytes>;
constexpr size_t kNodeAt = 10;
constexpr char kMulticastBit = 0x01;

Value valueOf(Type result, const Bytes& bytes) {
  return Value::fromInt128(result, uuidFromBytes(bytes.data()));
}

void setVersion(Bytes& bytes, int version) {
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | version << 4);
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
}

/// Of a network card that there is not: the multicast bit says so.
void makeNode(Bytes& bytes) {
  fillRandom(bytes.data() + kNodeAt, kUuidBytes - kNodeAt);
  bytes[kNodeAt] = static_cast<char>(bytes[kNodeAt] | kMulticastBit);
}

/// Units of 100 ns since 15 October 1582, each only once.
uint64_t nextTime() {
  constexpr uint64_t kGregorianToUnix = 0x01b21dd213814000;
  static std::mutex mutex;
  static uint64_t last = 0;
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
  const uint64_t time = static_cast<uint64_t>(now.count()) / 100 + kGregorianToUnix;
  const std::scoped_lock lock(mutex);
  return last = std::max(last + 1, time);
}

/// Time and clock sequence; the node is left as it is.
void putTime(Bytes& bytes, uint16_t sequence) {
  const uint64_t time = nextTime();
  const auto put = [&](size_t at, uint64_t number, size_t count) {
    for (size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(number >> (8 * (count - 1 - i)));
  };
  put(0, time & 0xffffffff, 4);
  put(4, time >> 32 & 0xffff, 2);
  put(6, time >> 48, 2);
  put(8, sequence, 2);
  setVersion(bytes, 1);
}

uint16_t randomSequence() {
  std::array<char, 2> bytes{};
  fillRandom(bytes.data(), bytes.size());
  return static_cast<uint16_t>(static_cast<uint8_t>(bytes[0]) << 8 | static_cast<uint8_t>(bytes[1]));
}

Value namedUuid(Arguments arguments, Type result, const EVP_MD* hash, int version) {
  Bytes space{};
  uuidToBytes(arguments[0].asInt128(), space.data());
  const std::string text = std::string(space.data(), space.size()) + arguments[1].bytes;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, hash, nullptr) != 1)
    throw SqlError(sqlstate::kInternalError, "could not compute a hash");
  Bytes bytes{};
  std::copy_n(digest.begin(), kUuidBytes, bytes.begin());
  setVersion(bytes, version);
  return valueOf(result, bytes);
}

Value constant(Type result, std::string_view text) {
  return Value::fromInt128(result, parseUuid(text));
}

}  // namespace

Value nilUuid(Arguments, Type result) {
  return constant(result, "00000000-0000-0000-0000-000000000000");
}
Value dnsNamespace(Arguments, Type result) {
  return constant(result, "6ba7b810-9dad-11d1-80b4-00c04fd430c8");
}
Value urlNamespace(Arguments, Type result) {
  return constant(result, "6ba7b811-9dad-11d1-80b4-00c04fd430c8");
}
Value oidNamespace(Arguments, Type result) {
  return constant(result, "6ba7b812-9dad-11d1-80b4-00c04fd430c8");
}
Value x500Namespace(Arguments, Type result) {
  return constant(result, "6ba7b814-9dad-11d1-80b4-00c04fd430c8");
}

Value timeUuid(Arguments, Type result) {
  static const Bytes node = [] {
    Bytes bytes{};
    makeNode(bytes);
    return bytes;
  }();
  static const uint16_t sequence = randomSequence();
  Bytes bytes = node;
  putTime(bytes, sequence);
  return valueOf(result, bytes);
}

Value multicastTimeUuid(Arguments, Type result) {
  Bytes bytes{};
  makeNode(bytes);
  putTime(bytes, randomSequence());
  return valueOf(result, bytes);
}

Value md5Uuid(Arguments arguments, Type result) {
  return namedUuid(arguments, result, EVP_md5(), 3);
}
Value sha1Uuid(Arguments arguments, Type result) {
  return namedUuid(arguments, result, EVP_sha1(), 5);
}
Value randomUuidValue(Arguments, Type result) {
  return Value::fromInt128(result, randomUuid());
}

}  // namespace gnomon::sql
