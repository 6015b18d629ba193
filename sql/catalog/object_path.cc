#include "sql/catalog/object_path.h"

#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/own_database.h"
#include "sql/types/object_id.h"

namespace gnomon::sql {
namespace {

constexpr SqlState kInvalidName("42602");

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/// The parts of a name, as PostgreSQL's textToQualifiedNameList cuts it.
class NameParts {
 public:
  explicit NameParts(std::string_view text) : text_(text) {}

  std::vector<std::string> read() {
    std::vector<std::string> parts;
    for (;; ++at_) {
      skipBlanks();
      const std::string part = at_ < text_.size() && text_[at_] == '"' ? readQuoted() : readPlain();
      parts.emplace_back(fitName(part));
      skipBlanks();
      if (at_ == text_.size()) return parts;
      if (text_[at_] != '.') raiseInvalid();
    }
  }

 private:
  [[noreturn]] static void raiseInvalid() { throw SqlError(kInvalidName, "invalid name syntax"); }
  void skipBlanks() {
    while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
  }
  std::string readQuoted() {
    std::string part;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '"') {
        part += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        part += text_[at_++];
      } else {
        ++at_;
        if (part.empty()) raiseInvalid();
        return part;
      }
    }
    raiseInvalid();
  }
  std::string readPlain() {
    std::string part;
    while (at_ < text_.size() && text_[at_] != '.' && !isBlank(text_[at_])) {
      const char c = text_[at_++];
      part += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    if (part.empty()) raiseInvalid();
    return part;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

ObjectPath readObjectPath(std::string_view text) {
  const std::vector<std::string> parts = NameParts(text).read();
  const auto own = withoutDatabase(parts, NameKind::Relation);
  return own.size() == 1 ? ObjectPath{{}, own[0]} : ObjectPath{own[0], own[1]};
}

}  // namespace gnomon::sql
