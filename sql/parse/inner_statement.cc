#include "sql/parse/inner_statement.h"

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <memory>
#include <span>

#include "base/assert.h"

namespace gnomon::sql {
namespace {

struct TokensDeleter {
  void operator()(PgQuery__ScanResult* tokens) const { pg_query__scan_result__free_unpacked(tokens, nullptr); }
};

class Tokens {
 public:
  explicit Tokens(std::string_view text) {
    const std::string terminated(text);
    const PgQueryScanResult scanned = pg_query_scan(terminated.c_str());
    if (scanned.error == nullptr)
      tokens_.reset(pg_query__scan_result__unpack(nullptr, scanned.pbuf.len,
                                                  reinterpret_cast<const uint8_t*>(scanned.pbuf.data)));
    pg_query_free_scan_result(scanned);
    CHECK(tokens_ != nullptr, "what the grammar has read can be cut into tokens");
  }

  [[nodiscard]] std::span<PgQuery__ScanToken* const> all() const { return {tokens_->tokens, tokens_->n_tokens}; }
  /// The first of the kind.
  [[nodiscard]] size_t find(PgQuery__Token kind) const {
    const auto tokens = all();
    size_t i = 0;
    while (i < tokens.size() && tokens[i]->token != kind) ++i;
    CHECK(i < tokens.size(), "the grammar wants the word");
    return i;
  }

 private:
  std::unique_ptr<PgQuery__ScanResult, TokensDeleter> tokens_;
};

}  // namespace

size_t innerStatementBegin(std::string_view statement) {
  const Tokens tokens(statement);
  const bool prepares = tokens.all().front()->token == PG_QUERY__TOKEN__PREPARE;
  const size_t word = tokens.find(prepares ? PG_QUERY__TOKEN__AS : PG_QUERY__TOKEN__FOR);
  return static_cast<size_t>(tokens.all()[word]->end);
}

std::string withQueryForExecute(std::string_view statement, std::string_view query) {
  const Tokens tokens(statement);
  const auto all = tokens.all();
  const size_t execute = tokens.find(PG_QUERY__TOKEN__EXECUTE);
  // The name, and the arguments in parentheses.
  size_t last = execute + 1;
  if (last + 1 < all.size() && all[last + 1]->token == PG_QUERY__TOKEN__ASCII_40) {
    size_t depth = 0;
    do {
      ++last;
      if (all[last]->token == PG_QUERY__TOKEN__ASCII_40) ++depth;
      if (all[last]->token == PG_QUERY__TOKEN__ASCII_41) --depth;
    } while (depth > 0);
  }
  std::string text(statement.substr(0, static_cast<size_t>(all[execute]->start)));
  // It may end with a comment.
  text.append(query).append("\n");
  return text.append(statement.substr(static_cast<size_t>(all[last]->end)));
}

}  // namespace gnomon::sql
