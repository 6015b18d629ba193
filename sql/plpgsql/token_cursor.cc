#include "sql/plpgsql/token_cursor.h"

#include <algorithm>

#include "base/assert.h"

namespace gnomon::sql::plpgsql {

const Token& TokenCursor::token(uint32_t number) const {
  const auto end = static_cast<uint32_t>(list_.tokens.size() - 1);
  if (number >= end && list_.error) throw SqlError(*list_.error);
  return list_.tokens[std::min(number, end)];
}

bool TokenCursor::isName(const Token& candidate) const {
  return candidate.kind == TokenKind::Word && (candidate.is_quoted || !isReserved(candidate.keyword));
}

/// A word there is taken for the beginning of a statement, whatever variable has its name.
bool TokenCursor::isAtStatementStart() const {
  return last_.is(TokenKind::Semicolon) || last_.is(Keyword::Begin) || last_.is(Keyword::Then) ||
         last_.is(Keyword::Else) || last_.is(Keyword::Loop);
}

Item TokenCursor::next() {
  if (is_back_) {
    is_back_ = false;
    return last_;
  }
  const Token& first = token(at_);
  Item item{.kind = first.kind, .begin = first.begin, .end = first.end, .first_token = at_};
  ++at_;
  if (isName(first) || first.kind == TokenKind::Parameter) {
    readName(item);
  } else if (first.kind == TokenKind::Word) {
    item.item_class = Item::Class::Keyword;
    item.keyword = first.keyword;
  }
  last_ = item;
  return last_;
}

void TokenCursor::readName(Item& item) {
  uint32_t names = 1;
  while (names < 3 && token(at_).kind == TokenKind::Dot && isName(token(at_ + 1))) {
    at_ += 2;
    ++names;
  }
  item.token_count = 2 * names - 1;
  item.end = token(at_ - 1).end;
  if (names > 1) return resolveNames(item);
  const TokenKind following = token(at_).kind;
  const bool is_assigned =
      following == TokenKind::Equals || following == TokenKind::ColonEquals || following == TokenKind::BracketOpen;
  resolveWord(item, !isAtStatementStart() || is_assigned || following == TokenKind::Dot);
}

void TokenCursor::resolveWord(Item& item, bool looks_up) {
  item.keyword = token(item.first_token).keyword;
  if (looks_up && lookup_ == Lookup::Everywhere) {
    if (const auto found = routine_.scopes.find(routine_.scopes.top(), wordAt(item.first_token))) {
      item.item_class = Item::Class::Datum;
      item.datum = found->datum;
      item.name_count = 1;
      return;
    }
  }
  item.item_class = item.keyword == Keyword::None ? Item::Class::Word : Item::Class::Keyword;
}

void TokenCursor::resolveNames(Item& item) {
  item.item_class = Item::Class::Names;
  if (lookup_ == Lookup::Nowhere) return;
  const std::string first = wordAt(item.first_token);
  const std::string second = wordAt(item.first_token + 2);
  const std::string third = item.token_count == 5 ? wordAt(item.first_token + 4) : "";
  const auto found = routine_.scopes.find(routine_.scopes.top(), first, second, third);
  if (!found) return;
  item.item_class = Item::Class::Datum;
  if (found->names_used == 1) {
    item.datum = fieldOf(found->datum, second);
    item.name_count = 2;
  } else if (third.empty()) {
    item.datum = found->datum;
    item.name_count = 2;
  } else {
    item.datum = fieldOf(found->datum, third);
    item.name_count = 3;
  }
}

DatumId TokenCursor::fieldOf(DatumId record, const std::string& name) {
  ASSERT(routine_.datum(record).kind == Datum::Kind::Record, "only records have fields");
  for (uint32_t i = record.value + 1; i < routine_.datums.size(); ++i)
    if (routine_.datums[i].record == record && routine_.datums[i].name == name) return DatumId(i);
  Datum field;
  field.kind = Datum::Kind::Field;
  field.name = name;
  field.record = record;
  routine_.datums.push_back(std::move(field));
  return DatumId(static_cast<uint32_t>(routine_.datums.size() - 1));
}

std::string TokenCursor::textOf(const Token& token) const {
  return routine_.body.substr(token.begin, token.end - token.begin);
}

std::string TokenCursor::nameOf(const Item& item) const {
  std::string name = wordAt(item.first_token);
  for (uint32_t i = 2; i < item.token_count; i += 2) name += "." + wordAt(item.first_token + i);
  return name;
}

}  // namespace gnomon::sql::plpgsql
