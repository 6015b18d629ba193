#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/plpgsql/datum.h"
#include "sql/plpgsql/scopes.h"
#include "sql/plpgsql/tree.h"

namespace gnomon::sql::plpgsql {

/// What a name means that is both a variable's and a column's.
enum class VariableConflict : uint8_t { Error, UseVariable, UseColumn };

/// A routine's body, parsed and resolved. Independent of the catalog and the text it was made from.
///
/// Threads: immutable, may be shared.
struct Routine {
  std::string body;
  std::vector<Datum> datums;  ///< by their ids
  Scopes scopes;
  Statement main;  ///< a Block

  std::vector<DatumId> inputs;  ///< IN, INOUT and VARIADIC parameters, in order
  DatumId output = kNoDatum;    ///< the only OUT parameter, or a List of them; none without
  DatumId found = kNoDatum;     ///< FOUND
  DatumId new_row = kNoDatum;   ///< NEW, of a trigger's function; and OLD
  DatumId old_row = kNoDatum;
  VariableConflict conflict = VariableConflict::Error;
  std::optional<bool> prints_strict_parameters;  ///< #print_strict_params; none: as the setting says
  bool is_dumped = false;                        ///< #option dump

  [[nodiscard]] const Datum& datum(DatumId id) const { return datums[id.value]; }

  /// What SQL's grammar reads of a fragment: its bytes, with blanks for an INTO, and SELECT in the place of PERFORM. A
  /// position p in it is `offset` + p in the body.
  [[nodiscard]] std::string textOf(const Fragment& fragment) const;
};

}  // namespace gnomon::sql::plpgsql
