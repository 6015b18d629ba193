#include "codegen/runtime/row_locks.h"

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/limit_counter.h"
#include "sql/catalog/partitioning.h"

namespace gnomon::codegen {

namespace {

/// Rows that are locked between two looks at the cancel token.
constexpr size_t kRowsPerPoll = 256;

}  // namespace

RowLocks::RowLocks(const std::vector<sql::Output::RowLock>& locks, const txn::WriteContext& context, size_t list_slot,
                   size_t limit_slot)
    : locks_(locks), list_slot_(list_slot), limit_slot_(limit_slot), context_(context) {
  for (const sql::Output::RowLock& lock : locks_) statements_.emplace_back(*lock.table->storage, context);
}

txn::WriteStatement& RowLocks::statementOf(size_t lock, uint64_t& id) {
  using sql::Partitioning;
  const sql::TablePtr& table = locks_[lock].table;
  if (!table->partitioning) return statements_[lock];
  const uint64_t leaf = id >> Partitioning::kLeafShift;
  id &= Partitioning::kTupleMask;
  const auto [found, is_new] =
      leaves_.try_emplace({lock, leaf}, *table->partitioning->leaves()[leaf]->storage, context_);
  if (is_new) found->second.setPart();
  return found->second;
}

/// False: the row is passed over.
bool RowLocks::lockRow(ExecutionState& state, const uint64_t* ids) {
  LimitCounter* const limit = limit_slot_ == kNoSlot ? nullptr : &state.globalObject<LimitCounter>(limit_slot_);
  if (limit && limit->isExhausted()) return false;
  for (size_t i = 0; i < locks_.size(); ++i) {
    const sql::Output::RowLock& lock = locks_[i];
    uint64_t id = ids[i];
    txn::WriteStatement& statement = statementOf(i, id);
    const auto outcome = statement.lock(txn::TupleId{id}, lock.is_shared, lock.policy == sql::RowLockPolicy::Wait);
    if (outcome) continue;
    if (lock.policy == sql::RowLockPolicy::SkipLocked) return false;
    throw SqlError(sqlstate::kLockNotAvailable,
                   "could not obtain lock on row in relation \"" + lock.table->name + "\"");
  }
  return !limit || limit->admit();
}

void RowLocks::apply(ExecutionState& state, const Filter& filter) {
  size_t done = 0;
  for (unsigned worker = 0; worker < state.workerCount(); ++worker) {
    const std::vector<uint64_t>& ids = state.localObject<RowLockList>(worker, list_slot_).ids();
    const auto lock = [&](uint64_t row) {
      if (done++ % kRowsPerPoll == 0) state.context.cancel.poll();
      return lockRow(state, ids.data() + row * locks_.size());
    };
    if (filter) {
      filter(worker, lock);
    } else {
      for (uint64_t row = 0; row < ids.size() / locks_.size(); ++row) lock(row);
    }
  }
  for (auto& [leaf, statement] : leaves_) statement.finish();
  for (txn::WriteStatement& statement : statements_) statement.finish();
}

void rt::lockNote(RowLockList* list, uint64_t id) {
  list->add(id);
}

}  // namespace gnomon::codegen
