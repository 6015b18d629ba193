#pragma once

#include <string>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/bind/type_name.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// While it lives, an expression or a query that is going to be stored is bound, and what its text has to say
/// differently is noted: untyped literals of dates, times and intervals are read for good, also `today` and its kin,
/// since PostgreSQL keeps what the session that defined it read; routines and types that users made stand there by
/// their oids, and so does what literals of regclass, regtype and regproc name.
class StoredText {
 public:
  explicit StoredText(BindState& state);
  ~StoredText();
  StoredText(const StoredText&) = delete;
  StoredText& operator=(const StoredText&) = delete;

  /// The text of an expression that was bound meanwhile, as every session reads it. `node` is the expression as it was
  /// bound; the text is the same without its positions.
  [[nodiscard]] std::string write(const ast::Expression& node, const std::string& text) const;
  /// The same of a query that was bound as its text has it, positions included; the columns that each `*` stands for
  /// are there, and references to relations.
  [[nodiscard]] std::string write(const std::string& query) const;

 private:
  BindState& state_;
  std::vector<ReadLiteral> read_;
  std::vector<StarExpansion> names_;
};

/// What is bound, and going to be stored, names the routine whatever it is called later. `parts`: how many names it
/// has.
void noteStoredName(BindState& state, int32_t position, size_t parts, uint32_t oid, const std::string& name);
/// Whether what stands at the position is going to be stored.
bool writesStoredText(const BindState& state, int32_t position);
/// The `parts` names at the position are stored as this text. 0: it is the names in parentheses there, with a field of
/// them, (a.b).f, or the call of names there, f(a.b) or f(a.*).
void noteStoredText(BindState& state, int32_t position, size_t parts, std::string text);
/// The same of a type; nothing for those of the system.
void noteStoredType(BindState& state, const ast::TypeName& name, const NamedType& named);
/// A literal of the type names the object. False: it is not noted, and goes on naming what has that name.
bool noteObjectLiteral(BindState& state, int32_t position, Type type, uint32_t oid);

}  // namespace gnomon::sql
