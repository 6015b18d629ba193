#include "sql/parse/nesting.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace gnomon::sql {
namespace {

bool isNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
}
bool isNamePart(char c) {
  return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '$';
}
bool isOperator(char c) {
  return std::string_view("+-*/<>=~!@#%^&|`?:").contains(c);
}

/// Walks over the tokens of a text; unterminated ones end with it.
class NestingCounter {
 public:
  explicit NestingCounter(std::string_view text) : text_(text) {}

  uint32_t count() {
    while (at_ < text_.size()) step();
    return deepest_;
  }

 private:
  void step() {
    const char c = text_[at_];
    if (skipComment()) return;
    if (c == '\'') return skipQuoted('\'', at_ > 0 && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E'));
    if (c == '"') return skipQuoted('"', false);
    if (c == '$' && skipDollarQuoted()) return;
    if (isNameStart(c)) return readWord();
    if (isOperator(c)) {
      while (at_ < text_.size() && isOperator(text_[at_]) && !startsComment()) ++at_;
      return deepen(levels_.back().operators);
    }
    if (c == '(' || c == '[') open();
    if (c == ')' || c == ']') close();
    if (c == ',') reset();
    if (c == ';') {
      levels_.assign(1, {});
      depth_ = 0;
    }
    ++at_;
  }

  [[nodiscard]] bool startsComment() const {
    const std::string_view rest = text_.substr(at_, 2);
    return rest == "--" || rest == "/*";
  }
  bool skipComment() {
    if (!startsComment()) return false;
    if (text_[at_] == '-') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    uint32_t comment_depth = 0;
    do {
      const std::string_view rest = text_.substr(at_, 2);
      const int step = rest == "/*" ? 1 : rest == "*/" ? -1 : 0;
      comment_depth += static_cast<uint32_t>(step);
      at_ += step != 0 ? 2 : 1;
    } while (comment_depth > 0 && at_ < text_.size());
    return true;
  }
  void skipQuoted(char quote, bool has_escapes) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (has_escapes && text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return;
      }
    }
  }
  bool skipDollarQuoted() {
    size_t end = at_ + 1;
    while (end < text_.size() && isNamePart(text_[end]) && text_[end] != '$') ++end;
    if (end >= text_.size() || text_[end] != '$') return false;
    const std::string_view tag = text_.substr(at_, end + 1 - at_);
    const size_t close_at = text_.find(tag, end + 1);
    at_ = close_at == std::string_view::npos ? text_.size() : close_at + tag.size();
    return true;
  }
  void readWord() {
    std::string word;
    for (; at_ < text_.size() && isNamePart(text_[at_]); ++at_)
      if (word.size() < 16) word += static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_])));
    if (word == "and" || word == "or" || word == "when" || word == "then" || word == "else") return reset();
    if (word == "case") return open();
    if (word == "end") return close();
    if (word == "join" || word == "union" || word == "except" || word == "intersect")
      return deepen(levels_.back().sets);
    static constexpr std::string_view kPostfix[] = {"is",   "isnull", "notnull", "at",      "collate", "not",
                                                    "like", "ilike",  "similar", "between", "in"};
    if (std::ranges::find(kPostfix, word) != std::end(kPostfix)) deepen(levels_.back().operators);
  }

  void deepen(uint32_t& counter) {
    ++counter;
    deepest_ = std::max(deepest_, ++depth_);
  }
  /// A new operand: what came before in the same parentheses stands beside it, not around it.
  void reset() {
    depth_ -= levels_.back().operators;
    levels_.back().operators = 0;
  }
  void open() {
    levels_.emplace_back();
    deepen(levels_.back().sets);
  }
  void close() {
    if (levels_.size() == 1) return;
    depth_ -= levels_.back().operators + levels_.back().sets;
    levels_.pop_back();
  }

  /// What nests inside one pair of parentheses, or of CASE and END.
  struct Level {
    uint32_t operators = 0;  ///< operators in a row
    uint32_t sets = 0;       ///< joins and set operations, which lists and ANDs do not interrupt
  };

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Level> levels_{1};
  uint32_t depth_ = 0;  ///< the sum over the levels
  uint32_t deepest_ = 0;
};

}  // namespace

uint32_t nestingBound(std::string_view text) {
  return NestingCounter(text).count();
}

}  // namespace gnomon::sql
