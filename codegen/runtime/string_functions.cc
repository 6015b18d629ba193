#include "codegen/runtime/string_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/sql_error.h"
#include "sql/types/bytea.h"
#include "sql/types/object_id.h"
#include "sql/types/text.h"

namespace gnomon::codegen::rt {
namespace {

using sql::kStringBytesMax;

[[noreturn]] void throwTooLarge() {
  throw SqlError(sqlstate::kProgramLimitExceeded, "requested length too large");
}

constexpr bool isLower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool isUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr char toUpper(char c) {
  return isLower(c) ? static_cast<char>(c - ('a' - 'A')) : c;
}
constexpr char toLower(char c) {
  return isUpper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
}
constexpr bool isAlphanumeric(char c) {
  return isLower(c) || isUpper(c) || (c >= '0' && c <= '9');
}

template <typename Change>
StringValue mapBytes(uint64_t lo, uint64_t hi, Arena* arena, Change change) {
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  char* const bytes = static_cast<char*>(arena->allocate(text.size()));
  std::transform(text.begin(), text.end(), bytes, change);
  return transient({bytes, text.size()});
}

size_t countPositive(int32_t count) {
  return count > 0 ? static_cast<size_t>(count) : 0;
}

bool isInSet(std::string_view character, std::string_view set) {
  for (size_t offset = 0; offset < set.size();) {
    const size_t bytes =
        std::min<size_t>(sql::characterBytes(static_cast<unsigned char>(set[offset])), set.size() - offset);
    if (set.substr(offset, bytes) == character) return true;
    offset += bytes;
  }
  return false;
}

std::string_view trimFront(std::string_view text, std::string_view set) {
  while (!text.empty()) {
    const size_t bytes = std::min<size_t>(sql::characterBytes(static_cast<unsigned char>(text.front())), text.size());
    if (!isInSet(text.substr(0, bytes), set)) break;
    text.remove_prefix(bytes);
  }
  return text;
}

std::string_view trimBack(std::string_view text, std::string_view set) {
  while (!text.empty()) {
    size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xc0) == 0x80) --start;
    if (!isInSet(text.substr(start), set)) break;
    text.remove_suffix(text.size() - start);
  }
  return text;
}

std::string_view trimFrontBlanks(std::string_view text) {
  const size_t start = text.find_first_not_of(' ');
  return text.substr(std::min(start, text.size()));
}

/// `count` characters of `fill`, repeated, at `out`; returns the end.
char* writeFill(std::string_view fill, size_t count, char* out) {
  size_t offset = 0;
  for (; count > 0; --count) {
    const size_t bytes =
        std::min<size_t>(sql::characterBytes(static_cast<unsigned char>(fill[offset])), fill.size() - offset);
    std::memcpy(out, fill.data() + offset, bytes);
    out += bytes;
    offset += bytes;
    if (offset >= fill.size()) offset = 0;
  }
  return out;
}

StringValue pad(uint64_t lo, uint64_t hi, int32_t length, uint64_t fill_lo, uint64_t fill_hi, Arena* arena,
                bool is_left) {
  const StringValue value(lo, hi);
  const StringValue fill_value(fill_lo, fill_hi);
  const std::string_view text = value.view();
  const std::string_view fill = fill_value.view();
  const size_t wanted = countPositive(length);
  const size_t characters = sql::countCharacters(text);
  if (characters >= wanted) return part(value, text.substr(0, sql::characterOffset(text, wanted)));
  if (fill.empty()) return value;
  const size_t missing = wanted - characters;
  constexpr size_t kCharacterBytesMax = 4;
  if (wanted * kCharacterBytesMax > kStringBytesMax) throwTooLarge();
  const size_t bytes_max =
      text.size() + std::min(missing * kCharacterBytesMax, (missing / sql::countCharacters(fill) + 1) * fill.size());
  char* const bytes = static_cast<char*>(arena->allocate(bytes_max));
  char* next = bytes;
  if (is_left) next = writeFill(fill, missing, next);
  if (!text.empty()) std::memcpy(next, text.data(), text.size());
  next += text.size();
  if (!is_left) next = writeFill(fill, missing, next);
  return transient({bytes, static_cast<size_t>(next - bytes)});
}

size_t countParts(std::string_view text, std::string_view delimiter) {
  size_t parts = 1;
  for (size_t at = text.find(delimiter); at != std::string_view::npos; at = text.find(delimiter, at + delimiter.size()))
    ++parts;
  return parts;
}

}  // namespace

StringValue concatStrings(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena) {
  const StringValue left_value(left_lo, left_hi);
  const StringValue right_value(right_lo, right_hi);
  const std::string_view left = left_value.view();
  const std::string_view right = right_value.view();
  const size_t size = left.size() + right.size();
  if (size <= StringValue::kInlineBytesMax) {
    char bytes[StringValue::kInlineBytesMax];
    if (!left.empty()) std::memcpy(bytes, left.data(), left.size());
    if (!right.empty()) std::memcpy(bytes + left.size(), right.data(), right.size());
    return transient({bytes, size});
  }
  if (size > kStringBytesMax) throwTooLarge();
  char* const bytes = static_cast<char*>(arena->allocate(size));
  if (!left.empty()) std::memcpy(bytes, left.data(), left.size());
  if (!right.empty()) std::memcpy(bytes + left.size(), right.data(), right.size());
  return transient({bytes, size});
}

StringValue substringFrom(uint64_t lo, uint64_t hi, int32_t start) {
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  if (start <= 1) return value;
  return part(value, text.substr(sql::characterOffset(text, static_cast<size_t>(start) - 1)));
}

StringValue substringFor(uint64_t lo, uint64_t hi, int32_t start, int32_t count) {
  if (count < 0) throw SqlError(sqlstate::kSubstringError, "negative substring length not allowed");
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  const int64_t end = int64_t{start} + count;  // the position behind the last character
  const int64_t first = std::max<int64_t>(start, 1);
  if (end <= first) return transient("");
  const std::string_view rest = text.substr(sql::characterOffset(text, static_cast<size_t>(first - 1)));
  return part(value, rest.substr(0, sql::characterOffset(rest, static_cast<size_t>(end - first))));
}

StringValue leftString(uint64_t lo, uint64_t hi, int32_t count) {
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  int64_t kept = count;
  if (count < 0) kept = std::max<int64_t>(static_cast<int64_t>(sql::countCharacters(text)) + count, 0);
  return part(value, text.substr(0, sql::characterOffset(text, static_cast<size_t>(kept))));
}

StringValue rightString(uint64_t lo, uint64_t hi, int32_t count) {
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  // In PostgreSQL the least number is its own negation: nothing is dropped.
  int64_t dropped = count == INT32_MIN ? 0 : -int64_t{count};
  if (count >= 0) dropped = std::max<int64_t>(static_cast<int64_t>(sql::countCharacters(text)) - count, 0);
  return part(value, text.substr(sql::characterOffset(text, static_cast<size_t>(dropped))));
}

StringValue upperString(uint64_t lo, uint64_t hi, Arena* arena) {
  return mapBytes(lo, hi, arena, toUpper);
}

StringValue lowerString(uint64_t lo, uint64_t hi, Arena* arena) {
  return mapBytes(lo, hi, arena, toLower);
}

StringValue initcapString(uint64_t lo, uint64_t hi, Arena* arena) {
  bool was_alphanumeric = false;
  return mapBytes(lo, hi, arena, [&was_alphanumeric](char c) {
    const char changed = was_alphanumeric ? toLower(c) : toUpper(c);
    was_alphanumeric = isAlphanumeric(c);
    return changed;
  });
}

int32_t lengthString(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return static_cast<int32_t>(sql::countCharacters(text.view()));
}

int32_t lengthChar(uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return static_cast<int32_t>(sql::countCharacters(sql::trimBlanks(text.view())));
}

int32_t octetLengthString(uint64_t lo, uint64_t /*hi*/) {
  return static_cast<int32_t>(static_cast<uint32_t>(lo));
}

int32_t positionString(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi) {
  const StringValue text_value(lo, hi);
  const StringValue part_value(part_lo, part_hi);
  const std::string_view text = text_value.view();
  const std::string_view wanted = part_value.view();
  if (wanted.empty()) return 1;
  if (wanted.size() > text.size()) return 0;
  const void* found = memmem(text.data(), text.size(), wanted.data(), wanted.size());
  if (!found) return 0;
  const auto offset = static_cast<size_t>(static_cast<const char*>(found) - text.data());
  return static_cast<int32_t>(sql::countCharacters(text.substr(0, offset))) + 1;
}

StringValue trimBothSet(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi) {
  const StringValue value(lo, hi);
  const StringValue set(set_lo, set_hi);
  return part(value, trimBack(trimFront(value.view(), set.view()), set.view()));
}

StringValue trimLeftSet(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi) {
  const StringValue value(lo, hi);
  const StringValue set(set_lo, set_hi);
  return part(value, trimFront(value.view(), set.view()));
}

StringValue trimRightSet(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi) {
  const StringValue value(lo, hi);
  const StringValue set(set_lo, set_hi);
  return part(value, trimBack(value.view(), set.view()));
}

StringValue trimBoth(uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  return part(value, sql::trimBlanks(trimFrontBlanks(value.view())));
}

StringValue trimLeft(uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  return part(value, trimFrontBlanks(value.view()));
}

StringValue trimRight(uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  return part(value, sql::trimBlanks(value.view()));
}

StringValue replaceString(uint64_t lo, uint64_t hi, uint64_t from_lo, uint64_t from_hi, uint64_t to_lo, uint64_t to_hi,
                          Arena* arena) {
  const StringValue value(lo, hi);
  const StringValue from_value(from_lo, from_hi);
  const StringValue to_value(to_lo, to_hi);
  const std::string_view text = value.view();
  const std::string_view from = from_value.view();
  const std::string_view to = to_value.view();
  if (from.empty() || text.empty()) return value;
  const size_t found = countParts(text, from) - 1;
  if (found == 0) return value;
  const size_t size = text.size() - found * from.size() + found * to.size();
  if (size > kStringBytesMax) throwTooLarge();
  char* const bytes = static_cast<char*>(arena->allocate(size));
  char* next = bytes;
  size_t offset = 0;
  for (size_t at = text.find(from); at != std::string_view::npos; at = text.find(from, offset)) {
    next = std::copy_n(text.data() + offset, at - offset, next);
    next = std::copy_n(to.data(), to.size(), next);
    offset = at + from.size();
  }
  std::copy_n(text.data() + offset, text.size() - offset, next);
  return transient({bytes, size});
}

StringValue overlayString(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi, int32_t start, Arena* arena) {
  return overlayStringFor(lo, hi, part_lo, part_hi, start, lengthString(part_lo, part_hi), arena);
}

StringValue overlayStringFor(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi, int32_t start, int32_t count,
                             Arena* arena) {
  if (start <= 0) throw SqlError(sqlstate::kSubstringError, "negative substring length not allowed");
  int32_t behind;
  if (__builtin_add_overflow(start, count, &behind))
    throw SqlError(sqlstate::kNumericValueOutOfRange, "integer out of range");
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  const StringValue front = part(value, text.substr(0, sql::characterOffset(text, static_cast<size_t>(start) - 1)));
  const StringValue begun = concatStrings(front.lo(), front.hi(), part_lo, part_hi, arena);
  const StringValue back = substringFrom(lo, hi, behind);
  return concatStrings(begun.lo(), begun.hi(), back.lo(), back.hi(), arena);
}

StringValue padLeft(uint64_t lo, uint64_t hi, int32_t length, uint64_t fill_lo, uint64_t fill_hi, Arena* arena) {
  return pad(lo, hi, length, fill_lo, fill_hi, arena, true);
}

StringValue padRight(uint64_t lo, uint64_t hi, int32_t length, uint64_t fill_lo, uint64_t fill_hi, Arena* arena) {
  return pad(lo, hi, length, fill_lo, fill_hi, arena, false);
}

StringValue repeatString(uint64_t lo, uint64_t hi, int32_t count, Arena* arena) {
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  const size_t times = countPositive(count);
  if (times == 0 || text.empty()) return transient("");
  if (text.size() * times > kStringBytesMax) throwTooLarge();
  char* const bytes = static_cast<char*>(arena->allocate(text.size() * times));
  char* next = bytes;
  for (size_t index = 0; index < times; ++index) next = std::copy_n(text.data(), text.size(), next);
  return transient({bytes, text.size() * times});
}

StringValue reverseString(uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  char* const bytes = static_cast<char*>(arena->allocate(text.size()));
  char* next = bytes + text.size();
  for (size_t offset = 0; offset < text.size();) {
    const size_t size =
        std::min<size_t>(sql::characterBytes(static_cast<unsigned char>(text[offset])), text.size() - offset);
    next -= size;
    std::memcpy(next, text.data() + offset, size);
    offset += size;
  }
  return transient({bytes, text.size()});
}

bool startsWith(uint64_t lo, uint64_t hi, uint64_t prefix_lo, uint64_t prefix_hi) {
  const StringValue text(lo, hi);
  const StringValue prefix(prefix_lo, prefix_hi);
  return text.view().starts_with(prefix.view());
}

StringValue splitPart(uint64_t lo, uint64_t hi, uint64_t delimiter_lo, uint64_t delimiter_hi, int32_t index) {
  if (index == 0) throw SqlError(sqlstate::kInvalidParameterValue, "field position must not be zero");
  const StringValue value(lo, hi);
  const StringValue delimiter_value(delimiter_lo, delimiter_hi);
  const std::string_view text = value.view();
  const std::string_view delimiter = delimiter_value.view();
  if (text.empty()) return value;
  if (delimiter.empty()) return index == 1 || index == -1 ? value : transient("");
  int64_t wanted = index;
  if (index < 0) wanted += static_cast<int64_t>(countParts(text, delimiter)) + 1;
  if (wanted < 1) return transient("");
  size_t offset = 0;
  for (; wanted > 1; --wanted) {
    const size_t at = text.find(delimiter, offset);
    if (at == std::string_view::npos) return transient("");
    offset = at + delimiter.size();
  }
  return part(value, text.substr(offset, std::min(text.find(delimiter, offset), text.size()) - offset));
}

int32_t asciiString(uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const unsigned bytes = sql::characterBytes(lead);
  if (bytes == 1) return lead;
  int32_t code_point = lead & (0x7f >> bytes);
  for (unsigned index = 1; index < bytes; ++index)
    code_point = code_point << 6 | (static_cast<unsigned char>(text[index]) & 0x3f);
  return code_point;
}

StringValue characterOf(int32_t code_point) {
  if (code_point == 0) throw SqlError(sqlstate::kProgramLimitExceeded, "null character not permitted");
  if (code_point < 0) throw SqlError(sqlstate::kInvalidParameterValue, "character number must be positive");
  if (code_point > 0x10ffff)
    throw SqlError(sqlstate::kProgramLimitExceeded,
                   fmt::format("requested character too large for encoding: {}", code_point));
  if (code_point >= 0xd800 && code_point <= 0xdfff)
    throw SqlError(sqlstate::kProgramLimitExceeded,
                   fmt::format("requested character not valid for encoding: {}", code_point));
  char bytes[4];
  size_t size = 0;
  const auto put = [&](int32_t byte) { bytes[size++] = static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    put(0x80 | (code_point & 0x3f));
  } else {
    if (code_point < 0x10000) {
      put(0xe0 | code_point >> 12);
    } else {
      put(0xf0 | code_point >> 18);
      put(0x80 | (code_point >> 12 & 0x3f));
    }
    put(0x80 | (code_point >> 6 & 0x3f));
    put(0x80 | (code_point & 0x3f));
  }
  return transient({bytes, size});
}

StringValue fitVarchar(uint64_t lo, uint64_t hi, int32_t typmod, bool is_explicit) {
  const StringValue value(lo, hi);
  return part(value, sql::fitVarchar(value.view(), typmod, is_explicit));
}

StringValue fitName(uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  return part(value, sql::fitName(value.view()));
}

StringValue fitInternalChar(uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  return transient(sql::parseInternalChar(value.view()));
}

int32_t internalCharToInteger(uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  return value.view().empty() ? 0 : static_cast<signed char>(value.view().front());
}

StringValue integerToInternalChar(int32_t number) {
  const auto byte = static_cast<int8_t>(number);
  if (byte != number) throw SqlError(sqlstate::kNumericValueOutOfRange, "\"char\" out of range");
  const char text = static_cast<char>(byte);
  return transient({&text, size_t{number != 0}});
}

StringValue fitChar(uint64_t lo, uint64_t hi, int32_t typmod, bool is_explicit, Arena* arena) {
  const StringValue value(lo, hi);
  const sql::PaddedText fitted = sql::fitChar(value.view(), typmod, is_explicit);
  if (fitted.blanks == 0) return part(value, fitted.kept);
  const size_t size = fitted.kept.size() + fitted.blanks;
  char* const bytes = static_cast<char*>(arena->allocate(size));
  if (!fitted.kept.empty()) std::memcpy(bytes, fitted.kept.data(), fitted.kept.size());
  std::memset(bytes + fitted.kept.size(), ' ', fitted.blanks);
  return transient({bytes, size});
}

StringValue charToText(uint64_t lo, uint64_t hi) {
  return trimRight(lo, hi);
}

StringValue materialiseString(uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue value(lo, hi);
  return value.isInline() ? value : transient(arena->copy(value.view()));
}

}  // namespace gnomon::codegen::rt
