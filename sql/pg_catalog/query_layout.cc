#include "sql/pg_catalog/query_layout.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/plpgsql/tokens.h"

namespace gnomon::sql::pg_catalog {
namespace {

/// Columns by which lines of a query stand further right than the query itself.
constexpr size_t kQuery = 1, kItem = 4, kFrom = 3, kJoin = 5, kWhere = 2, kLimit = 1, kCase = 8, kArm = 4;
/// Of a query within another one.
constexpr size_t kNested = 8;

enum class Part { Start, With, Items, From, Rest };

/// Words of SQL are in capitals where the deparser writes them; names that are would be in quotes.
class Layout {
 public:
  Layout(const std::string& text, size_t indent) : text_(text), indent_(indent), list_(plpgsql::scanTokens(text)) {}

  std::string run() {
    if (list_.error || list_.tokens.empty()) return text_;
    query(0, list_.tokens.size() - 1, 0);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string_view at(size_t i) const {
    const plpgsql::Token& token = list_.tokens[i];
    return std::string_view(text_).substr(token.begin, token.end - token.begin);
  }
  [[nodiscard]] bool isAny(size_t i, std::initializer_list<std::string_view> words) const {
    return std::ranges::find(words, at(i)) != words.end();
  }
  [[nodiscard]] size_t closing(size_t open) const;
  [[nodiscard]] bool beginsQuery(size_t i) const {
    while (at(i) == "(") ++i;
    return isAny(i, {"SELECT", "WITH", "VALUES"});
  }
  /// A word that begins a clause; 0: it is none.
  [[nodiscard]] size_t indentOfClause(size_t i, Part part) const;
  [[nodiscard]] bool beginsJoin(size_t i) const;
  void query(size_t begin, size_t end, size_t base);
  void change(size_t begin, size_t end, size_t base);
  size_t rows(size_t begin, size_t end, size_t base);
  [[nodiscard]] bool beginsClauseOfChange(size_t i) const;
  [[nodiscard]] bool beginsChange(size_t i) const { return isAny(i, {"INSERT", "UPDATE", "DELETE", "MERGE"}); }
  void count(size_t begin, size_t end, size_t base);
  [[nodiscard]] size_t endOfClause(size_t i, size_t end) const;
  size_t piece(size_t i, size_t base);
  void write(size_t i, bool has_space);
  void write(size_t i) { write(i, i > 0 && list_.tokens[i - 1].end != list_.tokens[i].begin); }
  void line(size_t column) {
    if (!out_.empty()) out_.append("\n").append(indent_, ' ');
    out_.append(column, ' ');
  }

  const std::string& text_;
  const size_t indent_;
  const plpgsql::TokenList list_;
  std::string out_;
  size_t cases_ = 0;             ///< around what is written
  bool is_after_comma_ = false;  ///< in a row of VALUES, where no space follows
};

size_t Layout::closing(size_t open) const {
  size_t depth = 0;
  for (size_t i = open;; ++i) {
    if (at(i) == "(") ++depth;
    if (at(i) == ")" && --depth == 0) return i;
  }
}

void Layout::write(size_t i, bool has_space) {
  if (std::exchange(is_after_comma_, false)) has_space = false;
  if (has_space && !out_.empty() && out_.back() != ' ' && out_.back() != '\n') out_ += ' ';
  out_ += at(i);
}

size_t Layout::indentOfClause(size_t i, Part part) const {
  if (part == Part::Start || part == Part::With) return 0;
  const std::string_view before = at(i - 1);
  if (at(i) == "FROM") return before == "DISTINCT" ? 0 : kFrom;
  if (isAny(i, {"WHERE", "WINDOW"})) return kWhere;
  if (at(i) == "GROUP") return before == "WITHIN" ? 0 : kWhere;
  if (at(i) == "ORDER") return kWhere;
  if (isAny(i, {"HAVING", "LIMIT", "OFFSET", "FOR"})) return kLimit;
  return at(i) == "FETCH" ? kLimit : 0;
}

bool Layout::beginsJoin(size_t i) const {
  static constexpr std::array<std::string_view, 6> kKinds = {"NATURAL", "LEFT", "RIGHT", "FULL", "INNER", "CROSS"};
  const auto isKind = [&](size_t place) { return std::ranges::find(kKinds, at(place)) != kKinds.end(); };
  const bool follows = isKind(i - 1) || at(i - 1) == "OUTER";
  return (at(i) == "JOIN" || isKind(i)) && !follows;
}

/// LIMIT, OFFSET or the like, and what follows it.
void Layout::count(size_t begin, size_t end, size_t base) {
  line(base + kLimit);
  write(begin, false);
  for (size_t i = begin + 1; i < end;) i = piece(i, base);
}

/// Where the clause ends that the token begins.
size_t Layout::endOfClause(size_t i, size_t end) const {
  for (++i; i < end && indentOfClause(i, Part::Rest) == 0;) i = at(i) == "(" ? closing(i) + 1 : i + 1;
  return i;
}

/// Writes the token, or what stands in the parentheses that it opens, or the CASE that it begins; the next one.
size_t Layout::piece(size_t i, size_t base) {
  if (at(i) == "CASE") {
    const size_t column = base + kCase + cases_ * kArm;
    ++cases_;
    line(column);
    write(i++, false);
    while (at(i) != "END") {
      if (isAny(i, {"WHEN", "ELSE"})) {
        line(column + kArm);
        write(i++, false);
      } else {
        i = piece(i, base);
      }
    }
    --cases_;
    line(column);
    write(i, false);
    return i + 1;
  }
  if (at(i) == "EXISTS" && at(i + 1) == "(") {
    const bool has_space = list_.tokens[i - 1].end != list_.tokens[i].begin;
    out_.append(has_space ? " (" : "(");
    write(i, false);
    i = piece(i + 1, base);
    out_ += ')';
    return i;
  }
  write(i);
  if (at(i) != "(") return i + 1;
  const size_t end = closing(i++);
  if (beginsQuery(i)) {
    out_ += ' ';
    query(i, end, base + kNested);
  } else {
    while (i < end) i = piece(i, base);
  }
  write(end, false);
  return end + 1;
}

/// The clauses that begin lines in a change, at its level.
bool Layout::beginsClauseOfChange(size_t i) const {
  if (at(i) == "FROM") return at(i - 1) != "DELETE" && at(i - 1) != "DISTINCT";
  if (isAny(i, {"USING", "WHEN"})) return true;
  return isAny(i, {"WHERE", "RETURNING"});
}

/// Rows of VALUES.
size_t Layout::rows(size_t begin, size_t end, size_t base) {
  const size_t first_end = closing(begin);
  const bool are_several = first_end + 1 < end && at(first_end + 1) == ",";
  size_t i = begin;
  while (i < end && isAny(i, {"(", ","})) {
    if (at(i) == ",") {
      write(i++, false);
      continue;
    }
    const size_t close = closing(i);
    write(i++);
    while (i < close) {
      i = piece(i, base);
      if (are_several && at(i - 1) == ",") is_after_comma_ = true;
    }
    write(i++, false);
  }
  return i;
}

/// Tokens [begin, end) are INSERT, UPDATE, DELETE or MERGE, of which the first word is to be written where the text
/// ends.
void Layout::change(size_t begin, size_t end, size_t base) {
  const bool is_merge = at(begin) == "MERGE";
  bool returns = false, has_source = at(begin) != "INSERT";
  write(begin, false);
  for (size_t i = begin + 1; i < end;) {
    if (!has_source && at(i) == "VALUES" && at(i - 1) != "DEFAULT") {
      has_source = true;
      line(base + kWhere);
      write(i, false);
      i = rows(i + 1, end, base);
      continue;
    }
    if (!has_source && beginsQuery(i) && at(i - 1) != "DEFAULT" && at(i) != "VALUES") {
      has_source = true;
      size_t source_end = i;
      while (source_end < end && at(source_end) != "RETURNING" &&
             !(at(source_end) == "ON" && at(source_end + 1) == "CONFLICT"))
        source_end = at(source_end) == "(" ? closing(source_end) + 1 : source_end + 1;
      out_ += "  ";
      query(i, source_end, base + kNested);
      i = source_end;
      continue;
    }
    if (is_merge && isAny(i, {"USING", "ON", "WHEN"})) {
      line(base + kItem);
      write(i++, false);
      continue;
    }
    if (is_merge && at(i) == "THEN") {
      line(base + kJoin);
      write(i++, false);
      continue;
    }
    if (!is_merge && beginsClauseOfChange(i)) {
      returns = at(i) == "RETURNING";
      line(base + (isAny(i, {"FROM", "USING"}) ? kFrom : kWhere));
      write(i++, false);
      continue;
    }
    const bool is_item = returns && at(i) == ",";
    i = piece(i, base);
    if (is_item && at(i) != "CASE") line(base + kItem);
  }
}

/// Tokens [begin, end) are a query, of which the first word is to be written where the text ends.
void Layout::query(size_t begin, size_t end, size_t base) {
  const size_t cases = std::exchange(cases_, 0);
  Part part = Part::Start;
  bool are_rows = false;
  for (size_t i = begin; i < end;) {
    const std::string_view word = at(i);
    if (part == Part::Start && word == "(") {
      // An operand of a set operation.
      write(i, false);
      const size_t close = closing(i);
      out_ += ' ';
      query(i + 1, close, base);
      write(close, false);
      i = close + 1;
      part = Part::Rest;
      continue;
    }
    if (word == "WITH" && part == Part::Start) {
      part = Part::With;
      write(i++, false);
      continue;
    }
    if (beginsChange(i) && (part == Part::Start || part == Part::With)) {
      if (part == Part::With) line(base + kQuery);
      change(i, end, base);
      break;
    }
    if (isAny(i, {"SELECT", "VALUES"}) && (part == Part::Start || part == Part::With)) {
      if (part == Part::With) line(base + kQuery);
      part = word == "SELECT" ? Part::Items : Part::Rest;
      are_rows = word == "VALUES";
      write(i++, false);
      continue;
    }
    if (part == Part::With && word == "(" && isAny(i - 1, {"AS", "MATERIALIZED"})) {
      const size_t close = closing(i);
      write(i);
      line(base + kNested + kQuery);
      query(i + 1, close, base + kNested);
      line(base + kNested);
      write(close, false);
      i = close + 1;
      continue;
    }
    if (isAny(i, {"UNION", "INTERSECT", "EXCEPT"})) {
      line(base);
      write(i++, false);
      if (at(i) == "ALL") write(i++);
      line(at(i) == "(" ? base : base + kQuery);
      part = Part::Start;
      are_rows = false;
      continue;
    }
    const size_t indent = indentOfClause(i, part);
    if (indent != 0 && word == "LIMIT") {
      const size_t offset = endOfClause(i, end);
      const size_t rest = offset < end && at(offset) == "OFFSET" ? endOfClause(offset, end) : offset;
      if (rest != offset) count(offset, rest, base);
      count(i, offset, base);
      i = rest;
      continue;
    }
    if (indent != 0) {
      line(base + indent);
      part = word == "FROM" ? Part::From : Part::Rest;
      write(i++, false);
      continue;
    }
    if (part == Part::From && beginsJoin(i)) {
      line(base + kJoin);
      write(i++, false);
      continue;
    }
    if (are_rows && word == "(") {
      write(i++);
      const size_t close = closing(i - 1);
      while (i < close) {
        i = piece(i, base);
        if (at(i - 1) == ",") is_after_comma_ = true;
      }
      write(i++, false);
      continue;
    }
    const bool is_item = word == "," && (part == Part::Items || part == Part::From);
    i = piece(i, base);
    // CASE begins a line of its own.
    if (is_item && at(i) != "CASE") line(base + kItem);
  }
  cases_ = cases;
}

}  // namespace

std::string laidOut(const std::string& query, size_t indent) {
  const std::string text = Layout(query, indent).run();
  return text.starts_with('(') ? text : " " + text;
}

}  // namespace gnomon::sql::pg_catalog
