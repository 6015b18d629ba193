#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gnomon::sql {

/// An address of IPv4 or IPv6 with the number of its network's bits: inet, and cidr, which has no bits behind them.
///
/// It is held as bytes that are ordered as PostgreSQL orders addresses, by networks, then by their length, then by all
/// bits:
///   1 byte  4 or 6
///   1       0 where the network has no bits, or else 1 and, for each eight of them, two bytes: the bits, zeros behind
///           the last; 9 when others follow, or else how many there are
///   4 or 16 the address
struct NetworkAddress {
  bool is_v6 = false;
  int bits = 0;
  std::array<uint8_t, 16> bytes{};

  [[nodiscard]] int bitsMax() const { return is_v6 ? 128 : 32; }
  [[nodiscard]] size_t size() const { return is_v6 ? 16 : 4; }

  static NetworkAddress decode(std::string_view held);
  [[nodiscard]] std::string encoded() const;

  /// Failure: 22P02.
  static NetworkAddress parse(std::string_view text, bool is_cidr);
  /// The address alone.
  [[nodiscard]] std::string hostText() const;
  [[nodiscard]] std::string text(bool is_cidr) const;
  /// Bits behind the network's: all `value`.
  [[nodiscard]] NetworkAddress withHostBits(bool value) const;
  [[nodiscard]] bool hasHostBits() const;
  /// Whether the other's network lies in this one's, or is the same.
  [[nodiscard]] bool contains(const NetworkAddress& other) const;
};

/// The bits of as many bytes as there are: MAC addresses of 6 and 8 bytes. They are held as these bytes.
/// Failure: 22P02, 22003.
std::string parseMacAddress(std::string_view text, size_t bytes);
std::string macAddressText(std::string_view bytes);
/// The one as the other, ff:fe in the middle. Failure: 22003.
std::string longMacAddress(std::string_view bytes);
std::string shortMacAddress(std::string_view bytes);

/// A place in PostgreSQL's log: 8 bytes, big-endian. Failure: 22P02.
std::string parseLogPosition(std::string_view text);
std::string logPositionText(std::string_view bytes);

}  // namespace gnomon::sql
