#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/catalog/database_entry.h"
#include "sql/catalog/foreign_key.h"
#include "sql/catalog/object_path.h"
#include "sql/catalog/privilege.h"
#include "sql/catalog/role_entry.h"
#include "sql/catalog/routine_entry.h"
#include "sql/catalog/sequence_entry.h"
#include "sql/catalog/trigger_entry.h"
#include "sql/catalog/type_entry.h"
#include "sql/catalog/view_entry.h"
#include "sql/types/type.h"
#include "storage/relation/schema.h"

namespace gnomon::txn {
class Table;
class TableIndex;
}  // namespace gnomon::txn

namespace gnomon::sql {

struct CheckExpressions;
struct IndexExpressions;
class Partitioning;
struct PartitionEntry;

/// The largest leaf_size: 1 MiB.
inline constexpr storage::SizeClass kLeafClassMax{4};

/// The storage parameters of a table.
struct TableOptions {
  std::optional<storage::SizeClass> leaf_class;  ///< leaf_size; none: leaves grow with the table
  std::vector<std::string> parameters;           ///< the others, which change nothing: "name=value"
  bool is_unlogged = false;                      ///< UNLOGGED; its rows are logged all the same
};

/// Whether a column's values come from a sequence of its own, and whether others may be given: GENERATED ... AS
/// IDENTITY.
enum class Identity : uint8_t { None, ByDefault, Always };

/// What becomes of a temporary table's rows, or of itself, when a transaction commits.
enum class OnCommit : uint8_t { PreserveRows, DeleteRows, Drop };

struct ColumnEntry {
  std::string name;  ///< empty: the column was dropped; it keeps its place, for leaves still hold it
  Type type;
  bool not_null = false;
  /// The DEFAULT expression as SQL, bound anew at each use; empty: NULL. Sequences that it names stand there as their
  /// oids. That of an identity column takes the next value of its sequence.
  std::string default_text;
  storage::StoredColumn stored = {};  ///< how its values lie in leaves; may be nullable where the column is not
  Identity identity = Identity::None;
  std::string comment = {};  ///< empty: none; here and below
  uint32_t domain = 0;       ///< that its values, or their elements, are of (domainOid()); `type` is the one below it
  /// GENERATED ALWAYS AS (default_text) STORED, over other columns of the row.
  bool is_generated = false;
  AclPtr acl = {};  ///< what may be done with the column beside what may be done with all of them; null: nothing

  [[nodiscard]] bool isDropped() const { return name.empty(); }
};

/// An operator class that is named and is not the type's own. Texts compare by bytes in all of them.
enum class OperatorClass : uint8_t { Default, TextPattern, VarcharPattern, CharPattern, JsonbPath };

/// What an index is asked for as. A hash index is made and used as a tree. Gin: an inverted index, which has the keys
/// that are found in a value (sql/catalog/inverted_keys.h).
enum class IndexMethod : uint8_t { Btree, Hash, Gin };

/// A part of an index's key.
struct IndexColumn {
  static constexpr uint32_t kExpression = UINT32_MAX;
  uint32_t column = 0;  ///< in TableEntry::columns, or kExpression
  bool descending = false;
  bool nulls_first = false;
  std::string expression = {};  ///< of kExpression: SQL over the table's column names, bound anew when it is opened
  OperatorClass operator_class = OperatorClass::Default;
  std::string label = {};  ///< what a chosen name of the index calls the part; empty: as its column. Not stored.
};

/// An index as it is asked for.
struct IndexSpecification {
  std::string name;  ///< empty: chosen as PostgreSQL would
  std::vector<IndexColumn> columns;
  bool is_unique = false;
  bool is_primary = false;
  bool is_constraint = false;           ///< PRIMARY KEY or UNIQUE of a table
  std::vector<uint32_t> included = {};  ///< INCLUDE: columns that are no part of the key; they are read from the table
  int16_t fillfactor = 0;               ///< percent; 0: not said
  IndexMethod method = IndexMethod::Btree;          ///< USING
  bool is_deferrable = false, is_deferred = false;  ///< of a constraint: [INITIALLY] DEFERRED
  bool nulls_are_equal = false;                     ///< NULLS NOT DISTINCT
  std::string predicate = {};                ///< SQL like IndexColumn::expression; empty: every row is in the index
  bool is_valid = true;                      ///< false: of a partitioned table, with partitions that have no part of it
  std::vector<std::string> parameters = {};  ///< WITH, of gin: "name=value" as they were written; they change nothing
};

/// An index as the catalog knows it. Immutable once published.
struct IndexEntry : IndexSpecification {
  uint32_t oid = 0;
  uint32_t parent = 0;  ///< of a partition: oid of the index of the table above of which it is a part; 0: of none
  /// The expressions and the predicate, bound; null: there are none.
  std::shared_ptr<const IndexExpressions> expressions;
  std::shared_ptr<txn::TableIndex> storage;
  std::string comment;
  std::string constraint_comment;  ///< of the PRIMARY KEY or UNIQUE constraint
};
using IndexPtr = std::shared_ptr<const IndexEntry>;

/// A CHECK constraint.
struct CheckEntry {
  std::string name;
  std::string expression;  ///< SQL over the table's column names, bound anew when the catalog is loaded
  bool is_valid = true;    ///< false (NOT VALID): rows may break it that were there before it
  std::string comment = {};
  bool is_no_inherit = false;  ///< NO INHERIT: no partition has it
};

/// A table, a view, a materialized view, a sequence, or a type or routine that a user made, as the catalog knows it.
/// Immutable once others see it; a statement that holds the pointer keeps it alive across a concurrent DROP (which
/// waits for the table's lock before the pages go).
struct TableEntry {
  uint32_t oid = 0;                  ///< from 16384 upward, as PostgreSQL's; at first also the relation's id
  uint32_t database = kDatabaseOid;  ///< that of the schema
  std::string schema = "public";
  std::string name;
  bool is_temporary = false;                    ///< of one session: nothing of it is stored in the catalog's relations
  OnCommit on_commit = OnCommit::PreserveRows;  ///< of a temporary table
  std::vector<ColumnEntry> columns;
  /// Of a table whose columns lie as those of one do that it is, or was, a partition of: its own columns by number,
  /// from 1, as places in `columns`; kNoColumn: of one that was dropped before. Empty: as they lie (column_order.h).
  std::vector<uint32_t> order;
  TableOptions options;
  std::vector<IndexPtr> indexes;
  std::vector<CheckEntry> checks;                             ///< in the order of their names, in which they are tested
  std::shared_ptr<const CheckExpressions> check_expressions;  ///< the same, bound; null: there are none
  std::vector<ForeignKeyEntry> foreign_keys;                  ///< in the order of their numbers
  std::vector<ReferringKey> referring_keys;  ///< that refer to this table, in the order of their numbers
  std::vector<TriggerEntry> triggers;        ///< in the order of their names; a view has those INSTEAD OF changes
  SequencePtr sequence;                      ///< null: a table or a view
  std::shared_ptr<const ViewEntry> view;     ///< null: a table or a sequence. A view's storage has no rows
  /// The query whose rows a materialized view keeps, as a table keeps its own; null: it is none.
  std::shared_ptr<const ViewEntry> materialized;
  std::shared_ptr<const TypeEntry> type;  ///< null: it is no type that a user made. A type's storage has no rows
  /// Null: it is none. A routine's storage has no rows; its name is a key (F1).
  std::shared_ptr<const RoutineEntry> routine;
  std::shared_ptr<const Partitioning> partitioning;  ///< null: it is not partitioned. Else its storage has no rows
  std::shared_ptr<const PartitionEntry> partition;   ///< null: it is no partition
  std::shared_ptr<txn::Table> storage;
  std::string comment;
  uint32_t owner = kRoleOid;
  AclPtr acl;  ///< null: what the owner of something of its kind has, and everybody of a type

  [[nodiscard]] ObjectPath path() const { return {schema, name}; }
  /// As it is called in statements.
  [[nodiscard]] const std::string& calledName() const { return routine ? routine->name : name; }
  /// Of a view or a materialized view; null: it is neither.
  [[nodiscard]] const ViewEntry* query() const { return view ? view.get() : materialized.get(); }
};
using TablePtr = std::shared_ptr<const TableEntry>;

}  // namespace gnomon::sql
