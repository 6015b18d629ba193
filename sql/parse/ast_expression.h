#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The tree of a statement as written: names unresolved, types untouched. Positions are byte offsets in the text given
/// to parse(); -1: none. Everything here has passed the grammar, and nothing here is outside Gnomon's scope.
namespace gnomon::sql::ast {

/// A type as named: "numeric(15,2)". Names are the catalog's ("int4", "bpchar", "float8") for the grammar's own types.
struct TypeName {
  std::string schema;  ///< empty: none given
  std::string name;
  std::vector<std::string> modifiers;  ///< as written; for interval the fields' bit mask, then the precision
  bool is_array = false;
  int32_t position = -1;
  std::vector<std::string> collation = {};  ///< COLLATE of a column's definition: its names; empty: none
  int32_t collation_position = -1;
};

struct Query;
struct Expression;
struct WindowDefinition;
struct SortItem;
using ExpressionPtr = std::unique_ptr<Expression>;

/// A scalar expression.
///
/// Shape by kind:
///   Column        names (1..3); with is_star the last one is left out: t.*
///   Parameter     number, from 1
///   Integer, Float, String, Boolean, BitString   text ("t" or "f" for booleans; b101 or x1f for bit strings)
///   Operator      text, one or two children
///   Like          text ("~~", "!~~", "~~*", "!~~*"), children = text, pattern [, escape]
///   Function      names, children; is_star for count(*), is_distinct for count(DISTINCT x); argument_names, when one
///                 is named (name => value): of each, empty without; is_variadic for VARIADIC before the last
///   Cast          type, children[0]
///   Case          children = [argument or null], when, then, ..., [else or null]; when_positions of the words WHEN
///   In, NotIn     children[0] and the list
///   Between...    children = value, low, high
///   SessionValue  text: current_user, current_catalog, ...; of times (current_date, ...) also type
///   Default       the word DEFAULT in a row of VALUES
///   Subquery, Exists   query
///   Row           children: ROW(...), or several in parentheses
///   Grouping      children = the arguments of GROUPING
///   Quantified    text = operator, children = the row on the left, query; is_all for ALL. IN is = ANY. Without a
///                 query: children = the left side, an array
///   Array         children: ARRAY[...]
///   ArrayQuery    query: ARRAY(SELECT ...)
///   Subscript     children = a value, then two for each pair of brackets: the lower bound (null: none) and the upper
///                 one, or the only subscript; text has a letter for each: e for elements, s for slices
///   Field         children[0], names[0] = a field of it; with is_star all of them
struct Expression {
  enum class Kind : uint8_t {
    Column,
    Parameter,
    Integer,
    Float,
    String,
    Boolean,
    BitString,
    Null,
    Operator,
    Like,
    And,
    Or,
    Not,
    Function,
    Cast,
    Case,
    Coalesce,
    Greatest,
    Least,
    NullIf,
    IsNull,
    IsNotNull,
    IsTrue,
    IsNotTrue,
    IsFalse,
    IsNotFalse,
    IsUnknown,
    IsNotUnknown,
    IsDistinct,
    IsNotDistinct,
    In,
    NotIn,
    Between,
    NotBetween,
    BetweenSymmetric,
    NotBetweenSymmetric,
    SessionValue,
    Default,
    Subquery,
    Exists,
    Quantified,
    Row,
    Grouping,
    Array,
    ArrayQuery,
    Subscript,
    Field,
    Collate,  ///< children[0], by the collation that `names` are
  };
  Kind kind = Kind::Null;
  bool is_star = false;
  bool is_distinct = false;
  bool is_within_group = false;  ///< of an aggregate: `order` stands behind WITHIN GROUP
  bool is_all = false;
  bool is_variadic = false;  ///< of a function: the last argument is an array of arguments
  int32_t position = -1;
  uint32_t number = 0;
  std::vector<int32_t> when_positions;
  std::string text;
  std::vector<std::string> names;
  std::vector<std::string> argument_names;
  std::vector<int32_t> name_positions;  ///< of those
  TypeName type;
  std::vector<ExpressionPtr> children;
  std::vector<SortItem> order;             ///< of an aggregate: ORDER BY in its parentheses
  ExpressionPtr filter;                    ///< of an aggregate: FILTER (WHERE ...); null: none
  std::unique_ptr<WindowDefinition> over;  ///< of a function: OVER; null: none
  std::unique_ptr<Query> query;

  Expression();
  ~Expression();
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
};

using QueryPtr = std::unique_ptr<Query>;

/// [AS] name (column, ...).
struct Alias {
  std::string name;  ///< empty: none
  std::vector<std::string> columns;
};

/// A table by name.
struct RelationName {
  std::string schema;  ///< empty: none given
  std::string name;
  int32_t position = -1;
  bool is_temporary = false;  ///< of one that is created: TEMP is said
  bool is_only = false;       ///< ONLY: without partitions
};

/// A step into the value of a column that is written: to a field, or to an element or a slice.
struct TargetPart {
  std::string field;         ///< empty: none
  bool is_star = false;      ///< all fields
  ExpressionPtr subscripts;  ///< a Subscript without the array; null: a field
};
/// From the column inward; none: the whole column.
using TargetParts = std::vector<TargetPart>;

}  // namespace gnomon::sql::ast
