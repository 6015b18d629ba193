#include "sql/algebra/replace_equal.h"

namespace gnomon::sql {

void replaceEqual(ExpressionPtr& expression, const Expression& pattern, Iu unit) {
  if (expression->equals(pattern)) {
    const int32_t position = expression->position;
    expression = Expression::column(unit);
    expression->position = position;
    return;
  }
  for (ExpressionPtr& child : expression->children) replaceEqual(child, pattern, unit);
}

}  // namespace gnomon::sql
