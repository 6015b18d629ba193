#include "sql/parse/identifier.h"

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <memory>

namespace gnomon::sql {
namespace {

bool isPlain(std::string_view name) {
  const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && isLetter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return isLetter(c) || isDigit(c); });
}

/// Whether the scanner takes the word for a keyword that cannot be a name everywhere.
bool isKeyword(const std::string& word) {
  const std::unique_ptr<PgQueryScanResult, void (*)(PgQueryScanResult*)> scanned(
      new PgQueryScanResult(pg_query_scan(word.c_str())), [](PgQueryScanResult* result) {
        pg_query_free_scan_result(*result);
        delete result;
      });
  if (scanned->error != nullptr) return true;
  const auto* bytes = reinterpret_cast<const uint8_t*>(scanned->pbuf.data);
  const std::unique_ptr<PgQuery__ScanResult, void (*)(PgQuery__ScanResult*)> tokens(
      pg_query__scan_result__unpack(nullptr, scanned->pbuf.len, bytes),
      [](PgQuery__ScanResult* result) { pg_query__scan_result__free_unpacked(result, nullptr); });
  if (tokens == nullptr || tokens->n_tokens != 1) return true;
  const PgQuery__KeywordKind kind = tokens->tokens[0]->keyword_kind;
  return kind != PG_QUERY__KEYWORD_KIND__NO_KEYWORD && kind != PG_QUERY__KEYWORD_KIND__UNRESERVED_KEYWORD;
}

}  // namespace

std::string quotedIdentifier(std::string_view name) {
  std::string plain(name);
  if (isPlain(name) && !isKeyword(plain)) return plain;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace gnomon::sql
