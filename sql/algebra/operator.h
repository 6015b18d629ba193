#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/algebra/expression.h"
#include "sql/catalog/key_search.h"
#include "sql/catalog/table_entry.h"
#include "sql/catalog/virtual_relation.h"

namespace gnomon::sql {

/// A relational operator with explicit columns. The binder makes a canonical tree, the optimiser's passes rewrite it,
/// codegen translates it. Ownership: a parent owns its inputs.
struct Operator {
  enum class Kind : uint8_t {
    TableScan,
    VirtualScan,
    FunctionScan,
    ProjectSet,
    Selection,
    Map,
    Join,
    Aggregation,
    Window,
    Sort,
    Limit,
    Values,
    Union,
    SharedScan,
    Recursion,
    WorkingScan,
    Insert,
    Update,
    Delete,
    Merge,
    Output
  };

  explicit Operator(Kind operator_kind) : kind(operator_kind) {}
  virtual ~Operator() = default;
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  const Kind kind;
  double estimated_rows = 0;  ///< set by the optimiser
  std::vector<std::unique_ptr<Operator>> inputs;

  /// The units this operator hands to the one above.
  [[nodiscard]] virtual std::vector<Iu> units() const = 0;
};
using OperatorPtr = std::unique_ptr<Operator>;

/// Rows of a stored table; `columns` are those that are read; a row passes when every filter is TRUE.
struct TableScan final : Operator {
  struct Column {
    uint32_t index;  ///< in TableEntry::columns, or kTupleId
    Iu iu;
  };
  /// The tuple's id in the relation, a bigint; of a partitioned table with the number of the leaf partition above it
  /// (sql/catalog/partitioning.h).
  static constexpr uint32_t kTupleId = UINT32_MAX;
  /// The oid of the partition that has the tuple, of type oid.
  static constexpr uint32_t kTableOid = UINT32_MAX - 1;
  /// A part of an index, or all of it, in which every row is that the filters let pass. Values read no columns; a value
  /// is of the column's type, or of a wider integer type.
  struct IndexRange {
    struct Bound {
      ExpressionPtr value;  ///< null: none
      bool is_inclusive = false;
    };
    IndexPtr index;
    std::vector<ExpressionPtr> equal;  ///< of the first key columns; or what the searches look for
    /// Of an inverted index, one for each of `equal`: how a part has to match. All of them hold. Nothing else is said.
    struct Search {
      size_t part;
      KeySearch how;
    };
    std::vector<Search> searches;
    Bound low, high;              ///< of the next one, in SQL's order of its values
    bool excludes_nulls = false;  ///< of that column
    bool is_ordered = false;      ///< rows come in the index's order, or backwards
    bool is_backward = false;
  };
  /// The other side of a hash join that builds on it: only rows whose index entries have one of its keys are read.
  struct IndexLookup {
    IndexPtr index;
    std::vector<size_t> keys;  ///< of the join, for the first columns of the index
  };
  /// What the filters say of the partition key of a table of the tree: as an IndexRange, without an index.
  struct Pruning {
    TablePtr table;
    std::vector<ExpressionPtr> equal;
    IndexRange::Bound low, high;
    std::vector<ExpressionPtr> any_of;  ///< of a key of one part, nothing else known: it is one of these
  };
  /// WHERE CURRENT OF: no row is read but the one where the cursor stands.
  struct CursorRow {
    std::string cursor;      ///< as it was written
    ExpressionPtr name;      ///< of the portal; text, no columns
    uint32_t parameter = 0;  ///< for messages: which one says the name, from 1; 0: none
  };
  TableScan() : Operator(Kind::TableScan) {}
  TablePtr table;  ///< where it is partitioned, the rows are those of its leaf partitions
  std::string alias;
  std::vector<Column> columns;
  std::vector<ExpressionPtr> filters;
  std::vector<Pruning> pruning;         ///< partitions that it rules out are not read
  std::unique_ptr<IndexRange> range;    ///< null: all of the table is read, unless there is a lookup
  std::unique_ptr<IndexLookup> lookup;  ///< only of a join's probe side
  std::optional<CursorRow> cursor_row;  ///< neither range nor lookup then
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// Rows for which every condition is TRUE.
struct Selection final : Operator {
  Selection() : Operator(Kind::Selection) {}
  std::vector<ExpressionPtr> conditions;
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// Adds computed columns to the input's.
struct Map final : Operator {
  struct Computed {
    Iu iu;
    ExpressionPtr expression;
  };
  Map() : Operator(Kind::Map) {}
  std::vector<Computed> computed;
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// inputs[0] is the left side. All conditions must be TRUE for a match.
/// The optimiser splits the conditions: `keys` are equalities of an expression over the left and one over the right
/// input, of the same kind (numerics: form and scale as well); `conditions` keeps the rest.
/// Invariant: after optimisation a join without keys is executed as nested loops over the materialised build side.
///
/// Kinds:
///   Inner      every match
///   LeftOuter  every match, and left rows without one
///   FullOuter  the same, and right rows without a match
///   Single     as LeftOuter; a left row with two matches is an error (21000): the value of a scalar subquery
///   Semi       left rows with a match, once each
///   Anti       left rows without one
///   Mark       every left row once, with `mark`: TRUE when `compared` is for some match (when there is one, if nothing
///              is compared), else NULL when it is for some match, else FALSE
///   Gate       all left rows where there is a right one, which is known first: otherwise nothing of the left input is
///              computed. It has neither conditions nor keys
/// Source: Neumann, Leis, Kemper, "The complete story of joins (in HyPer)" for Single and Mark.
struct Join final : Operator {
  enum class JoinKind : uint8_t { Inner, LeftOuter, FullOuter, Single, Semi, Anti, Mark, Gate };
  struct Key {
    ExpressionPtr left, right;
    bool is_null_safe = false;  ///< NULLs are equal
    bool is_compared = false;   ///< Mark, its only key, nothing else compared: a NULL makes the mark NULL
  };
  Join() : Operator(Kind::Join) {}
  JoinKind join_kind = JoinKind::Inner;
  bool is_dependent = false;  ///< the right input reads units of the left one; once unnested only where it has one row
  bool is_on_demand = false;  ///< Single, Mark: left rows for which it is asked decide about it; none after unnesting
  bool build_left = false;    ///< which side the hash table holds; set by the optimiser
  std::vector<Key> keys;
  std::vector<ExpressionPtr> conditions;
  ExpressionPtr compared;  ///< Mark: null, nothing is
  Iu mark = nullptr;       ///< Mark; a boolean
  /// LeftOuter, FullOuter, Single: the right input's units as seen above the join, now nullable. The join's own
  /// conditions and keys read the units below.
  std::vector<std::pair<Iu, Iu>> null_extended;  ///< (unit below, unit above)
  std::vector<std::pair<Iu, Iu>> left_extended;  ///< FullOuter: the same of the left input

  /// Rows of the right input without a match are seen above as nothing, those of the left as rows with NULLs.
  [[nodiscard]] bool extendsWithNulls() const {
    return join_kind == JoinKind::LeftOuter || join_kind == JoinKind::FullOuter || join_kind == JoinKind::Single;
  }
  /// The right input only decides about left rows.
  [[nodiscard]] bool testsLeftRows() const { return join_kind >= JoinKind::Semi; }
  [[nodiscard]] std::vector<Iu> units() const override;
};

struct SortKey {
  ExpressionPtr expression;
  bool descending = false;
  bool nulls_first = false;
};

/// One row for each distinct combination of the keys (NULLs are equal); without keys exactly one row.
/// SELECT DISTINCT is an aggregation without aggregates.
struct Aggregation final : Operator {
  struct Key {
    Iu iu;
    ExpressionPtr expression;
  };
  struct Aggregate {
    Iu iu;
    AggregateId function;
    ExpressionPtr argument;  ///< null for CountRows
    bool distinct = false;
    ExpressionPtr second = nullptr;   ///< null unless it has two arguments
    std::vector<SortKey> order = {};  ///< while it is bound: of its rows
    bool is_descending = false;       ///< of an ordered set
  };
  Aggregation() : Operator(Kind::Aggregation) {}
  std::vector<Key> keys;
  std::vector<Aggregate> aggregates;
  /// While it is bound: direct arguments of ordered-set aggregates that read grouped columns, and units that stand for
  /// them in what the aggregates read.
  std::vector<Map::Computed> direct;
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// Orders the input. With a constant limit above it the optimiser moves it in here (top-k).
struct Sort final : Operator {
  Sort() : Operator(Kind::Sort) {}
  std::vector<SortKey> keys;
  ExpressionPtr limit, offset;  ///< bigint, no columns; null: none
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// The first `limit` rows after `offset`; a NULL limit is none.
struct Limit final : Operator {
  Limit() : Operator(Kind::Limit) {}
  ExpressionPtr limit, offset;  ///< bigint, no columns; null: none
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// Literal rows. SELECT without FROM reads one row of no columns.
struct Values final : Operator {
  Values() : Operator(Kind::Values) {}
  std::vector<Iu> columns;
  std::vector<std::vector<ExpressionPtr>> rows;  ///< each as long as `columns`, without column references
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// What becomes of rows that another transaction has locked.
enum class RowLockPolicy : uint8_t { Wait, SkipLocked, NoWait };

/// The root of a query: the columns the client sees, in order.
struct Output final : Operator {
  /// FOR UPDATE or FOR SHARE of one table.
  struct RowLock {
    TablePtr table;
    Iu tuple_id;  ///< of a scan of the table
    bool is_shared = false;
    RowLockPolicy policy = RowLockPolicy::Wait;
    const TableScan* scan = nullptr;  ///< while it is bound
  };
  struct Column {
    std::string name;
    Iu iu;
    uint32_t table_oid = 0;  ///< for RowDescription: where the column comes from, 0: computed
    int16_t attribute = 0;
  };
  /// A table of whose rows those of the output are, for WHERE CURRENT OF. The tuple's id, as TableScan::kTupleId says,
  /// is a column that is not shown: of as many as there are, the last ones, in this order.
  struct Position {
    TablePtr table;
    bool is_locked;  ///< by FOR UPDATE or its kin; it is all of them or none
  };
  Output() : Operator(Kind::Output) {}
  [[nodiscard]] size_t shownCount() const { return columns.size() - positions.size(); }
  std::vector<Column> columns;
  std::vector<Position> positions;
  std::vector<RowLock> locks;   ///< rows are put out once all of them have these
  ExpressionPtr limit, offset;  ///< of the rows that could be locked; bigint, no columns; null: none
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// A query that is executed once, before what scans it.
struct SharedPlan {
  std::string name;
  OperatorPtr root;          ///< an Output; null: nobody scans it any more
  bool is_separate = false;  ///< it is not to become a part of its only reader
  bool is_change = false;    ///< it changes a table: it is executed whether it is scanned or not
  bool is_scanned = true;    ///< set by the optimiser
  bool is_last = false;      ///< executed behind the root, which scans nothing of it; set by the optimiser
};

/// A whole statement for the executor: the trees and what they refer to. Root: Output, which may stand over one that
/// changes a table, Insert, Update, Delete or Merge.
struct Plan {
  std::deque<InformationUnit> units;  ///< stable addresses
  std::list<SharedPlan> shared;       ///< in the order of execution: each scans those before it only
  OperatorPtr root;
  std::vector<Type> parameters;       ///< types of $1, $2, ...
  bool subqueries_on_demand = false;  ///< BindContext::subqueries_on_demand
  bool has_subqueries = false;        ///< as it was bound; set by the optimiser

  Iu makeUnit(std::string name, Type type, bool nullable) {
    const auto id = static_cast<uint32_t>(units.size());
    units.push_back({id, std::move(name), type, nullable});
    return &units.back();
  }
};

}  // namespace gnomon::sql
