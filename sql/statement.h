#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/sql_error.h"
#include "sql/algebra/check_expressions.h"
#include "sql/algebra/operator.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/types/value.h"

namespace gnomon::sql {

struct KeyWork;

/// A SELECT, VALUES, INSERT, UPDATE, DELETE, or the query inside COPY (query) TO.
struct QueryStatement {
  std::shared_ptr<Plan> plan;
};

/// TRUNCATE of all of the tables or none.
struct TruncateStatement {
  std::vector<TablePtr> tables;    ///< without repetition
  bool is_cascade = false;         ///< tables that refer to them are emptied as well
  bool restarts_identity = false;  ///< sequences that their columns own begin anew
};

/// VACUUM and ANALYZE, of one table after the other.
struct VacuumStatement {
  bool vacuums = false;   ///< takes out what everybody sees as deleted
  bool analyzes = false;  ///< counts what the statistics know anew
  bool is_full = false;   ///< VACUUM: has each table alone
  bool skips_locked = false;
  bool is_verbose = false;
  std::vector<TablePtr> tables;    ///< without repetition
  bool is_of_all = false;          ///< no table was named: all there are
  std::vector<SqlError> warnings;  ///< of what was named and is no table
};

struct CheckpointStatement {};

/// A sequence that is made with a column, of type serial or GENERATED AS IDENTITY, which takes its values from it.
struct ColumnSequence {
  uint32_t column = 0;  ///< in the table's columns
  std::string name;     ///< empty: chosen as PostgreSQL would
  SequenceDefinition definition;
};

struct CreateSequenceStatement {
  std::string name;
  SequenceDefinition definition;
  TablePtr owner;  ///< null: none
  bool if_not_exists = false;
};

/// How a sequence is to be.
struct SequenceChange {
  TablePtr sequence;
  std::string name;               ///< afterwards
  SequenceDefinition definition;  ///< afterwards
  bool has_values = false;        ///< more is said than of its name and owner: its values are the transaction's
  bool restarts = false;
  std::optional<int64_t> restart;  ///< where; none: at its start
};

struct AlterSequenceStatement {
  SequenceChange change;  ///< sequence null: there is none, and IF EXISTS was given
  TablePtr owner;         ///< who comes to own it; null: nobody else than before
  std::vector<SqlError> notices;
};

struct DropSequenceStatement {
  std::vector<std::string> names;
  bool if_exists = false;
  bool is_cascade = false;  ///< defaults that need them go as well
};

struct CreateTableStatement {
  std::string name;
  std::vector<ColumnEntry> columns;
  std::vector<CheckEntry> checks;
  std::vector<IndexSpecification> indexes;  ///< of its PRIMARY KEY and UNIQUE constraints
  std::vector<ForeignKeyEntry> foreign_keys;
  std::vector<TablePtr> parents;  ///< other tables that these refer to
  std::vector<ColumnSequence> sequences;
  TableOptions options;
  bool if_not_exists = false;
};

/// The table is made first, and filled then by the statement bound once more (BindContext::fills).
struct CreateTableAsStatement {
  CreateTableStatement table;
  bool has_data = true;
};

struct CreateViewStatement {
  std::string name;
  std::vector<ColumnEntry> columns;  ///< names and types
  ViewEntry view;
  std::vector<TablePtr> used;
  TablePtr replaced;  ///< null: there is none
};

struct CreateIndexStatement {
  TablePtr table;
  IndexSpecification index;
  bool if_not_exists = false;
};

/// ALTER TABLE, all of its commands or none.
struct AlterTableStatement {
  TablePtr table;                             ///< null: there is none, and IF EXISTS was given
  std::string name;                           ///< the table's, afterwards
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
  std::vector<SqlError> notices;                  ///< of IF EXISTS and IF NOT EXISTS
};

struct DropIndexStatement {
  std::vector<std::string> names;
  bool if_exists = false;
  bool is_cascade = false;  ///< foreign keys that need them go as well
};

struct DropTableStatement {
  std::vector<std::string> names;
  std::vector<int32_t> positions;
  bool if_exists = false;
  bool is_cascade = false;  ///< views that read them, foreign keys of other tables that refer to them go as well
  bool are_views = false;
};

/// COPY's options after validation (PostgreSQL 15's rules and messages).
struct CopyOptions {
  enum class Format : uint8_t { Text, Csv };
  Format format = Format::Text;
  char delimiter = '\t';          ///< csv: ','
  std::string null_text = "\\N";  ///< csv: ""
  bool header = false;
  bool header_match = false;
  char quote = '"';
  char escape = '"';
};

/// COPY table [(columns)] FROM STDIN.
struct CopyFromStatement {
  TablePtr table;
  std::vector<uint32_t> columns;        ///< in the order of the input; index in TableEntry::columns
  std::vector<ExpressionPtr> defaults;  ///< one per table column: the value of a column that is not in the input
  CheckForms checks;                    ///< of the table; null: none
  std::shared_ptr<const KeyWork> keys;  ///< null: none
  CopyOptions options;
};

/// COPY {table [(columns)] | (query)} TO STDOUT: the plan's rows in COPY's format.
struct CopyToStatement {
  std::shared_ptr<Plan> plan;
  CopyOptions options;
};

struct ExplainStatement {
  enum class What : uint8_t { Plan, Pipelines, Ir };
  std::shared_ptr<Plan> plan;
  What what = What::Plan;
  bool analyze = false;  ///< executes the statement and shows the rows of each operator; only with What::Plan
};

struct SetStatement {
  std::string name;
  std::optional<std::string> value;  ///< none: to the default (SET x TO DEFAULT, RESET x)
  bool reset_all = false;
  bool is_local = false;  ///< until the transaction ends
};

/// SERIALIZABLE is not among them: nobody gets less than he asks for.
enum class IsolationLevel : uint8_t { ReadUncommitted, ReadCommitted, RepeatableRead };

/// What is said of a transaction.
struct TransactionModes {
  std::optional<IsolationLevel> isolation;
  std::optional<bool> is_read_only;
  std::optional<bool> is_deferrable;  ///< without effect below SERIALIZABLE
  bool is_bulk = false;               ///< BULK WRITE
};

struct TransactionStatement {
  enum class Kind : uint8_t { Begin, Commit, Rollback, Savepoint, Release, RollbackTo };
  Kind kind = Kind::Begin;
  TransactionModes modes;  ///< Begin
  std::string savepoint;
  bool chain = false;  ///< Commit, Rollback: the next one begins at once
};

/// Of the transaction at hand, or of those to come.
struct SetTransactionStatement {
  TransactionModes modes;
  bool is_session = false;
};

struct ShowStatement {
  std::string name;  ///< "all" for SHOW ALL
};

/// One statement, bound: what the session executes.
struct BoundStatement {
  std::variant<QueryStatement, TruncateStatement, CreateTableStatement, CreateTableAsStatement, CreateViewStatement,
               DropTableStatement, CreateIndexStatement, AlterTableStatement, CreateSequenceStatement,
               AlterSequenceStatement, DropSequenceStatement, VacuumStatement, CheckpointStatement, DropIndexStatement,
               CopyFromStatement, CopyToStatement, ExplainStatement, SetStatement, SetTransactionStatement,
               ShowStatement, TransactionStatement>
      body;
  std::vector<Type> parameters;        ///< types of $1, $2, ... after inference
  std::vector<TablePtr> tables;        ///< every table read or written: to be locked shared before execution
  TablePtr written;                    ///< the one among them whose rows INSERT, UPDATE, DELETE or COPY FROM changes
  std::vector<TablePtr> also_written;  ///< those whose rows foreign keys may change
  std::vector<TablePtr> row_locked;    ///< those whose rows SELECT FOR UPDATE, FOR SHARE or foreign keys lock
  std::string locking;                 ///< "SELECT FOR UPDATE" and so on; empty: it does not
  /// "SELECT", "INSERT", "CREATE TABLE", ...: the command tag without counts.
  std::string command;
};

}  // namespace gnomon::sql
