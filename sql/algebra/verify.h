#pragma once

#include <string>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// The first of these that does not hold in the plan, as text; empty when all do.
///   A1  an operator has as many inputs as its kind asks for
///   A2  every unit an expression reads is produced by the operator's inputs (a join key's by the side it belongs to)
///   A3  a unit is produced by one operator only
///   A4  conditions are boolean; limits and literal rows read no unit
///   A5  both sides of a join key are held alike: same kind, and for numerics the same form and scale
///   A6  null_extended leads from units of the right input to nullable units of the same type; only a join of kind Mark
///   has a mark and something compared
///   A7  an Insert has one value of exactly the column's type for each column of its table; an Update for each that
///   changes
///   A8  a column expression has its unit's type
std::string findViolation(const Plan& plan);

/// Values of the two types can be compared by a hash table: invariant A5.
bool sameKeyType(Type left, Type right);

}  // namespace gnomon::sql
