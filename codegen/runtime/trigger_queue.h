#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "codegen/runtime/runtime_object.h"
#include "sql/catalog/table_entry.h"
#include "storage/relation/schema.h"

namespace gnomon::codegen {

/// A row of a table as it is stored: a value and a null flag for each column.
struct RowImage {
  const storage::Datum* values = nullptr;
  const uint8_t* null_flags = nullptr;

  [[nodiscard]] bool isThere() const { return values != nullptr; }
};

/// The same, to be changed.
struct WritableRow {
  storage::Datum* values = nullptr;
  uint8_t* null_flags = nullptr;

  [[nodiscard]] RowImage image() const { return {values, null_flags}; }
};

/// Rows that outlive the memory they came from.
class KeptRows {
 public:
  explicit KeptRows(MemoryAccount* memory) : memory_(memory) {}

  /// A copy. `columns`: how the values are stored; behind them there may be others, up to `width`, which are copied
  /// without their bytes.
  WritableRow keep(const storage::RelationSchema& columns, RowImage row, size_t width = 0);
  Arena& memory() { return memory_; }

 private:
  Arena memory_;
};

/// What an event did to a table's rows, for transition tables.
struct TransitionRows {
  std::vector<RowImage> before, after;
};

/// A trigger that is to be called.
struct TriggerCall {
  sql::TablePtr table;  ///< that has it
  const sql::TriggerEntry* trigger = nullptr;
  sql::TriggerEvent event = sql::TriggerEvent::Insert;
  RowImage before, after;                       ///< of row triggers
  const TransitionRows* transitions = nullptr;  ///< null: it wants none
};

/// Who calls triggers: the session. Threads: the session's. Failure: SqlError.
class TriggerHost {
 public:
  virtual ~TriggerHost() = default;
  /// Whether its WHEN is TRUE, if it has one.
  virtual bool isWanted(const TriggerCall& call) = 0;
  /// Calls it. `row`: of a BEFORE or INSTEAD OF row trigger, gets the row that it returns, with bytes in `memory`;
  /// null: nobody asks. False: it has returned none.
  virtual bool call(const TriggerCall& call, WritableRow* row, Arena& memory) = 0;
  /// Of a trigger that is deferrable: whether it waits for the end of the transaction, for which its rows are copied.
  virtual bool putOff(const TriggerCall& call) = 0;
};

/// The triggers that one statement fires: those before it and its rows at once, those behind when all is written.
///
/// Source: PostgreSQL's order: those of rows in the order in which the rows were written, for each row in the order of
/// their names, those of the statement behind them, those of rows that foreign keys changed behind these. Departure:
/// foreign keys are followed before all of them, whatever their names. Ownership: rows are copied. Threads: the
/// session's. Failure: SqlError; 53200 where the events find no room.
class TriggerQueue final : public RuntimeObject {
 public:
  TriggerQueue(TriggerHost& host, MemoryAccount& memory) : host_(host), rows_(&memory), scratch_(&memory) {}

  /// `columns`: of an UPDATE those that change, ascending; here and below.
  void beforeStatement(const sql::TablePtr& table, sql::TriggerEvent event, const std::vector<uint32_t>& columns);
  void afterStatement(const sql::TablePtr& table, sql::TriggerEvent event, const std::vector<uint32_t>& columns);
  /// `after` gets what the triggers make of it, with bytes that live as long as the queue. False: nothing is to happen.
  bool beforeRow(const sql::TablePtr& table, sql::TriggerEvent event, const std::vector<uint32_t>& columns,
                 RowImage before, WritableRow after) {
    return fireRow(sql::TriggerEntry::Timing::Before, table, event, columns, before, after);
  }
  /// Of a view.
  bool insteadOf(const sql::TablePtr& view, sql::TriggerEvent event, RowImage before, WritableRow after) {
    return fireRow(sql::TriggerEntry::Timing::InsteadOf, view, event, {}, before, after);
  }
  /// `named`: the table of the statement, of which `table` may be a partition.
  void afterRow(const sql::TablePtr& named, const sql::TablePtr& table, sql::TriggerEvent event,
                const std::vector<uint32_t>& columns, RowImage before, RowImage after);
  /// Fires what has waited, in its order. What these do fires triggers of its own.
  void run();
  /// For rows on their way; emptied by none.
  Arena& memory() { return rows_.memory(); }

 private:
  using Event = TriggerCall;
  bool fireRow(sql::TriggerEntry::Timing timing, const sql::TablePtr& table, sql::TriggerEvent event,
               const std::vector<uint32_t>& columns, RowImage before, WritableRow after);

  TriggerHost& host_;
  KeptRows rows_;
  Arena scratch_;
  std::deque<Event> events_;
  std::map<std::pair<uint32_t, sql::TriggerEvent>, TransitionRows> transitions_;  ///< by the oid of the table named
};

}  // namespace gnomon::codegen
