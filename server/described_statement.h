#pragma once

#include <memory>
#include <vector>

#include "server/planner.h"
#include "server/result_columns.h"
#include "server/statement_source.h"

namespace gnomon::server {

/// A statement as it was bound and as its client knows it, and the plan that is kept for it: what a prepared statement
/// and its portals have in common. Threads: the session's.
struct DescribedStatement {
  DescribedStatement(StatementSource source_of_it, std::shared_ptr<const sql::BoundStatement> bound_to)
      : source(std::move(source_of_it)), bound(std::move(bound_to)), columns(resultColumns(*bound)) {}

  const StatementSource source;
  const std::shared_ptr<const sql::BoundStatement> bound;
  std::vector<ResultColumn> columns;
  KeptPlan kept;
  bool has_name = false;  ///< its client means to execute it again
};

}  // namespace gnomon::server
