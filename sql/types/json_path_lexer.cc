#include "sql/types/json_path_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\f";
constexpr std::string_view kSpecial = "?%$.[]{}()|&!=<>@#,*:-+/";

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
/// What words consist of.
bool isOther(char c) {
  return c != '\0' && !kBlanks.contains(c) && !kSpecial.contains(c) && c != '\\' && c != '"';
}
int hexadecimal(char c) {
  if (isDigit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void appendUtf8(uint32_t code, std::string& out) {
  const auto follow = [&](unsigned shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr unsigned kLead[] = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(kLead[more] | (code >> (6 * more)));
  for (unsigned i = more; i-- > 0;) follow(6 * i);
}

}  // namespace

bool JsonPathToken::isWord(std::string_view word) const {
  if (kind != Kind::Word) return false;
  if (word == "true" || word == "false" || word == "null") return text == word;
  return std::ranges::equal(text, word, [](char c, char lower) {
    return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == lower;
  });
}

void JsonPathLexer::fail(std::string_view message, const JsonPathToken& token) {
  if (token.written.empty())
    throw SqlError(sqlstate::kSyntaxError, fmt::format("{} at end of jsonpath input", message));
  throw SqlError(sqlstate::kSyntaxError, fmt::format("{} at or near \"{}\" of jsonpath input", message, token.written));
}

void JsonPathLexer::failHere(std::string_view message) const {
  throw SqlError(sqlstate::kSyntaxError,
                 fmt::format("{} at or near \"{}\" of jsonpath input", message, text_.substr(begin_, at_ - begin_)));
}

void JsonPathLexer::failAtEnd(std::string_view message) {
  throw SqlError(sqlstate::kSyntaxError, fmt::format("{} at end of jsonpath input", message));
}

void JsonPathLexer::skipBlanks() {
  while (at_ < text_.size()) {
    if (kBlanks.contains(text_[at_])) {
      ++at_;
      continue;
    }
    if (at(at_) != '/' || at(at_ + 1) != '*') return;
    begin_ = at_;
    const size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) {
      failAtEnd("unexpected end of comment");
    }
    at_ = end + 2;
  }
}

JsonPathToken JsonPathLexer::next() {
  skipBlanks();
  begin_ = at_;
  JsonPathToken token;
  if (at_ >= text_.size()) return token;
  const char first = text_[at_];
  if (isDigit(first) || (first == '.' && isDigit(at(at_ + 1)))) {
    token = number();
  } else if (first == '$' && (at(at_ + 1) == '"' || isOther(at(at_ + 1)) || at(at_ + 1) == '\\')) {
    ++at_;
    token.text = at(at_) == '"' ? quoted() : word();
    token.kind = JsonPathToken::Kind::Variable;
  } else if (first == '"') {
    token.text = quoted();
    token.kind = JsonPathToken::Kind::String;
  } else if (kSpecial.contains(first)) {
    constexpr std::string_view kPairs[] = {"**", "&&", "||", "==", "!=", "<>", "<=", ">="};
    const std::string_view pair = text_.substr(at_, 2);
    const bool is_pair = std::ranges::find(kPairs, pair) != std::end(kPairs);
    token.text = pair.substr(0, is_pair ? 2 : 1);
    token.kind = JsonPathToken::Kind::Symbol;
    at_ += token.text.size();
  } else {
    token.text = word();
    token.kind = JsonPathToken::Kind::Word;
    // PostgreSQL's scanner has found the end of a word by then: a blank, or nothing that it would show.
    if (at_ < text_.size() && kBlanks.contains(text_[at_])) token.written = text_.substr(at_, 1);
    return token;
  }
  token.written = text_.substr(begin_, at_ - begin_);
  return token;
}

JsonPathToken JsonPathLexer::number() {
  JsonPathToken token;
  token.kind = JsonPathToken::Kind::Integer;
  if (at(at_) == '0')
    ++at_;
  else
    while (isDigit(at(at_))) ++at_;
  if (at(at_) == '.') {
    token.kind = JsonPathToken::Kind::Number;
    for (++at_; isDigit(at(at_)); ++at_) {
    }
  }
  if (at(at_) == 'e' || at(at_) == 'E') {
    const size_t sign = at(at_ + 1) == '+' || at(at_ + 1) == '-' ? 1 : 0;
    if (isDigit(at(at_ + 1 + sign))) {
      token.kind = JsonPathToken::Kind::Number;
      for (at_ += 1 + sign; isDigit(at(at_)); ++at_) {
      }
    } else if (sign != 0) {
      at_ += 2;
      failHere("invalid numeric literal");
    }
  }
  token.text = text_.substr(begin_, at_ - begin_);
  if (isOther(at(at_))) {
    ++at_;
    failHere("trailing junk after numeric literal");
  }
  return token;
}

std::string JsonPathLexer::word() {
  std::string text;
  for (;;) {
    const char c = at(at_);
    if (c == '\\')
      escape(text);
    else if (isOther(c)) {
      text += c;
      ++at_;
    } else {
      break;
    }
  }
  return text;
}

std::string JsonPathLexer::quoted() {
  std::string text;
  for (++at_;;) {
    if (at_ >= text_.size()) failAtEnd("unexpected end of quoted string");
    const char c = text_[at_];
    if (c == '"') break;
    if (c == '\\') {
      escape(text);
    } else {
      text += c;
      ++at_;
    }
  }
  ++at_;
  return text;
}

void JsonPathLexer::escape(std::string& out) {
  if (++at_ >= text_.size()) failAtEnd("unexpected end after backslash");
  const char c = text_[at_++];
  constexpr std::string_view kLetters = "bfnrtv", kMeant = "\b\f\n\r\t\v";
  if (const size_t letter = kLetters.find(c); letter != std::string_view::npos) {
    out += kMeant[letter];
  } else if (c == 'x') {
    const int high = hexadecimal(at(at_)), low = hexadecimal(at(at_ + 1));
    if (high < 0 || low < 0) failHere("invalid hexadecimal character sequence");
    at_ += 2;
    addCodePoint(static_cast<uint32_t>(high * 16 + low), out);
  } else if (c == 'u') {
    addCodePoint(codePoint(), out);
  } else {
    out += c;
  }
}

uint32_t JsonPathLexer::codePoint() {
  uint32_t code = 0;
  const bool is_enclosed = at(at_) == '{';
  if (is_enclosed) ++at_;
  const int most = is_enclosed ? 6 : 4;
  int count = 0;
  for (; count < most && hexadecimal(at(at_)) >= 0; ++count)
    code = code * 16 + static_cast<uint32_t>(hexadecimal(at(at_++)));
  const bool is_valid = is_enclosed ? count > 0 && at(at_) == '}' : count == most;
  if (!is_valid) failHere("invalid Unicode escape sequence");
  if (is_enclosed) ++at_;
  return code;
}

void JsonPathLexer::addCodePoint(uint32_t code, std::string& out) {
  const auto refuse = [](const char* detail) {
    throw SqlError(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type jsonpath").detail(detail);
  };
  if (code == 0)
    throw SqlError(sqlstate::kUntranslatableCharacter, "unsupported Unicode escape sequence")
        .detail("\\u0000 cannot be converted to text.");
  constexpr const char* kLowHalf = "Unicode low surrogate must follow a high surrogate.";
  if (code >= 0xd800 && code < 0xdc00) {
    if (high_half_ != 0) refuse("Unicode high surrogate must not follow a high surrogate.");
    high_half_ = code;
    // The other half has to be the next escape.
    if (at(at_) != '\\' || at(at_ + 1) != 'u') refuse(kLowHalf);
    at_ += 2;
    const uint32_t low = codePoint();
    if (low < 0xdc00 || low >= 0xe000) refuse(kLowHalf);
    code = 0x10000 + ((high_half_ & 0x3ff) << 10) + (low & 0x3ff);
    high_half_ = 0;
  } else if (code >= 0xdc00 && code < 0xe000) {
    refuse(kLowHalf);
  }
  appendUtf8(code, out);
}

}  // namespace gnomon::sql
