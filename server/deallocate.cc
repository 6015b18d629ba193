#include "server/deallocate.h"

#include <algorithm>
#include <cctype>

namespace gnomon::server {
namespace {

struct Word {
  std::string text;  ///< folded to lower case unless quoted
  bool is_quoted = false;
};

/// Takes blanks and comments (which nest) from the front.
void skipBlanks(std::string_view& text) {
  unsigned depth = 0;
  while (!text.empty()) {
    if (text.starts_with("/*")) {
      ++depth;
      text.remove_prefix(2);
    } else if (depth > 0 && text.starts_with("*/")) {
      --depth;
      text.remove_prefix(2);
    } else if (depth == 0 && text.starts_with("--")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (depth > 0 || std::isspace(static_cast<unsigned char>(text.front()))) {
      text.remove_prefix(1);
    } else {
      return;
    }
  }
}

/// The identifier at the front; empty when there is none.
Word takeWord(std::string_view& text) {
  skipBlanks(text);
  Word word;
  if (text.starts_with('"')) {
    word.is_quoted = true;
    size_t i = 1;
    for (; i < text.size() && (text[i] != '"' || text.substr(i + 1).starts_with('"')); ++i) {
      if (text[i] == '"') ++i;
      word.text += text[i];
    }
    text.remove_prefix(std::min(i + 1, text.size()));
    return word;
  }
  size_t length = 0;
  for (; length < text.size(); ++length) {
    const auto c = static_cast<unsigned char>(text[length]);
    if (!std::isalnum(c) && c != '_' && c != '$' && c < 0x80) break;
    word.text += static_cast<char>(c < 0x80 ? std::tolower(c) : c);
  }
  text.remove_prefix(length);
  return word;
}

}  // namespace

std::optional<Deallocate> readDeallocate(std::string_view statement) {
  if (takeWord(statement).text != "deallocate") return std::nullopt;
  Word name = takeWord(statement);
  if (!name.is_quoted && name.text == "prepare") {
    Word next = takeWord(statement);
    if (!next.text.empty()) name = std::move(next);
  }
  if (!name.is_quoted && name.text == "all") return Deallocate{};
  return Deallocate{std::move(name.text)};
}

}  // namespace gnomon::server
