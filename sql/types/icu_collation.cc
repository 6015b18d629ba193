#include "sql/types/icu_collation.h"

#include <fmt/format.h>
#include <unicode/ucol.h>
#include <unicode/ustring.h>

#include <map>
#include <memory>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

struct CloseCollator {
  void operator()(UCollator* collator) const { ucol_close(collator); }
};
using CollatorPtr = std::unique_ptr<UCollator, CloseCollator>;

[[noreturn]] void throwIcu(std::string_view what, UErrorCode status) {
  throw SqlError(sqlstate::kInternalError, fmt::format("{} failed: {}", what, u_errorName(status)));
}

const UCollator* collatorOf(std::string_view locale) {
  thread_local std::map<std::string, CollatorPtr, std::less<>> opened;
  if (const auto found = opened.find(locale); found != opened.end()) return found->second.get();
  std::string name(locale);
  UErrorCode status = U_ZERO_ERROR;
  CollatorPtr collator(ucol_open(name.c_str(), &status));
  if (U_FAILURE(status))
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("could not open collator for locale \"{}\": {}", locale, u_errorName(status)));
  return opened.emplace(std::move(name), std::move(collator)).first->second.get();
}

std::u16string toUtf16(std::string_view text) {
  // A code unit of UTF-16 is at least a byte of UTF-8.
  std::u16string wide(text.size(), u'\0');
  int32_t length = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8(wide.data(), static_cast<int32_t>(wide.size()), &length, text.data(), static_cast<int32_t>(text.size()),
                &status);
  if (U_FAILURE(status)) throwIcu("u_strFromUTF8", status);
  wide.resize(static_cast<size_t>(length));
  return wide;
}

std::string toUtf8(std::u16string_view wide) {
  constexpr size_t kBytesPerUnit = 3;
  std::string text(wide.size() * kBytesPerUnit, '\0');
  int32_t length = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strToUTF8(text.data(), static_cast<int32_t>(text.size()), &length, wide.data(), static_cast<int32_t>(wide.size()),
              &status);
  if (U_FAILURE(status)) throwIcu("u_strToUTF8", status);
  text.resize(static_cast<size_t>(length));
  return text;
}

/// convert(destination, its size, source, its size, status): the length of the result.
template <typename Convert>
std::string converted(std::string_view text, Convert&& convert) {
  const std::u16string source = toUtf16(text);
  std::u16string result(source.size() + 8, u'\0');
  for (;;) {
    UErrorCode status = U_ZERO_ERROR;
    const int32_t length = convert(result.data(), static_cast<int32_t>(result.size()), source.data(),
                                   static_cast<int32_t>(source.size()), &status);
    const bool is_enough = static_cast<size_t>(length) <= result.size();
    result.resize(static_cast<size_t>(length));
    if (!is_enough) continue;
    if (U_FAILURE(status)) throwIcu("case conversion", status);
    return toUtf8(result);
  }
}

}  // namespace

std::string collationKey(std::string_view text, std::string_view locale) {
  const UCollator* const collator = collatorOf(locale);
  const std::u16string wide = toUtf16(text);
  const auto length = static_cast<int32_t>(wide.size());
  constexpr size_t kKeyBytesGuess = 64;
  std::string key(wide.size() * 2 + kKeyBytesGuess, '\0');
  for (;;) {
    // Its length includes the zero byte at its end, and there is no other.
    const auto needed = static_cast<size_t>(ucol_getSortKey(
        collator, wide.data(), length, reinterpret_cast<uint8_t*>(key.data()), static_cast<int32_t>(key.size())));
    if (needed == 0) throw SqlError(sqlstate::kInternalError, "sort key generation failed");
    const bool is_enough = needed <= key.size();
    key.resize(needed);
    if (is_enough) break;
  }
  key.append(text);
  return key;
}

std::string_view collatedText(std::string_view key) {
  return key.substr(key.find('\0') + 1);
}

std::string lowerIn(std::string_view text, std::string_view locale) {
  const std::string name(locale);
  return converted(text, [&](char16_t* to, int32_t capacity, const char16_t* from, int32_t length, UErrorCode* status) {
    return u_strToLower(to, capacity, from, length, name.c_str(), status);
  });
}

std::string upperIn(std::string_view text, std::string_view locale) {
  const std::string name(locale);
  return converted(text, [&](char16_t* to, int32_t capacity, const char16_t* from, int32_t length, UErrorCode* status) {
    return u_strToUpper(to, capacity, from, length, name.c_str(), status);
  });
}

std::string initcapIn(std::string_view text, std::string_view locale) {
  const std::string name(locale);
  return converted(text, [&](char16_t* to, int32_t capacity, const char16_t* from, int32_t length, UErrorCode* status) {
    return u_strToTitle(to, capacity, from, length, nullptr, name.c_str(), status);
  });
}

}  // namespace gnomon::sql
