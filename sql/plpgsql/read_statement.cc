#include <fmt/format.h>

#include <algorithm>

#include "sql/plpgsql/reader.h"

namespace gnomon::sql::plpgsql {
namespace {

/// The items of GET DIAGNOSTICS.
struct DiagnosticsName {
  Keyword keyword;
  DiagnosticsItem::Kind kind;
  std::string_view name;
};
constexpr DiagnosticsName kDiagnostics[] = {
    {Keyword::RowCount, DiagnosticsItem::Kind::RowCount, "ROW_COUNT"},
    {Keyword::PgContext, DiagnosticsItem::Kind::Context, "PG_CONTEXT"},
    {Keyword::PgExceptionDetail, DiagnosticsItem::Kind::ExceptionDetail, "PG_EXCEPTION_DETAIL"},
    {Keyword::PgExceptionHint, DiagnosticsItem::Kind::ExceptionHint, "PG_EXCEPTION_HINT"},
    {Keyword::PgExceptionContext, DiagnosticsItem::Kind::ExceptionContext, "PG_EXCEPTION_CONTEXT"},
    {Keyword::ColumnName, DiagnosticsItem::Kind::ColumnName, "COLUMN_NAME"},
    {Keyword::ConstraintName, DiagnosticsItem::Kind::ConstraintName, "CONSTRAINT_NAME"},
    {Keyword::PgDatatypeName, DiagnosticsItem::Kind::DatatypeName, "PG_DATATYPE_NAME"},
    {Keyword::MessageText, DiagnosticsItem::Kind::MessageText, "MESSAGE_TEXT"},
    {Keyword::TableName, DiagnosticsItem::Kind::TableName, "TABLE_NAME"},
    {Keyword::SchemaName, DiagnosticsItem::Kind::SchemaName, "SCHEMA_NAME"},
    {Keyword::ReturnedSqlstate, DiagnosticsItem::Kind::ReturnedSqlstate, "RETURNED_SQLSTATE"},
};

}  // namespace

/// As many as there are; ends before what begins none.
Statements Reader::readStatements() {
  Statements statements;
  while (readStatement(statements)) {
  }
  return statements;
}

/// False: what follows begins no statement.
bool Reader::readStatement(Statements& statements) {
  const Item item = cursor_.next();
  switch (item.item_class) {
    case Item::Class::Datum:
      statements.push_back(readAssignment());
      return true;
    case Item::Class::Word:
    case Item::Class::Names:
      statements.push_back(readExecuteSql());
      return true;
    case Item::Class::Symbol:
      if (!item.is(TokenKind::LabelOpen)) {
        cursor_.back();
        return false;
      }
      enterStatement();
      statements.push_back(readLabelled());
      --depth_;
      return true;
    case Item::Class::Keyword:
      if (item.is(Keyword::Null)) {
        expect(TokenKind::Semicolon);
        return true;
      }
      break;
  }
  enterStatement();
  std::optional<Statement> statement = readKeywordStatement(item);
  --depth_;
  if (statement) {
    statements.push_back(*std::move(statement));
    return true;
  }
  cursor_.back();
  return false;
}

void Reader::enterStatement() {
  // END and its kin begin none.
  if (depth_ > kStatementDepthMax) throw SqlError(sqlstate::kStatementTooComplex, "stack depth limit exceeded");
  ++depth_;
}

std::optional<Statement> Reader::readKeywordStatement(const Item& item) {
  switch (item.keyword) {
    case Keyword::Declare:
    case Keyword::Begin:
    case Keyword::Loop:
    case Keyword::While:
    case Keyword::For:
    case Keyword::Foreach:
      return readBlockOrLoop("");
    case Keyword::If:
      return readIf();
    case Keyword::Case:
      return readCase();
    case Keyword::Exit:
    case Keyword::Continue:
      return readLeave();
    case Keyword::Return:
      return readReturn();
    case Keyword::Raise:
      return readRaise();
    case Keyword::Assert:
      return readAssert();
    case Keyword::Import:
    case Keyword::Insert:
    case Keyword::Merge:
      return readExecuteSql();
    case Keyword::Execute:
      return readExecuteDynamic();
    case Keyword::Perform:
      return readPerform();
    case Keyword::Call:
    case Keyword::Do:
      return readCall();
    case Keyword::Get:
      return readDiagnostics();
    case Keyword::Open:
      return readOpen();
    case Keyword::Fetch:
    case Keyword::Move:
      return readFetch(item.keyword == Keyword::Move);
    case Keyword::Close:
      return readClose();
    case Keyword::Commit:
    case Keyword::Rollback:
      return readEndTransaction();
    default:
      return std::nullopt;
  }
}

Statement Reader::readIf() {
  const uint32_t begin = cursor_.last().begin;
  If result;
  result.branches.push_back(readBranch());
  while (cursor_.next().is(Keyword::Elsif)) {
    const uint32_t elsif = cursor_.last().begin;
    result.branches.push_back(readBranch());
    result.branches.back().line = lineOf(elsif);
  }
  if (cursor_.last().is(Keyword::Else)) {
    result.otherwise = readStatements();
    cursor_.next();
  }
  if (!cursor_.last().is(Keyword::End)) fail("syntax error");
  expect(Keyword::If);
  expect(TokenKind::Semicolon);
  const uint32_t line = lineOf(begin);
  result.branches.front().line = line;
  return {line, std::move(result)};
}

/// condition THEN statements.
Branch Reader::readBranch() {
  Branch branch;
  branch.condition = readExpression({Keyword::Then}, "THEN");
  branch.body = readStatements();
  return branch;
}

Statement Reader::readCase() {
  const uint32_t begin = cursor_.last().begin;
  Case result;
  if (!cursor_.next().is(Keyword::When)) {
    cursor_.back();
    result.test = readExpression({Keyword::When}, "WHEN");
  }
  do {
    const uint32_t when = cursor_.last().begin;
    result.branches.push_back(readBranch());
    result.branches.back().line = lineOf(when);
  } while (cursor_.next().is(Keyword::When));
  if (cursor_.last().is(Keyword::Else)) {
    result.has_else = true;
    result.otherwise = readStatements();
    cursor_.next();
  }
  if (!cursor_.last().is(Keyword::End)) fail("syntax error");
  expect(Keyword::Case);
  expect(TokenKind::Semicolon);
  const uint32_t line = lineOf(begin);
  if (result.test) result.test_value = declare("", {}, line, false);
  return {line, std::move(result)};
}

/// EXIT and CONTINUE.
Statement Reader::readLeave() {
  const Item word = cursor_.last();
  Leave leave;
  leave.is_continue = word.is(Keyword::Continue);
  std::string label;
  Item item = cursor_.next();
  const uint32_t label_position = item.begin;
  if (!item.is(Keyword::When) && !item.is(TokenKind::Semicolon)) {
    cursor_.back();
    label = readIdentifier();
    item = cursor_.next();
  }
  if (item.is(Keyword::When)) {
    leave.condition = readExpression({TokenKind::Semicolon}, ";");
  } else if (!item.is(TokenKind::Semicolon)) {
    fail("syntax error");
  }
  const uint32_t line = lineOf(word.begin);
  const std::optional<ScopeId> target =
      label.empty() ? routine_.scopes.nearestLoop() : routine_.scopes.findLabel(label);
  if (!target && !label.empty())
    failAt(label_position,
           fmt::format("there is no label \"{}\" attached to any block or loop enclosing this statement", label));
  if (!target)
    failAt(word.begin, leave.is_continue ? "CONTINUE cannot be used outside a loop"
                                         : "EXIT cannot be used outside a loop, unless it has a label");
  if (leave.is_continue && routine_.scopes.entry(*target).kind != Scopes::Entry::Kind::Loop)
    failAt(label_position, fmt::format("block label \"{}\" cannot be used in CONTINUE", label));
  leave.target = *target;
  return {line, leave};
}

Statement Reader::readReturn() {
  const uint32_t position = cursor_.last().begin;
  const Item item = nextInBody();
  if (item.says(Keyword::Next)) {
    ReturnNext result = readReturnNext(position);
    return {lineAt(position), result};
  }
  if (item.says(Keyword::Query)) {
    ReturnQuery result = readReturnQuery(position);
    return {lineAt(position), std::move(result)};
  }
  cursor_.back();
  const uint32_t line = lineOf(position);
  return {line, readPlainReturn()};
}

void Reader::failIfValue(std::string_view message, const SqlState& state) {
  if (!cursor_.next().is(TokenKind::Semicolon)) failAt(cursor_.last().begin, std::string(message), state);
}

Return Reader::readPlainReturn() {
  Return result;
  const bool is_event = signature_.kind == Signature::Kind::EventTrigger;
  if (signature_.returns_set) {
    if (!cursor_.next().is(TokenKind::Semicolon))
      throw SqlError(sqlstate::kDatatypeMismatch, "RETURN cannot have a parameter in function returning set")
          .hint("Use RETURN NEXT or RETURN QUERY.")
          .position(static_cast<int32_t>(cursor_.last().begin));
  } else if (signature_.kind == Signature::Kind::Procedure && routine_.output == kNoDatum) {
    failIfValue("RETURN cannot have a parameter in a procedure", sqlstate::kSyntaxError);
  } else if ((signature_.returns_void && routine_.output == kNoDatum) || is_event ||
             signature_.kind == Signature::Kind::InlineBlock) {
    failIfValue("RETURN cannot have a parameter in function returning void");
  } else if (routine_.output != kNoDatum) {
    failIfValue("RETURN cannot have a parameter in function with OUT parameters");
    result.variable = routine_.output;
  } else {
    readReturnValue(result.variable, result.value);
  }
  return result;
}

/// A variable alone is not read by SQL.
void Reader::readReturnValue(DatumId& variable, std::optional<Fragment>& value) {
  const Item item = cursor_.next();
  const bool is_datum = item.item_class == Item::Class::Datum && cursor_.peek().kind == TokenKind::Semicolon;
  if (is_datum && datumOf(item.datum).kind != Datum::Kind::Field) {
    variable = item.datum;
    expect(TokenKind::Semicolon);
    return;
  }
  cursor_.back();
  value = readExpression({TokenKind::Semicolon}, ";");
}

ReturnNext Reader::readReturnNext(uint32_t position) {
  if (!signature_.returns_set)
    failAt(position, "cannot use RETURN NEXT in a non-SETOF function", sqlstate::kDatatypeMismatch);
  lineOf(position);
  ReturnNext result;
  if (routine_.output != kNoDatum) {
    failIfValue("RETURN NEXT cannot have a parameter in function with OUT parameters");
    result.variable = routine_.output;
  } else {
    readReturnValue(result.variable, result.value);
  }
  return result;
}

ReturnQuery Reader::readReturnQuery(uint32_t position) {
  if (!signature_.returns_set)
    failAt(position, "cannot use RETURN QUERY in a non-SETOF function", sqlstate::kDatatypeMismatch);
  lineOf(position);
  if (!cursor_.next().is(Keyword::Execute)) {
    cursor_.back();
    return {readSqlStatement()};
  }
  DynamicQuery query;
  Stop end = TokenKind::End;
  query.text = readExpression({TokenKind::Semicolon, Keyword::Using}, "; or USING", &end);
  if (end == Keyword::Using) query.arguments = readArguments({TokenKind::Comma, TokenKind::Semicolon}, ", or ;", &end);
  return {std::move(query)};
}

Statement Reader::readAssert() {
  const uint32_t line = lineOf(cursor_.last().begin);
  Assert result;
  Stop end = TokenKind::End;
  result.condition = readExpression({TokenKind::Comma, TokenKind::Semicolon}, ", or ;", &end);
  if (end == TokenKind::Comma) result.message = readExpression({TokenKind::Semicolon}, ";");
  return {line, result};
}

Statement Reader::readPerform() {
  const uint32_t line = lineOf(cursor_.last().begin);
  cursor_.back();
  return {line, Perform{readFragment(Fragment::Kind::Perform, {TokenKind::Semicolon}, ";", nullptr, true)}};
}

Statement Reader::readCall() {
  const uint32_t line = lineOf(cursor_.last().begin);
  Call call;
  call.is_do = cursor_.last().is(Keyword::Do);
  cursor_.back();
  call.statement = readSqlStatement();
  return {line, call};
}

/// COMMIT and ROLLBACK, [AND [NO] CHAIN].
Statement Reader::readEndTransaction() {
  const Item word = cursor_.last();
  EndTransaction result;
  result.is_rollback = word.is(Keyword::Rollback);
  if (cursor_.next().is(Keyword::And)) {
    result.is_chain = !cursor_.next().is(Keyword::No);
    if (!result.is_chain) cursor_.next();
    if (!cursor_.last().is(Keyword::Chain)) fail("syntax error");
    cursor_.next();
  }
  if (!cursor_.last().is(TokenKind::Semicolon)) fail("syntax error");
  return {lineOf(word.begin), result};
}

Statement Reader::readDiagnostics() {
  using Kind = DiagnosticsItem::Kind;
  const uint32_t begin = cursor_.last().begin;
  GetDiagnostics result;
  Item item = cursor_.next();
  if (item.is(Keyword::Current) || item.is(Keyword::Stacked)) {
    result.is_stacked = item.is(Keyword::Stacked);
    item = cursor_.next();
  }
  if (!item.is(Keyword::Diagnostics)) fail("syntax error");
  do {
    result.items.push_back(readDiagnosticsItem());
  } while (cursor_.next().is(TokenKind::Comma));
  if (!cursor_.last().is(TokenKind::Semicolon)) fail("syntax error");
  const uint32_t line = lineOf(begin);
  for (const DiagnosticsItem& wanted : result.items) {
    const bool is_current = wanted.kind == Kind::RowCount;
    if (wanted.kind == Kind::Context || is_current != result.is_stacked) continue;
    const auto* name = std::ranges::find(kDiagnostics, wanted.kind, &DiagnosticsName::kind);
    failAt(begin, fmt::format("diagnostics item {} is not allowed in GET {} DIAGNOSTICS", name->name,
                              result.is_stacked ? "STACKED" : "CURRENT"));
  }
  return {line, std::move(result)};
}

DiagnosticsItem Reader::readDiagnosticsItem() {
  const Item target = cursor_.next();
  if (target.item_class == Item::Class::Word || target.item_class == Item::Class::Names) failNotVariable(target);
  if (target.item_class != Item::Class::Datum) fail("syntax error");
  const bool is_element = cursor_.peek().kind == TokenKind::BracketOpen;
  if (!datumOf(target.datum).isScalar() || is_element)
    failAt(target.begin, fmt::format("\"{}\" is not a scalar variable", cursor_.nameOf(target)));
  checkAssignable(target.datum, target.begin);
  if (!cursor_.next().isAssignment()) fail("syntax error");
  const Item name = cursor_.next();
  for (const DiagnosticsName& candidate : kDiagnostics)
    if (name.says(candidate.keyword)) return {target.datum, candidate.kind};
  fail("unrecognized GET DIAGNOSTICS item");
}

}  // namespace gnomon::sql::plpgsql
