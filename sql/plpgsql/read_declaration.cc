#include <fmt/format.h>

#include "sql/plpgsql/reader.h"

namespace gnomon::sql::plpgsql {

/// Behind DECLARE; ends before BEGIN.
std::vector<DatumId> Reader::readDeclarations() {
  const size_t before = routine_.datums.size();
  cursor_.setLookup(Lookup::Nowhere);
  for (;;) {
    const Item item = cursor_.next();
    if (item.is(Keyword::Declare)) continue;
    if (item.is(TokenKind::LabelOpen)) {
      readIdentifier();
      expect(TokenKind::LabelClose);
      failAt(item.begin, "block label must be placed before DECLARE, not after");
    }
    cursor_.back();
    if (item.is(Keyword::Begin)) break;
    readDeclaration();
  }
  cursor_.setLookup(Lookup::Everywhere);
  std::vector<DatumId> declared;
  for (size_t i = before; i < routine_.datums.size(); ++i) {
    const Datum::Kind kind = routine_.datums[i].kind;
    if (kind == Datum::Kind::Variable || kind == Datum::Kind::Record) declared.emplace_back(static_cast<uint32_t>(i));
  }
  return declared;
}

void Reader::readDeclaration() {
  uint32_t line = 0;
  const std::string name = readDeclaredName(line);
  const Item item = cursor_.next();
  if (item.is(Keyword::Alias)) return readAlias(name);
  if (item.is(Keyword::Scroll) || item.is(Keyword::No) || item.is(Keyword::Cursor))
    return readCursorDeclaration(name, line);
  const bool is_constant = item.is(Keyword::Constant);
  if (!is_constant) cursor_.back();
  VariableType type = readType();

  const bool has_collation = cursor_.next().is(Keyword::Collate);
  const uint32_t collate_position = cursor_.last().begin;
  if (has_collation) {
    readCollation();
    cursor_.next();
  }
  bool is_not_null = false;
  const uint32_t not_position = cursor_.last().begin;
  if (cursor_.last().is(Keyword::Not)) {
    expect(Keyword::Null);
    is_not_null = true;
    cursor_.next();
  }
  std::optional<Fragment> initial;
  if (!cursor_.last().is(TokenKind::Semicolon)) {
    if (!cursor_.last().isAssignment() && !cursor_.last().is(Keyword::Default)) fail("syntax error");
    initial = readExpression({TokenKind::Semicolon}, ";");
  }
  if (has_collation && !type.is_collatable)
    failAt(collate_position, fmt::format("collations are not supported by type {}", type.name),
           sqlstate::kDatatypeMismatch);
  Datum& datum = datumOf(declare(name, std::move(type), line));
  datum.is_constant = is_constant;
  datum.is_not_null = is_not_null;
  datum.initial = initial;
  if (is_not_null && !initial)
    failAt(not_position, fmt::format("variable \"{}\" must have a default value, since it's declared NOT NULL", name),
           sqlstate::kNullValueNotAllowed);
}

std::string Reader::readDeclaredName(uint32_t& line) {
  const Item item = cursor_.next();
  if (item.item_class != Item::Class::Word && !item.isUnreservedKeyword()) fail("syntax error");
  line = lineOf(item.begin);
  std::string name = cursor_.nameOf(item);
  if (routine_.scopes.isDeclaredHere(name)) fail("duplicate declaration");
  using Shadowing = ParseOptions::Shadowing;
  if (options_.shadowing == Shadowing::Allowed || !routine_.scopes.find(routine_.scopes.top(), name)) return name;
  SqlError hidden(sqlstate::kDuplicateAlias,
                  fmt::format("variable \"{}\" shadows a previously defined variable", name));
  hidden.position(static_cast<int32_t>(item.begin));
  if (options_.shadowing == Shadowing::Refused) throw hidden;
  if (options_.warnings != nullptr) options_.warnings->push_back(hidden);
  return name;
}

/// name ALIAS FOR other: two names of one datum.
void Reader::readAlias(const std::string& name) {
  expect(Keyword::For);
  const Item item = cursor_.next();
  if (item.item_class == Item::Class::Symbol || isReserved(item.keyword)) fail("syntax error");
  const std::string first = cursor_.wordAt(item.first_token);
  const std::string second = item.token_count > 1 ? cursor_.wordAt(item.first_token + 2) : "";
  const std::string third = item.token_count > 3 ? cursor_.wordAt(item.first_token + 4) : "";
  const auto found = routine_.scopes.find(routine_.scopes.top(), first, second, third);
  if (!found)
    failAt(item.begin, fmt::format("variable \"{}\" does not exist", cursor_.nameOf(item)), sqlstate::kUndefinedObject);
  expect(TokenKind::Semicolon);
  const auto kind = found->is_record ? Scopes::Entry::Kind::Record : Scopes::Entry::Kind::Variable;
  routine_.scopes.add(kind, found->datum, name);
}

/// name [[NO] SCROLL] CURSOR [(argument type, ...)] FOR query; its first word behind the name has been read.
void Reader::readCursorDeclaration(const std::string& name, uint32_t line) {
  auto bound = std::make_unique<BoundCursor>();
  if (cursor_.last().is(Keyword::No)) {
    expect(Keyword::Scroll);
    bound->scrolling = Scrolling::NoScroll;
    expect(Keyword::Cursor);
  } else if (cursor_.last().is(Keyword::Scroll)) {
    bound->scrolling = Scrolling::Scroll;
    expect(Keyword::Cursor);
  }
  routine_.scopes.push(Scopes::Entry::Kind::Cursor, name);
  if (cursor_.next().is(TokenKind::ParenthesisOpen)) {
    bound->arguments = readCursorParameters();
    cursor_.next();
  }
  if (!cursor_.last().is(Keyword::For) && !cursor_.last().is(Keyword::Is)) fail("syntax error");
  bound->query = readSqlStatement();
  routine_.scopes.pop();

  VariableType type;
  type.is_cursor = true;
  type.is_collatable = true;
  type.type = Type::of(TypeKind::Refcursor);
  type.name = "refcursor";
  datumOf(declare(name, std::move(type), line)).cursor = std::move(bound);
}

std::vector<DatumId> Reader::readCursorParameters() {
  const uint32_t begin = cursor_.last().begin;
  std::vector<DatumId> arguments;
  do {
    uint32_t line = 0;
    const std::string name = readDeclaredName(line);
    arguments.push_back(declare(name, readType(), line));
  } while (cursor_.next().is(TokenKind::Comma));
  if (!cursor_.last().is(TokenKind::ParenthesisClose)) fail("syntax error");
  lineOf(begin);
  return arguments;
}

/// `is_visible`: under its name, from here to the end of the newest level.
DatumId Reader::declare(std::string_view name, VariableType type, uint32_t line, bool is_visible) {
  if (type.shape == VariableType::Shape::Pseudo)
    throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("variable \"{}\" has pseudo-type {}", name, type.name));
  const bool is_record = type.shape == VariableType::Shape::Record;
  Datum datum;
  datum.kind = is_record ? Datum::Kind::Record : Datum::Kind::Variable;
  datum.line = line;
  datum.name = name;
  datum.type = std::move(type);
  routine_.datums.push_back(std::move(datum));
  const DatumId id(static_cast<uint32_t>(routine_.datums.size() - 1));
  if (is_visible)
    routine_.scopes.add(is_record ? Scopes::Entry::Kind::Record : Scopes::Entry::Kind::Variable, id, name);
  return id;
}

}  // namespace gnomon::sql::plpgsql
