#pragma once

#include "sql/algebra/rewrite.h"

namespace gnomon::sql {

/// Casts both sides of an equality, without loss, to one type that a hash table compares by: invariant A5 of verify.h.
/// Numerics of different scales or forms meet in the smallest that holds both, Big if there is none; integers in the
/// larger; floats in double. False, and nothing changed, when the types do not meet.
bool alignKeyTypes(ExpressionPtr& left, ExpressionPtr& right);
/// alignKeyTypes would succeed.
bool canAlign(Type left, Type right);
/// IS NOT DISTINCT FROM that a key can stand for. char(n) of different n, and values of different scales, cannot.
bool isNullSafeKey(const Expression& condition);
/// Whether a key can stand for the condition: an equality, also one for which NULLs are equal.
bool isKeyCondition(const Expression& condition);

/// Moves the equalities between the two inputs from the join's conditions to its keys.
void extractKeys(Join& join);

}  // namespace gnomon::sql
