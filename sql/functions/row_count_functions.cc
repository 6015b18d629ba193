#include "sql/functions/row_count_functions.h"

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

using Arguments = std::span<const Value>;

Value checkedLimit(Arguments arguments, Type /*result*/) {
  if (arguments[0].asInt() < 0) throw SqlError(sqlstate::kInvalidRowCountInLimitClause, "LIMIT must not be negative");
  return arguments[0];
}

Value checkedOffset(Arguments arguments, Type /*result*/) {
  if (arguments[0].asInt() < 0) throw SqlError(sqlstate::kInvalidRowCountInOffsetClause, "OFFSET must not be negative");
  return arguments[0];
}

}  // namespace

void addRowCountFunctions(std::vector<ValueFunction>& functions) {
  using enum TypeKind;
  functions.push_back({"$limit", {Bigint}, Bigint, checkedLimit});
  functions.push_back({"$offset", {Bigint}, Bigint, checkedOffset});
}

}  // namespace gnomon::sql
