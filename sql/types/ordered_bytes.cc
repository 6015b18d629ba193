#include "sql/types/ordered_bytes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/types/bit_string.h"
#include "sql/types/network_address.h"
#include "sql/types/time.h"
#include "sql/types/time_tz.h"
#include "sql/types/transaction_number.h"
#include "sql/types/tuple_place.h"

namespace gnomon::sql {
namespace {

template <typename Unsigned>
Unsigned loadBigEndian(std::string_view bytes, size_t offset) {
  Unsigned number = 0;
  for (size_t i = 0; i < sizeof(Unsigned); ++i)
    number = static_cast<Unsigned>(uint64_t{number} << 8 | static_cast<uint8_t>(bytes[offset + i]));
  return number;
}
template <typename Unsigned>
void storeBigEndian(Unsigned number, std::string& out) {
  for (size_t shift = sizeof(Unsigned) * 8; shift > 0; shift -= 8)
    out += static_cast<char>(static_cast<uint64_t>(number) >> (shift - 8));
}

[[noreturn]] void throwTooShort() {
  throw SqlError(sqlstate::kProtocolViolation, "insufficient data left in message");
}

std::string readTimeTz(Type type, std::string_view data) {
  TimeTz time{static_cast<int64_t>(loadBigEndian<uint64_t>(data, 0)),
              static_cast<int32_t>(loadBigEndian<uint32_t>(data, 8))};
  if (!isTimeOfDay(time.time)) throw SqlError(sqlstate::kDatetimeFieldOverflow, "time out of range");
  constexpr int32_t kZoneEnd = 16 * 3600;
  if (time.west <= -kZoneEnd || time.west >= kZoneEnd)
    throw SqlError(SqlState("22009"), "time zone displacement out of range");
  time.time = fitTime(time.time, type.typmod);
  return encodeTimeTz(time);
}

/// 4 bytes with the number of bits, then these.
std::string readBits(Type type, std::string_view data) {
  if (data.size() < 4) throwTooShort();
  const auto size = static_cast<int32_t>(loadBigEndian<uint32_t>(data, 0));
  if (size < 0) throw SqlError(sqlstate::kInvalidBinaryRepresentation, "invalid length in external bit string");
  const size_t bytes = (static_cast<size_t>(size) + 7) / 8;
  if (data.size() - 4 < bytes) throwTooShort();
  return BitString::ofBytes(std::string(data.substr(4, bytes)), size).fitted(type, false).encoded();
}

/// Family (2 or 3), bits, whether it is a cidr, number of bytes, bytes.
std::string readAddress(Type type, std::string_view data) {
  const bool is_cidr = type.kind == TypeKind::Cidr;
  const auto fail = [&](const char* what) {
    throw SqlError(sqlstate::kInvalidBinaryRepresentation,
                   fmt::format("invalid {} in external \"{}\" value", what, type.baseName()));
  };
  if (data.size() < 4) throwTooShort();
  NetworkAddress address;
  if (data[0] != 2 && data[0] != 3) fail("address family");
  address.is_v6 = data[0] == 3;
  address.bits = static_cast<uint8_t>(data[1]);
  if (address.bits > address.bitsMax()) fail("bits");
  if (static_cast<size_t>(data[3]) != address.size()) fail("length");
  if (data.size() - 4 < address.size()) throwTooShort();
  std::copy_n(data.begin() + 4, address.size(), address.bytes.begin());
  if (is_cidr && address.hasHostBits())
    throw SqlError(sqlstate::kInvalidBinaryRepresentation, "invalid external \"cidr\" value")
        .detail("Value has bits set to right of mask.");
  return address.encoded();
}

}  // namespace

std::string parseOrderedBytes(Type type, std::string_view text) {
  switch (type.kind) {
    case TypeKind::TimeTz:
      return encodeTimeTz(parseTimeTz(text, type.typmod));
    case TypeKind::Bit:
    case TypeKind::VarBit:
      return BitString::parse(text).fitted(type, false).encoded();
    case TypeKind::Inet:
    case TypeKind::Cidr:
      return NetworkAddress::parse(text, type.kind == TypeKind::Cidr).encoded();
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
      return parseMacAddress(text, type.kind == TypeKind::MacAddr ? 6 : 8);
    case TypeKind::Xid8:
      return encodeTransactionNumber(parseTransactionNumber(text));
    case TypeKind::Tid:
      return TuplePlace::parse(text).encoded();
    default:
      return parseLogPosition(text);
  }
}

void appendOrderedBytesText(Type type, std::string_view bytes, std::string& out) {
  switch (type.kind) {
    case TypeKind::TimeTz: {
      char text[kTimeTzTextBytesMax];
      out.append(text, printTimeTz(decodeTimeTz(bytes), text));
      return;
    }
    case TypeKind::Bit:
    case TypeKind::VarBit:
      return BitString::decode(bytes).appendText(out);
    case TypeKind::Inet:
    case TypeKind::Cidr:
      out += NetworkAddress::decode(bytes).text(type.kind == TypeKind::Cidr);
      return;
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
      out += macAddressText(bytes);
      return;
    case TypeKind::Xid8:
      out += std::to_string(decodeTransactionNumber(bytes));
      return;
    case TypeKind::Tid:
      out += TuplePlace::decode(bytes).text();
      return;
    default:
      out += logPositionText(bytes);
  }
}

std::string parseOrderedBytesBinary(Type type, std::string_view data, unsigned) {
  switch (type.kind) {
    case TypeKind::TimeTz:
      return readTimeTz(type, data);
    case TypeKind::Bit:
    case TypeKind::VarBit:
      return readBits(type, data);
    case TypeKind::Inet:
    case TypeKind::Cidr:
      return readAddress(type, data);
    default:
      return std::string(data);
  }
}

void appendOrderedBytesBinary(Type type, std::string_view bytes, std::string& out) {
  switch (type.kind) {
    case TypeKind::TimeTz: {
      const TimeTz time = decodeTimeTz(bytes);
      storeBigEndian(static_cast<uint64_t>(time.time), out);
      storeBigEndian(static_cast<uint32_t>(time.west), out);
      return;
    }
    case TypeKind::Bit:
    case TypeKind::VarBit: {
      const BitString bits = BitString::decode(bytes);
      storeBigEndian(static_cast<uint32_t>(bits.size()), out);
      out += bits.bytes();
      return;
    }
    case TypeKind::Inet:
    case TypeKind::Cidr: {
      const NetworkAddress address = NetworkAddress::decode(bytes);
      out += static_cast<char>(address.is_v6 ? 3 : 2);
      out += static_cast<char>(address.bits);
      out += static_cast<char>(type.kind == TypeKind::Cidr ? 1 : 0);
      out += static_cast<char>(address.size());
      out.append(address.bytes.begin(), address.bytes.begin() + static_cast<ptrdiff_t>(address.size()));
      return;
    }
    default:
      out += bytes;
  }
}

}  // namespace gnomon::sql
