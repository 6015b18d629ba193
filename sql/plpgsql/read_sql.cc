#include <fmt/format.h>

#include <algorithm>

#include "base/white_space.h"
#include "sql/plpgsql/reader.h"
#include "sql/plpgsql/sql_check.h"

/// Pieces of SQL, the statements that are little else, and what their rows are put into.
namespace gnomon::sql::plpgsql {
namespace {

const SqlState kErrorInAssignment("22005");

/// Follows the tokens of a statement to its semicolon, which stands outside of parentheses and of the body of a routine
/// that the statement creates.
class StatementEnd {
 public:
  explicit StatementEnd(std::string_view first) : is_create_(first == "create") {}

  /// `word`: of a name that is no keyword.
  bool isAt(const Item& item, std::string_view word) {
    watchCreate(item, word);
    if (item.is(TokenKind::ParenthesisOpen)) ++parentheses_;
    if (item.is(TokenKind::ParenthesisClose) && parentheses_ > 0) --parentheses_;
    if (is_routine_ && parentheses_ == 0) {
      if (item.is(Keyword::Begin) || item.is(Keyword::Case)) ++blocks_;
      if (item.is(Keyword::End) && blocks_ > 0) --blocks_;
    }
    return item.is(TokenKind::Semicolon) && parentheses_ == 0 && blocks_ == 0;
  }

 private:
  /// CREATE [OR REPLACE] FUNCTION or PROCEDURE.
  void watchCreate(const Item& item, std::string_view word) {
    ++items_;
    if (!is_create_) return;
    const bool says_routine = word == "function" || word == "procedure";
    if (says_routine && (items_ == 1 || items_ == 3)) is_routine_ = true;
    const bool goes_on = (items_ == 1 && item.is(Keyword::Or)) || (items_ == 2 && word == "replace");
    is_create_ = goes_on;
  }

  bool is_create_;
  bool is_routine_ = false;
  uint32_t items_ = 0;
  uint32_t parentheses_ = 0;
  uint32_t blocks_ = 0;
};

}  // namespace

/// An expression, up to one of `stops`. `end`: which one it was; End where the body ends, as fewer than three may.
Fragment Reader::readExpression(std::initializer_list<Stop> stops, std::string_view expected, Stop* end) {
  return readFragment(Fragment::Kind::Expression, stops, expected, end, true);
}

/// A statement, up to its semicolon.
Fragment Reader::readSqlStatement() {
  return readFragment(Fragment::Kind::Statement, {TokenKind::Semicolon}, ";", nullptr, true);
}

Fragment Reader::readFragment(Fragment::Kind kind, std::initializer_list<Stop> stops, std::string_view expected,
                              Stop* end, bool checks) {
  const std::string_view what = kind == Fragment::Kind::Expression ? "expression" : "statement";
  const Lookup before = cursor_.lookup();
  cursor_.setLookup(Lookup::Fields);
  std::optional<uint32_t> begin;
  uint32_t last_end = 0;
  int depth = 0;
  Item item;
  for (;; last_end = item.end) {
    item = cursor_.next();
    if (!begin) begin = item.begin;
    const auto* stop = std::ranges::find_if(stops, [&](const Stop& candidate) { return candidate.isAt(item); });
    const bool is_end = item.is(TokenKind::End) && stops.size() < 3;
    if (depth == 0 && (stop != stops.end() || is_end)) {
      if (end != nullptr) *end = is_end ? Stop(TokenKind::End) : *stop;
      break;
    }
    if (item.is(TokenKind::ParenthesisOpen) || item.is(TokenKind::BracketOpen)) ++depth;
    if (item.is(TokenKind::ParenthesisClose) || item.is(TokenKind::BracketClose))
      if (--depth < 0) fail("mismatched parentheses");
    if (item.is(TokenKind::End) || item.is(TokenKind::Semicolon)) {
      if (depth != 0) fail("mismatched parentheses");
      failAt(item.begin, fmt::format("missing \"{}\" at end of SQL {}", expected, what));
    }
  }
  cursor_.setLookup(before);
  if (*begin >= item.begin) fail(kind == Fragment::Kind::Expression ? "missing expression" : "missing SQL statement");
  // Comments behind it are not its own.
  const Fragment fragment = fragmentOf(kind, *begin, last_end);
  if (checks) check(fragment);
  return fragment;
}

void Reader::check(const Fragment& fragment) {
  if (options_.checks_sql) checkSql(routine_, fragment);
}

Fragment Reader::fragmentOf(Fragment::Kind kind, uint32_t begin, uint32_t end) {
  const std::string_view text = trimmed(std::string_view(routine_.body).substr(begin, end - begin));
  Fragment fragment;
  fragment.kind = kind;
  fragment.number = fragment_count_++;
  fragment.offset = text.empty() ? begin : static_cast<uint32_t>(text.data() - routine_.body.data());
  fragment.length = static_cast<uint32_t>(text.size());
  fragment.line = lineAt(fragment.offset);
  fragment.scope = routine_.scopes.top();
  return fragment;
}

/// expression, ...; each ends at one of `stops`, the first of which is the comma.
std::vector<Fragment> Reader::readArguments(std::initializer_list<Stop> stops, std::string_view expected, Stop* end) {
  std::vector<Fragment> arguments;
  do {
    arguments.push_back(readExpression(stops, expected, end));
  } while (*end == TokenKind::Comma);
  return arguments;
}

/// variable [indirection] := value; the variable has been read.
Statement Reader::readAssignment() {
  const Item target = cursor_.last();
  checkAssignable(target.datum, target.begin);
  const uint32_t line = lineOf(target.begin);
  cursor_.back();
  const Fragment whole = readFragment(Fragment::Kind::Statement, {TokenKind::Semicolon}, ";", nullptr, false);
  const uint32_t end_token = cursor_.last().first_token;

  Assignment assignment;
  assignment.offset = whole.offset;
  assignment.target = target.datum;
  const uint32_t behind_names = target.first_token + 2U * target.name_count - 1;
  const uint32_t operator_token = checkAssignmentTarget(cursor_, routine_.body, target.first_token, behind_names,
                                                        end_token, whole.offset + whole.length, options_.checks_sql);
  const Token& sign = cursor_.token(operator_token);
  assignment.indirection = fragmentOf(Fragment::Kind::Indirection, cursor_.token(behind_names - 1).end, sign.begin);
  assignment.value = fragmentOf(Fragment::Kind::Expression, sign.end, whole.offset + whole.length);
  check(assignment.value);
  return {line, assignment};
}

/// Any other statement; its first word has been read. INTO and variables may stand anywhere in it.
Statement Reader::readExecuteSql() {
  const Item first = cursor_.last();
  if (first.item_class != Item::Class::Keyword) {
    const Token& following = cursor_.peek();
    const bool is_assigned = following.kind == TokenKind::Equals || following.kind == TokenKind::ColonEquals ||
                             following.kind == TokenKind::BracketOpen || following.kind == TokenKind::Dot;
    if (is_assigned) failNotVariable(first);
  }
  const auto wordOf = [&](const Item& item) {
    return item.item_class == Item::Class::Word ? cursor_.nameOf(item) : std::string();
  };
  const Lookup before = cursor_.lookup();
  cursor_.setLookup(Lookup::Fields);
  StatementEnd statement_end(wordOf(first));
  ExecuteSql result;
  result.is_in_loop = !counters_.empty();
  if (result.is_in_loop) result.counter = counters_.back();
  std::optional<uint32_t> into_begin, into_end;
  Item item = first;
  for (;;) {
    const Item previous = item;
    item = cursor_.next();
    if (into_begin && !into_end) into_end = item.begin;
    if (statement_end.isAt(item, wordOf(item))) break;
    if (item.is(TokenKind::End)) fail("unexpected end of function definition");
    if (!item.is(Keyword::Into)) continue;
    // INSERT INTO, MERGE INTO and IMPORT ... INTO are SQL's own.
    if (previous.is(Keyword::Insert) || previous.is(Keyword::Merge) || first.is(Keyword::Import)) continue;
    if (into_begin) fail("INTO specified more than once");
    into_begin = item.begin;
    cursor_.setLookup(Lookup::Everywhere);
    const Target target = readTarget(true);
    cursor_.setLookup(Lookup::Fields);
    result.into = target.datum;
    result.is_strict = target.is_strict;
  }
  cursor_.setLookup(before);
  const bool is_into_last = into_end == item.begin;
  result.statement = fragmentOf(Fragment::Kind::Statement, first.begin, is_into_last ? *into_begin : item.begin);
  if (into_begin && !is_into_last) {
    result.statement.cut_offset = *into_begin;
    result.statement.cut_length = *into_end - *into_begin;
  }
  check(result.statement);
  return {lineOf(first.begin), result};
}

/// EXECUTE text, with INTO and USING in either order.
Statement Reader::readExecuteDynamic() {
  const uint32_t begin = cursor_.last().begin;
  ExecuteDynamic result;
  Stop end = TokenKind::End;
  result.query.text = readExpression({Keyword::Into, Keyword::Using, TokenKind::Semicolon}, "INTO or USING or ;", &end);
  const uint32_t line = lineOf(begin);
  while (end != TokenKind::Semicolon) {
    if (end == Keyword::Into) {
      if (result.into != kNoDatum) fail("syntax error");
      const Target target = readTarget(true);
      result.into = target.datum;
      result.is_strict = target.is_strict;
      const Item item = cursor_.next();
      const bool goes_on = item.is(Keyword::Into) || item.is(Keyword::Using) || item.is(TokenKind::Semicolon);
      if (!goes_on) fail("syntax error");
      end = item.item_class == Item::Class::Keyword ? Stop(item.keyword) : Stop(item.kind);
    } else {
      if (!result.query.arguments.empty()) fail("syntax error");
      result.query.arguments =
          readArguments({TokenKind::Comma, TokenKind::Semicolon, Keyword::Into}, ", or ; or INTO", &end);
    }
  }
  return {line, std::move(result)};
}

/// Behind INTO: [STRICT] and a record, or scalars with commas between them.
Reader::Target Reader::readTarget(bool may_be_strict) {
  Target target;
  Item item = cursor_.next();
  if (may_be_strict && item.is(Keyword::Strict)) {
    target.is_strict = true;
    item = cursor_.next();
  }
  if (item.item_class == Item::Class::Word || item.item_class == Item::Class::Names) failNotVariable(item);
  if (item.item_class != Item::Class::Datum) fail("syntax error");
  if (datumOf(item.datum).isScalar()) {
    target.datum = readScalarList(item.datum, item.begin);
    return target;
  }
  checkAssignable(item.datum, item.begin);
  if (cursor_.next().is(TokenKind::Comma))
    failAt(cursor_.last().begin, "record variable cannot be part of multiple-item INTO list");
  cursor_.back();
  target.datum = item.datum;
  return target;
}

/// The first variable has been read.
DatumId Reader::readScalarList(DatumId first, uint32_t first_position) {
  static constexpr size_t kMembersMax = 1024;
  checkAssignable(first, first_position);
  std::vector<DatumId> members{first};
  while (cursor_.next().is(TokenKind::Comma)) {
    if (members.size() >= kMembersMax)
      failAt(cursor_.last().begin, "too many INTO variables specified", sqlstate::kProgramLimitExceeded);
    const Item item = cursor_.next();
    if (item.item_class == Item::Class::Word || item.item_class == Item::Class::Names) failNotVariable(item);
    if (item.item_class != Item::Class::Datum) fail("syntax error");
    checkAssignable(item.datum, item.begin);
    if (!datumOf(item.datum).isScalar())
      failAt(item.begin, fmt::format("\"{}\" is not a scalar variable", cursor_.nameOf(item)));
    members.push_back(item.datum);
  }
  cursor_.back();
  return addList(std::move(members), lineOf(first_position));
}

DatumId Reader::addList(std::vector<DatumId> members, uint32_t line) {
  Datum list;
  list.kind = Datum::Kind::List;
  list.line = line;
  list.members = std::move(members);
  routine_.datums.push_back(std::move(list));
  return DatumId(static_cast<uint32_t>(routine_.datums.size() - 1));
}

void Reader::checkAssignable(DatumId id, uint32_t position) const {
  const Datum& datum = datumOf(id);
  if (datum.kind == Datum::Kind::Field) return checkAssignable(datum.record, position);
  if (datum.is_constant)
    failAt(position, fmt::format("variable \"{}\" is declared CONSTANT", datum.name), kErrorInAssignment);
}

}  // namespace gnomon::sql::plpgsql
