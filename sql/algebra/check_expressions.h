#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// The CHECK constraints of a table, bound: none of their conditions may be FALSE for a row. Immutable.
struct CheckExpressions {
  struct Check {
    std::string name;
    ExpressionPtr condition;        ///< over `units`, simplified; null: it calls routines, each statement binds it
    std::vector<uint32_t> columns;  ///< that it mentions as it was written, ascending
    bool is_immutable = true;       ///< false: it depends on settings or the session, too
    bool is_of_view = false;        ///< WITH CHECK OPTION of the view `name`
  };
  std::deque<InformationUnit> units;  ///< the table's columns, each with its number as id; all may be NULL
  std::vector<Check> checks;          ///< in the order in which rows are tested
};

/// The same checks in two forms, for rows that are tested one by one.
struct CheckForms {
  std::shared_ptr<const CheckExpressions> usual;
  std::shared_ptr<const CheckExpressions> unlimited;  ///< without bounds on numerics, where `usual` overflows
};

/// The CHECK constraints that a new row must pass. Their conditions read the row, no unit of the plan.
struct RowChecks {
  std::shared_ptr<const CheckExpressions> expressions;  ///< all of the table's; null: it has none
  std::vector<uint32_t> tested;                         ///< in CheckExpressions::checks, ascending
};

}  // namespace gnomon::sql
