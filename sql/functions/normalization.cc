#include "sql/functions/normalization.h"

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/functions/datetime_names.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

const icu::Normalizer2& formOf(Arguments arguments) {
  UErrorCode status = U_ZERO_ERROR;
  const std::string form = arguments.size() < 2 ? "nfc" : lowered(arguments[1].bytes);
  const icu::Normalizer2* found = form == "nfc"    ? icu::Normalizer2::getNFCInstance(status)
                                  : form == "nfd"  ? icu::Normalizer2::getNFDInstance(status)
                                  : form == "nfkc" ? icu::Normalizer2::getNFKCInstance(status)
                                  : form == "nfkd" ? icu::Normalizer2::getNFKDInstance(status)
                                                   : nullptr;
  CHECK(U_SUCCESS(status), "ICU has its data");
  if (found == nullptr)
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid normalization form: {}", arguments[1].bytes));
  return *found;
}

std::string normalised(const icu::Normalizer2& form, const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  form.normalizeUTF8(0, icu::StringPiece(text), sink, nullptr, status);
  CHECK(U_SUCCESS(status), "texts are UTF-8");
  return result;
}

Value normalise(Arguments arguments, Type result) {
  return Value::fromString(result, normalised(formOf(arguments), arguments[0].bytes));
}
Value isNormalised(Arguments arguments, Type result) {
  return Value::fromInt(result, normalised(formOf(arguments), arguments[0].bytes) == arguments[0].bytes ? 1 : 0);
}

}  // namespace

void addNormalizationFunctions(std::vector<ValueFunction>& functions) {
  functions.push_back({"normalize", {Text}, Text, normalise});
  functions.push_back({"normalize", {Text, Text}, Text, normalise});
  functions.push_back({"is_normalized", {Text}, Boolean, isNormalised});
  functions.push_back({"is_normalized", {Text, Text}, Boolean, isNormalised});
}

}  // namespace gnomon::sql
