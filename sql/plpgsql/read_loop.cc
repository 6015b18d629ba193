#include <string>
#include <variant>

#include "sql/plpgsql/reader.h"

/// Blocks and loops inside of others.
namespace gnomon::sql::plpgsql {

/// <<label>> and a block or loop.
Statement Reader::readLabelled() {
  const std::string name = readIdentifier();
  expect(TokenKind::LabelClose);
  cursor_.next();
  return readBlockOrLoop(name);
}

/// Its first word has been read.
Statement Reader::readBlockOrLoop(std::string_view name) {
  const Item word = cursor_.last();
  if (word.is(Keyword::Declare) || word.is(Keyword::Begin)) {
    const ScopeId label = routine_.scopes.push(Scopes::Entry::Kind::Block, name);
    cursor_.back();
    Statement block = readBlock(label);
    expect(TokenKind::Semicolon);
    return block;
  }
  const bool is_loop =
      word.is(Keyword::Loop) || word.is(Keyword::While) || word.is(Keyword::For) || word.is(Keyword::Foreach);
  if (!is_loop) fail("syntax error");
  const ScopeId label = routine_.scopes.push(Scopes::Entry::Kind::Loop, name);
  Statement loop = word.is(Keyword::Loop)    ? readLoop(label)
                   : word.is(Keyword::While) ? readWhile(label)
                   : word.is(Keyword::For)   ? readFor(label)
                                             : readForEach(label);
  loop.line = lineAt(word.begin);
  return loop;
}

/// statements END LOOP [label]; and the end of the loop's names. `position`: of the loop's first word.
Statements Reader::readLoopBody(ScopeId label, uint32_t position, DatumId counter) {
  Statements body;
  const EndLabel end = readLoopEnd(body, position, counter);
  checkEndLabel(label, end);
  routine_.scopes.pop();
  return body;
}

Reader::EndLabel Reader::readLoopEnd(Statements& body, uint32_t position, DatumId counter) {
  counters_.push_back(counter);
  body = readStatements();
  counters_.pop_back();
  expect(Keyword::End);
  expect(Keyword::Loop);
  EndLabel end = readEndLabel();
  expect(TokenKind::Semicolon);
  lineOf(position);
  return end;
}

Statement Reader::readLoop(ScopeId label) {
  const uint32_t position = cursor_.last().begin;
  Loop loop;
  loop.label = label;
  loop.body = readLoopBody(label, position);
  return {0, std::move(loop)};
}

Statement Reader::readWhile(ScopeId label) {
  const uint32_t position = cursor_.last().begin;
  While loop;
  loop.label = label;
  loop.condition = readExpression({Keyword::Loop}, "LOOP");
  loop.body = readLoopBody(label, position);
  return {0, std::move(loop)};
}

Statement Reader::readFor(ScopeId label) {
  const uint32_t position = cursor_.last().begin;
  const LoopVariable variable = readLoopVariable();
  expect(Keyword::In);
  const auto withBody = [&](auto loop) -> Statement {
    DatumId counter = kNoDatum;
    if constexpr (std::is_same_v<decltype(loop), ForRange>)
      if (!loop.is_reverse && !loop.step) counter = loop.variable;
    loop.label = label;
    loop.body = readLoopBody(label, position, counter);
    return {0, std::move(loop)};
  };
  const Item first = cursor_.next();
  if (first.is(Keyword::Execute)) return withBody(readForExecute(variable));
  const bool is_cursor = first.item_class == Item::Class::Datum && datumOf(first.datum).kind == Datum::Kind::Variable &&
                         datumOf(first.datum).type.is_cursor;
  if (is_cursor) return withBody(readForCursor(variable, first));
  auto loop = readForRangeOrQuery(variable, first);
  return std::visit([&](auto& made) { return withBody(std::move(made)); }, loop);
}

/// EXECUTE text [USING ...] LOOP.
ForQuery Reader::readForExecute(const LoopVariable& variable) {
  DynamicQuery query;
  Stop end = TokenKind::End;
  query.text = readExpression({Keyword::Loop, Keyword::Using}, "LOOP or USING", &end);
  ForQuery loop;
  loop.target = rowsTarget(variable, sqlstate::kDatatypeMismatch);
  if (end == Keyword::Using) query.arguments = readArguments({TokenKind::Comma, Keyword::Loop}, ", or LOOP", &end);
  loop.query = std::move(query);
  return loop;
}

ForCursor Reader::readForCursor(const LoopVariable& variable, const Item& cursor) {
  if (variable.scalar != kNoDatum && variable.row != kNoDatum)
    failAt(variable.position, "cursor FOR loop must have only one target variable");
  if (datumOf(cursor.datum).cursor == nullptr) failAt(cursor.begin, "cursor FOR loop must use a bound cursor variable");
  ForCursor loop;
  loop.cursor = cursor.datum;
  loop.arguments = readCursorArguments(cursor.datum, Keyword::Loop);
  VariableType record;
  record.shape = VariableType::Shape::Record;
  record.type = Type::recordOf(0);
  record.name = "record";
  loop.record = declare(variable.name, std::move(record), variable.line);
  return loop;
}

/// What is read may be an expression before .. or a query before LOOP.
std::variant<ForRange, ForQuery> Reader::readForRangeOrQuery(const LoopVariable& variable, const Item& first) {
  const bool is_reverse = first.says(Keyword::Reverse);
  if (!is_reverse) cursor_.back();
  Stop end = TokenKind::End;
  Fragment begin = readFragment(Fragment::Kind::Expression, {TokenKind::DotDot, Keyword::Loop}, "LOOP", &end, false);
  if (end != TokenKind::DotDot) {
    if (is_reverse) failAt(first.begin, "cannot specify REVERSE in query FOR loop");
    begin.kind = Fragment::Kind::Statement;
    check(begin);
    ForQuery loop;
    loop.target = rowsTarget(variable, sqlstate::kSyntaxError);
    loop.query = begin;
    return loop;
  }
  check(begin);
  ForRange loop;
  loop.is_reverse = is_reverse;
  loop.first = begin;
  loop.last = readExpression({Keyword::Loop, Keyword::By}, "LOOP", &end);
  if (end == Keyword::By) loop.step = readExpression({Keyword::Loop}, "LOOP");
  if (variable.scalar != kNoDatum && variable.row != kNoDatum)
    failAt(variable.position, "integer FOR loop must have only one target variable");
  VariableType integer;
  integer.type = Type::of(TypeKind::Integer);
  integer.name = "integer";
  loop.variable = declare(variable.name, std::move(integer), variable.line);
  return loop;
}

Statement Reader::readForEach(ScopeId label) {
  const uint32_t position = cursor_.last().begin;
  const LoopVariable variable = readLoopVariable();
  ForEach loop;
  loop.label = label;
  if (cursor_.next().is(Keyword::Slice)) {
    if (!cursor_.next().is(TokenKind::Integer)) fail("syntax error");
    loop.slice = static_cast<uint32_t>(std::stoul(cursor_.textOf(cursor_.token(cursor_.last().first_token))));
  } else {
    cursor_.back();
  }
  expect(Keyword::In);
  expect(Keyword::Array);
  loop.array = readExpression({Keyword::Loop}, "LOOP");
  // What is wrong with the variable is said behind the body.
  const bool is_known = variable.row != kNoDatum || variable.scalar != kNoDatum;
  loop.target = variable.row != kNoDatum ? variable.row : variable.scalar;
  const EndLabel end = readLoopEnd(loop.body, position);
  if (!is_known) failAt(variable.position, "loop variable of FOREACH must be a known variable or list of variables");
  checkAssignable(loop.target, variable.position);
  checkEndLabel(label, end);
  routine_.scopes.pop();
  return {0, std::move(loop)};
}

/// A variable, several with commas between them, or a name that is none.
Reader::LoopVariable Reader::readLoopVariable() {
  const Item item = cursor_.next();
  LoopVariable variable;
  variable.position = item.begin;
  if (item.item_class == Item::Class::Names) failNotVariable(item);
  if (item.item_class != Item::Class::Word && item.item_class != Item::Class::Datum) fail("syntax error");
  variable.name = cursor_.nameOf(item);
  variable.line = lineOf(item.begin);
  if (item.item_class == Item::Class::Datum && !datumOf(item.datum).isScalar()) {
    variable.row = item.datum;
    return variable;
  }
  const bool is_list = cursor_.next().is(TokenKind::Comma);
  cursor_.back();
  if (item.item_class == Item::Class::Word) {
    if (is_list) failNotVariable(item);
    return variable;
  }
  variable.scalar = item.datum;
  if (is_list) variable.row = readScalarList(item.datum, item.begin);
  return variable;
}

/// What the rows of a loop are put into.
DatumId Reader::rowsTarget(const LoopVariable& variable, const SqlState& state) {
  if (variable.row != kNoDatum) {
    checkAssignable(variable.row, variable.position);
    return variable.row;
  }
  if (variable.scalar == kNoDatum)
    failAt(variable.position, "loop variable of loop over rows must be a record variable or list of scalar variables",
           state);
  checkAssignable(variable.scalar, variable.position);
  return addList({variable.scalar}, variable.line);
}

}  // namespace gnomon::sql::plpgsql
