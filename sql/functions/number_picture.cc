#include "sql/functions/number_picture.h"

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

using Pattern = NumberPattern;

constexpr PatternName name(std::string_view text, Pattern pattern) {
  return {text, static_cast<uint8_t>(pattern)};
}
constexpr PatternName kNames[] = {
    name(",", Pattern::Comma),        name(".", Pattern::Point),       name("0", Pattern::Zero),
    name("9", Pattern::Nine),         name("B", Pattern::Blank),       name("C", Pattern::CurrencyCode),
    name("D", Pattern::LocalePoint),  name("EEEE", Pattern::Exponent), name("FM", Pattern::FillMode),
    name("G", Pattern::Group),        name("L", Pattern::Currency),    name("MI", Pattern::Minus),
    name("PL", Pattern::Plus),        name("PR", Pattern::Brackets),   name("RN", Pattern::Roman),
    name("SG", Pattern::SignOrPlus),  name("SP", Pattern::Spelled),    name("S", Pattern::Sign),
    name("TH", Pattern::Ordinal),     name("V", Pattern::Shift),       name("b", Pattern::Blank),
    name("c", Pattern::CurrencyCode), name("d", Pattern::LocalePoint), name("eeee", Pattern::Exponent),
    name("fm", Pattern::FillMode),    name("g", Pattern::Group),       name("l", Pattern::Currency),
    name("mi", Pattern::Minus),       name("pl", Pattern::Plus),       name("pr", Pattern::Brackets),
    name("rn", Pattern::Roman),       name("sg", Pattern::SignOrPlus), name("sp", Pattern::Spelled),
    name("s", Pattern::Sign),         name("th", Pattern::Ordinal),    name("v", Pattern::Shift),
};

[[noreturn]] void refuse(const char* message) {
  throw SqlError(sqlstate::kSyntaxError, message);
}

void takeDigit(NumberPicture& picture, bool is_zero) {
  if (picture.has_brackets) refuse(is_zero ? "\"0\" must be ahead of \"PR\"" : "\"9\" must be ahead of \"PR\"");
  if (!is_zero) {
    if (picture.has_shift)
      ++picture.shift;
    else
      ++(picture.has_point ? picture.after_point : picture.before_point);
    return;
  }
  if (!picture.has_zero && !picture.has_point) {
    picture.has_zero = true;
    picture.zero_start = picture.before_point + 1;
  }
  ++(picture.has_point ? picture.after_point : picture.before_point);
  picture.zero_end = picture.before_point + picture.after_point;
}

void takeSign(NumberPicture& picture) {
  if (picture.has_sign) refuse("cannot use \"S\" twice");
  if (picture.has_plus || picture.has_minus || picture.has_brackets)
    refuse("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together");
  picture.has_sign = true;
  if (picture.has_point) {
    picture.sign_place = NumberPicture::SignPlace::Behind;
    return;
  }
  picture.sign_place = NumberPicture::SignPlace::Before;
  picture.before_sign = picture.before_point;
}

void takeExponent(NumberPicture& picture) {
  if (picture.has_exponent) refuse("cannot use \"EEEE\" twice");
  if (picture.is_blank || picture.is_filled || picture.has_sign || picture.has_brackets || picture.has_minus ||
      picture.has_plus || picture.is_roman || picture.has_shift)
    throw SqlError(sqlstate::kSyntaxError, "\"EEEE\" is incompatible with other formats")
        .detail("\"EEEE\" may only be used together with digit and decimal point patterns.");
  picture.has_exponent = true;
}

void take(NumberPicture& picture, Pattern pattern) {
  if (picture.has_exponent && pattern != Pattern::Exponent) refuse("\"EEEE\" must be the last pattern used");
  switch (pattern) {
    case Pattern::Nine:
    case Pattern::Zero:
      return takeDigit(picture, pattern == Pattern::Zero);
    case Pattern::Blank:
      if (picture.before_point == 0 && picture.after_point == 0 && !picture.has_zero) picture.is_blank = true;
      return;
    case Pattern::LocalePoint:
    case Pattern::Point:
      if (picture.has_point) refuse("multiple decimal points");
      if (picture.has_shift) refuse("cannot use \"V\" and decimal point together");
      picture.has_point = true;
      return;
    case Pattern::FillMode:
      picture.is_filled = true;
      return;
    case Pattern::Sign:
      return takeSign(picture);
    case Pattern::Minus:
      if (picture.has_sign) refuse("cannot use \"S\" and \"MI\" together");
      picture.has_minus = true;
      return;
    case Pattern::Plus:
      if (picture.has_sign) refuse("cannot use \"S\" and \"PL\" together");
      picture.has_plus = true;
      return;
    case Pattern::SignOrPlus:
      if (picture.has_sign) refuse("cannot use \"S\" and \"SG\" together");
      picture.has_minus = picture.has_plus = true;
      return;
    case Pattern::Brackets:
      if (picture.has_sign || picture.has_plus || picture.has_minus)
        refuse("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together");
      picture.has_brackets = true;
      return;
    case Pattern::Roman:
      picture.is_roman = true;
      return;
    case Pattern::Shift:
      if (picture.has_point) refuse("cannot use \"V\" and decimal point together");
      picture.has_shift = true;
      return;
    case Pattern::Exponent:
      return takeExponent(picture);
    default:
      return;
  }
}

}  // namespace

const NumberPicture& numberPicture(std::string_view picture) {
  // The last one of this thread: rows of one statement mostly have the same.
  struct Last {
    std::string text;
    NumberPicture picture;
    bool is_filled = false;
  };
  thread_local Last last;
  if (last.is_filled && last.text == picture) return last.picture;
  last.is_filled = false;
  last.text = picture;
  last.picture = {};
  last.picture.nodes = parsePicture(last.text, kNames, PictureStyle::Numbers);
  for (const PictureNode& node : last.picture.nodes)
    if (node.isPattern()) take(last.picture, static_cast<Pattern>(node.pattern->id));
  last.is_filled = true;
  return last.picture;
}

}  // namespace gnomon::sql
