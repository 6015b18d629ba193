#include "sql/regex/regex_options.h"

#include <fmt/format.h>

#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

using Syntax = RegexOptions::Syntax;

constexpr SqlState kInvalidUseOfEscapeCharacter("2200C");

/// False: there is no such flag.
bool setFlag(RegexOptions& options, char flag) {
  switch (flag) {
    case 'g':
      options.is_global = true;
      return true;
    case 'b':
    case 'e':
      options.syntax = Syntax::Basic;
      return true;
    case 'q':
      options.syntax = Syntax::Literal;
      return true;
    case 'c':
    case 'i':
      options.is_caseless = flag == 'i';
      return true;
    case 'm':
    case 'n':
      options.setLines(true, true);
      return true;
    case 'p':
      options.setLines(true, false);
      return true;
    case 's':
      options.setLines(false, false);
      return true;
    case 'w':
      options.setLines(false, true);
      return true;
    case 't':
    case 'x':
      options.is_expanded = flag == 'x';
      return true;
    default:
      return false;
  }
}

/// Writes a pattern of SIMILAR TO as an ARE, character by character.
class SimilarWriter {
 public:
  explicit SimilarWriter(std::string_view escape) : escape_(escape) {}

  std::string run(std::string_view pattern) {
    while (!pattern.empty()) {
      const std::string_view c = pattern.substr(0, characterBytes(static_cast<unsigned char>(pattern[0])));
      pattern.remove_prefix(c.size());
      if (was_escape_)
        writeEscaped(c);
      else if (!escape_.empty() && c == escape_)
        was_escape_ = true;
      else if (class_depth_ > 0)
        writeInClass(c);
      else
        write(c);
    }
    return result_ + ")$";
  }

 private:
  void writeEscaped(std::string_view c) {
    was_escape_ = false;
    if (c == "\"" && class_depth_ == 0) return writeSeparator();
    if (c.size() == 1) result_ += '\\';
    result_ += c;
    class_place_ = Place::Inside;
  }

  /// The first part matches as little as it can, the second as much as it can.
  void writeSeparator() {
    if (separators_ == 2)
      throw SqlError(kInvalidUseOfEscapeCharacter,
                     "SQL regular expression may not contain more than two escape-double-quote separators");
    result_ += separators_++ == 0 ? "){1,1}?(" : "){1,1}(?:";
  }

  /// A closing bracket right at the beginning, also behind a caret, is an element.
  void writeInClass(std::string_view c) {
    if (c == "\\") result_ += '\\';
    result_ += c;
    if (c == "]" && class_place_ == Place::Inside) --class_depth_;
    if (c == "[") ++class_depth_;
    class_place_ = c == "^" && class_place_ == Place::Begin ? Place::BehindCaret : Place::Inside;
  }

  void write(std::string_view c) {
    if (c == "[") {
      class_depth_ = 1;
      class_place_ = Place::Begin;
      result_ += c;
    } else if (c == "%") {
      result_ += ".*";
    } else if (c == "_") {
      result_ += '.';
    } else if (c == "(") {
      result_ += "(?:";
    } else {
      if (c == "\\" || c == "." || c == "^" || c == "$") result_ += '\\';
      result_ += c;
    }
  }

  enum class Place : unsigned char { Begin, BehindCaret, Inside };

  const std::string_view escape_;
  std::string result_ = "^(?:";
  bool was_escape_ = false;
  int class_depth_ = 0;
  Place class_place_ = Place::Inside;
  int separators_ = 0;
};

}  // namespace

RegexOptions parseRegexFlags(std::string_view flags) {
  RegexOptions options;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (setFlag(options, flags[i])) continue;
    const std::string_view letter = flags.substr(i, characterBytes(static_cast<unsigned char>(flags[i])));
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid regular expression option: \"{}\"", letter));
  }
  return options;
}

std::string similarPattern(std::string_view pattern, std::string_view escape) {
  return SimilarWriter(escape).run(pattern);
}

std::string checkedSimilarPattern(std::string_view pattern, std::string_view escape) {
  if (countCharacters(escape) > 1)
    throw SqlError(sqlstate::kInvalidEscapeSequence, "invalid escape string")
        .hint("Escape string must be empty or one character.");
  return similarPattern(pattern, escape);
}

void throwInvalidRegex(const char* what) {
  throw SqlError(sqlstate::kInvalidRegularExpression, fmt::format("invalid regular expression: {}", what));
}

void throwRegexTooComplex() {
  throwInvalidRegex("regular expression is too complex");
}

}  // namespace gnomon::sql
