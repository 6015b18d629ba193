#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "sql/parse/ast.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/parser.h"
#include "sql/plpgsql/reader.h"

namespace gnomon::sql::plpgsql {
/// A type of a declaration; ends before what may stand behind one.
VariableType Reader::readType() {
  const Item first = cursor_.next();
  Item item = first;
  if (first.item_class != Item::Class::Symbol && !isReserved(first.keyword)) {
    if (auto type = readTypeReference(first)) return *std::move(type);
    item = cursor_.last();
  }
  int depth = 0;
  while (!item.is(TokenKind::Semicolon)) {
    if (item.is(TokenKind::End)) fail(depth != 0 ? "mismatched parentheses" : "incomplete data type declaration");
    if (item.is(Keyword::Collate) || item.is(Keyword::Not) || item.is(Keyword::Default) || item.isAssignment()) break;
    const bool closes = item.is(TokenKind::ParenthesisClose);
    if (depth == 0 && (closes || item.is(TokenKind::Comma))) break;
    if (item.is(TokenKind::ParenthesisOpen)) ++depth;
    if (closes) --depth;
    item = cursor_.next();
  }
  if (item.begin == first.begin) fail("missing data type declaration");
  // SETOF is none of a variable.
  const bool is_set = first.item_class == Item::Class::Word && cursor_.nameOf(first) == "setof" &&
                      !cursor_.token(first.first_token).is_quoted;
  VariableType type = typeOfText(first.begin, item.begin, is_set);
  cursor_.back();
  return type;
}

/// name%TYPE and name%ROWTYPE. None: it is no such type, and what was read last stands behind the name.
std::optional<VariableType> Reader::readTypeReference(const Item& name) {
  if (!cursor_.next().is(TokenKind::Percent)) return std::nullopt;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < name.token_count; i += 2) names.push_back(cursor_.wordAt(name.first_token + i));
  const Item word = cursor_.next();
  if (word.says(Keyword::Type)) return typeOfNames(names);
  if (!word.says(Keyword::Rowtype) || names.size() > 2) return std::nullopt;
  return catalog_.rowType(names.size() == 2 ? names[0] : "", names.back());
}

/// Of a variable or a column.
std::optional<VariableType> Reader::typeOfNames(const std::vector<std::string>& names) {
  const ScopeId here = routine_.scopes.top();
  if (names.size() == 1) {
    const auto found = routine_.scopes.find(here, names[0]);
    if (!found || found->is_record) return std::nullopt;
    return datumOf(found->datum).type;
  }
  if (names.size() == 3) return catalog_.columnType(names[0], names[1], names[2]);
  const auto found = routine_.scopes.find(here, names[0], names[1]);
  if (found && !found->is_record) return datumOf(found->datum).type;
  return catalog_.columnType("", names[0], names[1]);
}

/// SQL's grammar reads it as the type of a cast.
VariableType Reader::typeOfText(uint32_t begin, uint32_t end, bool is_set) {
  static constexpr std::string_view kBefore = "SELECT CAST(NULL AS ";
  const std::string text = routine_.body.substr(begin, end - begin);
  const auto position = static_cast<int32_t>(begin);
  std::vector<ParsedStatement> statements;
  try {
    statements = parse(std::string(kBefore) + text + ")");
  } catch (const SqlError& error) {
    const int32_t inside = error.position() - static_cast<int32_t>(kBefore.size());
    const bool is_end = inside >= static_cast<int32_t>(text.size());
    SqlError placed(error.state(), is_end ? "syntax error at end of input" : error.message());
    placed.hint(error.hint()).context(fmt::format("invalid type name \"{}\"", text));
    throw placed.position(position + std::clamp(inside, 0, static_cast<int32_t>(text.size())));
  }
  if (is_set || statements.size() != 1) failAt(begin, fmt::format("invalid type name \"{}\"", text));
  if (statements[0].rejection) throw SqlError(*statements[0].rejection).dropPosition().position(position);
  const auto* query = std::get_if<ast::QueryPtr>(&statements[0].tree->body);
  if (query == nullptr || (*query)->items.size() != 1) failAt(begin, fmt::format("invalid type name \"{}\"", text));
  try {
    return catalog_.typeOf((*query)->items[0].expression->type);
  } catch (const SqlError& error) {
    throw SqlError(error).dropPosition().position(position);
  }
}

/// Behind COLLATE. All collations of variables order texts alike, so that there is one is all that matters.
void Reader::readCollation() {
  const Item item = cursor_.next();
  if (item.item_class == Item::Class::Symbol || isReserved(item.keyword)) fail("syntax error");
  std::vector<std::string> names;
  for (uint32_t i = 0; i < item.token_count; i += 2) names.push_back(cursor_.wordAt(item.first_token + i));
  catalog_.requireCollation(names);
}

}  // namespace gnomon::sql::plpgsql
