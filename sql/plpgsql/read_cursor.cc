#include <fmt/format.h>

#include <algorithm>

#include "sql/plpgsql/reader.h"

/// OPEN, FETCH, MOVE and CLOSE.
namespace gnomon::sql::plpgsql {

Statement Reader::readOpen() {
  const uint32_t begin = cursor_.last().begin;
  Open open;
  open.cursor = readCursorVariable();
  const uint32_t line = lineOf(begin);
  if (datumOf(open.cursor).cursor != nullptr) {
    open.arguments = readCursorArguments(open.cursor, TokenKind::Semicolon);
    return {line, std::move(open)};
  }
  // NO alone is accepted, too.
  const bool is_no = cursor_.next().says(Keyword::No);
  if (is_no) cursor_.next();
  if (cursor_.last().says(Keyword::Scroll)) {
    open.scrolling = is_no ? Scrolling::NoScroll : Scrolling::Scroll;
    cursor_.next();
  }
  if (!cursor_.last().is(Keyword::For)) fail("syntax error, expected \"FOR\"");
  if (!cursor_.next().is(Keyword::Execute)) {
    cursor_.back();
    open.query = readSqlStatement();
    return {line, std::move(open)};
  }
  DynamicQuery query;
  Stop end = TokenKind::End;
  query.text = readExpression({Keyword::Using, TokenKind::Semicolon}, "USING or ;", &end);
  if (end == Keyword::Using) query.arguments = readArguments({TokenKind::Comma, TokenKind::Semicolon}, ", or ;", &end);
  open.query = std::move(query);
  return {line, std::move(open)};
}

/// FETCH direction FROM cursor INTO target, or MOVE direction FROM cursor.
Statement Reader::readFetch(bool is_move) {
  const uint32_t begin = cursor_.last().begin;
  Fetch fetch;
  fetch.is_move = is_move;
  const bool has_many_rows = readDirection(fetch);
  fetch.cursor = readCursorVariable();
  if (!is_move) {
    expect(Keyword::Into);
    fetch.into = readTarget(false).datum;
  }
  expect(TokenKind::Semicolon);
  if (!is_move && has_many_rows)
    failAt(begin, "FETCH statement cannot return multiple rows", sqlstate::kFeatureNotSupported);
  return {lineOf(begin), fetch};
}

/// Up to FROM or IN, or to the cursor if there is neither. Returns whether it asks for more than one row.
bool Reader::readDirection(Fetch& fetch) {
  using Direction = Fetch::Direction;
  const Item item = nextInBody();
  bool has_many_rows = false;
  bool wants_from = true;
  const auto readCount = [&] {
    fetch.count_expression = readExpression({Keyword::From, Keyword::In}, "FROM or IN");
    wants_from = false;
  };
  if (item.says(Keyword::Next)) {
    // One row forward.
  } else if (item.says(Keyword::Prior)) {
    fetch.direction = Direction::Backward;
  } else if (item.says(Keyword::First)) {
    fetch.direction = Direction::Absolute;
  } else if (item.says(Keyword::Last)) {
    fetch.direction = Direction::Absolute;
    fetch.count = -1;
  } else if (item.says(Keyword::Absolute) || item.says(Keyword::Relative)) {
    fetch.direction = item.says(Keyword::Absolute) ? Direction::Absolute : Direction::Relative;
    readCount();
  } else if (item.says(Keyword::All)) {
    fetch.is_all = true;
    has_many_rows = true;
  } else if (item.says(Keyword::Forward) || item.says(Keyword::Backward)) {
    if (item.says(Keyword::Backward)) fetch.direction = Direction::Backward;
    has_many_rows = readDirectionCount(fetch, wants_from);
  } else if (item.is(Keyword::From) || item.is(Keyword::In)) {
    wants_from = false;
  } else if (item.item_class == Item::Class::Datum) {
    cursor_.back();
    wants_from = false;
  } else {
    cursor_.back();
    readCount();
    has_many_rows = true;
  }
  if (wants_from && !cursor_.next().is(Keyword::From) && !cursor_.last().is(Keyword::In)) fail("expected FROM or IN");
  return has_many_rows;
}

/// Behind FORWARD or BACKWARD.
bool Reader::readDirectionCount(Fetch& fetch, bool& wants_from) {
  const Item item = nextInBody();
  if (item.is(Keyword::All)) {
    fetch.is_all = true;
    return true;
  }
  wants_from = false;
  if (item.is(Keyword::From) || item.is(Keyword::In)) return false;
  cursor_.back();
  fetch.count_expression = readExpression({Keyword::From, Keyword::In}, "FROM or IN");
  return true;
}

Statement Reader::readClose() {
  const uint32_t begin = cursor_.last().begin;
  const DatumId cursor = readCursorVariable();
  expect(TokenKind::Semicolon);
  return {lineOf(begin), Close{cursor}};
}

DatumId Reader::readCursorVariable() {
  const Item item = cursor_.next();
  if (item.item_class == Item::Class::Word || item.item_class == Item::Class::Names) failNotVariable(item);
  if (item.item_class != Item::Class::Datum) fail("syntax error");
  const Datum& datum = datumOf(item.datum);
  const bool is_variable = datum.kind == Datum::Kind::Variable && datum.provided == Provided::None;
  if (!is_variable || cursor_.peek().kind == TokenKind::BracketOpen)
    failAt(item.begin, "cursor variable must be a simple variable", sqlstate::kDatatypeMismatch);
  if (!datum.type.is_cursor)
    failAt(item.begin, fmt::format("variable \"{}\" must be of type cursor or refcursor", datum.name),
           sqlstate::kDatatypeMismatch);
  return item.datum;
}

/// (argument, ...), by place or name := value, as many as the cursor has; and what stands behind them.
std::vector<Fragment> Reader::readCursorArguments(DatumId cursor, Stop until) {
  const std::string name = datumOf(cursor).name;
  const std::vector<DatumId> parameters = datumOf(cursor).cursor->arguments;
  const Item open = cursor_.next();
  const bool is_open = open.is(TokenKind::ParenthesisOpen);
  if (parameters.empty()) {
    if (is_open) failAt(open.begin, fmt::format("cursor \"{}\" has no arguments", name));
    if (!until.isAt(open)) fail("syntax error");
    return {};
  }
  if (!is_open) failAt(open.begin, fmt::format("cursor \"{}\" has arguments", name));
  std::vector<std::optional<Fragment>> given(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const uint32_t position = cursor_.peek().begin;
    const size_t place = readArgumentName(cursor, parameters, i);
    if (given[place])
      failAt(position, fmt::format("value for parameter \"{}\" of cursor \"{}\" specified more than once",
                                   datumOf(parameters[place]).name, name));
    Stop end = TokenKind::End;
    given[place] = readExpression({TokenKind::Comma, TokenKind::ParenthesisClose}, ",\" or \")", &end);
    const bool is_last = i + 1 == parameters.size();
    if (end == TokenKind::ParenthesisClose && !is_last)
      failAt(cursor_.last().begin, fmt::format("not enough arguments for cursor \"{}\"", name));
    if (end == TokenKind::Comma && is_last)
      failAt(cursor_.last().begin, fmt::format("too many arguments for cursor \"{}\"", name));
  }
  if (!until.isAt(cursor_.next())) fail("syntax error");
  std::vector<Fragment> arguments;
  for (const std::optional<Fragment>& value : given) arguments.push_back(*value);
  return arguments;
}

/// name := in front of an argument: which one it is. `place`: which one it is without.
size_t Reader::readArgumentName(DatumId cursor, const std::vector<DatumId>& parameters, size_t place) {
  const Token& word = cursor_.peek();
  const Token& following = cursor_.peek(1);
  const bool is_word = word.kind == TokenKind::Word && (word.is_quoted || !isReserved(word.keyword));
  if (!is_word || following.kind != TokenKind::ColonEquals) return place;
  const Lookup before = cursor_.lookup();
  cursor_.setLookup(Lookup::Nowhere);
  const Item item = cursor_.next();
  cursor_.setLookup(before);
  const std::string name = cursor_.nameOf(item);
  const auto found = std::ranges::find_if(parameters, [&](DatumId id) { return datumOf(id).name == name; });
  if (found == parameters.end())
    failAt(item.begin, fmt::format("cursor \"{}\" has no argument named \"{}\"", datumOf(cursor).name, name));
  expect(TokenKind::ColonEquals);
  return static_cast<size_t>(found - parameters.begin());
}

}  // namespace gnomon::sql::plpgsql
