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

constexpr char kNullFirst = 1;
constexpr char kValue = 2;
constexpr char kNullLast = 3;

template <typename Unsigned>
void appendBigEndian(Unsigned value, EncodedKey& key) {
  char* target = key.extend(sizeof(value));
  for (size_t byte = 0; byte < sizeof(value); ++byte)
    target[byte] = static_cast<char>(value >> (8 * (sizeof(value) - 1 - byte)));
}

template <typename Unsigned>
void appendSigned(Unsigned value, EncodedKey& key) {
  appendBigEndian(static_cast<Unsigned>(value ^ Unsigned{1} << (8 * sizeof(value) - 1)), key);
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
  appendSigned(static_cast<uint128>((int128{months} * 30 + days) * kDayUs + us), key);
}

void appendValue(const KeyPart& part, const KeyValue& value, EncodedKey& key) {
  const Datum& datum = value.datum;
  switch (part.kind) {
    case StoredKind::Bool1:
      return key.append(datum.lo != 0 ? '\1' : '\0');
    case StoredKind::Int16:
      return appendSigned(static_cast<uint16_t>(datum.lo), key);
    case StoredKind::Int32:
      return appendSigned(static_cast<uint32_t>(datum.lo), key);
    case StoredKind::Int64:
      return appendSigned(datum.lo, key);
    case StoredKind::Int128:
      return appendSigned(uint128{datum.hi} << 64 | datum.lo, key);
    case StoredKind::Float32:
      return appendFloat<float, uint32_t>(std::bit_cast<double>(datum.lo), key);
    case StoredKind::Float64:
      return appendFloat<double, uint64_t>(std::bit_cast<double>(datum.lo), key);
    case StoredKind::String:
      return part.append_ordered ? part.append_ordered(value.string, part.bytes_type, key)
                                 : appendString(value.string, key);
    case StoredKind::Interval:
      return appendInterval(datum, key);
  }
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

void KeyEncoder::encode(std::span<const KeyValue> values, EncodedKey& key) const {
  CHECK(values.size() <= parts_.size(), "K1");
  key.clear();
  for (size_t index = 0; index < values.size(); ++index) {
    const KeyPart& part = parts_[index];
    const KeyValue& value = values[index];
    if (value.is_null) {
      key.append(part.nulls_first ? kNullFirst : kNullLast);
      continue;
    }
    std::string_view string = value.string;
    if (part.is_blank_padded) string = string.substr(0, string.find_last_not_of(' ') + 1);
    // Before the bytes are copied: a value may be a hundred megabytes.
    if (key.size() + string.size() > kKeyBytesMax) raiseTooLong(key.size() + string.size());
    key.append(kValue);
    const size_t begin = key.size();
    appendValue(part, {value.datum, string, false}, key);
    if (part.descending) key.invertFrom(begin);
  }
  if (key.size() > kKeyBytesMax) raiseTooLong(key.size());
}

}  // namespace gnomon::storage
