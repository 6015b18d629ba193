#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon::sql {

/// Pictures are the templates of to_char, to_date, to_timestamp and to_number: patterns, and characters that stand for
/// themselves.
///
/// Source: PostgreSQL's formatting.c.

/// A pattern by its name, as a picture spells it. Names are tried in the order of their table.
struct PatternName {
  std::string_view name;
  uint8_t id;
  bool is_digit = false;   ///< it reads digits alone
  uint8_t convention = 0;  ///< which calendar it belongs to: sql/functions/datetime_picture.h
};

/// What stands before or behind a pattern of dates.
enum PatternSuffix : uint8_t {
  kFillMode = 1,
  kUpperOrdinal = 2,
  kLowerOrdinal = 4,
  kSpelled = 8,  ///< without meaning
  kTranslated = 16,
};

struct PictureNode {
  enum class Kind : uint8_t { Pattern, Character, Separator, Space };
  Kind kind;
  const PatternName* pattern = nullptr;
  uint8_t suffixes = 0;
  std::string_view character;

  [[nodiscard]] bool isPattern() const { return kind == Kind::Pattern; }
  [[nodiscard]] bool has(uint8_t suffix) const { return (suffixes & suffix) != 0; }
  [[nodiscard]] bool isOrdinal() const { return has(kUpperOrdinal | kLowerOrdinal); }
};

enum class PictureStyle : uint8_t {
  Numbers,
  Dates,          ///< patterns have suffixes, and separators are told from other characters
  StandardDates,  ///< the same, but outside of quotes only the separators of the SQL standard stand between patterns
};

/// The nodes refer to the picture's bytes. Failure: 22007 for what is no separator of the standard.
std::vector<PictureNode> parsePicture(std::string_view picture, std::span<const PatternName> names, PictureStyle style);

/// The last picture that was parsed: rows of one statement mostly have the same. Threads: one.
class PictureCache {
 public:
  PictureCache(std::span<const PatternName> names, PictureStyle style) : names_(names), style_(style) {}
  const std::vector<PictureNode>& nodesOf(std::string_view picture);

 private:
  std::span<const PatternName> names_;
  PictureStyle style_;
  bool is_filled_ = false;
  std::string picture_;
  std::vector<PictureNode> nodes_;
};

/// Neither letter nor digit nor blank nor control character.
bool isPictureSeparator(char c);
/// "st", "nd", "rd" or "th" for a number. Failure: 22P02 when it does not end with a digit.
std::string_view ordinalEnding(std::string_view number, bool is_upper);

}  // namespace gnomon::sql
