#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sql/plpgsql/parser.h"
#include "sql/plpgsql/token_cursor.h"

namespace gnomon::sql::plpgsql {

/// That there are routines with such parameters and results. Failure: 0A000.
void checkSignature(const Signature& signature);

/// What a piece of SQL may end at.
struct Stop {
  TokenKind kind = TokenKind::End;
  Keyword keyword = Keyword::None;

  constexpr Stop(TokenKind token_kind) : kind(token_kind) {}              // NOLINT(google-explicit-constructor)
  constexpr Stop(Keyword word) : kind(TokenKind::Word), keyword(word) {}  // NOLINT(google-explicit-constructor)
  constexpr bool operator==(const Stop&) const = default;
  [[nodiscard]] bool isAt(const Item& item) const {
    return keyword == Keyword::None ? item.is(kind) : item.is(keyword);
  }
};

/// Reads one body by recursive descent, in the order in which PostgreSQL's parser does, so that of several errors the
/// same one is found.
class Reader {
 public:
  Reader(Routine& routine, const Signature& signature, RoutineCatalog& catalog, const ParseOptions& options);

  void read();
  /// The line that PostgreSQL names when an error has no position.
  [[nodiscard]] uint32_t latestLine() const { return latest_line_; }

 private:
  using Lookup = TokenCursor::Lookup;
  /// The variable of a loop, before it is known what the loop is over.
  struct LoopVariable {
    std::string name;
    uint32_t position = 0;
    uint32_t line = 0;
    DatumId scalar = kNoDatum;
    DatumId row = kNoDatum;  ///< a record, or the list that begins with `scalar`
  };
  struct EndLabel {
    std::string name;  ///< empty: none
    uint32_t position = 0;
  };
  struct Target {
    DatumId datum = kNoDatum;
    bool is_strict = false;
  };

  // reader.cc: blocks
  void readOptions();
  Statement readBlock(ScopeId label);
  ExceptionHandlers readHandlers();
  Handler readHandler();
  void readCondition(Handler& handler);
  std::string readIdentifier();
  EndLabel readEndLabel();
  void checkEndLabel(ScopeId label, const EndLabel& end) const;

  // read_signature.cc
  void declareSignature();
  void declareParameters();
  void declareTriggerVariables();
  void declareEventVariables();
  DatumId declareProvided(std::string_view name, VariableType type, Provided provided);

  // read_declaration.cc
  std::vector<DatumId> readDeclarations();
  void readDeclaration();
  void readAlias(const std::string& name);
  void readCursorDeclaration(const std::string& name, uint32_t line);
  std::vector<DatumId> readCursorParameters();
  std::string readDeclaredName(uint32_t& line);
  DatumId declare(std::string_view name, VariableType type, uint32_t line, bool is_visible = true);

  // read_type.cc
  VariableType readType();
  std::optional<VariableType> readTypeReference(const Item& name);
  std::optional<VariableType> typeOfNames(const std::vector<std::string>& names);
  VariableType typeOfText(uint32_t begin, uint32_t end, bool is_set);
  void readCollation();

  // read_statement.cc
  Statements readStatements();
  bool readStatement(Statements& statements);
  void enterStatement();
  std::optional<Statement> readKeywordStatement(const Item& item);
  Statement readIf();
  Statement readCase();
  Branch readBranch();
  Statement readLeave();
  Statement readReturn();
  void readReturnValue(DatumId& variable, std::optional<Fragment>& value);
  Return readPlainReturn();
  ReturnNext readReturnNext(uint32_t position);
  ReturnQuery readReturnQuery(uint32_t position);
  void failIfValue(std::string_view message, const SqlState& state = sqlstate::kDatatypeMismatch);
  Statement readAssert();
  Statement readPerform();
  Statement readCall();
  Statement readEndTransaction();
  Statement readDiagnostics();
  DiagnosticsItem readDiagnosticsItem();

  // read_loop.cc
  Statement readLabelled();
  Statement readBlockOrLoop(std::string_view name);
  Statement readLoop(ScopeId label);
  Statement readWhile(ScopeId label);
  /// `counter`: as ExecuteSql has it.
  Statements readLoopBody(ScopeId label, uint32_t position, DatumId counter = kNoDatum);
  EndLabel readLoopEnd(Statements& body, uint32_t position, DatumId counter = kNoDatum);
  Statement readFor(ScopeId label);
  ForQuery readForExecute(const LoopVariable& variable);
  ForCursor readForCursor(const LoopVariable& variable, const Item& cursor);
  std::variant<ForRange, ForQuery> readForRangeOrQuery(const LoopVariable& variable, const Item& first);
  Statement readForEach(ScopeId label);
  LoopVariable readLoopVariable();
  DatumId rowsTarget(const LoopVariable& variable, const SqlState& state);

  // read_cursor.cc
  Statement readOpen();
  Statement readFetch(bool is_move);
  bool readDirection(Fetch& fetch);
  bool readDirectionCount(Fetch& fetch, bool& wants_from);
  Statement readClose();
  DatumId readCursorVariable();
  std::vector<Fragment> readCursorArguments(DatumId cursor, Stop until);
  size_t readArgumentName(DatumId cursor, const std::vector<DatumId>& parameters, size_t place);

  // read_raise.cc
  Statement readRaise();
  Item readRaiseCondition(Raise& raise);
  Stop readRaiseArguments(Raise& raise);
  void readRaiseOptions(Raise& raise);
  void checkRaiseArguments(const Raise& raise);
  std::string readSqlstate();

  // read_sql.cc
  Fragment readExpression(std::initializer_list<Stop> stops, std::string_view expected, Stop* end = nullptr);
  Fragment readSqlStatement();
  /// `checks`: at once; else the caller does.
  Fragment readFragment(Fragment::Kind kind, std::initializer_list<Stop> stops, std::string_view expected, Stop* end,
                        bool checks);
  void check(const Fragment& fragment);
  Statement readAssignment();
  Statement readExecuteSql();
  Statement readExecuteDynamic();
  std::vector<Fragment> readArguments(std::initializer_list<Stop> stops, std::string_view expected, Stop* end);
  Fragment fragmentOf(Fragment::Kind kind, uint32_t begin, uint32_t end);
  Target readTarget(bool may_be_strict);
  DatumId readScalarList(DatumId first, uint32_t first_position);
  DatumId addList(std::vector<DatumId> members, uint32_t line);
  void checkAssignable(DatumId datum, uint32_t position) const;

  // reader.cc: errors and items
  /// At the item that was read last, whose text the message ends with.
  [[noreturn]] void fail(std::string_view message) const;
  [[noreturn]] void failAt(uint32_t position, std::string message,
                           const SqlState& state = sqlstate::kSyntaxError) const;
  [[noreturn]] void failNotVariable(const Item& item) const;
  void expect(TokenKind kind);
  void expect(Keyword keyword);
  Item nextInBody();
  uint32_t lineOf(uint32_t position);
  [[nodiscard]] uint32_t lineAt(uint32_t position) const;
  Datum& datumOf(DatumId id) { return routine_.datums[id.value]; }
  [[nodiscard]] const Datum& datumOf(DatumId id) const { return routine_.datums[id.value]; }

  Routine& routine_;
  const Signature& signature_;
  RoutineCatalog& catalog_;
  const ParseOptions& options_;
  TokenCursor cursor_;
  std::vector<uint32_t> line_ends_;
  uint32_t latest_line_ = 1;
  uint32_t depth_ = 0;
  std::vector<DatumId> counters_;  ///< of the loops around what is read, as ExecuteSql has them
  uint32_t fragment_count_ = 0;
};

}  // namespace gnomon::sql::plpgsql
