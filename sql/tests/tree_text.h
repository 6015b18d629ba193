#pragma once

#include <string>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// A plan's tree as indented lines, one per operator, units by name: for comparison in tests.
std::string treeText(const Plan& plan);

}  // namespace gnomon::sql
