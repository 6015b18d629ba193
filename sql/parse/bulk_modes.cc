#include "sql/parse/bulk_modes.h"

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

bool isBulk(std::string_view text) {
  return std::ranges::equal(
      text, kBulk, [](char left, char right) { return std::tolower(static_cast<unsigned char>(left)) == right; });
}

/// Most texts do not have the word.
bool mentionsBulk(std::string_view text) {
  for (size_t at = 0; at + kBulk.size() <= text.size(); ++at)
    if (isBulk(text.substr(at, kBulk.size()))) return true;
  return false;
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
  if (!canHaveModes(statement)) return;
  for (size_t i = 0; i + 1 < statement.size(); ++i) {
    const PgQuery__ScanToken& word = *statement[i];
    const auto begin = static_cast<size_t>(word.start);
    const bool is_mode = word.token == PG_QUERY__TOKEN__IDENT && statement[i + 1]->token == PG_QUERY__TOKEN__WRITE &&
                         isBulk(std::string_view(text).substr(begin, static_cast<size_t>(word.end - word.start)));
    if (!is_mode) continue;
    kRead.copy(text.data() + begin, kRead.size());
    positions.push_back(word.start);
  }
}

}  // namespace

std::vector<int32_t> takeBulkModes(std::string& text) {
  std::vector<int32_t> positions;
  if (!mentionsBulk(text)) return positions;
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
