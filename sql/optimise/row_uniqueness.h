#pragma once

#include "sql/algebra/operator.h"
#include "sql/algebra/rewrite.h"
#include "sql/optimise/cardinality.h"

namespace gnomon::sql {

/// How many rows a tree has, as far as its shape tells.
enum class RowBound : uint8_t { One, AtMostOne, Any };
RowBound rowBound(const Operator& op);

/// No two rows have the same values of the units, none of which is NULL.
bool isUniqueOn(const Operator& op, const UnitSet& units, const TableStatistics& statistics);

/// The right input's units that conditions hold equal to something of the left input.
UnitSet unitsEqualToLeft(const Join& join);

}  // namespace gnomon::sql
