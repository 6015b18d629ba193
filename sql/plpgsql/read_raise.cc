#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sql/plpgsql/conditions.h"
#include "sql/plpgsql/reader.h"

namespace gnomon::sql::plpgsql {
namespace {

constexpr std::pair<Keyword, Raise::Level> kLevels[] = {
    {Keyword::Exception, Raise::Level::Exception},
    {Keyword::Warning, Raise::Level::Warning},
    {Keyword::Notice, Raise::Level::Notice},
    {Keyword::Info, Raise::Level::Info},
    {Keyword::Log, Raise::Level::Log},
    {Keyword::Debug, Raise::Level::Debug},
};

constexpr std::pair<Keyword, RaiseOption::Kind> kOptions[] = {
    {Keyword::Errcode, RaiseOption::Kind::Errcode},   {Keyword::Message, RaiseOption::Kind::Message},
    {Keyword::Detail, RaiseOption::Kind::Detail},     {Keyword::Hint, RaiseOption::Kind::Hint},
    {Keyword::Column, RaiseOption::Kind::Column},     {Keyword::Constraint, RaiseOption::Kind::Constraint},
    {Keyword::Datatype, RaiseOption::Kind::Datatype}, {Keyword::Table, RaiseOption::Kind::Table},
    {Keyword::Schema, RaiseOption::Kind::Schema},
};

/// How many arguments a format wants.
size_t placeholders(std::string_view format) {
  size_t count = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (i + 1 < format.size() && format[i + 1] == '%') {
      ++i;
    } else {
      ++count;
    }
  }
  return count;
}

}  // namespace

/// RAISE [level] [format, argument, ... | condition | SQLSTATE 'code'] [USING option = value, ...].
Statement Reader::readRaise() {
  const uint32_t line = lineOf(cursor_.last().begin);
  Raise raise;
  Item item = nextInBody();
  if (item.is(TokenKind::Semicolon)) return {line, std::move(raise)};
  for (const auto& [keyword, level] : kLevels) {
    if (!item.says(keyword)) continue;
    raise.level = level;
    item = nextInBody();
    break;
  }
  if (item.is(TokenKind::String)) {
    raise.format = stringOf(routine_.body, cursor_.token(item.first_token));
    Stop end = readRaiseArguments(raise);
    if (end == Keyword::Using) readRaiseOptions(raise);
  } else {
    if (!item.is(Keyword::Using)) item = readRaiseCondition(raise);
    if (item.is(Keyword::Using)) readRaiseOptions(raise);
  }
  checkRaiseArguments(raise);
  return {line, std::move(raise)};
}

/// Behind the format. Returns where they end.
Stop Reader::readRaiseArguments(Raise& raise) {
  const Item item = cursor_.next();
  if (item.is(TokenKind::Semicolon)) return TokenKind::Semicolon;
  if (item.is(Keyword::Using)) return Keyword::Using;
  if (!item.is(TokenKind::Comma)) fail("syntax error");
  Stop end = TokenKind::Comma;
  while (end == TokenKind::Comma)
    raise.arguments.push_back(
        readExpression({TokenKind::Comma, TokenKind::Semicolon, Keyword::Using}, ", or ; or USING", &end));
  return end;
}

/// A name, or SQLSTATE and a code; the first word has been read. Returns what stands behind it.
Item Reader::readRaiseCondition(Raise& raise) {
  const Item word = cursor_.last();
  if (word.says(Keyword::Sqlstate)) {
    raise.condition = readSqlstate();
    raise.state = sqlStateOf(raise.condition);
  } else {
    if (word.item_class != Item::Class::Word && !word.isUnreservedKeyword()) fail("syntax error");
    raise.condition = cursor_.nameOf(word);
    raise.state = findCondition(raise.condition);
    if (!raise.state)
      throw SqlError(sqlstate::kUndefinedObject,
                     fmt::format("unrecognized exception condition \"{}\"", raise.condition));
  }
  const Item end = cursor_.next();
  if (!end.is(TokenKind::Semicolon) && !end.is(Keyword::Using)) fail("syntax error");
  return end;
}

/// Behind SQLSTATE.
std::string Reader::readSqlstate() {
  const Item item = cursor_.next();
  if (!item.is(TokenKind::String)) fail("syntax error");
  std::string code = stringOf(routine_.body, cursor_.token(item.first_token));
  if (!sqlStateOf(code)) fail("invalid SQLSTATE code");
  return code;
}

void Reader::readRaiseOptions(Raise& raise) {
  Stop end = TokenKind::End;
  do {
    const Item name = nextInBody();
    const auto* option = std::ranges::find_if(kOptions, [&](const auto& entry) { return name.says(entry.first); });
    if (option == std::end(kOptions)) fail("unrecognized RAISE statement option");
    if (!cursor_.next().isAssignment()) fail("syntax error, expected \"=\"");
    end = TokenKind::End;
    raise.options.push_back({option->second, readExpression({TokenKind::Comma, TokenKind::Semicolon}, ", or ;", &end)});
  } while (end != TokenKind::Semicolon);
}

void Reader::checkRaiseArguments(const Raise& raise) {
  if (!raise.format) return;
  const size_t wanted = placeholders(*raise.format);
  if (wanted == raise.arguments.size()) return;
  const std::string_view few_or_many = wanted < raise.arguments.size() ? "many" : "few";
  throw SqlError(sqlstate::kSyntaxError, fmt::format("too {} parameters specified for RAISE", few_or_many));
}

}  // namespace gnomon::sql::plpgsql
