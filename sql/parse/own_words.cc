#include "sql/parse/own_words.h"

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <span>
#include <string_view>

namespace gnomon::sql {
namespace {

constexpr std::string_view kBulk = "bulk";
constexpr std::string_view kRead = "READ";
static_assert(kBulk.size() == kRead.size());

constexpr std::string_view kExplain = "explain";
constexpr std::string_view kDrop = "DROP   ";
static_assert(kExplain.size() == kDrop.size());

/// `word`: in lower case.
bool isWord(std::string_view text, std::string_view word) {
  return std::ranges::equal(
      text, word, [](char left, char right) { return std::tolower(static_cast<unsigned char>(left)) == right; });
}

bool mentions(std::string_view text, std::string_view word) {
  for (size_t at = 0; at + word.size() <= text.size(); ++at)
    if (isWord(text.substr(at, word.size()), word)) return true;
  return false;
}

bool isExplainedRoutine(std::span<PgQuery__ScanToken* const> statement) {
  if (statement.size() < 2 || statement[0]->token != PG_QUERY__TOKEN__EXPLAIN) return false;
  const PgQuery__Token next = statement[1]->token;
  return next == PG_QUERY__TOKEN__FUNCTION || next == PG_QUERY__TOKEN__PROCEDURE || next == PG_QUERY__TOKEN__ROUTINE;
}

/// Whether a statement that begins so can have modes of a transaction.
bool canHaveModes(std::span<PgQuery__ScanToken* const> statement) {
  if (statement.empty()) return false;
  switch (statement[0]->token) {
    case PG_QUERY__TOKEN__BEGIN_P:
    case PG_QUERY__TOKEN__START:
      return true;
    case PG_QUERY__TOKEN__SET:
      return statement.size() > 1 &&
             (statement[1]->token == PG_QUERY__TOKEN__TRANSACTION || statement[1]->token == PG_QUERY__TOKEN__SESSION ||
              statement[1]->token == PG_QUERY__TOKEN__LOCAL);
    default:
      return false;
  }
}

void takeFrom(std::span<PgQuery__ScanToken* const> statement, std::string& text, std::vector<int32_t>& positions) {
  if (isExplainedRoutine(statement)) {
    kDrop.copy(text.data() + statement[0]->start, kDrop.size());
    positions.push_back(statement[0]->start);
  }
  if (!canHaveModes(statement)) return;
  for (size_t i = 0; i + 1 < statement.size(); ++i) {
    const PgQuery__ScanToken& word = *statement[i];
    const auto begin = static_cast<size_t>(word.start);
    const bool is_mode =
        word.token == PG_QUERY__TOKEN__IDENT && statement[i + 1]->token == PG_QUERY__TOKEN__WRITE &&
        isWord(std::string_view(text).substr(begin, static_cast<size_t>(word.end - word.start)), kBulk);
    if (!is_mode) continue;
    kRead.copy(text.data() + begin, kRead.size());
    positions.push_back(word.start);
  }
}

}  // namespace

std::vector<int32_t> takeOwnWords(std::string& text) {
  std::vector<int32_t> positions;
  // Most texts have none of them.
  if (!mentions(text, kBulk) && !mentions(text, kExplain)) return positions;
  const PgQueryScanResult scanned = pg_query_scan(text.c_str());
  if (scanned.error == nullptr) {
    const auto free = [](PgQuery__ScanResult* result) { pg_query__scan_result__free_unpacked(result, nullptr); };
    const std::unique_ptr<PgQuery__ScanResult, decltype(free)> tokens(
        pg_query__scan_result__unpack(nullptr, scanned.pbuf.len, reinterpret_cast<const uint8_t*>(scanned.pbuf.data)));
    std::vector<PgQuery__ScanToken*> statement;
    for (size_t i = 0; tokens && i < tokens->n_tokens; ++i) {
      PgQuery__ScanToken* const token = tokens->tokens[i];
      if (token->token == PG_QUERY__TOKEN__SQL_COMMENT || token->token == PG_QUERY__TOKEN__C_COMMENT) continue;
      if (token->token != PG_QUERY__TOKEN__ASCII_59) {
        statement.push_back(token);
        continue;
      }
      takeFrom(statement, text, positions);
      statement.clear();
    }
    takeFrom(statement, text, positions);
  }
  pg_query_free_scan_result(scanned);
  return positions;
}

}  // namespace gnomon::sql
