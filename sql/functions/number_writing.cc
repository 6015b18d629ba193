#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sql/functions/datetime_names.h"
#include "sql/functions/number_picture.h"

/// Source: PostgreSQL's formatting.c, NUM_processor, whose rules are these, steps in their order.
namespace gnomon::sql {
namespace {

using Pattern = NumberPattern;
using SignPlace = NumberPicture::SignPlace;

class Writer {
 public:
  Writer(NumberPicture picture, const NumberDigits& digits)
      : picture_(std::move(picture)), digits_(digits.text), sign_(digits.sign), blanks_(digits.blanks) {}

  std::string run() {
    if (picture_.has_exponent) return std::string(digits_);
    if (picture_.zero_start != 0) --picture_.zero_start;
    if (picture_.is_roman) makeRoman();
    decideSign();
    count_ = picture_.after_point + picture_.before_point - 1;
    if (picture_.is_filled && picture_.has_point) findLastShown();
    if (!is_sign_written_ && blanks_ == 0) ++count_;
    for (const PictureNode& node : picture_.nodes) {
      if (node.isPattern())
        write(node);
      else
        text_ += node.character;
    }
    // Digits that the number has not ended the text for PostgreSQL.
    return text_.substr(0, text_.find('\0'));
  }

 private:
  static constexpr size_t kNone = std::string_view::npos;

  void makeRoman() {
    const bool is_filled = picture_.is_filled;
    std::vector<PictureNode> nodes = std::move(picture_.nodes);
    const int zero_start = picture_.zero_start;
    picture_ = {};
    picture_.nodes = std::move(nodes);
    picture_.zero_start = zero_start;
    picture_.is_filled = is_filled;
    picture_.is_roman = true;
    blanks_ = 0;
  }

  /// MI, PL and SG write the sign themselves.
  void decideSign() {
    if (picture_.has_plus || picture_.has_minus) {
      is_sign_written_ = !(picture_.has_plus && !picture_.has_minus);
      return;
    }
    if (sign_ != '-' && picture_.is_filled) picture_.has_brackets = false;
    is_sign_written_ = sign_ == '+' && picture_.is_filled && !picture_.has_sign;
    if (picture_.sign_place == SignPlace::Before && picture_.before_point == picture_.before_sign)
      picture_.sign_place = SignPlace::Behind;
  }

  /// With FM zeros at the end of a fraction are left out, but those that the picture asks for.
  void findLastShown() {
    const size_t point = digits_.find('.');
    if (point == kNone) return;
    last_shown_ = point;
    for (size_t i = point + 1; i < digits_.size(); ++i)
      if (digits_[i] != '0') last_shown_ = i;
    if (picture_.zero_end <= blanks_) return;
    const int last_zero = std::min(static_cast<int>(digits_.size()) - 1, picture_.zero_end - blanks_);
    last_shown_ = std::max(last_shown_, static_cast<size_t>(last_zero));
  }

  [[nodiscard]] char digit() const { return at_ < digits_.size() ? digits_[at_] : '\0'; }
  [[nodiscard]] bool endsAtPoint() const { return last_shown_ != kNone && digits_[last_shown_] == '.'; }
  /// The 0 before the point of a number below 1 is blank.
  [[nodiscard]] bool isBlankZero() const {
    return !picture_.has_zero && at_ == 0 && digit() == '0' && picture_.after_point != 0;
  }

  void write(const PictureNode& node) {
    const auto pattern = static_cast<Pattern>(node.pattern->id);
    const bool is_upper = node.pattern->name[0] < 'a';
    switch (pattern) {
      case Pattern::Nine:
      case Pattern::Zero:
      case Pattern::Point:
      case Pattern::LocalePoint:
        if (!picture_.is_roman) writeDigit(pattern);
        return;
      case Pattern::Comma:
      case Pattern::Group:
        if (is_in_number_)
          text_ += ',';
        else if (!picture_.is_filled)
          text_ += ' ';
        return;
      case Pattern::Currency:
        text_ += ' ';
        return;
      case Pattern::Roman: {
        const std::string roman(is_upper ? std::string(digits_) : lowered(digits_));
        text_ += picture_.is_filled ? roman : fmt::format("{:>15}", roman);
        return;
      }
      case Pattern::Ordinal:
        if (!picture_.is_roman && !digits_.starts_with('#') && sign_ != '-' && !picture_.has_point)
          text_ += ordinalEnding(digits_, is_upper);
        return;
      case Pattern::Minus:
      case Pattern::Plus:
        if (sign_ == (pattern == Pattern::Minus ? '-' : '+'))
          text_ += sign_;
        else if (!picture_.is_filled)
          text_ += ' ';
        return;
      case Pattern::SignOrPlus:
        text_ += sign_;
        return;
      default:
        return;
    }
  }

  void writeSign() {
    if (picture_.has_sign) {
      if (picture_.sign_place != SignPlace::Before) return;
      text_ += sign_ == '-' ? '-' : '+';
    } else if (picture_.has_brackets) {
      text_ += sign_ == '+' ? ' ' : '<';
    } else if (sign_ == '+') {
      if (!picture_.is_filled) text_ += ' ';
    } else if (sign_ == '-') {
      text_ += '-';
    } else {
      return;
    }
    is_sign_written_ = true;
  }

  void writeDigit(Pattern pattern) {
    is_in_number_ = false;
    const bool is_sign_due = current_ >= blanks_ || (picture_.has_zero && picture_.zero_start == current_);
    if (!is_sign_written_ && is_sign_due && (!isBlankZero() || endsAtPoint())) writeSign();
    if (current_ < blanks_ && (picture_.zero_start > current_ || !picture_.has_zero)) {
      if (!picture_.is_filled) text_ += ' ';
    } else if (picture_.has_zero && current_ < blanks_ && picture_.zero_start <= current_) {
      text_ += '0';
      is_in_number_ = true;
    } else {
      writeOwnDigit(pattern);
    }
    int end = count_ + (blanks_ != 0 ? 1 : 0) + (picture_.has_point ? 1 : 0);
    if (last_shown_ != kNone && last_shown_ == at_) end = current_;
    if (current_ + 1 == end) writeSignBehind();
    ++current_;
  }
  void writeOwnDigit(Pattern pattern) {
    if (digit() == '.') {
      if (!endsAtPoint() || picture_.is_filled) text_ += '.';
    } else if (last_shown_ != kNone && at_ > last_shown_ && pattern != Pattern::Zero) {
      // A zero at the end.
    } else if (isBlankZero()) {
      if (!picture_.is_filled)
        text_ += ' ';
      else if (endsAtPoint())
        text_ += '0';
    } else {
      text_ += digit();
      is_in_number_ = true;
    }
    if (digit() != '\0') ++at_;
  }
  void writeSignBehind() {
    if (is_sign_written_ && picture_.has_brackets)
      text_ += sign_ == '+' ? ' ' : '>';
    else if (picture_.has_sign && picture_.sign_place == SignPlace::Behind)
      text_ += sign_ == '-' ? '-' : '+';
  }

  NumberPicture picture_;
  const std::string_view digits_;
  const char sign_;
  int blanks_;
  int count_ = 0;
  int current_ = 0;  ///< digits of the picture written
  size_t at_ = 0;    ///< of the digits, the next
  size_t last_shown_ = kNone;
  bool is_sign_written_ = false;
  bool is_in_number_ = false;
  std::string text_;
};

}  // namespace

std::string showNumber(NumberPicture picture, const NumberDigits& digits) {
  return Writer(std::move(picture), digits).run();
}

}  // namespace gnomon::sql
