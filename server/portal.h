#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/described_statement.h"
#include "server/query_run.h"
#include "server/session_context.h"
#include "server/utility.h"

namespace gnomon::server {

/// A statement with its parameters, executed at once or in pieces; of the extended protocol, or one statement of a
/// simple query.
///
/// Threads: the session's. Failure: SqlError, ConnectionLost; the portal cannot go on then.
class Portal {
 public:
  /// `fresh`: what the statement is bound to, when its plan has not been used, else null. `formats`: one per column, or
  /// empty: all text.
  Portal(SessionContext& session, std::shared_ptr<DescribedStatement> statement,
         std::shared_ptr<sql::BoundStatement> fresh, std::vector<sql::Value> parameters, std::vector<int16_t> formats)
      : session_(session),
        statement_(std::move(statement)),
        fresh_(std::move(fresh)),
        parameters_(std::move(parameters)) {
    format_.column_formats = std::move(formats);
  }

  [[nodiscard]] const sql::BoundStatement& bound() const { return *statement_->bound; }
  [[nodiscard]] const std::vector<ResultColumn>& columns() const { return statement_->columns; }
  [[nodiscard]] const std::vector<int16_t>& formats() const { return format_.column_formats; }
  /// Positions of errors count in this.
  [[nodiscard]] const std::shared_ptr<const std::string>& text() const { return statement_->source.text; }

  /// Fixes what a query sees, before it is executed. Failure: as execute().
  void begin();
  /// Puts out up to `row_limit` rows (0: all), then CommandComplete, or PortalSuspended when there may be more.
  /// `describe`: RowDescription comes first (simple query).
  void execute(uint64_t row_limit, bool describe);

 private:
  void executeBody(uint64_t row_limit, bool describe);
  /// `rows`: that the tag counts; none: it counts nothing.
  void complete(std::string_view tag, std::optional<uint64_t> rows = {});
  void executeQuery(uint64_t row_limit, bool describe);
  void executeUtility(uint64_t row_limit, bool describe);
  UtilityResult runBoundUtility();
  /// Runs the statement that is explained.
  UtilityResult explainAnalyze();
  void executeCopyFrom();
  void executeCopyTo();
  void writeCopyHeader(const sql::CopyOptions& options);
  void startRun();
  void checkColumns() const;

  SessionContext& session_;
  const std::shared_ptr<DescribedStatement> statement_;
  std::shared_ptr<sql::BoundStatement> fresh_;
  const std::vector<sql::Value> parameters_;
  codegen::OutputFormat format_;
  std::optional<QueryRun> run_;
  std::optional<UtilityResult> utility_;
  size_t utility_row_ = 0;
  bool is_finished_ = false;
  bool is_broken_ = false;
};

}  // namespace gnomon::server
