#include "sql/types/bit_string.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/sql_error.h"
#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

constexpr uint8_t kMoreFollow = 9;
constexpr int64_t kBitsMax = 8 * int64_t{0x1fffffff};

size_t bytesOf(int64_t bits) {
  return static_cast<size_t>((bits + 7) / 8);
}

int hexadecimalOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

[[noreturn]] void throwDigit(std::string_view rest, const char* base) {
  const size_t bytes = std::min<size_t>(characterBytes(static_cast<unsigned char>(rest[0])), rest.size());
  throw SqlError(sqlstate::kInvalidTextRepresentation,
                 fmt::format("\"{}\" is not a valid {} digit", rest.substr(0, bytes), base));
}

}  // namespace

BitString::BitString(int64_t size) : bytes_(bytesOf(size), '\0'), size_(size) {
  if (size > kBitsMax)
    throw SqlError(sqlstate::kProgramLimitExceeded,
                   fmt::format("bit string length exceeds the maximum allowed ({})", kBitsMax));
}

BitString BitString::decode(std::string_view held) {
  BitString bits;
  for (size_t i = 0; i + 1 < held.size(); i += 2) {
    bits.bytes_ += held[i];
    const auto mark = static_cast<uint8_t>(held[i + 1]);
    bits.size_ += mark == kMoreFollow ? 8 : mark;
  }
  return bits;
}

std::string BitString::encoded() const {
  std::string held;
  held.reserve(2 * bytes_.size());
  for (size_t i = 0; i < bytes_.size(); ++i) {
    held += bytes_[i];
    const bool is_last = i + 1 == bytes_.size();
    held += static_cast<char>(is_last ? size_ - 8 * static_cast<int64_t>(i) : kMoreFollow);
  }
  return held;
}

BitString BitString::ofBytes(std::string bytes, int64_t size) {
  BitString bits;
  bits.bytes_ = std::move(bytes);
  bits.size_ = size;
  // Nothing stands behind the last bit.
  if (size % 8 != 0) bits.bytes_.back() = static_cast<char>(bits.bytes_.back() & (0xff << (8 - size % 8)));
  return bits;
}

BitString BitString::parse(std::string_view text) {
  const char base = text.empty() ? '\0' : text[0];
  const bool is_hexadecimal = base == 'x' || base == 'X';
  if (is_hexadecimal || base == 'b' || base == 'B') text.remove_prefix(1);
  BitString bits(static_cast<int64_t>(text.size()) * (is_hexadecimal ? 4 : 1));
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_hexadecimal) {
      const int digit = hexadecimalOf(text[i]);
      if (digit < 0) throwDigit(text.substr(i), "hexadecimal");
      char& byte = bits.bytes_[i / 2];
      byte = static_cast<char>(byte | (digit << (i % 2 == 0 ? 4 : 0)));
    } else {
      if (text[i] != '0' && text[i] != '1') throwDigit(text.substr(i), "binary");
      bits.set(static_cast<int64_t>(i), text[i] == '1');
    }
  }
  return bits;
}

void BitString::appendText(std::string& out) const {
  for (int64_t i = 0; i < size_; ++i) out += at(i) ? '1' : '0';
}

BitString BitString::fitted(Type type, bool is_explicit) const {
  const int32_t wanted = type.typmod;
  if (wanted < 0 || size_ == wanted) return *this;
  if (type.kind == TypeKind::VarBit) {
    if (size_ < wanted) return *this;
    if (!is_explicit)
      throw SqlError(sqlstate::kStringDataRightTruncation,
                     fmt::format("bit string too long for type bit varying({})", wanted));
    return part(0, wanted);
  }
  if (!is_explicit)
    throw SqlError(SqlState("22026"), fmt::format("bit string length {} does not match type bit({})", size_, wanted));
  if (size_ > wanted) return part(0, wanted);
  BitString bits(wanted);
  std::ranges::copy(bytes_, bits.bytes_.begin());
  return bits;
}

BitString BitString::ofInteger(int64_t number, int width, int32_t typmod) {
  const int64_t size = typmod <= 0 ? 1 : typmod;
  BitString bits(size);
  // Before the number stands its sign.
  for (int64_t i = 0; i < size; ++i) {
    const int64_t place = size - 1 - i;
    bits.set(i, place >= width ? number < 0 : ((number >> place) & 1) != 0);
  }
  return bits;
}

int64_t BitString::toInteger(int width) const {
  if (size_ > width)
    throw SqlError(sqlstate::kNumericValueOutOfRange, width == 32 ? "integer out of range" : "bigint out of range");
  uint64_t number = 0;
  for (int64_t i = 0; i < size_; ++i) number = number << 1 | (at(i) ? 1 : 0);
  return width == 32 ? static_cast<int32_t>(number) : static_cast<int64_t>(number);
}

void BitString::set(int64_t index, bool bit) {
  char& byte = bytes_[static_cast<size_t>(index / 8)];
  const int mask = 0x80 >> (index % 8);
  byte = static_cast<char>(bit ? byte | mask : byte & ~mask);
}

int64_t BitString::count() const {
  int64_t count = 0;
  for (const char byte : bytes_) count += std::popcount(static_cast<uint8_t>(byte));
  return count;
}

BitString BitString::part(int64_t start, int64_t length) const {
  const int64_t from = std::clamp<int64_t>(start, 0, size_);
  const int64_t to = std::clamp<int64_t>(start + length, from, size_);
  BitString bits(to - from);
  for (int64_t i = from; i < to; ++i) bits.set(i - from, at(i));
  return bits;
}

int64_t BitString::find(const BitString& part) const {
  for (int64_t start = 0; start + part.size_ <= size_; ++start) {
    int64_t matched = 0;
    while (matched < part.size_ && at(start + matched) == part.at(matched)) ++matched;
    if (matched == part.size_) return size_ == 0 ? 0 : start + 1;
  }
  return 0;
}

BitString BitString::shifted(int64_t left) const {
  BitString bits(size_);
  for (int64_t i = 0; i < size_; ++i) {
    const int64_t from = i + left;
    if (from >= 0 && from < size_) bits.set(i, at(from));
  }
  return bits;
}

BitString BitString::inverted() const {
  std::string bytes = bytes_;
  for (char& byte : bytes) byte = static_cast<char>(~byte);
  return ofBytes(std::move(bytes), size_);
}

BitString operator+(const BitString& left, const BitString& right) {
  BitString bits(left.size_ + right.size_);
  std::ranges::copy(left.bytes_, bits.bytes_.begin());
  for (int64_t i = 0; i < right.size_; ++i) bits.set(left.size_ + i, right.at(i));
  return bits;
}

}  // namespace gnomon::sql
