#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/query_run.h"
#include "server/result_columns.h"
#include "server/session_context.h"
#include "server/statement_source.h"
#include "server/utility.h"

namespace gnomon::server {

/// A statement with its parameters, executed at once or in pieces; of the extended protocol, or one statement of a
/// simple query.
///
/// Threads: the session's. Failure: SqlError, ConnectionLost; the portal cannot go on then.
class Portal {
 public:
  /// `bound`: from `source`, to describe the portal; `fresh`: the same when its plan has not been used, else null.
  /// `formats`: one per column, or empty: all text.
  Portal(SessionContext& session, StatementSource source, std::shared_ptr<const sql::BoundStatement> bound,
         std::shared_ptr<sql::BoundStatement> fresh, codegen::Parameters parameters, std::vector<int16_t> formats);

  [[nodiscard]] const sql::BoundStatement& bound() const { return *bound_; }
  [[nodiscard]] const std::vector<ResultColumn>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<int16_t>& formats() const { return formats_; }
  /// Positions of errors count in this.
  [[nodiscard]] const std::shared_ptr<const std::string>& text() const { return source_.text; }

  /// Fixes what a query sees, before it is executed. Failure: as execute().
  void begin();
  /// Puts out up to `row_limit` rows (0: all), then CommandComplete, or PortalSuspended when there may be more.
  /// `describe`: RowDescription comes first (simple query).
  void execute(uint64_t row_limit, bool describe);

 private:
  void executeBody(uint64_t row_limit, bool describe);
  void complete(const std::string& tag);
  void executeQuery(uint64_t row_limit, bool describe);
  void executeUtility(uint64_t row_limit, bool describe);
  UtilityResult runBoundUtility();
  /// Runs the statement that is explained.
  UtilityResult explainAnalyze();
  void executeCopyFrom();
  void executeCopyTo();
  void writeCopyHeader(const sql::CopyOptions& options);
  void checkColumns(const sql::BoundStatement& bound) const;
  [[nodiscard]] codegen::OutputFormat outputFormat() const;

  SessionContext& session_;
  const StatementSource source_;
  const std::shared_ptr<const sql::BoundStatement> bound_;
  std::shared_ptr<sql::BoundStatement> fresh_;
  const codegen::Parameters parameters_;
  const std::vector<int16_t> formats_;
  std::vector<ResultColumn> columns_;
  std::unique_ptr<QueryRun> run_;
  std::optional<UtilityResult> utility_;
  size_t utility_row_ = 0;
  bool is_finished_ = false;
  bool is_broken_ = false;
};

}  // namespace gnomon::server
