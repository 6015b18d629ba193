#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "codegen/runtime/output_sink.h"
#include "codegen/runtime/runtime_object.h"
#include "sql/algebra/operator.h"
#include "txn/write_statement.h"

namespace gnomon::codegen {

class ExecutionState;

/// The tuples behind one worker's result rows: for each row one id of each table that is locked.
class RowLockList final : public RuntimeObject {
 public:
  void add(uint64_t id) { ids_.push_back(id); }
  [[nodiscard]] const std::vector<uint64_t>& ids() const { return ids_; }

 private:
  std::vector<uint64_t> ids_;
};

/// SELECT ... FOR UPDATE or FOR SHARE: the result is held back until all of its tuples are locked.
class RowLocks final : public RuntimeObject {
 public:
  static constexpr size_t kNoSlot = SIZE_MAX;

  /// `list_slot`: local, the workers' lists; `limit_slot`: global, the LimitCounter of what is left out only now; or
  /// kNoSlot.
  RowLocks(const std::vector<sql::Output::RowLock>& locks, const txn::WriteContext& context, size_t list_slot,
           size_t limit_slot);

  /// Asks of each row of a worker, by its number, whether it is locked, and takes the others out.
  using Filter = std::function<void(unsigned worker, const std::function<bool(uint64_t)>& is_locked)>;
  /// Locks the tuples, in the order of the rows. Rows that others have locked and the statement passes over, and those
  /// outside of the limit, are not kept. An empty filter: there are no rows but their ids. Failure: as
  /// WriteStatement::lock.
  void apply(ExecutionState& state, const Filter& filter);

 private:
  bool lockRow(ExecutionState& state, const uint64_t* ids);
  /// Of the table, or of the leaf partition that the id says, which it is taken out of.
  txn::WriteStatement& statementOf(size_t lock, uint64_t& id);

  const std::vector<sql::Output::RowLock>& locks_;
  const size_t list_slot_, limit_slot_;
  const txn::WriteContext& context_;
  std::deque<txn::WriteStatement> statements_;                         ///< of each table
  std::map<std::pair<size_t, uint64_t>, txn::WriteStatement> leaves_;  ///< of each table's leaf partitions
};

namespace rt {
void lockNote(RowLockList* list, uint64_t id);
}  // namespace rt

}  // namespace gnomon::codegen
