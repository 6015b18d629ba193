#include "sql/types/network_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <optional>
#include <vector>

#include "base/sql_error.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

constexpr char kMoreFollow = 9;

[[noreturn]] void throwInvalid(std::string_view type, std::string_view text) {
  throw SqlError(sqlstate::kInvalidTextRepresentation,
                 fmt::format("invalid input syntax for type {}: \"{}\"", type, text));
}

/// A number of digits alone, at most `maximum`.
std::optional<int> numberOf(std::string_view text, int maximum) {
  int number = 0;
  if (text.empty() || !std::ranges::all_of(text, isDigit)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > maximum) return std::nullopt;
  return number;
}

/// Up to four numbers with points between them; how many, 0: something else.
size_t readOctets(std::string_view text, NetworkAddress& address) {
  size_t count = 0;
  for (;;) {
    const size_t point = text.find('.');
    const auto octet = numberOf(text.substr(0, point), 255);
    if (!octet || count == 4) return 0;
    address.bytes[count++] = static_cast<uint8_t>(*octet);
    if (point == std::string_view::npos) return count;
    text.remove_prefix(point + 1);
  }
}

/// The bits of a network that says nothing of them, from the class of its address.
int classBits(uint8_t first, size_t octets) {
  int bits = first >= 240 ? 32 : first >= 224 ? 8 : first >= 192 ? 24 : first >= 128 ? 16 : 8;
  bits = std::max(bits, static_cast<int>(octets) * 8);
  return bits == 8 && first == 224 ? 4 : bits;
}

bool readAddress(std::string_view text, bool is_cidr, NetworkAddress& address) {
  const size_t slash = text.find('/');
  const std::string host(text.substr(0, slash));
  address.is_v6 = host.find(':') != std::string::npos;
  std::optional<int> bits;
  if (slash != std::string_view::npos) {
    bits = numberOf(text.substr(slash + 1), address.bitsMax());
    if (!bits) return false;
  }
  if (address.is_v6) {
    if (inet_pton(AF_INET6, host.c_str(), address.bytes.data()) != 1) return false;
    address.bits = bits.value_or(128);
    return true;
  }
  const size_t octets = readOctets(host, address);
  if (octets == 0) return false;
  if (!bits && !is_cidr && octets < 4) return false;
  if (bits && !is_cidr && *bits / 8 > static_cast<int>(octets)) return false;
  address.bits = bits ? *bits : is_cidr ? classBits(address.bytes[0], octets) : 32;
  return true;
}

}  // namespace

NetworkAddress NetworkAddress::decode(std::string_view held) {
  NetworkAddress address;
  address.is_v6 = held[0] == 6;
  const std::string_view bytes = held.substr(held.size() - address.size());
  std::ranges::copy(bytes, address.bytes.begin());
  const auto pairs = static_cast<int>(held.size() - 2 - address.size()) / 2;
  if (pairs > 0) address.bits = (pairs - 1) * 8 + held[held.size() - address.size() - 1];
  return address;
}

std::string NetworkAddress::encoded() const {
  std::string held(1, is_v6 ? 6 : 4);
  held += static_cast<char>(bits > 0 ? 1 : 0);
  const NetworkAddress network = withHostBits(false);
  for (int begin = 0; begin < bits; begin += 8) {
    held += static_cast<char>(network.bytes[static_cast<size_t>(begin / 8)]);
    held += begin + 8 < bits ? kMoreFollow : static_cast<char>(bits - begin);
  }
  held.append(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size()));
  return held;
}

NetworkAddress NetworkAddress::parse(std::string_view text, bool is_cidr) {
  NetworkAddress address;
  if (!readAddress(text, is_cidr, address)) throwInvalid(is_cidr ? "cidr" : "inet", text);
  if (is_cidr && address.hasHostBits())
    throw SqlError(sqlstate::kInvalidTextRepresentation, fmt::format("invalid cidr value: \"{}\"", text))
        .detail("Value has bits set to right of mask.");
  return address;
}

std::string NetworkAddress::hostText() const {
  char text[INET6_ADDRSTRLEN];
  inet_ntop(is_v6 ? AF_INET6 : AF_INET, bytes.data(), text, sizeof(text));
  return text;
}

std::string NetworkAddress::text(bool is_cidr) const {
  return is_cidr || bits != bitsMax() ? fmt::format("{}/{}", hostText(), bits) : hostText();
}

NetworkAddress NetworkAddress::withHostBits(bool value) const {
  NetworkAddress result = *this;
  for (int bit = bits; bit < bitsMax(); ++bit) {
    uint8_t& byte = result.bytes[static_cast<size_t>(bit / 8)];
    const auto mask = static_cast<uint8_t>(0x80 >> (bit % 8));
    byte = static_cast<uint8_t>(value ? byte | mask : byte & ~mask);
  }
  return result;
}

bool NetworkAddress::hasHostBits() const {
  return bytes != withHostBits(false).bytes;
}

bool NetworkAddress::contains(const NetworkAddress& other) const {
  if (is_v6 != other.is_v6 || bits > other.bits) return false;
  NetworkAddress cut = other;
  cut.bits = bits;
  return cut.withHostBits(false).bytes == withHostBits(false).bytes;
}

namespace {

/// The forms that PostgreSQL's macaddr takes, as it writes them: with marks a byte may have any number of digits.
std::string parseShortMacAddress(const std::string& text) {
  static constexpr const char* kForms[] = {
      "%x:%x:%x:%x:%x:%x%1s",    "%x-%x-%x-%x-%x-%x%1s",    "%2x%2x%2x:%2x%2x%2x%1s", "%2x%2x%2x-%2x%2x%2x%1s",
      "%2x%2x.%2x%2x.%2x%2x%1s", "%2x%2x-%2x%2x-%2x%2x%1s", "%2x%2x%2x%2x%2x%2x%1s"};
  std::array<unsigned, 6> bytes{};
  char behind[2];
  int count = 0;
  for (const char* form : kForms) {
    count = std::sscanf(text.c_str(), form, &bytes[0], &bytes[1], &bytes[2], &bytes[3], &bytes[4], &bytes[5], behind);
    if (count == 6) break;
  }
  if (count != 6) throwInvalid("macaddr", text);
  std::string address;
  for (const unsigned byte : bytes) {
    if (byte > 255)
      throw SqlError(sqlstate::kNumericValueOutOfRange,
                     fmt::format("invalid octet value in \"macaddr\" value: \"{}\"", text));
    address += static_cast<char>(byte);
  }
  return address;
}

}  // namespace

std::string parseMacAddress(std::string_view text, size_t bytes) {
  if (bytes == 6) return parseShortMacAddress(std::string(text));
  constexpr std::string_view name = "macaddr8";
  std::string_view rest = text;
  while (!rest.empty() && isSpace(rest.front())) rest.remove_prefix(1);
  while (!rest.empty() && isSpace(rest.back())) rest.remove_suffix(1);
  std::string digits;
  char mark = '\0';
  size_t run = 0;
  std::vector<size_t> runs;
  for (const char c : rest) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) {
      digits += c;
      ++run;
      continue;
    }
    const bool is_mark = c == ':' || c == '-' || c == '.';
    if (!is_mark || (mark != '\0' && mark != c) || run == 0) throwInvalid(name, text);
    mark = c;
    runs.push_back(run);
    run = 0;
  }
  runs.push_back(run);
  // Groups of two, three or four bytes' digits; xx:xx, xxxx.xxxx, xxxxxx:xxxxxx, or all without marks.
  const bool is_long = bytes == 8 && digits.size() == 16;
  const size_t group = runs[0];
  const bool fits = (digits.size() == 12 || is_long) &&
                    std::ranges::all_of(runs, [&](size_t each) { return each == group; }) &&
                    (group == 2   ? mark == ':' || mark == '-'
                     : group == 4 ? mark == '.' || mark == '-'
                     : group == 6 ? (mark == ':' || mark == '-') && !is_long
                                  : mark == '\0');
  if (!fits) throwInvalid(name, text);
  std::string address;
  for (size_t i = 0; i < digits.size(); i += 2) {
    uint8_t byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    address += static_cast<char>(byte);
  }
  // A short one in a long one.
  return bytes == 8 && address.size() == 6 ? longMacAddress(address) : address;
}

std::string macAddressText(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{}{:02x}", text.empty() ? "" : ":", static_cast<uint8_t>(byte));
  return text;
}

std::string longMacAddress(std::string_view bytes) {
  return std::string(bytes.substr(0, 3)).append("\xff\xfe").append(bytes.substr(3));
}

std::string shortMacAddress(std::string_view bytes) {
  if (bytes.substr(3, 2) != "\xff\xfe")
    throw SqlError(sqlstate::kNumericValueOutOfRange, "macaddr8 data out of range to convert to macaddr")
        .hint(
            "Only addresses that have FF and FE as values in the 4th and 5th bytes from the left, for example "
            "xx:xx:xx:ff:fe:xx:xx:xx, are eligible to be converted from macaddr8 to macaddr.");
  return std::string(bytes.substr(0, 3)).append(bytes.substr(5));
}

std::string parseLogPosition(std::string_view text) {
  const size_t slash = text.find('/');
  const auto part = [&](std::string_view digits) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    if (digits.empty() || digits.size() > 8 || error != std::errc() || end != digits.data() + digits.size())
      throwInvalid("pg_lsn", text);
    return number;
  };
  if (slash == std::string_view::npos) throwInvalid("pg_lsn", text);
  const uint64_t position = uint64_t{part(text.substr(0, slash))} << 32 | part(text.substr(slash + 1));
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(position >> shift);
  return bytes;
}

std::string logPositionText(std::string_view bytes) {
  uint64_t position = 0;
  for (const char byte : bytes) position = position << 8 | static_cast<uint8_t>(byte);
  return fmt::format("{:X}/{:X}", position >> 32, position & 0xffffffff);
}

}  // namespace gnomon::sql
