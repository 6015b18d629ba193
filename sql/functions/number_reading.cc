#include <algorithm>

#include "base/sql_error.h"
#include "sql/functions/number_picture.h"
#include "sql/types/integer.h"
#include "sql/types/text.h"

/// Source: PostgreSQL's formatting.c, NUM_processor and NUM_numpart_from_char.
namespace gnomon::sql {
namespace {

using Pattern = NumberPattern;
using SignPlace = NumberPicture::SignPlace;

class Reader {
 public:
  Reader(std::string_view text, const NumberPicture& picture) : text_(text), picture_(picture) {}

  std::string run() {
    if (picture_.has_exponent) throw SqlError(sqlstate::kFeatureNotSupported, "\"EEEE\" not supported for input");
    if (picture_.is_roman) throw SqlError(sqlstate::kFeatureNotSupported, "\"RN\" not supported for input");
    for (const PictureNode& node : picture_.nodes) {
      if (isAtEnd()) break;
      if (!node.isPattern())
        skipOne();
      else if (read(node))
        ++at_;
    }
    if (digits_.ends_with('.')) digits_.pop_back();
    return sign_ + digits_;
  }
  [[nodiscard]] int digitsAfterPoint() const { return after_point_; }

 private:
  [[nodiscard]] bool isAtEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skipOne() {
    if (!isAtEnd()) at_ += characterBytes(static_cast<unsigned char>(text_[at_]));
  }
  /// Up to so many characters that belong to no number.
  void skipOthers(int count) {
    while (count-- > 0 && !isAtEnd() && std::string_view("0123456789.,+-").find(next()) == std::string_view::npos)
      skipOne();
  }
  /// The sign, or else another character.
  bool readSign(std::string_view signs) {
    if (signs.find(next()) == std::string_view::npos) {
      skipOthers(1);
      return false;
    }
    sign_ = next();
    return true;
  }

  /// Whether the character at hand was the pattern's.
  bool read(const PictureNode& node) {
    switch (static_cast<Pattern>(node.pattern->id)) {
      case Pattern::Nine:
      case Pattern::Zero:
        readDigit(true);
        return true;
      case Pattern::Point:
      case Pattern::LocalePoint:
        readDigit(false);
        return true;
      case Pattern::Comma:
      case Pattern::Group:
        return !picture_.is_filled && next() == ',';
      case Pattern::Currency:
        skipOthers(1);
        return false;
      case Pattern::Ordinal:
        if (sign_ != '#' && !picture_.has_point) skipOthers(2);
        return false;
      case Pattern::Minus:
        return readSign("-");
      case Pattern::Plus:
        return readSign("+");
      case Pattern::SignOrPlus:
        return readSign("+-");
      default:
        return false;
    }
  }

  void readDigit(bool takes_sign) {
    if (isAtEnd()) return;
    if (next() == ' ') ++at_;
    if (isAtEnd()) return;
    if (sign_ == ' ' && takes_sign && before_point_ + after_point_ == 0) readSignBefore();
    if (isAtEnd()) return;
    bool is_read = false;
    if (isDigit(next())) {
      if (has_point_ && after_point_ == picture_.after_point) return;
      digits_ += next();
      ++(has_point_ ? after_point_ : before_point_);
      is_read = true;
    } else if (picture_.has_point && !has_point_ && next() == '.') {
      digits_ += '.';
      has_point_ = true;
      is_read = true;
    }
    if (sign_ == ' ' && before_point_ + after_point_ > 0) readSignBehind(is_read);
  }
  void readSignBefore() {
    if (picture_.has_sign && picture_.sign_place == SignPlace::Before) {
      if (next() != '-' && next() != '+') return;
      sign_ = next();
    } else if (next() == '-' || (picture_.has_brackets && next() == '<')) {
      sign_ = '-';
    } else if (next() == '+') {
      sign_ = '+';
    } else {
      return;
    }
    ++at_;
  }
  /// Where it stands is not known exactly: behind the last digit.
  void readSignBehind(bool is_read) {
    if (picture_.has_sign && is_read && at_ + 1 < text_.size() && !isDigit(text_[at_ + 1])) {
      const char sign = text_[at_ + 1];
      if (sign != '-' && sign != '+') return;
      sign_ = sign;
      ++at_;
    } else if (!is_read && !picture_.has_sign && (picture_.has_plus || picture_.has_minus)) {
      if (next() == '-' || next() == '+') sign_ = next();
    }
  }

  const std::string_view text_;
  const NumberPicture& picture_;
  size_t at_ = 0;
  char sign_ = ' ';
  std::string digits_;
  int before_point_ = 0;
  int after_point_ = 0;
  bool has_point_ = false;
};

}  // namespace

std::string readNumber(std::string_view text, NumberPicture& picture) {
  Reader reader(text, picture);
  std::string number = reader.run();
  picture.after_point = reader.digitsAfterPoint();
  return number;
}

}  // namespace gnomon::sql
