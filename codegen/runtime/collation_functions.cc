#include "codegen/runtime/collation_functions.h"

#include "base/sql_error.h"
#include "sql/types/bytea.h"
#include "sql/types/icu_collation.h"

namespace gnomon::codegen::rt {
namespace {

using Conversion = std::string (*)(std::string_view text, std::string_view locale);

StringValue converted(Conversion conversion, StringValue text, StringValue locale, Arena* arena) {
  const std::string result = conversion(text.view(), locale.view());
  if (result.size() > sql::kStringBytesMax)
    throw SqlError(sqlstate::kProgramLimitExceeded, "requested length too large");
  return copied(result, arena);
}

}  // namespace

StringValue collationKey(uint64_t lo, uint64_t hi, uint64_t locale_lo, uint64_t locale_hi, Arena* arena) {
  return converted(sql::collationKey, {lo, hi}, {locale_lo, locale_hi}, arena);
}

StringValue collatedText(uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue key(lo, hi);
  return copied(sql::collatedText(key.view()), arena);
}

StringValue lowerIn(uint64_t lo, uint64_t hi, uint64_t locale_lo, uint64_t locale_hi, Arena* arena) {
  return converted(sql::lowerIn, {lo, hi}, {locale_lo, locale_hi}, arena);
}

StringValue upperIn(uint64_t lo, uint64_t hi, uint64_t locale_lo, uint64_t locale_hi, Arena* arena) {
  return converted(sql::upperIn, {lo, hi}, {locale_lo, locale_hi}, arena);
}

StringValue initcapIn(uint64_t lo, uint64_t hi, uint64_t locale_lo, uint64_t locale_hi, Arena* arena) {
  return converted(sql::initcapIn, {lo, hi}, {locale_lo, locale_hi}, arena);
}

}  // namespace gnomon::codegen::rt
