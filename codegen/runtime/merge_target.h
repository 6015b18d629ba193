#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/runtime/foreign_keys.h"
#include "codegen/runtime/partition_writer.h"
#include "codegen/runtime/row_triggers.h"
#include "codegen/runtime/write_target.h"
#include "sql/algebra/change_operators.h"
#include "txn/write_statement.h"

namespace gnomon::codegen {

/// The table that a MERGE changes. Each of its actions has lists of the rows for which it was taken.
class MergeTarget final : public WriteTarget {
 public:
  /// An action that changes something. `list_slot`: local, the workers' ChangeLists; of an insert with all columns.
  struct Action {
    sql::Merge::Action::What what;
    std::vector<uint32_t> columns;
    size_t list_slot;
    std::vector<uint32_t> moving;  ///< those that change, where a row may go to another partition; empty: `columns`
  };
  MergeTarget(sql::TablePtr table, const txn::WriteContext& context, std::vector<Action> actions)
      : table_(std::move(table)), actions_(std::move(actions)), statement_(*table_->storage, context) {}
  /// Foreign keys ask something of the changes.
  void setKeys(std::shared_ptr<const sql::KeyWork> work, const txn::WriteContext& context,
               const ForeignKeySettings& settings, MemoryAccount& memory) {
    keys_.emplace(std::move(work), context, statement_, settings, memory);
  }

  /// The table is partitioned, or a partition. In the place of setKeys() where it is partitioned.
  void setPartitions(PartitionWriter::Settings settings) { partitions_.emplace(std::move(settings)); }

  /// Triggers fire. Rows that concern them are noted whole.
  void setTriggers(std::shared_ptr<const sql::TriggerWork> work, const ForeignKeySettings& settings,
                   MemoryAccount& memory) {
    triggers_.emplace(std::move(work), settings, memory);
  }
  void begin() override {
    if (triggers_) triggers_->begin();
  }
  /// Changes and deletes rows in the order of their ids, and appends those that are inserted. Failure: 21000 for a row
  /// that is there twice.
  void apply(ExecutionState& state) override;
  [[nodiscard]] txn::WriteStatement& statement() override { return statement_; }
  void finish(std::optional<SqlError>* refusal) override {
    if (partitions_) partitions_->finish();
    keys_ ? keys_->finish(refusal) : statement_.finish();
  }
  [[nodiscard]] uint64_t rowCount() const override { return row_count_; }

 private:
  struct Noted {
    const Action* action;
    char* row;
  };
  /// Where a row is, and what foreign keys ask of its changes there.
  struct Place {
    const sql::TablePtr& table;
    txn::WriteStatement& statement;
    ForeignKeys* keys;
    txn::TupleId id;
    uint32_t leaf = 0;
  };
  Place placeOf(txn::TupleId known);
  [[nodiscard]] bool isTouched(txn::TupleId known);
  bool changeRow(const Noted& noted);
  bool removeRow(const Place& place, RowImage before);
  bool updateRow(const Place& place, const Action& action, RowImage before, char* noted, uint32_t from);
  bool appendRow(const Noted& noted);
  bool appendTo(const Place& place, WritableRow row);
  Place placeIn(uint32_t leaf);
  [[nodiscard]] bool hasRowTriggers() const { return triggers_ && triggers_->hasRows(); }

  const sql::TablePtr table_;
  const std::vector<Action> actions_;
  txn::WriteStatement statement_;
  std::optional<ForeignKeys> keys_;  ///< none: nothing is asked
  std::optional<PartitionWriter> partitions_;
  PartitionWriter::Scratch scratch_;
  std::optional<RowTriggers> triggers_;  ///< none fires
  uint64_t row_count_ = 0;
};

}  // namespace gnomon::codegen
