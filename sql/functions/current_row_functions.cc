#include "sql/functions/current_row_functions.h"

#include "txn/write_statement.h"

namespace gnomon::sql {
namespace {

using Arguments = std::span<const Value>;

/// Of a column of a row that is held, as text, and of what the snapshot has there: others have changed the row since,
/// unless they are the same, and the statement begins again. Above READ COMMITTED such a row cannot be held.
Value requireSeen(Arguments arguments, Type result) {
  const Value &held = arguments[0], &seen = arguments[1];
  if (held.is_null != seen.is_null || (!held.is_null && held.bytes != seen.bytes)) throw txn::StatementRestart();
  return Value::fromInt(result, 1);
}

}  // namespace

void addCurrentRowFunctions(std::vector<ValueFunction>& functions) {
  using enum TypeKind;
  functions.push_back({.name = "$require_seen",
                       .arguments = {Text, Text},
                       .result = Boolean,
                       .answer = requireSeen,
                       .volatility = Volatility::Stable,
                       .is_strict = false});
}

}  // namespace gnomon::sql
