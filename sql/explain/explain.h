#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// The plan as indented text, one operator per line with its estimated rows, what it does in lines below it:
///
///   Hash Join  (rows=6001215)
///     Hash Cond: (l_orderkey = o_orderkey)
///     ->  Seq Scan on lineitem  (rows=6001215)
///
/// The side of a hash join that is built comes last, under "Hash".
std::string explainPlan(const Plan& plan);
/// The same with the rows that operators had when the plan was executed.
std::string explainPlan(const Plan& plan, const std::unordered_map<const Operator*, uint64_t>& actual_rows);
std::string explainOperator(const Operator& root);

}  // namespace gnomon::sql
