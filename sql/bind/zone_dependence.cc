#include "sql/bind/zone_dependence.h"

#include <algorithm>

#include "base/sql_error.h"
#include "base/text_style.h"
#include "base/time_zone.h"
#include "sql/types/datetime_text.h"

namespace gnomon::sql {
namespace {

bool hasZonedConstant(const Expression& expression) {
  if (expression.kind == Expression::Kind::Constant && expression.type.kind == TypeKind::TimestampTz) return true;
  return std::ranges::any_of(expression.children, [](const ExpressionPtr& child) { return hasZonedConstant(*child); });
}

bool hasStyledConstant(const Expression& expression) {
  const TypeKind kind = expression.type.kind;
  if (expression.kind == Expression::Kind::Constant && (isDatetime(kind) || kind == TypeKind::Interval)) return true;
  return std::ranges::any_of(expression.children, [](const ExpressionPtr& child) { return hasStyledConstant(*child); });
}

void refuseMoments(const Expression& expression) {
  if (expression.kind == Expression::Kind::Cast && isDatetime(expression.type.kind)) {
    const Expression& text = *expression.children[0];
    if (text.isConstant() && text.type.isString() && namesMoment(text.value.bytes))
      throwNotSupported("the time of the transaction as a literal, in a stored expression", text.position);
  }
  for (const ExpressionPtr& child : expression.children) refuseMoments(*child);
}

/// Whether it is bound to the same in the session's style and in another one.
bool isBoundAlike(const Expression& bound, const std::function<ExpressionPtr()>& bind, TextStyle style) {
  const TextStyleScope elsewhere(style, textMoment());
  try {
    return bound.equals(*bind());
  } catch (const SqlError&) {
    return false;
  }
}

}  // namespace

ExpressionPtr bindForAllZones(const std::function<ExpressionPtr()>& bind) {
  ExpressionPtr bound = bind();
  refuseMoments(*bound);
  if (hasStyledConstant(*bound)) {
    using Order = TextStyle::DateOrder;
    for (const Order order : {Order::MonthDayYear, Order::DayMonthYear, Order::YearMonthDay}) {
      const TextStyle style{.order = order, .interval = TextStyle::Interval::SqlStandard};
      if (!isBoundAlike(*bound, bind, style) || !isBoundAlike(*bound, bind, {.order = order}))
        throwNotSupported("a literal that DateStyle or IntervalStyle gives a meaning, in a stored expression",
                          bound->position);
    }
  }
  if (!hasZonedConstant(*bound)) return bound;
  for (const int32_t hours : {-11, 13}) {
    const SessionTimeZone elsewhere(*TimeZone::ofOffset(hours * 3600));
    if (!bound->equals(*bind()))
      throwNotSupported("a timestamp with time zone that names no zone, in a stored expression", bound->position);
  }
  return bound;
}

}  // namespace gnomon::sql
