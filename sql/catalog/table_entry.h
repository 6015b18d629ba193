#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sql/catalog/foreign_key.h"
#include "sql/catalog/sequence_entry.h"
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

/// The largest leaf_size: 1 MiB.
inline constexpr storage::SizeClass kLeafClassMax{4};

/// The storage parameters of a table.
struct TableOptions {
  storage::SizeClass leaf_class = {};  ///< leaf_size
};

/// Whether a column's values come from a sequence of its own, and whether others may be given: GENERATED ... AS
/// IDENTITY.
enum class Identity : uint8_t { None, ByDefault, Always };

struct ColumnEntry {
  std::string name;  ///< empty: the column was dropped; it keeps its place, for leaves still hold it
  Type type;
  bool not_null = false;
  /// The DEFAULT expression as SQL, bound anew at each use; empty: NULL. Sequences that it names stand there as their
  /// oids. That of an identity column takes the next value of its sequence.
  std::string default_text;
  storage::StoredColumn stored = {};  ///< how its values lie in leaves; may be nullable where the column is not
  Identity identity = Identity::None;

  [[nodiscard]] bool isDropped() const { return name.empty(); }
};

/// A part of an index's key.
struct IndexColumn {
  static constexpr uint32_t kExpression = UINT32_MAX;
  uint32_t column = 0;  ///< in TableEntry::columns, or kExpression
  bool descending = false;
  bool nulls_first = false;
  std::string expression = {};  ///< of kExpression: SQL over the table's column names, bound anew when it is opened
  std::string label = {};       ///< what a chosen name of the index calls the part; empty: as its column. Not stored.
};

/// An index as it is asked for.
struct IndexSpecification {
  std::string name;  ///< empty: chosen as PostgreSQL would
  std::vector<IndexColumn> columns;
  bool is_unique = false;
  bool is_primary = false;
  bool is_constraint = false;  ///< PRIMARY KEY or UNIQUE of a table
  std::string predicate = {};  ///< SQL like IndexColumn::expression; empty: every row is in the index
};

/// An index as the catalog knows it. Immutable once published.
struct IndexEntry : IndexSpecification {
  uint32_t oid = 0;
  /// The expressions and the predicate, bound; null: there are none.
  std::shared_ptr<const IndexExpressions> expressions;
  std::shared_ptr<txn::TableIndex> storage;
};
using IndexPtr = std::shared_ptr<const IndexEntry>;

/// A CHECK constraint.
struct CheckEntry {
  std::string name;
  std::string expression;  ///< SQL over the table's column names, bound anew when the catalog is loaded
  bool is_valid = true;    ///< false (NOT VALID): rows may break it that were there before it
};

/// A table, a view or a sequence, as the catalog knows it. Immutable once others see it; a statement that holds the
/// pointer keeps it alive across a concurrent DROP (which waits for the table's lock before the pages go).
struct TableEntry {
  uint32_t oid = 0;  ///< from 16384 upward, as PostgreSQL's; at first also the relation's id
  std::string schema = "public";
  std::string name;
  std::vector<ColumnEntry> columns;
  TableOptions options;
  std::vector<IndexPtr> indexes;
  std::vector<CheckEntry> checks;                             ///< in the order of their names, in which they are tested
  std::shared_ptr<const CheckExpressions> check_expressions;  ///< the same, bound; null: there are none
  std::vector<ForeignKeyEntry> foreign_keys;                  ///< in the order of their numbers
  std::vector<ReferringKey> referring_keys;  ///< that refer to this table, in the order of their numbers
  SequencePtr sequence;                      ///< null: a table or a view
  std::shared_ptr<const ViewEntry> view;     ///< null: a table or a sequence. A view's storage has no rows
  std::shared_ptr<txn::Table> storage;
};
using TablePtr = std::shared_ptr<const TableEntry>;

}  // namespace gnomon::sql
