#pragma once

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// Failure: 42883 for values that cannot be compared, at `position`: those of types void, json and jsonpath.
void requireEquality(const Type& type, int32_t position);
void requireOrdering(const Type& type, int32_t position);
/// Of a part of an index. Failure: 42704.
void requireIndexable(const Type& type);
/// Of elements that an inverted index tells apart. Failure: 42883.
void requireComparison(const Type& type);

}  // namespace gnomon::sql
