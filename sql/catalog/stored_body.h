#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/routine_entry.h"
#include "sql/catalog/view_entry.h"

namespace gnomon::sql {

/// A routine's body in the manner of the SQL standard, RETURN or BEGIN ATOMIC, which means what it meant at its
/// definition, as the query of a view does.
///
/// Layout, in RoutineEntry::body: a zero byte, which no body has that is given as a text; "A" or "R"; how many uses
/// there are, and the table and column of each; how many statements are RETURN, and each; a blank behind each number;
/// then the statements.
struct StoredBody {
  bool is_atomic = false;  ///< BEGIN ATOMIC ... END; else a single RETURN
  std::vector<ViewEntry::Use> uses;
  std::vector<uint32_t> returns;  ///< the statements that are RETURN, by number from 0: here they are SELECT
  std::string statements;         ///< as ViewEntry::query, with semicolons between them; its parameters are $1, $2

  static bool isOne(const RoutineEntry& routine) { return routine.body.starts_with('\0'); }
  /// Failure: XX001.
  static StoredBody of(const RoutineEntry& routine);
  [[nodiscard]] std::string text() const;
};

}  // namespace gnomon::sql
