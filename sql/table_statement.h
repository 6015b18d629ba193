#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/algebra/check_expressions.h"
#include "sql/algebra/expression.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/sequence_statement.h"

/// Statements that define tables, views, indexes and partitions.
namespace gnomon::sql {

struct PartitionKey;
struct PartitionEntry;

/// TRUNCATE of all of the tables or none.
struct TruncateStatement {
  std::vector<TablePtr> tables;    ///< without repetition
  bool is_cascade = false;         ///< tables that refer to them are emptied as well
  bool restarts_identity = false;  ///< sequences that their columns own begin anew
};

struct CreateTableStatement {
  ObjectPath path;
  std::vector<ColumnEntry> columns;
  std::vector<uint32_t> order;  ///< TableEntry::order
  std::vector<CheckEntry> checks;
  std::vector<IndexSpecification> indexes;  ///< of its PRIMARY KEY and UNIQUE constraints
  std::vector<ForeignKeyEntry> foreign_keys;
  std::vector<TablePtr> parents;  ///< other tables that these refer to
  std::vector<ColumnSequence> sequences;
  TableOptions options;
  bool if_not_exists = false;
  /// Of a temporary one when a transaction commits.
  OnCommit on_commit = OnCommit::PreserveRows;
  std::shared_ptr<const ViewEntry> materialized = {};  ///< of a materialized view
  std::vector<TablePtr> used = {};                     ///< what its query reads
  std::shared_ptr<const PartitionKey> partition_key;   ///< null: it is not partitioned
  std::shared_ptr<const PartitionEntry> partition;     ///< null: it is no partition
  TablePtr partitioned;                                ///< of a partition: the table
};

/// The table is made first, and filled then by the statement bound once more (BindContext::fills).
struct CreateTableAsStatement {
  CreateTableStatement table;
  bool has_data = true;
};

struct CreateViewStatement {
  ObjectPath path;
  std::vector<ColumnEntry> columns;  ///< names and types
  ViewEntry view;
  std::vector<TablePtr> used;
  TablePtr replaced;  ///< null: there is none
  std::vector<SqlError> notices;
};

/// REFRESH MATERIALIZED VIEW: it is emptied, and filled then by the statement bound once more (BindContext::fills).
struct RefreshViewStatement {
  TablePtr view;
  bool is_concurrent = false;  ///< readers see its old rows until the transaction has committed
  bool has_data = true;
};

struct CreateIndexStatement {
  TablePtr table;
  IndexSpecification index;
  bool if_not_exists = false;
  bool is_concurrent = false;  ///< not in a transaction block; made like any other
  bool is_only = false;        ///< ONLY: partitions get no part of it
};

/// ADD CONSTRAINT ... USING INDEX.
struct ConstraintIndex {
  std::string index;
  std::string name;  ///< that the index gets
  bool is_primary = false;
};

/// What one execution does of an ALTER TABLE for which rows are written anew, where that cannot be done with the rest
/// at once: PostgreSQL's passes.
enum class AlterPart : uint8_t {
  Whole,
  Drops,
  Rewrite,  ///< columns get other types, or are added with values of their own
  Rest
};

/// ALTER TABLE, all of its commands or none.
struct AlterTableStatement {
  TablePtr table;                             ///< null: there is none, and IF EXISTS was given
  ObjectPath path;                            ///< the table's, afterwards
  std::vector<ColumnEntry> columns;           ///< afterwards, added ones last; how these are stored is not said yet
  std::vector<ExpressionPtr> added_values;    ///< what existing rows get in each added column
  TableOptions options;                       ///< afterwards
  std::vector<CheckEntry> checks;             ///< afterwards
  CheckForms tested_checks;                   ///< that all existing rows must satisfy; null: none
  std::vector<ForeignKeyEntry> foreign_keys;  ///< afterwards
  std::vector<std::string> tested_keys;       ///< names of those that all existing rows must satisfy
  std::vector<TablePtr> parents;              ///< other tables that new keys refer to
  std::vector<DependentKey> dropped_keys;     ///< of other tables, which need what goes
  std::vector<std::string> dropped_indexes;
  std::vector<IndexSpecification> added_indexes;
  std::vector<ColumnSequence> added_sequences;
  std::vector<SequenceChange> changed_sequences;  ///< of identity columns
  std::vector<uint32_t> unowned_columns;          ///< whose sequences go
  bool drops_dependents = false;                  ///< and defaults of other tables that need them, too
  std::string renamed_index;                      ///< of a constraint that gets a new name; empty: none
  std::string new_index_name;                     ///< of that
  std::vector<ConstraintIndex> constraint_indexes;
  std::vector<std::string> dropped_triggers;  ///< that name dropped columns
  std::vector<TablePtr> dropped_views;        ///< that read dropped columns, and those that read these
  std::vector<SqlError> notices;              ///< of IF EXISTS and IF NOT EXISTS
  /// Columns get other types: the rows are written anew, by the statement bound once more (BindContext::fills).
  bool rewrites = false;
  /// What is still to be done: by the statement bound once more (BindContext::part). Whole: nothing.
  AlterPart next = AlterPart::Whole;
  /// The same for the partitions of the table, those of a partition behind it.
  std::vector<AlterTableStatement> partitions;
};

/// ALTER TABLE ... ATTACH PARTITION, DETACH PARTITION.
struct PartitionStatement {
  TablePtr table;  ///< the partitioned one; null: there is none, and IF EXISTS was given
  TablePtr partition;
  std::shared_ptr<const PartitionEntry> attached;  ///< what it becomes; null: it is detached
  /// ATTACH: its columns do not lie as those of the table. They come to, and the statement, bound once more with its
  /// rows written anew (BindContext::rewritten), does the rest.
  bool lays_columns = false;
  std::vector<SqlError> notices;
  bool is_concurrent = false;  ///< DETACH: not in a transaction block; the partition keeps its bounds as a CHECK
  std::optional<CheckEntry> kept_check = {};
};

/// ALTER INDEX ... ATTACH PARTITION.
struct AttachIndexStatement {
  TablePtr table;      ///< the partitioned one
  TablePtr partition;  ///< right below it
  std::string index;   ///< of the table
  std::string part;    ///< of the partition; empty: it is a part already
};

struct DropIndexStatement {
  std::vector<ObjectPath> names;  ///< as they are written
  bool if_exists = false;
  bool is_cascade = false;     ///< foreign keys that need them go as well
  bool is_concurrent = false;  ///< not in a transaction block; dropped like any other
};

struct DropTableStatement {
  std::vector<ObjectPath> names;  ///< as they are written
  bool if_exists = false;
  bool is_cascade = false;  ///< views that read them, foreign keys of other tables that refer to them go as well
  bool are_views = false;
  bool are_materialized = false;
};

}  // namespace gnomon::sql
