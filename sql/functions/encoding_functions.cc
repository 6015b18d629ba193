#include "sql/functions/encoding_functions.h"

#include "sql/types/encoding.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

/// Null: there is no such number.
const Encoding* numbered(const Value& value) {
  const int64_t number = value.asInt();
  const auto all = encodings();
  return number >= 0 && number < static_cast<int64_t>(all.size()) ? &all[static_cast<size_t>(number)] : nullptr;
}

Value encodingName(Arguments arguments, Type result) {
  const Encoding* const encoding = numbered(arguments[0]);
  return Value::fromString(result, encoding != nullptr ? encoding->name : "");
}

Value encodingNumber(Arguments arguments, Type result) {
  const Encoding* const encoding = findEncoding(arguments[0].bytes);
  return Value::fromInt(result, encoding != nullptr ? encoding->number : -1);
}

Value characterBytesMax(Arguments arguments, Type result) {
  const Encoding* const encoding = numbered(arguments[0]);
  return encoding != nullptr ? Value::fromInt(result, encoding->bytes_max) : Value::null(result);
}

}  // namespace

void addEncodingFunctions(std::vector<ValueFunction>& functions) {
  functions.push_back({"pg_encoding_to_char", {Integer}, Name, encodingName, Volatility::Stable});
  functions.push_back({"pg_char_to_encoding", {Name}, Integer, encodingNumber, Volatility::Stable});
  functions.push_back({"pg_encoding_max_length", {Integer}, Integer, characterBytesMax});
}

}  // namespace gnomon::sql
