#pragma once

#include "sql/algebra/operator.h"
#include "sql/algebra/rewrite.h"

namespace gnomon::sql {

/// The same rows once more. Units that the tree makes are made anew, and so are recursions inside of it; those of
/// queries around it, and working rows of a recursion around it, are read as they are. Adds to `copies` what its units
/// are called in the copy.
/// Precondition: the tree has not been given indexes, and changes and locks nothing. One that is volatile would have
/// other rows.
OperatorPtr copyTree(Plan& plan, const Operator& root, UnitRenaming& copies);

}  // namespace gnomon::sql
