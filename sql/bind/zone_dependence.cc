#include "sql/bind/zone_dependence.h"

#include <algorithm>

#include "base/sql_error.h"
#include "base/time_zone.h"

namespace gnomon::sql {
namespace {

bool hasZonedConstant(const Expression& expression) {
  if (expression.kind == Expression::Kind::Constant && expression.type.kind == TypeKind::TimestampTz) return true;
  return std::ranges::any_of(expression.children, [](const ExpressionPtr& child) { return hasZonedConstant(*child); });
}

}  // namespace

ExpressionPtr bindForAllZones(const std::function<ExpressionPtr()>& bind) {
  ExpressionPtr bound = bind();
  if (!hasZonedConstant(*bound)) return bound;
  for (const int32_t hours : {-11, 13}) {
    const SessionTimeZone elsewhere(*TimeZone::ofOffset(hours * 3600));
    if (!bound->equals(*bind()))
      throwNotSupported("a timestamp with time zone that names no zone, in a stored expression", bound->position);
  }
  return bound;
}

}  // namespace gnomon::sql
