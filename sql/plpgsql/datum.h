#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/strong_id.h"
#include "sql/types/type.h"

/// What a routine's names stand for.
namespace gnomon::sql::plpgsql {

/// A variable, record, field or list of a routine by its number among all of them.
struct DatumTag;
using DatumId = StrongId<DatumTag, uint32_t>;
inline constexpr DatumId kNoDatum{UINT32_MAX};

/// What is visible at a place of the body: an entry of Scopes, the newest name there.
struct ScopeTag;
using ScopeId = StrongId<ScopeTag, uint32_t>;
inline constexpr ScopeId kNoScope{UINT32_MAX};

/// A piece of SQL in the body: bytes [offset, offset + length), without blanks at its ends.
///
/// Routine::textOf makes the text that SQL's grammar reads of it, byte for byte at the same distance from `offset`.
struct Fragment {
  enum class Kind : uint8_t {
    Expression,   ///< what stands behind SELECT, but no set operation and no INTO
    Statement,    ///< a whole statement; its INTO, `cut_length` bytes at `cut_offset`, is PL/pgSQL's own
    Perform,      ///< begins with PERFORM, in whose place SELECT is put
    Indirection,  ///< subscripts and fields behind the name that is assigned to; may be empty
  };
  Kind kind = Kind::Expression;
  uint32_t number = 0;  ///< among the routine's fragments
  uint32_t offset = 0;
  uint32_t length = 0;
  uint32_t line = 0;  ///< of its first byte
  ScopeId scope = kNoScope;
  uint32_t cut_offset = 0;
  uint32_t cut_length = 0;
};

/// A type as the catalog has it.
struct VariableType {
  enum class Shape : uint8_t {
    Scalar,
    Record,  ///< rows: record, a composite type, a table's rows, or a domain over such
    Pseudo,  ///< no variable can have it
  };
  Shape shape = Shape::Scalar;
  bool is_cursor = false;  ///< refcursor
  bool is_collatable = false;
  Type type;
  uint32_t domain = 0;  ///< of the catalog; 0: none
  std::string name;     ///< as messages call it
};

/// How a cursor may move: as the query allows if nothing is said.
enum class Scrolling : uint8_t { Unsaid, Scroll, NoScroll };

/// The query that a cursor variable is bound to.
struct BoundCursor {
  Fragment query;
  std::vector<DatumId> arguments;  ///< variables that the query may name
  Scrolling scrolling = Scrolling::Unsaid;
};

/// What the variable's value is, when it is neither assigned nor declared.
enum class Provided : uint8_t {
  None,
  TriggerName,
  TriggerWhen,
  TriggerLevel,
  TriggerOperation,
  TriggerRelation,  ///< TG_RELID
  TriggerTable,     ///< TG_TABLE_NAME and TG_RELNAME
  TriggerSchema,
  TriggerArgumentCount,
  TriggerArguments,
  Event,
  EventTag,
};

struct Datum {
  enum class Kind : uint8_t {
    Variable,
    Record,
    Field,  ///< `name` of `record`, which is looked up when it is used
    List,   ///< `members` that rows are put into
  };
  Kind kind = Kind::Variable;
  bool is_constant = false;
  bool is_not_null = false;
  Provided provided = Provided::None;
  uint32_t line = 0;  ///< of its declaration; 0: it has none
  std::string name;
  VariableType type;                    ///< of variables and records
  std::optional<Fragment> initial;      ///< none: NULL
  std::unique_ptr<BoundCursor> cursor;  ///< null: it is not bound
  DatumId record = kNoDatum;
  std::vector<DatumId> members;

  [[nodiscard]] bool isScalar() const { return kind == Kind::Variable || kind == Kind::Field; }
};

}  // namespace gnomon::sql::plpgsql
