#include "storage/index/key.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "base/int128.h"
#include "base/sql_error.h"

namespace gnomon::storage {

namespace {

constexpr char kNullFirst = 0x01;
constexpr char kNullLast = static_cast<char>(0xF0);
/// Of a value that is no integer.
constexpr char kValue = static_cast<char>(0x80);
/// Of an integer of no significant bytes: 0, and -1.
constexpr uint32_t kZeroMark = 0x80;
constexpr uint32_t kMinusOneMark = 0x7F;
static_assert(kMinusOneMark - sizeof(int128) > static_cast<uint8_t>(kLeastValueMark), "K2");
static_assert(kZeroMark + sizeof(int128) < static_cast<uint8_t>(kAboveValuesMark), "K2");
static_assert(kNullFirst < kLeastValueMark &&
              static_cast<uint8_t>(kNullLast) >= static_cast<uint8_t>(kAboveValuesMark));

template <typename Unsigned>
void appendBigEndian(Unsigned value, EncodedKey& key) {
  char* target = key.extend(sizeof(value));
  for (size_t byte = 0; byte < sizeof(value); ++byte)
    target[byte] = static_cast<char>(value >> (8 * (sizeof(value) - 1 - byte)));
}

/// Mark and value, at most kIntegerBytesMax bytes. Returns what lies behind them.
constexpr size_t kIntegerBytesMax = 1 + sizeof(uint64_t);
inline char* writeInteger(char* target, int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  const bool is_negative = value < 0;
  const auto bytes = static_cast<uint32_t>(std::bit_width(is_negative ? ~bits : bits) + 7) / 8;
  target[0] = static_cast<char>(is_negative ? kMinusOneMark - bytes : kZeroMark + bytes);
  const uint64_t ordered = bytes == 0 ? 0 : std::byteswap(bits << (64 - 8 * bytes));
  std::memcpy(target + 1, &ordered, sizeof(ordered));
  return target + 1 + bytes;
}

void appendInteger(int64_t value, EncodedKey& key) {
  char* const target = key.extend(kIntegerBytesMax);
  key.truncate(key.size() - kIntegerBytesMax + static_cast<size_t>(writeInteger(target, value) - target));
}

void appendInteger(int128 value, EncodedKey& key) {
  const auto bits = static_cast<uint128>(value);
  if (value == static_cast<int64_t>(value)) return appendInteger(static_cast<int64_t>(value), key);
  const uint128 magnitude = value < 0 ? ~bits : bits;
  uint32_t bytes = sizeof(uint64_t);
  while (bytes < sizeof(bits) && magnitude >> (8 * bytes) != 0) ++bytes;
  key.append(static_cast<char>(value < 0 ? kMinusOneMark - bytes : kZeroMark + bytes));
  for (uint32_t byte = bytes; byte > 0; --byte) key.append(static_cast<char>(bits >> (8 * (byte - 1))));
}

template <typename Float, typename Bits>
void appendFloat(double datum, EncodedKey& key) {
  auto value = static_cast<Float>(datum);
  if (std::isnan(value)) value = std::numeric_limits<Float>::quiet_NaN();
  if (value == 0) value = 0;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const auto bits = std::bit_cast<Bits>(value);
  appendBigEndian((bits & kSign) != 0 ? ~bits : bits | kSign, key);
}

void appendString(std::string_view string, EncodedKey& key) {
  for (;;) {
    const size_t zero = std::min(string.find('\0'), string.size());
    key.append(string.substr(0, zero));
    key.append('\0');
    if (zero == string.size()) break;
    key.append('\xff');
    string.remove_prefix(zero + 1);
  }
  key.append('\0');
}

void appendInterval(const Datum& datum, EncodedKey& key) {
  constexpr int128 kDayUs = int128{24} * 3600 * 1'000'000;
  const auto us = static_cast<int64_t>(datum.lo);
  const auto days = static_cast<int32_t>(datum.hi);
  const auto months = static_cast<int32_t>(datum.hi >> 32);
  appendInteger((int128{months} * 30 + days) * kDayUs + us, key);
}

/// False: it is no integer, nothing was appended.
bool appendInteger(StoredKind kind, const Datum& datum, EncodedKey& key) {
  switch (kind) {
    case StoredKind::Bool1:
      appendInteger(int64_t{datum.lo != 0}, key);
      return true;
    case StoredKind::Int16:
      appendInteger(int64_t{static_cast<int16_t>(datum.lo)}, key);
      return true;
    case StoredKind::Int32:
      appendInteger(int64_t{static_cast<int32_t>(datum.lo)}, key);
      return true;
    case StoredKind::Int64:
      appendInteger(static_cast<int64_t>(datum.lo), key);
      return true;
    case StoredKind::Int128:
      appendInteger(static_cast<int128>(uint128{datum.hi} << 64 | datum.lo), key);
      return true;
    case StoredKind::Interval:
      appendInterval(datum, key);
      return true;
    default:
      return false;
  }
}

void appendValue(const KeyPart& part, const Datum& datum, std::string_view string, EncodedKey& key) {
  if (part.kind == StoredKind::Float32)
    appendFloat<float, uint32_t>(std::bit_cast<double>(datum.lo), key);
  else if (part.kind == StoredKind::Float64)
    appendFloat<double, uint64_t>(std::bit_cast<double>(datum.lo), key);
  else if (part.append_ordered != nullptr)
    part.append_ordered(string, part.bytes_type, key);
  else
    appendString(string, key);
}

[[noreturn]] void raiseTooLong(size_t bytes) {
  throw SqlError(sqlstate::kProgramLimitExceeded,
                 fmt::format("index row size {} exceeds maximum {}", bytes, kKeyBytesMax));
}

}  // namespace

void EncodedKey::grow(size_t size) {
  const size_t capacity = std::max<size_t>(size, size_t{capacity_} * 2);
  auto heap = std::make_unique<char[]>(capacity);
  std::memcpy(heap.get(), data(), size_);
  heap_ = std::move(heap);
  capacity_ = static_cast<uint32_t>(capacity);
}

bool EncodedKey::makePrefixEnd() {
  while (size_ > 0 && data()[size_ - 1] == '\xff') --size_;
  if (size_ == 0) return false;
  ++data()[size_ - 1];
  return true;
}

/// As encode(), without asking each part what it is.
void KeyEncoder::encodeIntegers(std::span<const KeyValue> values, EncodedKey& key) const {
  key.clear();
  char* const begin = key.extend(values.size() * kIntegerBytesMax);
  char* at = begin;
  for (size_t index = 0; index < values.size(); ++index) {
    const KeyPart& part = parts_[index];
    const uint64_t bits = values[index].datum.lo;
    if (values[index].is_null)
      *at++ = part.nulls_first ? kNullFirst : kNullLast;
    else if (part.kind == StoredKind::Int32)
      at = writeInteger(at, static_cast<int32_t>(bits));
    else if (part.kind == StoredKind::Int64)
      at = writeInteger(at, static_cast<int64_t>(bits));
    else if (part.kind == StoredKind::Int16)
      at = writeInteger(at, static_cast<int16_t>(bits));
    else
      at = writeInteger(at, bits != 0 ? 1 : 0);
  }
  key.truncate(static_cast<size_t>(at - begin));
  if (key.size() > kKeyBytesMax) raiseTooLong(key.size());
}

void KeyEncoder::encode(std::span<const KeyValue> values, EncodedKey& key) const {
  CHECK(values.size() <= parts_.size(), "K1");
  if (has_only_integers_) return encodeIntegers(values, key);
  key.clear();
  for (size_t index = 0; index < values.size(); ++index) {
    const KeyPart& part = parts_[index];
    const KeyValue& value = values[index];
    if (value.is_null) {
      key.append(part.nulls_first ? kNullFirst : kNullLast);
      continue;
    }
    size_t begin = key.size();
    if (appendInteger(part.kind, value.datum, key)) {
      if (part.descending) key.invertFrom(begin);
      continue;
    }
    std::string_view string = value.string;
    if (part.is_blank_padded) string = string.substr(0, string.find_last_not_of(' ') + 1);
    // Before the bytes are copied: a value may be a hundred megabytes.
    if (key.size() + string.size() > kKeyBytesMax) raiseTooLong(key.size() + string.size());
    key.append(kValue);
    begin = key.size();
    appendValue(part, value.datum, string, key);
    if (part.descending) key.invertFrom(begin);
  }
  if (key.size() > kKeyBytesMax) raiseTooLong(key.size());
}

}  // namespace gnomon::storage
