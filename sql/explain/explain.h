#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// The options of EXPLAIN that say what is shown.
struct ExplainOptions {
  enum class Format : uint8_t { Text, Json };
  enum class Estimates : uint8_t { None, Rows, All };
  Format format = Format::Text;
  Estimates estimates = Estimates::All;  ///< Rows: without costs, for developers
  bool verbose = false;                  ///< the columns of each operator
  bool timing = true;
  bool buffers = false;
  bool wal = false;       ///< what was logged
  bool settings = false;  ///< those that have to do with plans, and are not as they were when the server began
};

/// What an operator did in an execution, on all workers.
struct OperatorFigures {
  uint64_t rows = 0;
  /// Milliseconds of the execution's time that the operator and those below it took: until the first of its rows came,
  /// and in all.
  double startup_ms = 0, total_ms = 0;
  uint64_t page_hits = 0, page_reads = 0;   ///< pages used; of them, those that were waited for; with those below
  uint64_t log_records = 0, log_bytes = 0;  ///< with those below
};

/// An execution. Operators that are not there were not counted.
struct ExecutionFigures {
  std::unordered_map<const Operator*, OperatorFigures> operators;
  double execution_ms = 0;
};

/// Settings, as SHOW prints them.
using ExplainedSettings = std::vector<std::pair<std::string, std::string>>;

/// The plan as EXPLAIN shows it; `figures`: of its execution, null: it was not executed; `planning_ms`: none, nothing
/// is said of it; `settings`: shown where the options say so.
///
///   Hash Join  (cost=0.00..210042.53 rows=6001215 width=12)
///     Hash Cond: (l_orderkey = o_orderkey)
///     ->  Seq Scan on lineitem  (cost=0.00..60012.15 rows=6001215 width=8)
///     ->  Hash  (...)
///
/// or, in JSON, an array of one object, shaped as PostgreSQL's.
std::string explainPlan(const Plan& plan, const ExplainOptions& options, const ExecutionFigures* figures,
                        std::optional<double> planning_ms, const ExplainedSettings& settings);
/// As text, with rows and columns but without costs.
std::string explainPlan(const Plan& plan);
std::string explainOperator(const Operator& root);

}  // namespace gnomon::sql
