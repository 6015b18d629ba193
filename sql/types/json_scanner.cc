#include "sql/types/json_scanner.h"

#include <fmt/format.h>

#include <string>

#include "base/sql_error.h"
#include "sql/types/jsonb_value.h"

namespace gnomon::sql {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
/// What belongs to a word, be it one of JSON's or not.
bool isWord(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool isHexadecimal(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

size_t characterBytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/// The end of the number at `begin`, a minus sign behind it; `is_valid` becomes false when it is none.
size_t numberEnd(std::string_view text, size_t begin, bool& is_valid) {
  size_t at = begin;
  const auto digits = [&] {
    if (at >= text.size() || !isDigit(text[at])) {
      is_valid = false;
      return;
    }
    while (at < text.size() && isDigit(text[at])) ++at;
  };
  if (at < text.size() && text[at] == '0')
    ++at;
  else
    digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    digits();
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    digits();
  }
  return at;
}

enum class Token : char {
  ObjectBegin = '{',
  ObjectEnd = '}',
  ArrayBegin = '[',
  ArrayEnd = ']',
  Comma = ',',
  Colon = ':',
  String = '"',
  Scalar = '0',
  End = 0,
};

class Scanner {
 public:
  Scanner(std::string_view text, JsonEscapes escapes) : text_(text), escapes_(escapes) {}

  void run() {
    next();
    value(0);
    if (token_ != Token::End) unexpected("end of input");
  }

 private:
  void value(unsigned depth) {
    switch (token_) {
      case Token::ObjectBegin:
        return object(depth);
      case Token::ArrayBegin:
        return array(depth);
      case Token::String:
      case Token::Scalar:
        return next();
      default:
        unexpected("JSON value");
    }
  }
  void array(unsigned depth) {
    if (depth >= kJsonDepthMax) throwJsonTooDeep();
    next();
    if (token_ != Token::ArrayEnd) {
      value(depth + 1);
      while (token_ == Token::Comma) {
        next();
        value(depth + 1);
      }
    }
    expect(Token::ArrayEnd, "\",\" or \"]\"");
  }
  void object(unsigned depth) {
    if (depth >= kJsonDepthMax) throwJsonTooDeep();
    next();
    if (token_ == Token::String) {
      field(depth);
      while (token_ == Token::Comma) {
        next();
        field(depth);
      }
    } else if (token_ != Token::ObjectEnd) {
      unexpected("string or \"}\"");
    }
    expect(Token::ObjectEnd, "\",\" or \"}\"");
  }
  void field(unsigned depth) {
    if (token_ != Token::String) unexpected("string");
    next();
    expect(Token::Colon, "\":\"");
    value(depth + 1);
  }
  void expect(Token token, std::string_view wanted) {
    if (token_ != token) unexpected(wanted);
    next();
  }

  void next() {
    while (end_ < text_.size() && std::string_view(" \t\n\r").contains(text_[end_])) {
      if (text_[end_++] != '\n') continue;
      ++line_;
      line_begin_ = end_;
    }
    begin_ = end_;
    if (begin_ == text_.size()) {
      token_ = Token::End;
      return;
    }
    const char first = text_[begin_];
    if (std::string_view("{}[],:").contains(first)) {
      token_ = static_cast<Token>(first);
      ++end_;
    } else if (first == '"') {
      token_ = Token::String;
      string();
    } else if (first == '-' || isDigit(first)) {
      token_ = Token::Scalar;
      number();
    } else {
      token_ = Token::Scalar;
      word();
    }
  }
  void number() {
    bool is_valid = true;
    end_ = numberEnd(text_, begin_ + (text_[begin_] == '-' ? 1 : 0), is_valid);
    for (; end_ < text_.size() && isWord(text_[end_]); ++end_) is_valid = false;
    if (!is_valid) invalidToken();
  }
  void word() {
    while (end_ < text_.size() && isWord(text_[end_])) ++end_;
    const std::string_view word = text_.substr(begin_, end_ - begin_);
    if (word.empty()) ++end_;
    if (word != "true" && word != "false" && word != "null") invalidToken();
  }
  void string() {
    for (++end_;; ++end_) {
      if (end_ >= text_.size()) invalidToken();
      const char c = text_[end_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20)
        fail(fmt::format("Character with value 0x{:02x} must be escaped.", static_cast<unsigned>(c)));
      if (c == '\\')
        escape();
      else
        requireNoHalf();
    }
    if (has_high_half_) failAtCharacter(kLowHalf);
    ++end_;
  }
  void escape() {
    if (++end_ >= text_.size()) invalidToken();
    const char c = text_[end_];
    if (c == 'u') return codePoint();
    requireNoHalf();
    if (std::string_view("\"\\/bfnrt").contains(c)) return;
    begin_ = end_;
    end_ += characterBytes(c);
    fail(fmt::format("Escape sequence \"\\{}\" is invalid.", text_.substr(begin_, end_ - begin_)));
  }
  void codePoint() {
    unsigned code = 0;
    for (int digit = 0; digit < 4; ++digit) {
      if (++end_ >= text_.size()) invalidToken();
      const char c = text_[end_];
      if (!isHexadecimal(c)) failAtCharacter("\"\\u\" must be followed by four hexadecimal digits.");
      code = code * 16 + static_cast<unsigned>(isDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    if (escapes_ == JsonEscapes::Written) return;
    if (code >= 0xd800 && code < 0xdc00) {
      if (has_high_half_) failAtCharacter("Unicode high surrogate must not follow a high surrogate.");
      has_high_half_ = true;
      return;
    }
    const bool is_low_half = code >= 0xdc00 && code < 0xe000;
    if (is_low_half != has_high_half_) failAtCharacter(kLowHalf);
    has_high_half_ = false;
    if (code == 0) failAtCharacter("\\u0000 cannot be converted to text.", true);
  }
  void requireNoHalf() {
    if (has_high_half_) failAtCharacter(kLowHalf);
  }

  [[noreturn]] void unexpected(std::string_view wanted) const {
    if (token_ == Token::End) fail("The input string ended unexpectedly.");
    fail(fmt::format("Expected {}, but found \"{}\".", wanted, text_.substr(begin_, end_ - begin_)));
  }
  [[noreturn]] void invalidToken() const {
    fail(fmt::format("Token \"{}\" is invalid.", text_.substr(begin_, end_ - begin_)));
  }
  /// The character belongs to what is shown.
  [[noreturn]] void failAtCharacter(std::string detail, bool is_unsupported = false) {
    end_ += characterBytes(text_[end_]);
    fail(std::move(detail), is_unsupported);
  }
  [[noreturn]] void fail(std::string detail, bool is_unsupported = false) const {
    if (is_unsupported)
      throw SqlError(sqlstate::kUntranslatableCharacter, "unsupported Unicode escape sequence")
          .detail(std::move(detail))
          .context(context());
    throw SqlError(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type json")
        .detail(std::move(detail))
        .context(context());
  }
  /// The line up to where the error is, or the end of that.
  [[nodiscard]] std::string context() const {
    constexpr size_t kShown = 50, kNotCut = 3;
    size_t begin = line_begin_;
    while (end_ - begin >= kShown) begin += characterBytes(text_[begin]);
    if (begin - line_begin_ <= kNotCut) begin = line_begin_;
    const bool is_cut = token_ != Token::End && end_ < text_.size() && text_[end_] != '\n' && text_[end_] != '\r';
    return fmt::format("JSON data, line {}: {}{}{}", line_, begin > line_begin_ ? "..." : "",
                       text_.substr(begin, end_ - begin), is_cut ? "..." : "");
  }

  static constexpr const char* kLowHalf = "Unicode low surrogate must follow a high surrogate.";

  const std::string_view text_;
  const JsonEscapes escapes_;
  Token token_ = Token::End;
  size_t begin_ = 0, end_ = 0;  ///< of the token
  size_t line_begin_ = 0;
  unsigned line_ = 1;
  bool has_high_half_ = false;  ///< of a character beyond the first 65536, the other half has to follow
};

}  // namespace

void scanJson(std::string_view text, JsonEscapes escapes) {
  Scanner(text, escapes).run();
}

bool isJsonNumber(std::string_view text) {
  bool is_valid = !text.empty();
  const size_t end = numberEnd(text, text.starts_with('-') ? 1 : 0, is_valid);
  return is_valid && end == text.size();
}

}  // namespace gnomon::sql
