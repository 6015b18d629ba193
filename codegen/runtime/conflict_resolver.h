#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

#include "base/arena.h"
#include "base/cancel.h"
#include "codegen/backend/execution_policy.h"
#include "codegen/executor/state.h"
#include "codegen/runtime/foreign_keys.h"
#include "codegen/runtime/row_constraints.h"
#include "codegen/runtime/row_triggers.h"
#include "sql/algebra/change_operators.h"
#include "txn/write_statement.h"

namespace gnomon::codegen {

class CodeUnit;

/// ON CONFLICT: places rows one by one, and where a row has the key of one that is there leaves it out or updates that
/// one.
///
/// Source: PostgreSQL's order of things: look for a conflict, append, and look again when somebody was faster; the row
/// that is there is locked as it is now, not as the snapshot sees it. Departure: a tuple that was appended in vain is
/// deleted like any other.
/// Threads: one at a time. Failure: as WriteStatement; 21000 for a row that the statement has written already; 23502,
/// 23514; what the expressions raise.
class ConflictResolver {
 public:
  /// What the generated function reads and fills: the new values of the columns that change.
  /// Layout: as the members; values are txn::Datum (16 bytes), null flags one byte each.
  struct UpdateCall {
    const txn::Datum* excluded;
    const uint8_t* excluded_nulls;
    const txn::Datum* existing;
    const uint8_t* existing_nulls;
    txn::Datum* changed;
    uint8_t* changed_nulls;
    uint8_t is_wanted;  ///< the condition is TRUE
  };
  /// Everything outlives the resolver.
  struct Settings {
    const sql::Insert::Conflict& conflict;
    const CodeUnit* update;  ///< of the shape of a pipeline's function; null: nothing is updated
    GlobalState& global;
    const CancelToken& cancel;
    MemoryAccount& memory;
    ForeignKeySettings keys;
    bool keeps_rows;       ///< somebody reads writtenRows()
    size_t values_beside;  ///< of each row proposed, behind those of the table's columns
  };
  ConflictResolver(const Settings& settings, sql::TablePtr table, txn::WriteStatement& statement, ForeignKeys* keys)
      : ConflictResolver(settings, std::move(table), statement, keys, settings.conflict.arbiters) {}
  /// Of a leaf partition of `target`: `arbiters` are its own indexes.
  ConflictResolver(const Settings& settings, sql::TablePtr table, txn::WriteStatement& statement, ForeignKeys* keys,
                   const std::vector<sql::IndexPtr>& arbiters, sql::TablePtr target = nullptr);

  /// Raises an error where a row that was updated would not belong where it is.
  using PlaceTest = std::function<void(const txn::Datum* values, const uint8_t* null_flags)>;
  void setPlaceTest(PlaceTest test) { place_test_ = std::move(test); }
  /// Fires the table's row triggers; those before an INSERT have been fired.
  void setTriggers(RowTriggers& triggers) { triggers_ = &triggers; }

  void append(const txn::Datum* values, const uint8_t* nulls, size_t rows, LocalState& local);
  /// Rows that were appended or updated.
  [[nodiscard]] uint64_t rowCount() const { return row_count_; }
  /// Each: the values of all columns (16 bytes each), then their null flags.
  [[nodiscard]] const std::vector<char*>& writtenRows() const { return written_; }

 private:
  void place(const txn::Datum* values, const uint8_t* nulls, LocalState& local);
  void update(txn::TupleId id, const txn::Datum* excluded, const uint8_t* excluded_nulls, LocalState& local);
  bool fireBefore(storage::TupleChange& change);
  void keep(const txn::Datum* values, const uint8_t* nulls);

  const Settings settings_;
  const sql::TablePtr table_;
  txn::WriteStatement& statement_;
  ForeignKeys* const keys_;
  std::vector<const txn::TableIndex*> arbiters_;
  PlaceTest place_test_;  ///< empty: none
  RowConstraints constraints_;
  RowTriggers* triggers_ = nullptr;        ///< null: none
  std::vector<uint32_t> changed_columns_;  ///< of the row at hand, where there are triggers
  std::unordered_set<uint64_t> touched_;   ///< ids of the tuples that the statement has written
  Arena row_memory_;                       ///< strings of the row at hand
  std::vector<txn::Datum> existing_, changed_, before_;
  std::vector<uint8_t> existing_nulls_, changed_nulls_, before_nulls_;
  KeptRows kept_;
  std::vector<char*> written_;
  uint64_t row_count_ = 0;
};

}  // namespace gnomon::codegen
