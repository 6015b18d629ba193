#include "base/name_list.h"

namespace gnomon {
namespace {

constexpr size_t kNameBytesMax = 63;

bool isBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Reads one list from left to right.
class NameListReader {
 public:
  explicit NameListReader(std::string_view text) : text_(text) {}

  std::optional<std::vector<std::string>> read() {
    std::vector<std::string> names;
    skipBlanks();
    if (isAtEnd()) return names;
    for (;; ++at_) {
      skipBlanks();
      std::optional<std::string> name = !isAtEnd() && text_[at_] == '"' ? readQuoted() : readPlain();
      if (!name) return std::nullopt;
      cut(*name);
      names.push_back(std::move(*name));
      skipBlanks();
      if (isAtEnd()) return names;
      if (text_[at_] != ',') return std::nullopt;
    }
  }

 private:
  [[nodiscard]] bool isAtEnd() const { return at_ == text_.size(); }
  void skipBlanks() {
    while (!isAtEnd() && isBlank(text_[at_])) ++at_;
  }
  /// A character of UTF-8 is cut whole.
  static void cut(std::string& name) {
    if (name.size() <= kNameBytesMax) return;
    size_t bytes = kNameBytesMax;
    while (bytes > 0 && (static_cast<unsigned char>(name[bytes]) & 0xC0U) == 0x80U) --bytes;
    name.resize(bytes);
  }
  std::optional<std::string> readQuoted() {
    std::string name;
    for (++at_; !isAtEnd(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') {
          ++at_;
          return name;
        }
        ++at_;
      }
      name += text_[at_];
    }
    return std::nullopt;
  }
  std::optional<std::string> readPlain() {
    std::string name;
    for (; !isAtEnd() && text_[at_] != ',' && !isBlank(text_[at_]); ++at_) {
      const char c = text_[at_];
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    if (name.empty()) return std::nullopt;
    return name;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<std::string>> splitNameList(std::string_view text) {
  return NameListReader(text).read();
}

}  // namespace gnomon
