#include "sql/types/text.h"

#include <emmintrin.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

constexpr bool isContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// Bytes of the valid character at `text`, 0 when there is none (overlong forms, surrogates, over U+10FFFF).
unsigned validCharacterBytes(const unsigned char* text, size_t available) {
  const unsigned char lead = text[0];
  if (lead < 0x80) return lead == 0 ? 0 : 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const unsigned bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (available < bytes) return 0;
  for (unsigned index = 1; index < bytes; ++index)
    if ((text[index] & 0xc0) != 0x80) return 0;
  if (lead == 0xe0 && text[1] < 0xa0) return 0;
  if (lead == 0xed && text[1] > 0x9f) return 0;
  if (lead == 0xf0 && text[1] < 0x90) return 0;
  if (lead == 0xf4 && text[1] > 0x8f) return 0;
  return bytes;
}

/// PostgreSQL shows the bytes of the character that the lead byte promises.
[[noreturn]] void throwInvalidBytes(const unsigned char* text, size_t available) {
  const size_t shown = std::min<size_t>(characterBytes(text[0]), available);
  std::string message = "invalid byte sequence for encoding \"UTF8\":";
  for (size_t index = 0; index < shown; ++index) message += fmt::format(" 0x{:02x}", text[index]);
  throw SqlError(sqlstate::kCharacterNotInRepertoire, message);
}

/// Whether a text of less than 16 bytes has no NUL and no byte over 127.
bool isShortAscii(std::string_view text) {
  constexpr uint64_t kOnes = 0x0101010101010101, kHighBits = 0x8080808080808080;
  // A byte of 0 borrows.
  const auto isAscii = [](uint64_t bytes) { return ((bytes | (bytes - kOnes)) & kHighBits) == 0; };
  if (text.size() >= 8) {
    uint64_t front, back;
    std::memcpy(&front, text.data(), 8);
    std::memcpy(&back, text.data() + text.size() - 8, 8);
    return isAscii(front) && isAscii(back);
  }
  if (text.size() >= 4) {
    uint32_t front, back;
    std::memcpy(&front, text.data(), 4);
    std::memcpy(&back, text.data() + text.size() - 4, 4);
    return isAscii(static_cast<uint64_t>(front) << 32 | back);
  }
  return std::ranges::all_of(text, [](char c) { return c > 0; });
}

[[noreturn]] void throwTooLong(const char* type, int32_t limit) {
  throw SqlError(sqlstate::kStringDataRightTruncation, fmt::format("value too long for type {}({})", type, limit));
}

/// The first `limit` characters; unless explicit, only blanks may follow them.
std::string_view fit(std::string_view text, int32_t limit, bool is_explicit, const char* type) {
  if (limit < 0 || text.size() <= static_cast<size_t>(limit)) return text;
  const size_t kept = characterOffset(text, static_cast<size_t>(limit));
  if (!is_explicit && !trimBlanks(text.substr(kept)).empty()) throwTooLong(type, limit);
  return text.substr(0, kept);
}

}  // namespace

unsigned characterBytes(unsigned char lead) {
  if (lead < 0x80) return 1;
  if ((lead & 0xe0) == 0xc0) return 2;
  if ((lead & 0xf0) == 0xe0) return 3;
  if ((lead & 0xf8) == 0xf0) return 4;
  return 1;
}

size_t countCharacters(std::string_view text) {
  size_t characters = 0;
  size_t index = 0;
  // Continuation bytes are -128..-65 as signed bytes.
  for (; index + 16 <= text.size(); index += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + index));
    const int starts = _mm_movemask_epi8(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(-65)));
    characters += static_cast<size_t>(std::popcount(static_cast<unsigned>(starts)));
  }
  for (; index < text.size(); ++index) characters += !isContinuation(text[index]);
  return characters;
}

size_t characterOffset(std::string_view text, size_t index) {
  size_t offset = 0;
  while (index > 0 && offset < text.size()) {
    offset += characterBytes(static_cast<unsigned char>(text[offset]));
    --index;
  }
  return std::min(offset, text.size());
}

void checkUtf8(std::string_view text) {
  if (text.size() < 16 && isShortAscii(text)) return;
  const auto* next = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = next + text.size();
  while (next != end) {
    if (end - next >= 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(next));
      // Positive as signed bytes: ASCII without NUL.
      if (_mm_movemask_epi8(_mm_cmpgt_epi8(bytes, _mm_setzero_si128())) == 0xffff) {
        next += 16;
        continue;
      }
    }
    const unsigned bytes = validCharacterBytes(next, static_cast<size_t>(end - next));
    if (bytes == 0) throwInvalidBytes(next, static_cast<size_t>(end - next));
    next += bytes;
  }
}

std::string_view fitVarchar(std::string_view text, int32_t typmod, bool is_explicit) {
  return fit(text, characterLimit(typmod), is_explicit, "character varying");
}

PaddedText fitChar(std::string_view text, int32_t typmod, bool is_explicit) {
  const int32_t limit = characterLimit(typmod);
  if (limit < 0) return {text, 0};
  const std::string_view kept = fit(text, limit, is_explicit, "character");
  const size_t characters = countCharacters(kept);
  const size_t wanted = static_cast<size_t>(limit);
  return {kept, characters < wanted ? wanted - characters : 0};
}

}  // namespace gnomon::sql
