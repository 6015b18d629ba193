#include "sql/types/object_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/sql_error.h"
#include "sql/catalog/object_names.h"
#include "sql/types/array_text.h"
#include "sql/types/array_value.h"
#include "sql/types/integer.h"
#include "sql/types/transaction_number.h"

namespace gnomon::sql {

uint32_t parseOid(std::string_view text, std::string_view type) {
  const auto refuse = [&]() {
    throw SqlError(sqlstate::kInvalidTextRepresentation,
                   fmt::format("invalid input syntax for type {}: \"{}\"", type, text));
  };
  const auto refuseRange = [&]() {
    throw SqlError(sqlstate::kNumericValueOutOfRange,
                   fmt::format("value \"{}\" is out of range for type {}", text, type));
  };
  std::string_view digits = trimSpace(text);
  const bool is_negative = digits.starts_with('-');
  if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
  uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (digits.empty() || stop != end) refuse();
  constexpr uint64_t kMagnitudeMax = uint64_t{1} << 31;
  if (error != std::errc() || number > (is_negative ? kMagnitudeMax : uint64_t{UINT32_MAX})) refuseRange();
  return static_cast<uint32_t>(is_negative ? -number : number);
}

uint32_t oidOf(int64_t number) {
  if (number < 0 || number > UINT32_MAX) throw SqlError(sqlstate::kNumericValueOutOfRange, "OID out of range");
  return static_cast<uint32_t>(number);
}

uint32_t parseObject(TypeKind kind, std::string_view text) {
  if (kind == TypeKind::Oid) return parseOid(text);
  if (kind == TypeKind::Xid) return static_cast<uint32_t>(parseTransactionNumber(text));
  // Minus is an operator.
  const bool is_operator = kind == TypeKind::Regoper || kind == TypeKind::Regoperator;
  if (text == "-" && !is_operator) return 0;
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos) return parseOid(text);
  return findObject(kind, text);
}

void appendObjectText(TypeKind kind, uint32_t oid, std::string& out) {
  if (Type::of(kind).isRegistered()) {
    const bool is_operator = kind == TypeKind::Regoper || kind == TypeKind::Regoperator;
    out += oid != 0 ? objectName(kind, oid) : is_operator ? "0" : "-";
    return;
  }
  char buffer[kIntegerTextBytesMax];
  out.append(buffer, printInteger(oid, buffer));
}

std::string_view fitName(std::string_view text) {
  if (text.size() <= kNameBytesMax) return text;
  size_t end = kNameBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::string parseInternalChar(std::string_view text) {
  const auto isOctal = [](char c) { return c >= '0' && c <= '7'; };
  if (text.size() == 4 && text[0] == '\\' && text[1] <= '3' && std::ranges::all_of(text.substr(1), isOctal)) {
    const int byte = (text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0');
    return byte == 0 ? std::string() : std::string(1, static_cast<char>(byte));
  }
  return std::string(text.substr(0, 1));
}

void appendInternalCharText(std::string_view value, std::string& out) {
  if (value.empty() || (static_cast<unsigned char>(value[0]) & 0x80) == 0) {
    out += value;
    return;
  }
  out += fmt::format("\\{:03o}", static_cast<unsigned char>(value[0]));
}

std::string parseVectorText(Type vector, std::string_view text) {
  ArrayBuilder builder(vector.vectorArray().element());
  const bool of_oids = vector.kind == TypeKind::OidVector;
  for (size_t at = 0; at < text.size();) {
    if (isSpace(text[at])) {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < text.size() && !isSpace(text[at])) ++at;
    const std::string_view number = text.substr(begin, at - begin);
    builder.add(of_oids ? parseOid(number) : static_cast<uint64_t>(int64_t{parseSmallint(number)}), 0);
  }
  return builder.finish(0);
}

void appendVectorText(Type vector, StringValue value, std::string& out) {
  const ArrayView array(vector.vectorArray().element(), value);
  char buffer[kIntegerTextBytesMax];
  for (size_t i = 0; i < array.size(); ++i) {
    if (i != 0) out += ' ';
    out.append(buffer, printInteger(static_cast<int64_t>(array.at(i).lo), buffer));
  }
}

void appendVectorBinary(Type vector, StringValue value, std::string& out) {
  const Type element = vector.vectorArray().element();
  if (ArrayView(element, value).size() != 0) return appendArrayBinary(element, value, out);
  for (const uint32_t number : {1U, 0U, element.oid(), 0U, 0U})
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
}

}  // namespace gnomon::sql
