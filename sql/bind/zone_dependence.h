#pragma once

#include <functional>

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// What `bind` makes of an expression that is kept as text. A literal of a timestamp with time zone that names no zone
/// would be read anew in another session's: PostgreSQL keeps what the first one read. Failure: 0A000 for such a
/// literal.
ExpressionPtr bindForAllZones(const std::function<ExpressionPtr()>& bind);

}  // namespace gnomon::sql
