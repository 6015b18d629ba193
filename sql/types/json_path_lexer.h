#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gnomon::sql {

/// A token of a path.
struct JsonPathToken {
  enum class Kind : uint8_t {
    End,
    Symbol,    ///< text: the characters, "**" and "==" among them
    Word,      ///< text: an identifier or a keyword without quotes
    String,    ///< text: what it means
    Variable,  ///< text: its name
    Integer,
    Number,
  };
  Kind kind = Kind::End;
  std::string text;
  std::string_view written;  ///< what errors show of it; empty: the end of the path

  [[nodiscard]] bool is(std::string_view symbol) const { return kind == Kind::Symbol && text == symbol; }
  /// A keyword, in any case but for true, false and null.
  [[nodiscard]] bool isWord(std::string_view word) const;
};

/// Takes a path apart. Failure: 42601, 22P02, 22P05, as PostgreSQL's scanner.
class JsonPathLexer {
 public:
  explicit JsonPathLexer(std::string_view text) : text_(text) {}

  JsonPathToken next();
  [[noreturn]] static void fail(std::string_view message, const JsonPathToken& token);

 private:
  void skipBlanks();
  JsonPathToken number();
  std::string quoted();
  void escape(std::string& out);
  uint32_t codePoint();
  void addCodePoint(uint32_t code, std::string& out);
  std::string word();
  [[nodiscard]] char at(size_t index) const { return index < text_.size() ? text_[index] : '\0'; }
  [[noreturn]] static void failAtEnd(std::string_view message);
  [[noreturn]] void failHere(std::string_view message) const;

  const std::string_view text_;
  size_t begin_ = 0, at_ = 0;
  uint32_t high_half_ = 0;  ///< of a character that takes two escapes
};

}  // namespace gnomon::sql
