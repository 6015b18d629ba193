#include "txn/write_statement.h"

namespace gnomon::txn {

WriteStatement::WriteStatement(Table& table, const CancelToken& cancel)
    : table_(table),
      write_guard_(table.write_lock_.acquire(TableLock::Mode::Exclusive, cancel)),
      bound_(table.readBound()),
      appender_(table.relation_) {
  CHECK(table_.relation_.nextTupleId() == bound_, "X1");
}

WriteStatement::~WriteStatement() {
  if (!committed_) table_.relation_.truncate(bound_);
}

void WriteStatement::commit() {
  CHECK(!committed_, "X1");
  for (const TupleId id : removed_) table_.relation_.markDeleted(id);
  table_.bound_.store(table_.relation_.nextTupleId().value, std::memory_order_release);
  committed_ = true;
}

}  // namespace gnomon::txn
