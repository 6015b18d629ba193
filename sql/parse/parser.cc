#include "sql/parse/parser.h"

#include <pg_query.h>

#include <algorithm>
#include <string>

#include "base/assert.h"
#include "sql/parse/ast.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/deparser_gaps.h"
#include "sql/parse/grammar_error.h"
#include "sql/parse/nesting.h"
#include "sql/parse/own_words.h"
#include "sql/parse/query_of_value.h"
#include "sql/parse/tree_reader.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

/// The library's result, freed at the end of its scope.
class GrammarResult {
 public:
  explicit GrammarResult(const std::string& text) : result_(pg_query_parse_protobuf(text.c_str())) {}
  ~GrammarResult() { pg_query_free_protobuf_parse_result(result_); }
  GrammarResult(const GrammarResult&) = delete;
  GrammarResult& operator=(const GrammarResult&) = delete;

  [[nodiscard]] const PgQueryError* error() const { return result_.error; }
  [[nodiscard]] const PgQueryProtobuf& bytes() const { return result_.parse_tree; }

 private:
  PgQueryProtobufParseResult result_;
};

struct TreeDeleter {
  void operator()(PgQuery__ParseResult* tree) const { pg_query__parse_result__free_unpacked(tree, nullptr); }
};
using Tree = std::unique_ptr<PgQuery__ParseResult, TreeDeleter>;

/// Skips white space and comments: where PostgreSQL says the statement begins.
size_t firstToken(std::string_view text, size_t at) {
  while (at < text.size()) {
    if (isSpace(text[at])) {
      ++at;
    } else if (text.substr(at, 2) == "--") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      int depth = 0;
      do {
        const std::string_view two = text.substr(at, 2);
        const int step = two == "/*" ? 1 : two == "*/" ? -1 : 0;
        depth += step;
        at += step != 0 ? 2 : 1;
      } while (depth > 0 && at < text.size());
    } else {
      break;
    }
  }
  return at;
}

ParsedStatement readStatement(std::string_view text, const PgQuery__RawStmt& raw, std::span<const int32_t> own_words) {
  const auto begin = static_cast<size_t>(raw.stmt_location);
  const size_t end = raw.stmt_len == 0 ? text.size() : begin + static_cast<size_t>(raw.stmt_len);
  ParsedStatement statement;
  statement.offset = static_cast<uint32_t>(firstToken(text, begin));
  statement.length = static_cast<uint32_t>(end) - statement.offset;
  try {
    TreeReader reader(static_cast<int32_t>(statement.offset), own_words);
    statement.tree = std::make_shared<const ast::Statement>(reader.readStatement(*raw.stmt));
  } catch (const SqlError& error) {
    statement.rejection = error;
  }
  return statement;
}

}  // namespace

std::vector<ParsedStatement> parse(std::string_view text) {
  if (text.size() > kNestingBoundMax && nestingBound(text) > kNestingBoundMax)
    throw SqlError(sqlstate::kStatementTooComplex, "stack depth limit exceeded");
  std::string understood(text);
  const std::vector<int32_t> own_words = takeOwnWords(understood);
  const GrammarResult result{understood};
  if (result.error() != nullptr) throwGrammarError(result.error()->message, result.error()->cursorpos, text);
  const PgQueryProtobuf& bytes = result.bytes();
  const Tree tree(pg_query__parse_result__unpack(nullptr, bytes.len, reinterpret_cast<const uint8_t*>(bytes.data)));
  CHECK(tree != nullptr, "the grammar's output unpacks");
  std::vector<ParsedStatement> statements;
  statements.reserve(tree->n_stmts);
  for (size_t i = 0; i < tree->n_stmts; ++i) statements.push_back(readStatement(text, *tree->stmts[i], own_words));
  return statements;
}

std::string deparseQuery(PgQuery__Node& query) {
  const DeparserGaps gaps(query);
  PgQuery__RawStmt raw = PG_QUERY__RAW_STMT__INIT;
  raw.stmt = &query;
  PgQuery__RawStmt* statements[] = {&raw};
  PgQuery__ParseResult tree = PG_QUERY__PARSE_RESULT__INIT;
  tree.version = PG_VERSION_NUM;
  tree.n_stmts = 1;
  tree.stmts = statements;

  std::vector<uint8_t> bytes(pg_query__parse_result__get_packed_size(&tree));
  pg_query__parse_result__pack(&tree, bytes.data());
  const PgQueryDeparseResult result = pg_query_deparse_protobuf({bytes.size(), reinterpret_cast<char*>(bytes.data())});
  std::string text = result.error == nullptr ? result.query : "";
  pg_query_free_deparse_result(result);
  if (text.empty()) throwNotSupported("storing this query");
  return text;
}

std::string deparseExpression(PgQuery__Node& expression) {
  QueryOfValue query(expression);
  const std::string text = deparseQuery(query.node());
  static constexpr std::string_view kSelect = "SELECT ";
  if (!text.starts_with(kSelect)) throwNotSupported("storing this expression");
  return text.substr(kSelect.size());
}

}  // namespace gnomon::sql
