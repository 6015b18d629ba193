#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sql/types/type.h"

namespace gnomon::sql {

/// A bit string is held as two bytes for each eight bits: the bits, the first one highest, zeros behind the last; and 9
/// when others follow, or else how many of them there are. So bytes are in the order of the values, a beginning before
/// what it begins.
class BitString {
 public:
  BitString() = default;
  explicit BitString(int64_t size);  ///< zeros

  static BitString decode(std::string_view held);
  [[nodiscard]] std::string encoded() const;

  /// B'101' and X'1F' without quotes: b or x, or nothing for bits, before the digits. Failure: 22P02, 54000.
  static BitString parse(std::string_view text);
  void appendText(std::string& out) const;
  /// As a column bit(n) or bit varying(n) holds it. Failure: 22026, 22001.
  [[nodiscard]] BitString fitted(Type type, bool is_explicit) const;
  /// The lowest bits of the number, as many as the modifier says, or one.
  static BitString ofInteger(int64_t number, int width, int32_t typmod);
  /// Failure: 22003 over `width` bits.
  [[nodiscard]] int64_t toInteger(int width) const;

  [[nodiscard]] int64_t size() const { return size_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  static BitString ofBytes(std::string bytes, int64_t size);
  [[nodiscard]] bool at(int64_t index) const {
    return ((static_cast<uint8_t>(bytes_[static_cast<size_t>(index / 8)]) >> (7 - index % 8)) & 1) != 0;
  }
  void set(int64_t index, bool bit);
  [[nodiscard]] int64_t count() const;
  /// Bits from `start` on, counted from 0; what lies outside is left out.
  [[nodiscard]] BitString part(int64_t start, int64_t length) const;
  /// Where the part begins, counted from 1; 0: nowhere.
  [[nodiscard]] int64_t find(const BitString& part) const;
  [[nodiscard]] BitString shifted(int64_t left) const;
  [[nodiscard]] BitString inverted() const;
  friend BitString operator+(const BitString& left, const BitString& right);

 private:
  std::string bytes_;
  int64_t size_ = 0;
};

}  // namespace gnomon::sql
