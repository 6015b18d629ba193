#include "codegen/runtime/text_format.h"

#include <fmt/format.h>

#include <climits>

#include "base/sql_error.h"
#include "sql/parse/identifier.h"
#include "sql/types/bytea.h"
#include "sql/types/integer.h"
#include "sql/types/text.h"

namespace gnomon::codegen::rt {
namespace {

constexpr const char* kPercentHint = "For a single \"%\" use \"%%\".";

[[noreturn]] void throwInvalid(std::string message) {
  throw SqlError(sqlstate::kInvalidParameterValue, std::move(message));
}

[[noreturn]] void throwRange() {
  throw SqlError(sqlstate::kNumericValueOutOfRange, "number is out of range");
}

/// One %[position$][flags][width]type.
struct Specifier {
  int position = -1;        ///< of the argument, from 1; -1: the next one
  int width_position = -1;  ///< of the argument that is the width; 0: the next one; -1: none
  bool aligns_left = false;
  int width = 0;
};

/// Reads a format from its first character to its last. Positions of arguments count from 1.
class Formatter {
 public:
  Formatter(std::string_view format, std::span<const std::optional<std::string_view>> arguments)
      : format_(format), arguments_(arguments) {}

  std::string run() {
    for (; at_ < format_.size(); ++at_) {
      if (format_[at_] != '%') {
        result_ += format_[at_];
        continue;
      }
      advance();
      if (format_[at_] == '%')
        result_ += '%';
      else
        convert(readSpecifier());
    }
    return std::move(result_);
  }

 private:
  void advance() {
    if (++at_ < format_.size()) return;
    throw SqlError(sqlstate::kInvalidParameterValue, "unterminated format() type specifier").hint(kPercentHint);
  }
  /// False: there are no digits.
  bool readDigits(int& number) {
    number = 0;
    bool found = false;
    for (; format_[at_] >= '0' && format_[at_] <= '9'; found = true) {
      if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, format_[at_] - '0', &number))
        throwRange();
      advance();
    }
    return found;
  }
  static int checkedPosition(int position) {
    if (position == 0) throwInvalid("format specifies argument 0, but arguments are numbered from 1");
    return position;
  }

  Specifier readSpecifier() {
    Specifier specifier;
    int number = 0;
    if (readDigits(number)) {
      if (format_[at_] != '$') {
        specifier.width = number;
        return specifier;
      }
      specifier.position = checkedPosition(number);
      advance();
    }
    for (; format_[at_] == '-'; advance()) specifier.aligns_left = true;
    if (format_[at_] == '*') {
      advance();
      specifier.width_position = 0;
      if (readDigits(number)) {
        if (format_[at_] != '$') throwInvalid("width argument position must be ended by \"$\"");
        specifier.width_position = checkedPosition(number);
        advance();
      }
    } else if (readDigits(number)) {
      specifier.width = number;
    }
    return specifier;
  }

  /// The argument at the position, or the next one.
  std::optional<std::string_view> take(int position) {
    if (position > 0) next_ = static_cast<size_t>(position) - 1;
    if (next_ >= arguments_.size()) throwInvalid("too few arguments for format()");
    return arguments_[next_++];
  }

  void convert(Specifier specifier) {
    const char type = format_[at_];
    if (type != 's' && type != 'I' && type != 'L') {
      const auto bytes = sql::characterBytes(static_cast<unsigned char>(type));
      throw SqlError(sqlstate::kInvalidParameterValue,
                     fmt::format("unrecognized format() type specifier \"{}\"", format_.substr(at_, bytes)))
          .hint(kPercentHint);
    }
    if (specifier.width_position >= 0) {
      const auto width = take(specifier.width_position);
      specifier.width = width ? sql::parseInteger(*width) : 0;
    }
    const auto argument = take(specifier.position);
    if (!argument && type == 'I')
      throw SqlError(sqlstate::kNullValueNotAllowed, "null values cannot be formatted as an SQL identifier");
    if (type == 's') return append(argument.value_or(""), specifier);
    if (type == 'I') return append(sql::quotedIdentifier(*argument), specifier);
    append(argument ? quotedLiteral(*argument) : "NULL", specifier);
  }

  void append(std::string_view text, const Specifier& specifier) {
    int width = specifier.width;
    bool aligns_left = specifier.aligns_left;
    if (width < 0) {
      if (width == INT_MIN) throwRange();
      width = -width;
      aligns_left = true;
    }
    const size_t length = sql::countCharacters(text);
    const size_t blanks = static_cast<size_t>(width) > length ? static_cast<size_t>(width) - length : 0;
    if (result_.size() + text.size() + blanks > sql::kStringBytesMax)
      throw SqlError(sqlstate::kProgramLimitExceeded, "out of memory")
          .detail(fmt::format("Cannot enlarge string buffer containing {} bytes by {} more bytes.", result_.size(),
                              blanks));
    if (!aligns_left) result_.append(blanks, ' ');
    result_ += text;
    if (aligns_left) result_.append(blanks, ' ');
  }

  std::string_view format_;
  std::span<const std::optional<std::string_view>> arguments_;
  size_t at_ = 0;
  size_t next_ = 0;
  std::string result_;
};

}  // namespace

std::string formattedText(std::string_view format, std::span<const std::optional<std::string_view>> arguments) {
  return Formatter(format, arguments).run();
}

std::string quotedLiteral(std::string_view text) {
  std::string result(text.contains('\\') ? "E'" : "'");
  for (const char c : text) result.append(c == '\'' || c == '\\' ? 2 : 1, c);
  return result + '\'';
}

}  // namespace gnomon::codegen::rt
