#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/planner.h"
#include "server/result_columns.h"
#include "server/statement_source.h"
#include "sql/bound_statement.h"

namespace gnomon::server {

/// What a statement answers with.
struct ResultShape {
  bool returns_rows = false;
  std::vector<ResultColumn> columns;
};

/// Whether what it answers with is another's: that of a prepared statement, or of a cursor.
bool asksSession(const sql::BoundStatement& bound);
/// Nothing where it names what is not there.
ResultShape resultShape(const SessionContext& session, const sql::BoundStatement& bound);

/// A statement as it was bound and as its client knows it, and the plan that is kept for it: what a prepared statement
/// and its portals have in common. Threads: the session's.
class DescribedStatement {
 public:
  DescribedStatement(StatementSource source_of_it, std::shared_ptr<const sql::BoundStatement> bound_to,
                     ResultShape shape)
      : source(std::move(source_of_it)),
        bound(std::move(bound_to)),
        returns_rows(shape.returns_rows),
        asks_session(asksSession(*bound)),
        counting_tag(bound->command == "INSERT" ? "INSERT 0" : bound->command),
        columns_(std::move(shape.columns)) {}
  /// One that does not ask the session.
  DescribedStatement(StatementSource source_of_it, const std::shared_ptr<const sql::BoundStatement>& bound_to)
      : DescribedStatement(std::move(source_of_it), bound_to,
                           {gnomon::server::returnsRows(*bound_to), resultColumns(*bound_to)}) {}

  const StatementSource source;
  const std::shared_ptr<const sql::BoundStatement> bound;
  const bool returns_rows;
  const bool asks_session;         ///< asksSession()
  const std::string counting_tag;  ///< of CommandComplete, in front of the number of rows
  KeptPlan kept;
  bool has_name = false;  ///< its client means to execute it again

  /// What a parameter has to do with a domain (sql::domainOid()).
  [[nodiscard]] uint32_t domainOfParameter(size_t parameter) const {
    return parameter < source.parameter_domains.size() ? source.parameter_domains[parameter] : 0;
  }
  /// The type of a parameter, as clients know it.
  [[nodiscard]] uint32_t oidOfParameter(size_t parameter) const {
    const uint32_t domain = domainOfParameter(parameter);
    return domain != 0 ? domain : bound->parameters[parameter].oid();
  }
  [[nodiscard]] const std::vector<ResultColumn>& columns() const { return columns_; }
  /// As a plan has them that was made since, and the client has not seen them.
  void setColumns(std::vector<ResultColumn> columns) {
    columns_ = std::move(columns);
    description_.clear();
  }
  /// Writes RowDescription for a portal, as it was written the last time where the formats are the same. `formats`:
  /// one per column.
  void describe(MessageWriter& writer, const std::vector<int16_t>& formats);

 private:
  std::vector<ResultColumn> columns_;
  std::string description_;  ///< RowDescription for `described_formats_`; empty: not known
  std::vector<int16_t> described_formats_;
};

}  // namespace gnomon::server
