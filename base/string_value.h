#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace gnomon {

/// A string value: 16 bytes that fit two registers.
///
/// Source: paper 2, section 3.1. Also carries numerics of unlimited size (sql/types/big_numeric.h).
/// Layout:  lo  bits 0-31 length in bytes; bits 32-63 the first 4 bytes of the text
///          hi  length <= 12: bytes 4-11 of the text (unused bytes are zero)
///              length  > 12: storage class (2 bits, the top ones) | address or offset (62 bits)
/// Invariants:  V1  unused inline bytes are zero, so two short strings are equal when lo and hi are
///              V2  inside a page (a stored header) the low 62 bits of hi are an offset from the start of the page
/// Lifetime by storage class: persistent lives as long as the plan (constants, parameters); transient lives while the
/// page it points into is pinned and must be copied when a row is materialised; temporary lives in the statement's
/// arena.
class StringValue {
 public:
  enum class Storage : uint8_t { Persistent = 0, Transient = 1, Temporary = 2 };
  static constexpr uint32_t kInlineBytesMax = 12;
  static constexpr uint32_t kPrefixBytes = 4;
  static constexpr unsigned kStorageShift = 62;
  static constexpr uint64_t kAddressMask = (uint64_t{1} << kStorageShift) - 1;

  constexpr StringValue() = default;
  constexpr StringValue(uint64_t low, uint64_t high) : lo_(low), hi_(high) {}

  /// A header for `text`; a text over 12 bytes is referred to, not copied.
  static StringValue refer(std::string_view text, Storage storage) {
    const auto length = static_cast<uint32_t>(text.size());
    StringValue value;
    value.lo_ = length;
    if (length <= kInlineBytesMax) {
      char bytes[16] = {};
      std::memcpy(bytes, &length, sizeof(length));
      if (length) std::memcpy(bytes + 4, text.data(), length);
      std::memcpy(&value.lo_, bytes, 8);
      std::memcpy(&value.hi_, bytes + 8, 8);
      return value;
    }
    uint32_t prefix;
    std::memcpy(&prefix, text.data(), kPrefixBytes);
    value.lo_ |= uint64_t{prefix} << 32;
    value.hi_ = (uint64_t{static_cast<uint8_t>(storage)} << kStorageShift) | reinterpret_cast<uint64_t>(text.data());
    return value;
  }

  [[nodiscard]] uint64_t lo() const { return lo_; }
  [[nodiscard]] uint64_t hi() const { return hi_; }
  [[nodiscard]] uint32_t length() const { return static_cast<uint32_t>(lo_); }
  [[nodiscard]] bool isInline() const { return length() <= kInlineBytesMax; }
  [[nodiscard]] Storage storage() const { return static_cast<Storage>(hi_ >> kStorageShift); }
  /// The bytes. An inline text lies inside this object: the view is valid while the object is.
  [[nodiscard]] std::string_view view() const {
    if (isInline()) return {reinterpret_cast<const char*>(this) + 4, length()};
    return {reinterpret_cast<const char*>(hi_ & kAddressMask), length()};
  }
  [[nodiscard]] bool operator==(const StringValue& other) const {
    if (lo_ != other.lo_) return false;
    if (isInline()) return hi_ == other.hi_;
    return std::memcmp(view().data(), other.view().data(), length()) == 0;
  }
  /// Byte order (collation C).
  [[nodiscard]] int compare(const StringValue& other) const { return view().compare(other.view()); }

 private:
  uint64_t lo_ = 0;
  uint64_t hi_ = 0;
};
static_assert(sizeof(StringValue) == 16);

}  // namespace gnomon
