#include "sql/functions/text_value_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/sql_error.h"
#include "sql/types/array_value.h"
#include "sql/types/big_numeric.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

// parse_ident

bool beginsIdentifier(char c) {
  return c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}
bool continuesIdentifier(char c) {
  return beginsIdentifier(c) || isDigit(c) || c == '$';
}

class IdentifierReader {
 public:
  explicit IdentifierReader(std::string_view text) : text_(text), rest_(text) {}

  std::vector<std::string> run(bool is_strict) {
    std::vector<std::string> parts;
    bool is_after_dot = false;
    for (;;) {
      skipBlanks();
      if (rest_.starts_with('"'))
        parts.push_back(quoted());
      else if (!rest_.empty() && beginsIdentifier(rest_.front()))
        parts.push_back(plain());
      else
        fail(rest_.starts_with('.') ? "No valid identifier before \".\"."
             : is_after_dot         ? "No valid identifier after \".\"."
                                    : "");
      skipBlanks();
      if (rest_.starts_with('.')) {
        rest_.remove_prefix(1);
        is_after_dot = true;
        continue;
      }
      if (is_strict && !rest_.empty()) fail("");
      return parts;
    }
  }

 private:
  [[noreturn]] void fail(const char* detail) const {
    SqlError error(sqlstate::kInvalidParameterValue, fmt::format("string is not a valid identifier: \"{}\"", text_));
    if (*detail != '\0') error.detail(detail);
    throw error;
  }
  void skipBlanks() {
    while (!rest_.empty() && isSpace(rest_.front()) && rest_.front() != '\v') rest_.remove_prefix(1);
  }
  std::string quoted() {
    std::string part;
    rest_.remove_prefix(1);
    for (;;) {
      const size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) fail("String has unclosed double quotes.");
      part += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('"')) break;
      part += '"';
      rest_.remove_prefix(1);
    }
    if (part.empty()) fail("Quoted identifier must not be empty.");
    return part;
  }
  std::string plain() {
    size_t length = 1;
    while (length < rest_.size() && continuesIdentifier(rest_[length])) ++length;
    std::string part(rest_.substr(0, length));
    for (char& c : part)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    rest_.remove_prefix(length);
    return part;
  }

  const std::string_view text_;
  std::string_view rest_;
};

Value parseIdentifier(Arguments arguments, Type result) {
  const bool is_strict = arguments.size() < 2 || arguments[1].lo != 0;
  ArrayBuilder parts(result.element());
  for (const std::string& part : IdentifierReader(arguments[0].bytes).run(is_strict))
    parts.add(Value::fromString(result.element(), part));
  return Value::fromString(result, parts.finish());
}

// unistr

/// The number of `digits` hexadecimal digits at the beginning.
std::optional<uint32_t> hexadecimal(std::string_view text, size_t digits) {
  if (text.size() < digits) return std::nullopt;
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, number, 16);
  if (error != std::errc() || end != text.data() + digits) return std::nullopt;
  return number;
}

void appendUtf8(uint32_t code, std::string& out) {
  const auto byte = [&](uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

class EscapeReader {
 public:
  explicit EscapeReader(std::string_view text) : rest_(text) {}

  std::string run() {
    while (!rest_.empty()) {
      if (rest_.front() != '\\' || rest_.starts_with("\\\\")) {
        if (first_ != 0) throwPair();
        text_ += rest_.front();
        rest_.remove_prefix(rest_.front() == '\\' ? 2 : 1);
        continue;
      }
      takeCode(readCode());
    }
    if (first_ != 0) throwPair();
    return std::move(text_);
  }

 private:
  [[noreturn]] static void throwPair() { throw SqlError(sqlstate::kSyntaxError, "invalid Unicode surrogate pair"); }

  uint32_t readCode() {
    struct Form {
      std::string_view mark;
      size_t digits;
    };
    static constexpr Form kForms[] = {{"\\", 4}, {"\\u", 4}, {"\\+", 6}, {"\\U", 8}};
    for (const Form& form : kForms) {
      if (!rest_.starts_with(form.mark)) continue;
      const auto code = hexadecimal(rest_.substr(form.mark.size()), form.digits);
      if (!code) continue;
      rest_.remove_prefix(form.mark.size() + form.digits);
      return *code;
    }
    throw SqlError(sqlstate::kSyntaxError, "invalid Unicode escape")
        .hint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.");
  }

  void takeCode(uint32_t code) {
    if (code == 0 || code > 0x10ffff)
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid Unicode code point: {:04X}", code));
    const bool is_second = code >= 0xdc00 && code <= 0xdfff;
    if ((first_ != 0) != is_second) throwPair();
    if (is_second) {
      code = ((first_ & 0x3ff) << 10) + 0x10000 + (code & 0x3ff);
      first_ = 0;
    }
    if (code >= 0xd800 && code <= 0xdbff)
      first_ = code;
    else
      appendUtf8(code, text_);
  }

  std::string_view rest_;
  std::string text_;
  uint32_t first_ = 0;  ///< of a surrogate pair
};

Value unescaped(Arguments arguments, Type result) {
  return Value::fromString(result, EscapeReader(arguments[0].bytes).run());
}

// pg_size_bytes

Value sizeInBytes(Arguments arguments, Type result) {
  const std::string& text = arguments[0].bytes;
  std::string_view rest = text;
  const auto trim = [](std::string_view part) {
    while (!part.empty() && isSpace(part.front())) part.remove_prefix(1);
    while (!part.empty() && isSpace(part.back())) part.remove_suffix(1);
    return part;
  };
  rest = trim(rest);
  size_t length = rest.starts_with('-') || rest.starts_with('+') ? 1 : 0;
  const size_t begin = length;
  while (length < rest.size() && (isDigit(rest[length]) || rest[length] == '.')) ++length;
  const bool has_digits =
      std::any_of(rest.begin() + static_cast<ptrdiff_t>(begin), rest.begin() + static_cast<ptrdiff_t>(length), isDigit);
  if (!has_digits) throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid size: \"{}\"", text));
  if (length < rest.size() && (rest[length] | 0x20) == 'e') {
    size_t end = length + 1;
    if (end < rest.size() && (rest[end] == '-' || rest[end] == '+')) ++end;
    const size_t digits = end;
    while (end < rest.size() && isDigit(rest[end])) ++end;
    if (end > digits) length = end;
  }
  BigNumeric number = BigNumeric::parse(rest.substr(0, length));
  std::string unit;
  for (const char c : trim(rest.substr(length))) unit += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  static constexpr std::string_view kUnits[] = {"bytes", "kb", "mb", "gb", "tb", "pb"};
  const auto found = std::ranges::find(kUnits, unit.empty() ? "bytes" : std::string_view(unit));
  if (found == std::end(kUnits))
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid size: \"{}\"", text))
        .detail(fmt::format("Invalid size unit: \"{}\".", trim(rest.substr(length))))
        .hint("Valid units are \"bytes\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\".");
  for (auto step = std::begin(kUnits); step != found; ++step) number = number * BigNumeric(1024);
  int64_t bytes = 0;
  if (!number.toInt64(bytes)) throw SqlError(sqlstate::kNumericValueOutOfRange, "bigint out of range");
  return Value::fromInt(result, bytes);
}

}  // namespace

void addTextValueFunctions(std::vector<ValueFunction>& functions) {
  functions.push_back({"parse_ident", {Text}, arrayOf(Text), parseIdentifier});
  functions.push_back({"parse_ident", {Text, Boolean}, arrayOf(Text), parseIdentifier});
  functions.push_back({"unistr", {Text}, Text, unescaped});
  functions.push_back({"pg_size_bytes", {Text}, Bigint, sizeInBytes, Volatility::Immutable});
}

}  // namespace gnomon::sql
