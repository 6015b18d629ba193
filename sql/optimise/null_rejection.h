#pragma once

#include "sql/algebra/rewrite.h"

namespace gnomon::sql {

/// The predicate is FALSE or NULL whenever all of the units are NULL, whatever the others are. (PostgreSQL's
/// find_nonnullable_rels, for a set of units at once.)
bool rejectsNulls(const Expression& predicate, const UnitSet& units);

}  // namespace gnomon::sql
