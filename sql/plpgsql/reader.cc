#include "sql/plpgsql/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/plpgsql/conditions.h"

namespace gnomon::sql::plpgsql {

Reader::Reader(Routine& routine, const Signature& signature, RoutineCatalog& catalog, const ParseOptions& options)
    : routine_(routine), signature_(signature), catalog_(catalog), options_(options), cursor_(routine) {
  for (size_t at = routine.body.find('\n'); at != std::string::npos; at = routine.body.find('\n', at + 1))
    line_ends_.push_back(static_cast<uint32_t>(at));
}

void Reader::read() {
  declareSignature();
  readOptions();
  const Item first = cursor_.next();
  ScopeId label = kNoScope;
  if (first.is(TokenKind::LabelOpen)) {
    const std::string name = readIdentifier();
    expect(TokenKind::LabelClose);
    const Item word = cursor_.next();
    if (!word.is(Keyword::Declare) && !word.is(Keyword::Begin)) fail("syntax error");
    label = routine_.scopes.push(Scopes::Entry::Kind::Block, name);
  } else {
    if (!first.is(Keyword::Declare) && !first.is(Keyword::Begin)) fail("syntax error");
    label = routine_.scopes.push(Scopes::Entry::Kind::Block, "");
  }
  cursor_.back();
  routine_.main = readBlock(label);
  if (!cursor_.next().is(TokenKind::Semicolon)) cursor_.back();
  if (!cursor_.next().is(TokenKind::End)) fail("syntax error");
}

void Reader::readOptions() {
  while (cursor_.next().is(TokenKind::Hash)) {
    const Item name = cursor_.next();
    if (name.is(Keyword::Option)) {
      expect(Keyword::Dump);
      routine_.is_dumped = true;
    } else if (name.is(Keyword::PrintStrictParams)) {
      const Item value = cursor_.next();
      if (value.item_class != Item::Class::Word && !value.isUnreservedKeyword()) fail("syntax error");
      const std::string text = cursor_.nameOf(value);
      if (text != "on" && text != "off")
        throw SqlError(sqlstate::kInternalError, "unrecognized print_strict_params option " + text);
      routine_.prints_strict_parameters = text == "on";
    } else if (name.is(Keyword::VariableConflict)) {
      const Item value = cursor_.next();
      if (value.is(Keyword::Error)) {
        routine_.conflict = VariableConflict::Error;
      } else if (value.is(Keyword::UseVariable)) {
        routine_.conflict = VariableConflict::UseVariable;
      } else if (value.is(Keyword::UseColumn)) {
        routine_.conflict = VariableConflict::UseColumn;
      } else {
        fail("syntax error");
      }
    } else {
      fail("syntax error");
    }
  }
  cursor_.back();
}

/// Its label is there already.
Statement Reader::readBlock(ScopeId label) {
  Block block;
  block.label = label;
  if (cursor_.next().is(Keyword::Declare)) {
    block.declared = readDeclarations();
  } else {
    cursor_.back();
  }
  expect(Keyword::Begin);
  const uint32_t begin = cursor_.last().begin;
  block.body = readStatements();
  if (cursor_.next().is(Keyword::Exception)) {
    block.exceptions = readHandlers();
  } else {
    cursor_.back();
  }
  expect(Keyword::End);
  const EndLabel end = readEndLabel();
  const uint32_t line = lineOf(begin);
  checkEndLabel(label, end);
  routine_.scopes.pop();
  return {line, std::move(block)};
}

/// Behind END of a block, or END LOOP.
Reader::EndLabel Reader::readEndLabel() {
  const Item item = cursor_.next();
  const bool is_name = item.item_class != Item::Class::Symbol && !isReserved(item.keyword);
  cursor_.back();
  return {is_name ? readIdentifier() : "", item.begin};
}

/// It must be the one at the beginning.
void Reader::checkEndLabel(ScopeId label, const EndLabel& end) const {
  if (end.name.empty()) return;
  const std::string& begun = routine_.scopes.entry(label).name;
  if (begun.empty()) failAt(end.position, fmt::format("end label \"{}\" specified for unlabeled block", end.name));
  if (begun != end.name)
    failAt(end.position, fmt::format("end label \"{}\" differs from block's label \"{}\"", end.name, begun));
}

ExceptionHandlers Reader::readHandlers() {
  using Kind = TypeKind;
  const uint32_t line = lineOf(cursor_.last().begin);
  const auto declareConstant = [&](std::string_view name) {
    VariableType type;
    type.type = Type::of(Kind::Text);
    type.is_collatable = true;
    type.name = "text";
    const DatumId id = declare(name, std::move(type), line);
    datumOf(id).is_constant = true;
    return id;
  };
  ExceptionHandlers result;
  result.sqlstate = declareConstant("sqlstate");
  result.sqlerrm = declareConstant("sqlerrm");
  expect(Keyword::When);
  do {
    result.handlers.push_back(readHandler());
  } while (cursor_.next().is(Keyword::When));
  cursor_.back();
  return result;
}

Handler Reader::readHandler() {
  const uint32_t begin = cursor_.last().begin;
  Handler handler;
  do {
    readCondition(handler);
  } while (cursor_.next().is(Keyword::Or));
  cursor_.back();
  expect(Keyword::Then);
  handler.body = readStatements();
  handler.line = lineOf(begin);
  return handler;
}

void Reader::readCondition(Handler& handler) {
  const std::string name = readIdentifier();
  if (name == "sqlstate") {
    handler.states.push_back(*sqlStateOf(readSqlstate()));
    return;
  }
  if (name == "others") {
    handler.catches_others = true;
    return;
  }
  const std::vector<SqlState> states = findConditions(name);
  if (states.empty())
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("unrecognized exception condition \"{}\"", name));
  handler.states.insert(handler.states.end(), states.begin(), states.end());
}

/// Any name that is one word, whatever it stands for.
std::string Reader::readIdentifier() {
  const Item item = cursor_.next();
  const bool is_word = item.item_class == Item::Class::Word || item.isUnreservedKeyword();
  const bool is_datum = item.item_class == Item::Class::Datum && item.token_count == 1;
  if (!is_word && !is_datum) fail("syntax error");
  return cursor_.nameOf(item);
}

void Reader::fail(std::string_view message) const {
  const Item& item = cursor_.last();
  // Behind an error of the scanner there is no end of the input.
  const bool is_end = item.begin >= routine_.body.size();
  std::string text = is_end ? fmt::format("{} at end of input", message)
                            : fmt::format("{} at or near \"{}\"", message,
                                          std::string_view(routine_.body).substr(item.begin, item.end - item.begin));
  throw SqlError(sqlstate::kSyntaxError, std::move(text)).position(static_cast<int32_t>(item.begin));
}

void Reader::failAt(uint32_t position, std::string message, const SqlState& state) const {
  throw SqlError(state, std::move(message)).position(static_cast<int32_t>(position));
}

void Reader::failNotVariable(const Item& item) const {
  failAt(item.begin, fmt::format("\"{}\" is not a known variable", cursor_.nameOf(item)));
}

void Reader::expect(TokenKind kind) {
  if (!cursor_.next().is(kind)) fail("syntax error");
}

void Reader::expect(Keyword keyword) {
  if (!cursor_.next().is(keyword)) fail("syntax error");
}

Item Reader::nextInBody() {
  const Item item = cursor_.next();
  if (item.is(TokenKind::End)) fail("unexpected end of function definition");
  return item;
}

uint32_t Reader::lineAt(uint32_t position) const {
  const auto before = std::ranges::lower_bound(line_ends_, position) - line_ends_.begin();
  return static_cast<uint32_t>(before) + 1;
}

uint32_t Reader::lineOf(uint32_t position) {
  latest_line_ = lineAt(position);
  return latest_line_;
}

}  // namespace gnomon::sql::plpgsql
