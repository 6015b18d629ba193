#include "codegen/runtime/limit_counter.h"

#include "base/sql_error.h"

namespace gnomon::codegen {

void LimitCounter::set(int64_t limit, bool has_limit, int64_t offset) {
  if (offset < 0) throw SqlError(sqlstate::kInvalidRowCountInOffsetClause, "OFFSET must not be negative");
  if (has_limit && limit < 0) throw SqlError(sqlstate::kInvalidRowCountInLimitClause, "LIMIT must not be negative");
  offset_ = static_cast<uint64_t>(offset);
  end_ = has_limit ? offset_ + static_cast<uint64_t>(limit) : kNoLimit;
}

void rt::limitSet(LimitCounter* counter, int64_t limit, bool has_limit, int64_t offset) {
  counter->set(limit, has_limit, offset);
}
bool rt::limitAdmit(LimitCounter* counter) {
  return counter->admit();
}

}  // namespace gnomon::codegen
