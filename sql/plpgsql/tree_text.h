#pragma once

#include <string>

#include "sql/plpgsql/routine.h"

namespace gnomon::sql::plpgsql {

/// A routine as text, for tests and #option dump: the datums, then a line for each statement and each part of one, by
/// depth, with the lines of the body before them. Fragments stand as they are written, in backquotes.
std::string treeText(const Routine& routine);

}  // namespace gnomon::sql::plpgsql
