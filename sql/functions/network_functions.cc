#include "sql/functions/network_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/int128.h"
#include "base/sql_error.h"
#include "sql/types/big_numeric.h"
#include "sql/types/network_address.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

NetworkAddress addressAt(Arguments arguments, size_t index) {
  return NetworkAddress::decode(arguments[index].bytes);
}
Value held(const NetworkAddress& address, Type result) {
  return Value::fromString(result, address.encoded());
}
Value truth(bool value, Type result) {
  return Value::fromInt(result, value ? 1 : 0);
}

Value host(Arguments arguments, Type result) {
  return Value::fromString(result, addressAt(arguments, 0).hostText());
}
Value wholeText(Arguments arguments, Type result) {
  return Value::fromString(result, addressAt(arguments, 0).text(true));
}
Value abbreviated(Arguments arguments, Type result) {
  return Value::fromString(result, addressAt(arguments, 0).text(false));
}

/// Words of an address that are zero and shown as "::".
struct ZeroWords {
  size_t first = 0, count = 0;
  [[nodiscard]] bool contain(size_t word) const { return word >= first && word < first + count; }
};

/// Source: PostgreSQL's inet_cidr_ntop, which chooses among several of them in its own way: a run that is not longer
/// than one before is counted on by the next.
ZeroWords skippedWords(const uint16_t* words, size_t shown) {
  ZeroWords longest, run;
  for (size_t i = 0; i < shown; ++i) {
    if (words[i] == 0) {
      if (run.count++ == 0) run.first = i;
    } else if (run.count > longest.count) {
      longest = run;
      run.count = 0;
    }
  }
  return run.count > longest.count ? run : longest;
}

/// Only the words that have bits of the network.
std::string abbreviatedLongNetwork(const NetworkAddress& address) {
  if (address.bits == 0) return "::/0";
  std::array<uint16_t, 8> words{};
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<uint16_t>(address.bytes[2 * i] << 8 | address.bytes[2 * i + 1]);
  const auto bits = static_cast<size_t>(address.bits);
  const size_t shown = std::max<size_t>((bits + 15) / 16, 2);
  const ZeroWords zeros = skippedWords(words.data(), shown);
  const bool ends_in_octets = zeros.count != shown && zeros.first == 0 &&
                              (zeros.count == 6 || (zeros.count == 5 && words[5] == 0xffff) ||
                               (zeros.count == 7 && address.bytes[14] != 0 && address.bytes[15] != 1));
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    if (zeros.contain(i)) {
      if (i == zeros.first) text += ':';
      if (i == shown - 1) text += ':';
    } else if (ends_in_octets && i > 5) {
      text += fmt::format("{}{}", i == 6 ? ':' : '.', words[i] >> 8);
      if (i != 7 || bits > 120) text += fmt::format(".{}", words[i] & 0xff);
    } else {
      text += fmt::format("{}{:x}", text.empty() ? "" : ":", words[i]);
    }
  }
  return fmt::format("{}/{}", text, bits);
}

Value abbreviatedNetwork(Arguments arguments, Type result) {
  const NetworkAddress address = addressAt(arguments, 0);
  if (address.is_v6) return Value::fromString(result, abbreviatedLongNetwork(address));
  // The octets that have bits of the network.
  const int octets = std::max((address.bits + 7) / 8, 1);
  std::string text;
  for (int i = 0; i < octets; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ".", address.bytes[static_cast<size_t>(i)]);
  return Value::fromString(result, fmt::format("{}/{}", text, address.bits));
}
Value broadcast(Arguments arguments, Type result) {
  return held(addressAt(arguments, 0).withHostBits(true), result);
}
Value family(Arguments arguments, Type result) {
  return Value::fromInt(result, addressAt(arguments, 0).is_v6 ? 6 : 4);
}
Value hostMask(Arguments arguments, Type result) {
  NetworkAddress address = addressAt(arguments, 0);
  address.bytes = {};
  address = address.withHostBits(true);
  address.bits = address.bitsMax();
  return held(address, result);
}
Value netMask(Arguments arguments, Type result) {
  NetworkAddress address = addressAt(arguments, 0);
  address.bytes.fill(0xff);
  address = address.withHostBits(false);
  address.bits = address.bitsMax();
  return held(address, result);
}
Value maskLength(Arguments arguments, Type result) {
  return Value::fromInt(result, addressAt(arguments, 0).bits);
}
Value network(Arguments arguments, Type result) {
  return held(addressAt(arguments, 0).withHostBits(false), result);
}
Value setMaskLength(Arguments arguments, Type result) {
  NetworkAddress address = addressAt(arguments, 0);
  const int64_t bits = arguments[1].asInt() == -1 ? address.bitsMax() : arguments[1].asInt();
  if (bits < 0 || bits > address.bitsMax())
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid mask length: {}", bits));
  address.bits = static_cast<int>(bits);
  return held(result.kind == Cidr ? address.withHostBits(false) : address, result);
}
Value isSameFamily(Arguments arguments, Type result) {
  return truth(addressAt(arguments, 0).is_v6 == addressAt(arguments, 1).is_v6, result);
}
Value merged(Arguments arguments, Type result) {
  NetworkAddress left = addressAt(arguments, 0);
  const NetworkAddress right = addressAt(arguments, 1);
  if (left.is_v6 != right.is_v6)
    throw SqlError(sqlstate::kInvalidParameterValue, "cannot merge addresses from different families");
  left.bits = std::min(left.bits, right.bits);
  while (left.bits > 0 && !left.contains(right)) --left.bits;
  return held(left.withHostBits(false), result);
}

// Operators.

Value liesWithin(Arguments arguments, Type result) {
  const NetworkAddress left = addressAt(arguments, 0), right = addressAt(arguments, 1);
  return truth(right.contains(left) && right.bits < left.bits, result);
}
Value liesWithinOrIs(Arguments arguments, Type result) {
  return truth(addressAt(arguments, 1).contains(addressAt(arguments, 0)), result);
}
Value contains(Arguments arguments, Type result) {
  const NetworkAddress left = addressAt(arguments, 0), right = addressAt(arguments, 1);
  return truth(left.contains(right) && left.bits < right.bits, result);
}
Value containsOrIs(Arguments arguments, Type result) {
  return truth(addressAt(arguments, 0).contains(addressAt(arguments, 1)), result);
}
Value overlaps(Arguments arguments, Type result) {
  const NetworkAddress left = addressAt(arguments, 0), right = addressAt(arguments, 1);
  return truth(left.contains(right) || right.contains(left), result);
}

template <typename Combine>
Value combined(Arguments arguments, Type result, const char* name, Combine combine) {
  NetworkAddress left = addressAt(arguments, 0);
  const NetworkAddress right = addressAt(arguments, 1);
  if (left.is_v6 != right.is_v6)
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("cannot {} inet values of different sizes", name));
  for (size_t i = 0; i < left.size(); ++i) left.bytes[i] = static_cast<uint8_t>(combine(left.bytes[i], right.bytes[i]));
  left.bits = std::max(left.bits, right.bits);
  return held(left, result);
}
Value conjunction(Arguments arguments, Type result) {
  return combined(arguments, result, "AND", [](int a, int b) { return a & b; });
}
Value disjunction(Arguments arguments, Type result) {
  return combined(arguments, result, "OR", [](int a, int b) { return a | b; });
}
Value inversion(Arguments arguments, Type result) {
  NetworkAddress address = addressAt(arguments, 0);
  for (size_t i = 0; i < address.size(); ++i) address.bytes[i] = static_cast<uint8_t>(~address.bytes[i]);
  return held(address, result);
}

uint128 numberOf(const NetworkAddress& address) {
  uint128 number = 0;
  for (size_t i = 0; i < address.size(); ++i) number = number << 8 | address.bytes[i];
  return number;
}
Value moved(NetworkAddress address, int64_t distance, Type result) {
  const uint128 number = numberOf(address);
  const uint128 magnitude = distance < 0 ? -static_cast<uint128>(distance) : static_cast<uint128>(distance);
  const uint128 end = address.is_v6 ? ~uint128{0} : uint128{0xffffffff};
  if (distance < 0 ? magnitude > number : magnitude > end - number)
    throw SqlError(sqlstate::kNumericValueOutOfRange, "result is out of range");
  uint128 sum = distance < 0 ? number - magnitude : number + magnitude;
  for (size_t i = address.size(); i > 0; --i, sum >>= 8) address.bytes[i - 1] = static_cast<uint8_t>(sum);
  return held(address, result);
}
Value addNumber(Arguments arguments, Type result) {
  const size_t address = arguments[0].type.kind == Inet ? 0 : 1;
  return moved(addressAt(arguments, address), arguments[1 - address].asInt(), result);
}
Value subtractNumber(Arguments arguments, Type result) {
  const int64_t distance = arguments[1].asInt();
  if (distance == INT64_MIN) throw SqlError(sqlstate::kNumericValueOutOfRange, "result is out of range");
  return moved(addressAt(arguments, 0), -distance, result);
}
Value distance(Arguments arguments, Type result) {
  const NetworkAddress left = addressAt(arguments, 0), right = addressAt(arguments, 1);
  if (left.is_v6 != right.is_v6)
    throw SqlError(sqlstate::kInvalidParameterValue, "cannot subtract inet values of different sizes");
  const uint128 a = numberOf(left), b = numberOf(right);
  const uint128 magnitude = a < b ? b - a : a - b;
  constexpr uint128 kMax = uint128{1} << 63;
  if (magnitude > kMax || (magnitude == kMax && a > b))
    throw SqlError(sqlstate::kNumericValueOutOfRange, "result is out of range");
  return Value::fromInt(result, static_cast<int64_t>(a < b ? -magnitude : magnitude));
}

// MAC addresses: of each byte.

template <typename Combine>
Value ofBytes(Arguments arguments, Type result, Combine combine) {
  std::string bytes = arguments[0].bytes;
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(combine(bytes[i], arguments.size() > 1 ? arguments[1].bytes[i] : '\0'));
  return Value::fromString(result, bytes);
}
Value macAnd(Arguments arguments, Type result) {
  return ofBytes(arguments, result, [](char a, char b) { return a & b; });
}
Value macOr(Arguments arguments, Type result) {
  return ofBytes(arguments, result, [](char a, char b) { return a | b; });
}
Value macNot(Arguments arguments, Type result) {
  return ofBytes(arguments, result, [](char a, char) { return ~a; });
}
/// The manufacturer's part.
Value macTruncated(Arguments arguments, Type result) {
  std::string bytes = arguments[0].bytes;
  for (size_t i = 3; i < bytes.size(); ++i) bytes[i] = '\0';
  return Value::fromString(result, bytes);
}
Value withSeventhBit(Arguments arguments, Type result) {
  std::string bytes = arguments[0].bytes;
  bytes[0] = static_cast<char>(bytes[0] | 0x02);
  return Value::fromString(result, bytes);
}

// Places in the log.

int128 logPlace(const Value& value) {
  uint64_t place = 0;
  for (const char byte : value.bytes) place = place << 8 | static_cast<uint8_t>(byte);
  return static_cast<int128>(place);
}

Value logDistance(Arguments arguments, Type result) {
  return Value::fromString(result, BigNumeric(logPlace(arguments[0]) - logPlace(arguments[1])).encoded());
}

/// The nearest place.
Value logPlaceOf(const BigNumeric& number, Type result) {
  if (!number.isFinite()) throw SqlError(sqlstate::kFeatureNotSupported, "cannot convert infinity to pg_lsn");
  int128 place = 0;
  if (!number.toScaled(0, place) || place < 0 || place > int128{UINT64_MAX})
    throw SqlError(sqlstate::kInvalidParameterValue, "pg_lsn out of range");
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(static_cast<uint64_t>(place) >> shift);
  return Value::fromString(result, bytes);
}

Value moveLog(const Value& place, const Value& distance, Type result) {
  const BigNumeric bytes = BigNumeric::decode(distance.bytes);
  if (bytes.isNaN()) throw SqlError(sqlstate::kFeatureNotSupported, "cannot add NaN to pg_lsn");
  return logPlaceOf(BigNumeric(logPlace(place)) + bytes, result);
}
Value logAfter(Arguments arguments, Type result) {
  return moveLog(arguments[0], arguments[1], result);
}
Value logAfterNumber(Arguments arguments, Type result) {
  return moveLog(arguments[1], arguments[0], result);
}
Value logBefore(Arguments arguments, Type result) {
  const BigNumeric bytes = BigNumeric::decode(arguments[1].bytes);
  if (bytes.isNaN()) throw SqlError(sqlstate::kFeatureNotSupported, "cannot subtract NaN from pg_lsn");
  return logPlaceOf(BigNumeric(logPlace(arguments[0])) - bytes, result);
}

void addOperators(std::vector<ValueFunction>& functions) {
  const auto add = [&](std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
                       Value (*answer)(Arguments, Type)) {
    functions.push_back({name, std::move(arguments), result, answer, Volatility::Immutable, true, true});
  };
  add("<<", {Inet, Inet}, Boolean, liesWithin);
  add("<<=", {Inet, Inet}, Boolean, liesWithinOrIs);
  add(">>", {Inet, Inet}, Boolean, contains);
  add(">>=", {Inet, Inet}, Boolean, containsOrIs);
  add("&&", {Inet, Inet}, Boolean, overlaps);
  add("&", {Inet, Inet}, Inet, conjunction);
  add("|", {Inet, Inet}, Inet, disjunction);
  add("~", {Inet}, Inet, inversion);
  add("+", {Inet, Bigint}, Inet, addNumber);
  add("+", {Bigint, Inet}, Inet, addNumber);
  add("-", {Inet, Bigint}, Inet, subtractNumber);
  add("-", {Inet, Inet}, Bigint, distance);
  for (const TypeKind kind : {MacAddr, MacAddr8}) {
    add("&", {kind, kind}, kind, macAnd);
    add("|", {kind, kind}, kind, macOr);
    add("~", {kind}, kind, macNot);
  }
  add("-", {PgLsn, PgLsn}, Numeric, logDistance);
  add("+", {PgLsn, Numeric}, PgLsn, logAfter);
  add("+", {Numeric, PgLsn}, PgLsn, logAfterNumber);
  add("-", {PgLsn, Numeric}, PgLsn, logBefore);
}

}  // namespace

void addNetworkFunctions(std::vector<ValueFunction>& functions) {
  addOperators(functions);
  const auto add = [&](std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
                       Value (*answer)(Arguments, Type)) {
    functions.push_back({name, std::move(arguments), result, answer});
  };
  add("pg_wal_lsn_diff", {PgLsn, PgLsn}, Numeric, logDistance);
  add("host", {Inet}, Text, host);
  add("text", {Inet}, Text, wholeText);
  add("abbrev", {Inet}, Text, abbreviated);
  add("abbrev", {Cidr}, Text, abbreviatedNetwork);
  add("broadcast", {Inet}, Inet, broadcast);
  add("family", {Inet}, Integer, family);
  add("hostmask", {Inet}, Inet, hostMask);
  add("netmask", {Inet}, Inet, netMask);
  add("masklen", {Inet}, Integer, maskLength);
  add("network", {Inet}, Cidr, network);
  add("set_masklen", {Inet, Integer}, Inet, setMaskLength);
  add("set_masklen", {Cidr, Integer}, Cidr, setMaskLength);
  add("inet_same_family", {Inet, Inet}, Boolean, isSameFamily);
  add("inet_merge", {Inet, Inet}, Cidr, merged);
  add("trunc", {MacAddr}, MacAddr, macTruncated);
  add("trunc", {MacAddr8}, MacAddr8, macTruncated);
  add("macaddr8_set7bit", {MacAddr8}, MacAddr8, withSeventhBit);
}

}  // namespace gnomon::sql
