#pragma once

#include <vector>

#include "sql/algebra/set_operators.h"

namespace gnomon::sql {

/// `row` tells the rows of the tree from one another.
void numberRows(OperatorPtr& tree, Iu row);

/// Numbers of the rows that recursions add, as further columns of theirs: the rows of a step are read more than once,
/// and are to have the same number each time.
class WorkingNumbers {
 public:
  /// `row` tells the rows of the tree from one another, which are working rows of a recursion or some of them.
  /// Failure: 0A000 where they are not, or where the recursion drops equal ones.
  void read(Plan& plan, Operator& tree, Iu row);
  /// What the recursions compute them by; once nobody holds places in the plan any more.
  void make();

 private:
  struct Numbered {
    Recursion* recursion;
    size_t column;
    Iu numbers[2];
  };
  const Numbered& numbersOf(Plan& plan, const Recursion& recursion);

  std::vector<Numbered> numbered_;
};

}  // namespace gnomon::sql
