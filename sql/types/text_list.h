#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon::sql {

/// A list of texts as one text: how functions of any number of arguments get those that may be NULL, though every call
/// is strict. Lists are joined by joining their texts.
///
/// Layout: for each text the number of its bytes in decimal digits, a colon, its bytes; for NULL a hyphen.
inline constexpr std::string_view kNullListEntry = "-";

inline std::string listEntryHead(std::string_view text) {
  return std::to_string(text.size()) + ':';
}

/// The list's texts; they lie in `list`.
inline std::vector<std::optional<std::string_view>> listTexts(std::string_view list) {
  std::vector<std::optional<std::string_view>> texts;
  while (!list.empty()) {
    if (list.starts_with(kNullListEntry)) {
      texts.emplace_back();
      list.remove_prefix(kNullListEntry.size());
      continue;
    }
    size_t bytes = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), bytes);
    list.remove_prefix(static_cast<size_t>(end - list.data()) + 1);
    texts.emplace_back(list.substr(0, bytes));
    list.remove_prefix(bytes);
  }
  return texts;
}

}  // namespace gnomon::sql
