#pragma once

#include <string>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/bind/type_name.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// While it lives, an expression that is going to be stored is bound, and what its text has to say differently is
/// noted: untyped literals of dates, times and intervals are read for good, also `today` and its kin, since PostgreSQL
/// keeps what the session that defined it read; routines and types that users made stand there by their oids.
class StoredText {
 public:
  explicit StoredText(BindState& state);
  ~StoredText();
  StoredText(const StoredText&) = delete;
  StoredText& operator=(const StoredText&) = delete;

  /// The text of an expression that was bound meanwhile, as every session reads it. `node` is the expression as it was
  /// bound; the text is the same without its positions.
  [[nodiscard]] std::string write(const ast::Expression& node, const std::string& text) const;

 private:
  BindState& state_;
  std::vector<ReadLiteral> read_;
  std::vector<StarExpansion> names_;
};

/// What is bound, and going to be stored, names the routine whatever it is called later. `parts`: how many names it
/// has.
void noteStoredName(BindState& state, int32_t position, size_t parts, uint32_t oid, const std::string& name);
/// The same of a type; nothing for those of the system.
void noteStoredType(BindState& state, const ast::TypeName& name, const NamedType& named);

}  // namespace gnomon::sql
