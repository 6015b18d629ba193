#pragma once

#include <string>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/optimise/cardinality.h"

namespace gnomon::sql {

/// The tree after a pass, as EXPLAIN prints it.
struct PassTrace {
  std::string pass;
  std::string tree;
};

/// Rewrites a bound plan into the one to be executed: the passes in order, each in its own file pair. Afterwards every
/// join's keys and build side are chosen, every operator has its estimated rows, and scans read only what is needed.
/// Rows, types and column order of the result stay the same. Debug builds verify the tree after each pass.
/// Failure: throws nothing of its own; nothing is evaluated that PostgreSQL would not evaluate.
void optimise(Plan& plan);
/// The same with row counts from `statistics`.
void optimise(Plan& plan, const TableStatistics& statistics);

/// optimise(), with the tree before the first pass ("bound") and after each.
std::vector<PassTrace> optimiseTracing(Plan& plan, const TableStatistics& statistics);

}  // namespace gnomon::sql
