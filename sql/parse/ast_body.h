#pragma once

#include <string>
#include <vector>

#include "sql/parse/parser.h"

namespace gnomon::sql::ast {

/// A statement of a routine's body in the manner of the SQL standard.
struct BodyStatement {
  ParsedStatement parsed;  ///< of RETURN the query of its value
  std::string text;        ///< the same, written out by the deparser
  std::string command;     ///< what one is called that is neither a query nor a change; empty: it is
  bool is_return = false;
};

/// RETURN, or BEGIN ATOMIC ... END.
struct StandardBody {
  bool is_atomic = false;
  std::vector<BodyStatement> statements;
};

}  // namespace gnomon::sql::ast
