#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/optimise/cost.h"

namespace gnomon::sql {

/// One line of a plan as EXPLAIN shows it, before it is written as text or JSON.
struct PlanNode {
  /// What a line below the node's says; in JSON a list where PostgreSQL has one.
  struct Detail {
    std::string label;
    std::vector<std::string> values;
    bool is_list = false;
    bool is_verbose = false;  ///< only with VERBOSE
  };
  std::string title;         ///< "Seq Scan on orders o"
  std::string type;          ///< "Seq Scan"
  std::string relationship;  ///< of an input: Outer, Inner, Member, InitPlan; empty: of the root
  std::string subplan;       ///< "CTE x"; empty: it is none
  /// What JSON says of the node besides its details.
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<Detail> details;
  /// Whose figures the node has: of a Hash its input's.
  const Operator* op = nullptr;
  Cost cost;
  int width = 0;
  std::vector<PlanNode> inputs;
};

PlanNode describePlan(const Plan& plan);
PlanNode describeOperator(const Operator& root);

}  // namespace gnomon::sql
