#include "sql/types/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "base/sql_error.h"
#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

constexpr int32_t kSqlAscii = 0;
constexpr int32_t kUtf8 = 6;
constexpr std::string_view kNothing = "\ufffd";

/// One character each, of 0x80 to 0xff, and back.
struct ByteTable {
  std::array<std::string_view, 128> characters;
  std::unordered_map<std::string_view, char> bytes;
};

const ByteTable& tableOf(const Encoding& encoding) {
  static const std::vector<ByteTable> tables = [] {
    std::vector<ByteTable> made;
    for (const Encoding& each : encodings()) {
      ByteTable& table = made.emplace_back();
      std::string_view rest = each.upper;
      for (size_t i = 0; i < table.characters.size() && !rest.empty(); ++i) {
        table.characters[i] = rest.substr(0, characterBytes(static_cast<unsigned char>(rest[0])));
        rest.remove_prefix(table.characters[i].size());
        table.bytes.emplace(table.characters[i], static_cast<char>(0x80 + i));
      }
    }
    return made;
  }();
  return tables[static_cast<size_t>(encoding.number)];
}

std::string bytesText(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format(" 0x{:02x}", static_cast<unsigned char>(byte));
  return text;
}

[[noreturn]] void throwUntranslatable(std::string_view bytes, std::string_view from, std::string_view to) {
  throw SqlError(sqlstate::kUntranslatableCharacter,
                 fmt::format("character with byte sequence{} in encoding \"{}\" has no equivalent in encoding \"{}\"",
                             bytesText(bytes), from, to));
}

bool isSingleByte(const Encoding& encoding) {
  return !encoding.upper.empty() || encoding.number == kSqlAscii;
}

const Encoding& required(std::string_view name, std::string_view what) {
  const Encoding* const found = findEncoding(name);
  if (found == nullptr)
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid {}encoding name \"{}\"", what, name));
  if (found->number != kUtf8 && !isSingleByte(*found)) throwNotSupported(fmt::format("encoding \"{}\"", found->name));
  return *found;
}

void verify(std::string_view bytes, const Encoding& encoding) {
  if (encoding.number == kUtf8) return checkUtf8(bytes);
  if (bytes.contains('\0'))
    throw SqlError(sqlstate::kCharacterNotInRepertoire,
                   fmt::format("invalid byte sequence for encoding \"{}\": 0x00", encoding.name));
}

std::string toUtf8(std::string_view bytes, const Encoding& from) {
  const ByteTable& table = tableOf(from);
  std::string text;
  for (const char& byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < 0x80) {
      text += byte;
      continue;
    }
    const std::string_view character = table.characters[code - 0x80];
    if (character == kNothing) throwUntranslatable({&byte, 1}, from.name, "UTF8");
    text += character;
  }
  return text;
}

std::string fromUtf8(std::string_view text, const Encoding& to) {
  const ByteTable& table = tableOf(to);
  std::string bytes;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, characterBytes(static_cast<unsigned char>(text[0])));
    text.remove_prefix(character.size());
    if (character.size() == 1) {
      bytes += character;
      continue;
    }
    const auto found = table.bytes.find(character);
    if (found == table.bytes.end() || character == kNothing) throwUntranslatable(character, "UTF8", to.name);
    bytes += found->second;
  }
  return bytes;
}

/// Whether PostgreSQL converts from one to the other without UTF8 between them; its tables for that say other things.
bool isDirectPair(const Encoding& from, const Encoding& to) {
  const auto areOf = [&](std::initializer_list<std::string_view> group) {
    return std::ranges::find(group, from.name) != group.end() && std::ranges::find(group, to.name) != group.end();
  };
  return areOf({"KOI8R", "WIN1251", "WIN866", "ISO_8859_5"}) || areOf({"LATIN2", "WIN1250"});
}

}  // namespace

std::string convertEncoding(std::string_view bytes, std::string_view from_name, std::string_view to_name) {
  const Encoding& from = required(from_name, "source ");
  const Encoding& to = required(to_name, "destination ");
  verify(bytes, from);
  if (from.number == to.number || to.number == kSqlAscii) return std::string(bytes);
  if (from.number == kSqlAscii) {
    verify(bytes, to);
    return std::string(bytes);
  }
  if (to.number == kUtf8) return toUtf8(bytes, from);
  if (from.number == kUtf8) return fromUtf8(bytes, to);
  if (isDirectPair(from, to)) throwNotSupported(fmt::format("conversion of {} to {}", from.name, to.name));
  throw SqlError(
      sqlstate::kUndefinedFunction,
      fmt::format("default conversion function for encoding \"{}\" to \"{}\" does not exist", from.name, to.name));
}

int32_t encodedCharacters(std::string_view bytes, std::string_view name) {
  const Encoding& encoding = required(name, "");
  verify(bytes, encoding);
  return static_cast<int32_t>(encoding.number == kUtf8 ? countCharacters(bytes) : bytes.size());
}

}  // namespace gnomon::sql
