#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon {

/// Settings that users make by setting them, whose names have dots: `app.user`. Their values are texts that mean
/// nothing here.
///
/// Names are compared without regard to the case of ASCII letters and shown as they were first written. Once made a
/// setting stays for the session: one whose making is undone is empty. Threads: one at a time.
class CustomSettings {
 public:
  /// Whether a name is for settings of this kind alone.
  static bool hasDot(std::string_view name) { return name.find('.') != std::string_view::npos; }
  /// Failure: 42602 unless it is two or more identifiers with dots between.
  static void checkName(std::string_view name);

  /// Null: there is none.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  /// As it was first written; the argument where there is none.
  [[nodiscard]] std::string_view shownName(std::string_view name) const;

  /// The `change` of its last set() or reset(); 0: there was none, or there is no such setting.
  [[nodiscard]] uint64_t changeOf(std::string_view name) const;
  /// Makes the setting where there is none. `is_kept`: reset() returns to this value.
  void set(std::string_view name, std::string_view value, bool is_kept, uint64_t change);
  void reset(std::string_view name, uint64_t change);
  void resetAll(uint64_t change);
  /// Makes those that the other has and this one has not, empty.
  void addNamesOf(const CustomSettings& other);

 private:
  struct Entry {
    std::string name, value, reset_value;
    uint64_t change = 0;
  };

  Entry& made(std::string_view name);

  std::vector<Entry> entries_;  ///< in the order in which they were made
};

}  // namespace gnomon
