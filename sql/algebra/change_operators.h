#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sql/algebra/check_expressions.h"
#include "sql/algebra/operator.h"

namespace gnomon::sql {

struct KeyWork;
struct TriggerWork;

/// Appends the input's rows to a table. One expression per table column, of exactly the column's type.
/// What changes a table hands its input's rows to an Output above it, for RETURNING: they are put out when the change
/// is done, a row that is changed once although it is there several times once.
struct Insert final : Operator {
  /// ON CONFLICT. Its expressions read `excluded` and `existing`, no unit of the input.
  struct Conflict {
    std::vector<IndexPtr> arbiters;  ///< unique indexes in whose keys a conflict is looked for
    bool is_update = false;          ///< otherwise the row is left out
    /// The columns of the row proposed, and of the one that is there, each with its number as id; all may be NULL.
    /// Behind the columns proposed stand those of Insert::beside.
    std::deque<InformationUnit> excluded, existing;
    ExpressionPtr condition;            ///< boolean, of an update; null: none
    std::vector<uint32_t> columns;      ///< those that change, ascending
    std::vector<ExpressionPtr> values;  ///< one for each of `columns`, of exactly the column's type
    CheckForms checks;                  ///< of rows that are updated; null: none
  };
  Insert() : Operator(Kind::Insert) {}
  TablePtr table;
  std::vector<ExpressionPtr> values;
  RowChecks checks;
  std::shared_ptr<const KeyWork> keys;          ///< null: none
  std::unique_ptr<Conflict> conflict;           ///< null: a conflict is an error
  std::shared_ptr<const TriggerWork> triggers;  ///< null: none fires
  std::vector<ExpressionPtr> beside;            ///< that the conflict clause reads beside the row: values of subqueries
  std::vector<TablePtr> ancestors;  ///< of a partition: from the one above it upward; they say what may be in it
  /// With a conflict clause, or triggers that may change rows: the columns of the rows as they were written in the end,
  /// which go up instead of the input's; empty: nobody reads them.
  std::vector<Iu> written;
  [[nodiscard]] bool isReadAsWritten() const { return conflict != nullptr || !written.empty(); }
  [[nodiscard]] std::vector<Iu> units() const override { return isReadAsWritten() ? written : inputs[0]->units(); }
};

/// Changes columns of a table's rows; a row that the input has several times is changed once.
struct Update final : Operator {
  Update() : Operator(Kind::Update) {}
  TablePtr table;
  Iu tuple_id = nullptr;          ///< of a scan of the table
  std::vector<uint32_t> columns;  ///< those that change, ascending
  /// One per table column: the new value, of exactly the column's type. Of a column that does not change null, or the
  /// unit of the value it keeps when checks may read it or a message may have to show the row.
  std::vector<ExpressionPtr> row;
  RowChecks checks;
  std::shared_ptr<const KeyWork> keys;  ///< null: none
  std::vector<TablePtr> ancestors;      ///< as of an Insert, where the row must not leave its partition
  /// Not empty: rows may move to other partitions, or must not, or concern triggers. Then `columns` are all of the
  /// table, and these are the ones that change.
  std::vector<uint32_t> moving_columns;
  std::shared_ptr<const TriggerWork> triggers;  ///< null: none fires
  /// Where triggers may change rows: the columns of the rows as they were written in the end, which go up beside the
  /// input's units; empty: nobody reads them.
  std::vector<Iu> written;
  std::vector<Iu> old_row;  ///< of a view whose triggers do the change: its columns, which are there; empty: a table
  [[nodiscard]] std::vector<Iu> units() const override {
    std::vector<Iu> units = inputs[0]->units();
    units.insert(units.end(), written.begin(), written.end());
    return units;
  }
};

/// Deletes rows of a table; the input may have a row several times.
struct Delete final : Operator {
  Delete() : Operator(Kind::Delete) {}
  TablePtr table;
  Iu tuple_id = nullptr;                        ///< of a scan of the table
  std::shared_ptr<const KeyWork> keys;          ///< null: none
  std::shared_ptr<const TriggerWork> triggers;  ///< null: none fires
  std::vector<Iu> old_row;                      ///< of a view whose triggers delete: its columns; empty: a table
  [[nodiscard]] std::vector<Iu> units() const override { return inputs[0]->units(); }
};

/// MERGE: the input has rows of the source, each with a row of the table that it matches or without one. The first
/// action that is for such rows and whose condition is TRUE is taken. A row may be changed once only: 21000.
struct Merge final : Operator {
  struct Action {
    enum class What : uint8_t { Nothing, Insert, Update, Delete };
    What what = What::Nothing;
    bool is_matched = false;
    ExpressionPtr condition;         ///< boolean; null: none
    std::vector<uint32_t> columns;   ///< Update: those that change, ascending
    std::vector<ExpressionPtr> row;  ///< Insert, Update: one per table column, of exactly the column's type
    RowChecks checks;
    std::vector<uint32_t> moving_columns = {};  ///< as of an Update
  };
  Merge() : Operator(Kind::Merge) {}
  TablePtr table;
  Iu tuple_id = nullptr;  ///< of a scan of the table; NULL where nothing matches
  std::vector<Action> actions;
  std::shared_ptr<const KeyWork> keys;          ///< null: none
  std::shared_ptr<const TriggerWork> triggers;  ///< null: none fires
  std::vector<TablePtr> ancestors;              ///< as of an Insert
  [[nodiscard]] std::vector<Iu> units() const override { return inputs[0]->units(); }
};

/// Whether triggers of the table that the operator changes may fire.
inline bool firesTriggers(const Operator& op) {
  switch (op.kind) {
    case Operator::Kind::Insert:
      return static_cast<const Insert&>(op).triggers != nullptr;
    case Operator::Kind::Update:
      return static_cast<const Update&>(op).triggers != nullptr;
    case Operator::Kind::Delete:
      return static_cast<const Delete&>(op).triggers != nullptr;
    case Operator::Kind::Merge:
      return static_cast<const Merge&>(op).triggers != nullptr;
    default:
      return false;
  }
}

}  // namespace gnomon::sql
