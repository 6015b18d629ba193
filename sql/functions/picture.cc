#include "sql/functions/picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/types/integer.h"
#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

struct SuffixName {
  std::string_view name;
  PatternSuffix suffix;
  bool is_before;
};
constexpr SuffixName kSuffixes[] = {
    {"FM", kFillMode, true},      {"fm", kFillMode, true},      {"TM", kTranslated, true}, {"tm", kTranslated, true},
    {"TH", kUpperOrdinal, false}, {"th", kLowerOrdinal, false}, {"SP", kSpelled, false}};

class Parser {
 public:
  Parser(std::string_view picture, std::span<const PatternName> names, PictureStyle style)
      : rest_(picture), names_(names), style_(style) {}

  std::vector<PictureNode> run() {
    while (!rest_.empty()) {
      const uint8_t before = takeSuffix(true);
      if (rest_.empty()) break;
      if (const PatternName* pattern = findPattern()) {
        rest_.remove_prefix(pattern->name.size());
        const auto suffixes = static_cast<uint8_t>(before | takeSuffix(false));
        nodes_.push_back({PictureNode::Kind::Pattern, pattern, suffixes, {}});
      } else if (rest_.front() == '"') {
        takeQuoted();
      } else if (style_ == PictureStyle::StandardDates) {
        takeStandardSeparator();
      } else {
        // Outside of quotes a backslash means something before a quote alone.
        if (rest_.starts_with("\\\"")) rest_.remove_prefix(1);
        const bool is_separator = style_ == PictureStyle::Dates && isPictureSeparator(rest_.front());
        const PictureNode::Kind kind = is_separator             ? PictureNode::Kind::Separator
                                       : isSpace(rest_.front()) ? PictureNode::Kind::Space
                                                                : PictureNode::Kind::Character;
        takeCharacter(kind);
      }
    }
    return std::move(nodes_);
  }

 private:
  uint8_t takeSuffix(bool is_before) {
    if (style_ == PictureStyle::Numbers) return 0;
    for (const SuffixName& suffix : kSuffixes) {
      if (suffix.is_before != is_before || !rest_.starts_with(suffix.name)) continue;
      rest_.remove_prefix(suffix.name.size());
      return suffix.suffix;
    }
    return 0;
  }
  [[nodiscard]] const PatternName* findPattern() const {
    for (const PatternName& name : names_)
      if (rest_.starts_with(name.name)) return &name;
    return nullptr;
  }
  [[nodiscard]] std::string_view character() const {
    return rest_.substr(0, characterBytes(static_cast<unsigned char>(rest_.front())));
  }
  void takeCharacter(PictureNode::Kind kind) {
    nodes_.push_back({kind, nullptr, 0, character()});
    rest_.remove_prefix(nodes_.back().character.size());
  }
  void takeStandardSeparator() {
    constexpr std::string_view kSeparators = "-./,':; ";
    if (!kSeparators.contains(rest_.front()))
      throw SqlError(sqlstate::kInvalidDatetimeFormat,
                     fmt::format("invalid datetime format separator: \"{}\"", character()));
    takeCharacter(rest_.front() == ' ' ? PictureNode::Kind::Space : PictureNode::Kind::Separator);
  }
  void takeQuoted() {
    rest_.remove_prefix(1);
    while (!rest_.empty()) {
      if (rest_.front() == '"') {
        rest_.remove_prefix(1);
        return;
      }
      if (rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      takeCharacter(PictureNode::Kind::Character);
    }
  }

  std::string_view rest_;
  const std::span<const PatternName> names_;
  const PictureStyle style_;
  std::vector<PictureNode> nodes_;
};

}  // namespace

std::vector<PictureNode> parsePicture(std::string_view picture, std::span<const PatternName> names,
                                      PictureStyle style) {
  return Parser(picture, names, style).run();
}

const std::vector<PictureNode>& PictureCache::nodesOf(std::string_view picture) {
  if (is_filled_ && picture == picture_) return nodes_;
  is_filled_ = false;
  picture_ = picture;
  nodes_ = parsePicture(picture_, names_, style_);
  is_filled_ = true;
  return nodes_;
}

bool isPictureSeparator(char c) {
  const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return c > 0x20 && c < 0x7f && !is_letter && !isDigit(c);
}

std::string_view ordinalEnding(std::string_view number, bool is_upper) {
  if (number.empty() || !isDigit(number.back()))
    throw SqlError(sqlstate::kInvalidTextRepresentation, fmt::format("\"{}\" is not a number", number));
  const bool is_teen = number.size() > 1 && number[number.size() - 2] == '1';
  switch (is_teen ? '0' : number.back()) {
    case '1':
      return is_upper ? "ST" : "st";
    case '2':
      return is_upper ? "ND" : "nd";
    case '3':
      return is_upper ? "RD" : "rd";
    default:
      return is_upper ? "TH" : "th";
  }
}

}  // namespace gnomon::sql
