#include "sql/catalog/constraint_name.h"

#include <fmt/format.h>

namespace gnomon::sql {
namespace {

/// Of a UTF-8 text that is not empty.
void removeLastCharacter(std::string& text) {
  bool is_continuation = true;
  while (is_continuation && !text.empty()) {
    is_continuation = (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80;
    text.pop_back();
  }
}

}  // namespace

std::string composedName(std::string first, std::string second, std::string_view label) {
  constexpr size_t kNameBytesMax = 63;
  const size_t room = kNameBytesMax - label.size() - 1 - (second.empty() ? 0 : 1);
  while (first.size() + second.size() > room) removeLastCharacter(first.size() > second.size() ? first : second);
  return fmt::format("{}{}{}_{}", first, second.empty() ? "" : "_", second, label);
}

}  // namespace gnomon::sql
