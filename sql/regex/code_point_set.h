#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace gnomon::sql {

/// A set of Unicode code points.
///
/// Shape: ranges of first and last members, ascending, that neither overlap nor touch.
class CodePointSet {
 public:
  using Range = std::pair<char32_t, char32_t>;
  static constexpr char32_t kMax = 0x10ffff;

  CodePointSet() = default;
  static CodePointSet all() { return of(0, kMax); }
  static CodePointSet of(char32_t first, char32_t last) {
    CodePointSet set;
    set.add(first, last);
    return set;
  }

  /// What lies beyond kMax is no member.
  void add(char32_t first, char32_t last);
  void add(const CodePointSet& other);
  void remove(char32_t c);
  [[nodiscard]] CodePointSet complement() const;
  /// With the letters' other case, as the locale C has it.
  [[nodiscard]] CodePointSet withBothCases() const;
  [[nodiscard]] bool contains(char32_t c) const;
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

  bool operator==(const CodePointSet&) const = default;
  auto operator<=>(const CodePointSet&) const = default;

 private:
  std::vector<Range> ranges_;
};

/// The members of a class of POSIX, or of `word`, as the locale C has them. Null: there is no such class.
const CodePointSet* codePointClass(std::string_view name);
/// A character by the name that POSIX gives it, as `hyphen`.
std::optional<char32_t> collatingElement(std::string_view name);

}  // namespace gnomon::sql
