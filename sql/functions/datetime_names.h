#pragma once

#include <array>
#include <string>
#include <string_view>

namespace gnomon::sql {

/// Names in the pictures of dates.
inline constexpr std::array<std::string_view, 12> kMonthNames{"January",   "February", "March",    "April",
                                                              "May",       "June",     "July",     "August",
                                                              "September", "October",  "November", "December"};
inline constexpr std::array<std::string_view, 7> kDayNames{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                           "Thursday", "Friday", "Saturday"};
/// December first.
inline constexpr std::array<std::string_view, 12> kRomanMonths{"xii", "xi", "x",  "ix",  "viii", "vii",
                                                               "vi",  "v",  "iv", "iii", "ii",   "i"};

/// Of ASCII letters.
inline std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return result;
}
inline std::string uppered(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c & ~0x20);
  return result;
}

}  // namespace gnomon::sql
