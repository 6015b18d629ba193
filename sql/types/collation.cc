#include "sql/types/collation.h"

#include <unicode/ucol.h>
#include <unicode/uloc.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/assert.h"

namespace gnomon::sql {
namespace {

constexpr uint32_t kUcsBasicOid = 12340, kFirstOidOfIcu = 12342;

std::string languageTag(const char* locale) {
  std::array<char, ULOC_FULLNAME_CAPACITY> tag{};
  UErrorCode status = U_ZERO_ERROR;
  uloc_toLanguageTag(locale, tag.data(), static_cast<int32_t>(tag.size()), true, &status);
  return U_SUCCESS(status) ? std::string(tag.data()) : std::string();
}

std::string rulesVersion(const std::string& locale) {
  UErrorCode status = U_ZERO_ERROR;
  UCollator* const collator = ucol_open(locale.c_str(), &status);
  if (U_FAILURE(status)) return {};
  UVersionInfo version;
  ucol_getVersion(collator, version);
  ucol_close(collator);
  std::array<char, U_MAX_VERSION_STRING_LENGTH> text{};
  u_versionToString(version, text.data());
  return text.data();
}

std::vector<Collation> listCollations() {
  std::vector<Collation> result{
      {100, "default", {}, {}}, {950, "C", {}, {}}, {951, "POSIX", {}, {}}, {kUcsBasicOid, "ucs_basic", {}, {}}};
  CHECK(result.size() == kFirstOfIcu, "those of libc come first");
  uint32_t oid = kFirstOidOfIcu;
  for (int32_t i = -1; i < uloc_countAvailable(); ++i, ++oid) {
    std::string locale = languageTag(i < 0 ? "" : uloc_getAvailable(i));
    if (!locale.empty()) result.push_back({oid, locale + "-x-icu", locale, {}});
  }
  // The rules are those of the library, not of a locale.
  const std::string version = rulesVersion("und");
  for (Collation& collation : result)
    if (!collation.isByBytes()) collation.version = version;
  CHECK(result.size() < kIndeterminateCollation, "a type holds the number of any of them");
  return result;
}

const std::vector<Collation>& collations() {
  static const std::vector<Collation> all = listCollations();
  return all;
}

}  // namespace

std::span<const Collation> allCollations() {
  return collations();
}

std::optional<uint16_t> findCollation(std::string_view name) {
  const auto found = std::ranges::find(collations(), name, &Collation::name);
  if (found == collations().end()) return std::nullopt;
  return static_cast<uint16_t>(found - collations().begin());
}

const Collation& knownCollation(uint16_t number) {
  CHECK(number < collations().size(), "the collation of a type is one that there is");
  return collations()[number];
}

}  // namespace gnomon::sql
