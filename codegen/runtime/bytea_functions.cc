#include "codegen/runtime/bytea_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/sql_error.h"
#include "sql/types/binary_encoding.h"
#include "sql/types/bytea.h"
#include "sql/types/encoding.h"
#include "sql/types/text.h"

namespace gnomon::codegen::rt {
namespace {

constexpr int64_t kBitsPerByte = 8;

void checkIndex(int64_t index, int64_t count) {
  if (index < 0 || index >= count)
    throw SqlError(sqlstate::kArraySubscriptError, fmt::format("index {} out of valid range, 0..{}", index, count - 1));
}

/// A copy of the bytes with the one at `index` replaced.
StringValue withByte(std::string_view bytes, size_t index, unsigned byte, Arena* arena) {
  auto* const copy = static_cast<char*>(arena->allocate(bytes.size()));
  std::memcpy(copy, bytes.data(), bytes.size());
  copy[index] = static_cast<char>(byte);
  return transient({copy, bytes.size()});
}

std::string_view trimmed(std::string_view bytes, std::string_view set, bool at_front, bool at_back) {
  if (set.empty()) return bytes;
  if (at_front) bytes.remove_prefix(std::min(bytes.find_first_not_of(set), bytes.size()));
  if (at_back) bytes = bytes.substr(0, bytes.find_last_not_of(set) + 1);
  return bytes;
}

StringValue trim(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi, bool at_front, bool at_back) {
  const StringValue value(lo, hi);
  const StringValue set(set_lo, set_hi);
  return part(value, trimmed(value.view(), set.view(), at_front, at_back));
}

/// Memory for a result. Failure: 54000.
char* allocateText(Arena* arena, size_t bytes) {
  if (bytes > sql::kStringBytesMax)
    throw SqlError(sqlstate::kProgramLimitExceeded, "result of encoding conversion is too large");
  return static_cast<char*>(arena->allocate(bytes));
}

}  // namespace

StringValue substringBytesFrom(uint64_t lo, uint64_t hi, int32_t start) {
  const StringValue value(lo, hi);
  const std::string_view bytes = value.view();
  return part(value, bytes.substr(std::min(static_cast<size_t>(std::max(start, 1)) - 1, bytes.size())));
}

StringValue substringBytesFor(uint64_t lo, uint64_t hi, int32_t start, int32_t count) {
  if (count < 0) throw SqlError(sqlstate::kSubstringError, "negative substring length not allowed");
  const StringValue value(lo, hi);
  const std::string_view bytes = value.view();
  const int64_t size = std::ssize(bytes);
  const int64_t first = std::clamp<int64_t>(int64_t{start} - 1, 0, size);
  const int64_t end = std::clamp<int64_t>(int64_t{start} - 1 + count, first, size);
  return part(value, bytes.substr(static_cast<size_t>(first), static_cast<size_t>(end - first)));
}

StringValue overlayBytes(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi, int32_t start, Arena* arena) {
  const auto count = static_cast<int32_t>(static_cast<uint32_t>(part_lo));
  return overlayBytesFor(lo, hi, part_lo, part_hi, start, count, arena);
}

StringValue overlayBytesFor(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi, int32_t start, int32_t count,
                            Arena* arena) {
  if (start <= 0) throw SqlError(sqlstate::kSubstringError, "negative substring length not allowed");
  int32_t behind;
  if (__builtin_add_overflow(start, count, &behind))
    throw SqlError(sqlstate::kNumericValueOutOfRange, "integer out of range");
  const StringValue value(lo, hi);
  const StringValue part_value(part_lo, part_hi);
  const std::string_view bytes = value.view();
  const std::string_view front = bytes.substr(0, static_cast<size_t>(start) - 1);
  const std::string_view back = bytes.substr(std::min(static_cast<size_t>(std::max(behind, 1)) - 1, bytes.size()));
  const std::string_view middle = part_value.view();
  const size_t size = front.size() + middle.size() + back.size();
  if (size > sql::kStringBytesMax) throw SqlError(sqlstate::kProgramLimitExceeded, "requested length too large");
  auto* const result = static_cast<char*>(arena->allocate(size));
  char* next = std::copy_n(front.data(), front.size(), result);
  next = std::copy_n(middle.data(), middle.size(), next);
  std::copy_n(back.data(), back.size(), next);
  return transient({result, size});
}

int32_t positionBytes(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi) {
  const StringValue value(lo, hi);
  const StringValue part_value(part_lo, part_hi);
  const std::string_view bytes = value.view();
  const std::string_view wanted = part_value.view();
  if (wanted.empty()) return 1;
  const void* const found = memmem(bytes.data(), bytes.size(), wanted.data(), wanted.size());
  return found ? static_cast<int32_t>(static_cast<const char*>(found) - bytes.data()) + 1 : 0;
}

StringValue trimBytesBoth(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi) {
  return trim(lo, hi, set_lo, set_hi, true, true);
}

StringValue trimBytesLeft(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi) {
  return trim(lo, hi, set_lo, set_hi, true, false);
}

StringValue trimBytesRight(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi) {
  return trim(lo, hi, set_lo, set_hi, false, true);
}

int32_t bitLength(uint64_t lo, uint64_t /*hi*/) {
  int32_t bits;
  if (__builtin_mul_overflow(static_cast<uint32_t>(lo), kBitsPerByte, &bits))
    throw SqlError(sqlstate::kNumericValueOutOfRange, "integer out of range");
  return bits;
}

int64_t bitCount(uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  int64_t count = 0;
  for (const char c : value.view()) count += std::popcount(static_cast<unsigned char>(c));
  return count;
}

int32_t getByte(uint64_t lo, uint64_t hi, int32_t index) {
  const StringValue value(lo, hi);
  checkIndex(index, value.length());
  return static_cast<unsigned char>(value.view()[static_cast<size_t>(index)]);
}

StringValue setByte(uint64_t lo, uint64_t hi, int32_t index, int32_t byte, Arena* arena) {
  const StringValue value(lo, hi);
  checkIndex(index, value.length());
  return withByte(value.view(), static_cast<size_t>(index), static_cast<unsigned>(byte), arena);
}

int32_t getBit(uint64_t lo, uint64_t hi, int64_t index) {
  const StringValue value(lo, hi);
  checkIndex(index, kBitsPerByte * value.length());
  const auto byte = static_cast<unsigned char>(value.view()[static_cast<size_t>(index / kBitsPerByte)]);
  return byte >> (index % kBitsPerByte) & 1;
}

StringValue setBit(uint64_t lo, uint64_t hi, int64_t index, int32_t bit, Arena* arena) {
  const StringValue value(lo, hi);
  checkIndex(index, kBitsPerByte * value.length());
  if (bit != 0 && bit != 1) throw SqlError(sqlstate::kInvalidParameterValue, "new bit must be 0 or 1");
  const auto offset = static_cast<size_t>(index / kBitsPerByte);
  const unsigned mask = 1U << (index % kBitsPerByte);
  const auto old = static_cast<unsigned char>(value.view()[offset]);
  return withByte(value.view(), offset, bit ? old | mask : old & ~mask, arena);
}

StringValue encodeBytes(uint64_t lo, uint64_t hi, uint64_t encoding_lo, uint64_t encoding_hi, Arena* arena) {
  const StringValue value(lo, hi);
  const StringValue name(encoding_lo, encoding_hi);
  const sql::BinaryEncoding encoding = sql::findBinaryEncoding(name.view());
  char* const text = allocateText(arena, sql::encodedBytes(encoding, value.view()));
  const char* const end = sql::encodeBinary(encoding, value.view(), text);
  return transient({text, static_cast<size_t>(end - text)});
}

StringValue decodeBytes(uint64_t lo, uint64_t hi, uint64_t encoding_lo, uint64_t encoding_hi, Arena* arena) {
  const StringValue value(lo, hi);
  const StringValue name(encoding_lo, encoding_hi);
  const sql::BinaryEncoding encoding = sql::findBinaryEncoding(name.view());
  char* const bytes = allocateText(arena, sql::decodedBytesMax(encoding, value.length()));
  const char* const end = sql::decodeBinary(encoding, value.view(), bytes);
  return transient({bytes, static_cast<size_t>(end - bytes)});
}

StringValue convertBytes(uint64_t lo, uint64_t hi, uint64_t from_lo, uint64_t from_hi, uint64_t to_lo, uint64_t to_hi,
                         Arena* arena) {
  const StringValue value(lo, hi), from(from_lo, from_hi), to(to_lo, to_hi);
  return copied(sql::convertEncoding(value.view(), from.view(), to.view()), arena);
}

StringValue convertFrom(uint64_t lo, uint64_t hi, uint64_t encoding_lo, uint64_t encoding_hi, Arena* arena) {
  const StringValue value(lo, hi), encoding(encoding_lo, encoding_hi);
  return copied(sql::convertEncoding(value.view(), encoding.view(), "UTF8"), arena);
}

StringValue convertTo(uint64_t lo, uint64_t hi, uint64_t encoding_lo, uint64_t encoding_hi, Arena* arena) {
  const StringValue value(lo, hi), encoding(encoding_lo, encoding_hi);
  return copied(sql::convertEncoding(value.view(), "UTF8", encoding.view()), arena);
}

int32_t encodedLength(uint64_t lo, uint64_t hi, uint64_t encoding_lo, uint64_t encoding_hi) {
  const StringValue value(lo, hi), encoding(encoding_lo, encoding_hi);
  return sql::encodedCharacters(value.view(), encoding.view());
}

}  // namespace gnomon::codegen::rt
