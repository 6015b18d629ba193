#include "sql/types/uuid.h"

#include <fmt/format.h>

#include "base/random_bytes.h"
#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

constexpr uint128 kTopBit = uint128{1} << 127;

[[noreturn]] void throwInvalid(std::string_view text) {
  throw SqlError(sqlstate::kInvalidTextRepresentation, fmt::format("invalid input syntax for type uuid: \"{}\"", text));
}

int digitOf(char byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  const char lower = static_cast<char>(byte | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

int128 parseUuid(std::string_view text) {
  std::string_view rest = text;
  const bool has_brace = rest.starts_with('{');
  if (has_brace) rest.remove_prefix(1);
  uint128 number = 0;
  for (size_t byte = 0; byte < kUuidBytes; ++byte) {
    for (int digit = 0; digit < 2; ++digit) {
      const int value = rest.empty() ? -1 : digitOf(rest[0]);
      if (value < 0) throwInvalid(text);
      number = number << 4 | static_cast<unsigned>(value);
      rest.remove_prefix(1);
    }
    if (rest.starts_with('-') && byte % 2 == 1 && byte + 1 < kUuidBytes) rest.remove_prefix(1);
  }
  if (has_brace) {
    if (!rest.starts_with('}')) throwInvalid(text);
    rest.remove_prefix(1);
  }
  if (!rest.empty()) throwInvalid(text);
  return static_cast<int128>(number ^ kTopBit);
}

char* printUuid(int128 uuid, char* out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const uint128 number = static_cast<uint128>(uuid) ^ kTopBit;
  for (size_t digit = 0; digit < 2 * kUuidBytes; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) *out++ = '-';
    *out++ = kDigits[static_cast<size_t>(number >> (4 * (2 * kUuidBytes - 1 - digit))) & 15];
  }
  return out;
}

int128 uuidFromBytes(const char* bytes) {
  uint128 number = 0;
  for (size_t i = 0; i < kUuidBytes; ++i) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return static_cast<int128>(number ^ kTopBit);
}

void uuidToBytes(int128 uuid, char* out) {
  const uint128 number = static_cast<uint128>(uuid) ^ kTopBit;
  for (size_t i = 0; i < kUuidBytes; ++i) out[i] = static_cast<char>(number >> (8 * (kUuidBytes - 1 - i)));
}

int128 randomUuid() {
  char bytes[kUuidBytes];
  fillRandom(bytes, sizeof(bytes));
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
  return uuidFromBytes(bytes);
}

}  // namespace gnomon::sql
