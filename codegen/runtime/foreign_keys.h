#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/arena.h"
#include "codegen/backend/execution_policy.h"
#include "sql/algebra/key_work.h"
#include "sql/catalog/row_checker.h"
#include "sql/types/bytea.h"
#include "txn/deferred_references.h"
#include "txn/referenced_rows.h"
#include "txn/referring_rows.h"

namespace gnomon::codegen {

class SessionFunctions;
class TriggerQueue;
struct RowImage;
struct WritableRow;

struct ForeignKeySettings {
  ExecutionPolicy policy;  ///< of checks that actions have to pass
  sql::ByteaOutput bytea_output = sql::ByteaOutput::Hex;
  TriggerQueue* triggers = nullptr;     ///< of the statement; null: no table has any that fire
  SessionFunctions* session = nullptr;  ///< whom checks ask
};

/// What foreign keys make of the changes of one statement: rows that new rows refer to are locked, rows that refer to
/// what went or got another key prevent that, or change too.
///
/// Source: PostgreSQL's referential triggers, in whose order things happen: at the end of the statement row by row, for
/// each row key by key; what an action changes comes last. Rows that are inserted look for their parents at once;
/// those that find none look again at the end.
/// Threads: one at a time, of those that write. The tables are locked. Failure: 23503; 23502 and 23514 for rows that
/// actions change; as WriteStatement, ReferencedRows and ReferringRows.
class ForeignKeys {
 public:
  /// `target`: of the statement's table; undoes what keys change with its own changes. `memory`: outlives this.
  ForeignKeys(std::shared_ptr<const sql::KeyWork> work, const txn::WriteContext& context, txn::WriteStatement& target,
              const ForeignKeySettings& settings, MemoryAccount& memory);
  ~ForeignKeys();
  ForeignKeys(const ForeignKeys&) = delete;
  ForeignKeys& operator=(const ForeignKeys&) = delete;

  // What happened to rows of the statement's table, as WriteStatement was told.
  void noteAppended(txn::TupleId first, const txn::Datum* values, const uint8_t* null_flags, size_t row_count);
  void noteRemoved(txn::TupleId id);
  /// It went to another partition, with these values of all columns.
  void noteMoved(txn::TupleId id, const txn::Datum* values, const uint8_t* null_flags);
  void noteUpdated(txn::TupleId before, txn::TupleId after, const storage::TupleChange& change);

  /// A row of the statement's table that was put off is to be looked at again.
  void noteDeferred(const txn::DeferredReferences::Row& row);

  /// Does what is to be done; then all statements are finished, the target last.
  void finish(std::optional<SqlError>* refusal = nullptr);

 private:
  static constexpr uint32_t kAllIncoming = UINT32_MAX;
  /// A row that is to be looked at.
  struct Event {
    uint32_t table;
    uint32_t key;                 ///< that the row `after` has to satisfy; or kAllIncoming
    txn::TupleId before;          ///< kAllIncoming: the row that is gone
    txn::TupleId after;           ///< its successor; kNone: it was deleted
    bool is_parent_gone = false;  ///< the row was put off because of that
    size_t moved = kNotMoved;     ///< in moved_: what the row is in another partition
  };
  static constexpr size_t kNotMoved = SIZE_MAX;
  struct TableState;
  struct KeyState;
  /// The values of a key's columns in one row.
  struct KeyValues {
    std::vector<txn::Datum> values;
    std::vector<uint8_t> null_flags;
    size_t nulls = 0;
  };
  /// What an action writes.
  struct KeyChange {
    std::vector<uint32_t> columns;  ///< ascending
    std::vector<txn::Datum> values;
    std::vector<uint8_t> null_flags;
  };
  /// A row that an action is about to change.
  struct Referring {
    size_t key;
    const std::vector<txn::Datum>& values;  ///< of the key's columns, by which it was found
    txn::TupleId id;
  };

  txn::WriteStatement& statementOf(size_t table);
  void findReferenced(size_t key);
  txn::ReferencedRows& referencedIn(size_t key, uint32_t leaf);
  void lockReferences(size_t key, const std::vector<txn::Datum>& references, std::vector<uint8_t>& is_found);
  txn::ReferringRows& referringBy(size_t key);
  void push(const Event& event);
  void runEvents(std::optional<SqlError>* refusal);
  void pushTouched(size_t table, txn::TupleId before, txn::TupleId after, const storage::TupleChange& change,
                   size_t passed_key);

  // New rows.
  size_t checkReferences(size_t event, std::optional<SqlError>* refusal);
  bool defer(size_t key, txn::TupleId id, bool is_parent_gone);
  [[nodiscard]] SqlError violationOf(const Event& event);
  [[nodiscard]] SqlError parentGone(const sql::KeyWork::Key& key, const std::vector<txn::Datum>& values) const;
  [[nodiscard]] txn::TupleId newestOf(const Event& event) const;
  bool isSatisfied(const sql::KeyWork::Key& key, const KeyValues& values) const;
  bool addReference(size_t key, const std::vector<txn::Datum>& values, std::vector<txn::Datum>& references);
  bool isReferenced(size_t key, const KeyValues& parent);

  // Rows that are gone.
  void followReferring(size_t event);
  void followKey(size_t event, size_t key);
  [[nodiscard]] KeyValues movedValues(const Event& event, const sql::KeyWork::Key& key) const;
  bool toChild(const sql::KeyWork::Key& key, const KeyValues& parent, std::vector<txn::Datum>& values);
  [[nodiscard]] bool isSameKey(const sql::KeyWork::Key& key, const KeyValues& before, const KeyValues& after) const;
  void prepareScan(size_t event, size_t key);
  std::vector<txn::TupleId> findReferring(size_t event, size_t key, const std::vector<txn::Datum>& values);
  void prevent(size_t event, size_t key, const KeyValues& before, const std::vector<txn::Datum>& values,
               bool is_restrict);
  txn::ReferringRows::Sight lookAtReferring(const Referring& row);
  KeyChange changeOf(const sql::KeyWork::Key& key, const KeyValues* after);
  txn::ReferringRows::Sight take(const Referring& row);
  struct RowChange;
  [[nodiscard]] bool firesTriggers(size_t child, sql::TriggerEvent event) const;
  RowChange readWhole(size_t child, txn::TupleId id);
  bool fireBefore(size_t key, sql::TriggerEvent event, const std::vector<uint32_t>& columns, RowImage before,
                  WritableRow row);
  bool removeFired(size_t key, txn::TupleId id);
  void noteChange(size_t table, txn::TupleId before, txn::TupleId after);
  bool removeRow(const Referring& row);
  bool setRow(const Referring& row, const KeyChange& change, size_t passed_key);
  void requireChecks(size_t table, txn::TupleId id, const storage::TupleChange& change);
  KeyValues read(size_t table, const std::vector<uint32_t>& columns, txn::TupleId id);

  const std::shared_ptr<const sql::KeyWork> work_;
  const txn::WriteContext& context_;
  const ForeignKeySettings settings_;
  MemoryAccount& memory_;
  txn::WriteStatement& target_;
  Arena strings_;  ///< of values that are read
  std::vector<TableState> tables_;
  std::vector<KeyState> keys_;
  std::vector<Event> events_;
  std::vector<KeyValues> moved_;  ///< whole rows
  Arena moved_strings_;
  uint64_t charged_bytes_ = 0;
};

}  // namespace gnomon::codegen
