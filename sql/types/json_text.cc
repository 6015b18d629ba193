#include "sql/types/json_text.h"

#include <fmt/format.h>

#include "sql/types/big_numeric.h"
#include "sql/types/json_scanner.h"

namespace gnomon::sql {
namespace {

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void appendScalar(JsonbView value, std::string& out) {
  switch (value.kind()) {
    case JsonKind::String:
      return appendJsonString(value.payload(), out);
    case JsonKind::Number:
      return BigNumeric::decode(value.payload()).appendText(out);
    case JsonKind::Boolean:
      out += value.boolean() ? "true" : "false";
      return;
    default:
      out += "null";
      return;
  }
}

void startLine(unsigned depth, std::string& out) {
  constexpr unsigned kIndent = 4;
  out.append(1, '\n').append(size_t{kIndent} * depth, ' ');
}

void appendPretty(JsonbView value, unsigned depth, std::string& out) {
  if (value.isScalar()) return appendScalar(value, out);
  const bool is_array = value.isArray();
  out += is_array ? '[' : '{';
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out += ',';
    startLine(depth + 1, out);
    if (!is_array) {
      appendJsonString(value.key(i), out);
      out += ": ";
    }
    appendPretty(is_array ? value.at(i) : value.value(i), depth + 1, out);
  }
  startLine(depth, out);
  out += is_array ? ']' : '}';
}

void appendCodePoint(uint32_t code, std::string& out) {
  const auto follow = [&](unsigned shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    follow(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    follow(6);
    follow(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    follow(12);
    follow(6);
    follow(0);
  }
}

uint32_t hexadecimal(std::string_view digits) {
  uint32_t code = 0;
  for (const char c : digits) code = code * 16 + static_cast<uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  return code;
}

/// Steps through a checked text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) { skipBlanks(); }

  [[nodiscard]] char peek() const { return text_[at_]; }
  [[nodiscard]] bool isAtEnd() const { return at_ >= text_.size(); }
  /// Over a character of punctuation and the blanks behind it.
  void step() {
    ++at_;
    skipBlanks();
  }
  /// Over a value, which is returned, and the blanks behind it.
  std::string_view value() {
    const size_t begin = at_;
    if (peek() == '[' || peek() == '{')
      skipNested();
    else if (peek() == '"')
      skipString();
    else
      while (!isAtEnd() && !isBlank(peek()) && !std::string_view(",]}:").contains(peek())) ++at_;
    const std::string_view value = text_.substr(begin, at_ - begin);
    skipBlanks();
    return value;
  }

 private:
  void skipBlanks() {
    while (!isAtEnd() && isBlank(peek())) ++at_;
  }
  void skipString() {
    for (++at_; peek() != '"'; ++at_)
      if (peek() == '\\') ++at_;
    ++at_;
  }
  void skipNested() {
    size_t depth = 0;
    do {
      const char c = peek();
      if (c == '"') {
        skipString();
        continue;
      }
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      ++at_;
    } while (depth > 0);
  }

  const std::string_view text_;
  size_t at_ = 0;
};

void appendCompact(std::string_view text, bool without_nulls, std::string& out) {
  const JsonKind kind = jsonKindOf(text);
  if (kind != JsonKind::Array && kind != JsonKind::Object) {
    out += text;
    return;
  }
  Cursor cursor(text);
  const bool is_array = kind == JsonKind::Array;
  out += is_array ? '[' : '{';
  bool is_first = true;
  for (cursor.step(); cursor.peek() != ']' && cursor.peek() != '}';) {
    const std::string_view first = cursor.value();
    std::string_view value = first;
    if (!is_array) {
      cursor.step();
      value = cursor.value();
    }
    if (cursor.peek() == ',') cursor.step();
    if (!is_array && without_nulls && value == "null") continue;
    if (!is_first) out += ',';
    is_first = false;
    if (!is_array) {
      appendJsonString(jsonStringText(first), out);
      out += ':';
    }
    if (jsonKindOf(value) == JsonKind::String)
      appendJsonString(jsonStringText(value), out);
    else
      appendCompact(value, without_nulls, out);
  }
  out += is_array ? ']' : '}';
}

}  // namespace

void appendJsonString(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        if (static_cast<unsigned char>(c) < ' ')
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  out += '"';
}

void appendJsonbText(JsonbView value, std::string& out) {
  if (value.isScalar()) return appendScalar(value, out);
  const bool is_array = value.isArray();
  out += is_array ? '[' : '{';
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out += ", ";
    if (!is_array) {
      appendJsonString(value.key(i), out);
      out += ": ";
    }
    appendJsonbText(is_array ? value.at(i) : value.value(i), out);
  }
  out += is_array ? ']' : '}';
}

void appendJsonbPretty(JsonbView value, std::string& out) {
  appendPretty(value, 0, out);
}

JsonKind jsonKindOf(std::string_view text) {
  while (isBlank(text.front())) text.remove_prefix(1);
  switch (text.front()) {
    case '{':
      return JsonKind::Object;
    case '[':
      return JsonKind::Array;
    case '"':
      return JsonKind::String;
    case 't':
    case 'f':
      return JsonKind::Boolean;
    case 'n':
      return JsonKind::Null;
    default:
      return JsonKind::Number;
  }
}

std::string_view trimmedJson(std::string_view text) {
  return Cursor(text).value();
}

void forEachJsonElement(std::string_view array, const std::function<bool(std::string_view)>& visit) {
  Cursor cursor(array);
  cursor.step();
  while (cursor.peek() != ']') {
    if (!visit(cursor.value())) return;
    if (cursor.peek() == ',') cursor.step();
  }
}

void forEachJsonField(std::string_view object, const std::function<bool(std::string_view, std::string_view)>& visit) {
  Cursor cursor(object);
  cursor.step();
  while (cursor.peek() != '}') {
    const std::string_view key = cursor.value();
    cursor.step();
    const std::string_view value = cursor.value();
    const bool is_plain = !key.contains('\\');
    if (!visit(is_plain ? key.substr(1, key.size() - 2) : std::string_view(jsonStringText(key)), value)) return;
    if (cursor.peek() == ',') cursor.step();
  }
}

std::optional<std::string_view> findJsonField(std::string_view object, std::string_view wanted) {
  std::optional<std::string_view> found;
  forEachJsonField(object, [&](std::string_view key, std::string_view value) {
    if (key == wanted) found = value;
    return true;
  });
  return found;
}

std::optional<std::string_view> jsonElement(std::string_view array, int64_t index) {
  if (index < 0) {
    int64_t count = 0;
    forEachJsonElement(array, [&](std::string_view) { return ++count > 0; });
    index += count;
  }
  if (index < 0) return std::nullopt;
  std::optional<std::string_view> found;
  forEachJsonElement(array, [&](std::string_view element) {
    if (index-- > 0) return true;
    found = element;
    return false;
  });
  return found;
}

void requireMeaning(std::string_view text) {
  if (text.contains('\\')) scanJson(text, JsonEscapes::Meant);
}

std::string jsonStringText(std::string_view quoted) {
  const std::string_view inner = quoted.substr(1, quoted.size() - 2);
  if (!inner.contains('\\')) return std::string(inner);
  scanJson(quoted, JsonEscapes::Meant);
  std::string text;
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\') {
      text += inner[i];
      continue;
    }
    const char c = inner[++i];
    constexpr std::string_view kLetters = "bfnrt", kMeant = "\b\f\n\r\t";
    if (c == 'u') {
      uint32_t code = hexadecimal(inner.substr(i + 1, 4));
      i += 4;
      if (code >= 0xd800 && code < 0xdc00) {
        code = 0x10000 + ((code & 0x3ff) << 10) + (hexadecimal(inner.substr(i + 3, 4)) & 0x3ff);
        i += 6;
      }
      appendCodePoint(code, text);
    } else {
      const size_t letter = kLetters.find(c);
      text += letter == std::string_view::npos ? c : kMeant[letter];
    }
  }
  return text;
}

void appendCompactJson(std::string_view text, bool without_nulls, std::string& out) {
  text = trimmedJson(text);
  if (jsonKindOf(text) == JsonKind::String) return appendJsonString(jsonStringText(text), out);
  appendCompact(text, without_nulls, out);
}

}  // namespace gnomon::sql
