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
#include "sql/bound_statement.h"

namespace gnomon::server {

struct BoundPortal;
class KeptRows;

/// What a portal is made of.
struct PortalSource {
  std::shared_ptr<DescribedStatement> statement;
  std::vector<sql::Value> parameters;
  codegen::OutputFormat format;  ///< DataRow; formats: one per column, or empty: all text
  bool is_of_execute = false;    ///< EXECUTE executes it
};

/// A statement with its parameters, executed at once or in pieces; of the extended protocol, or one statement of a
/// simple query.
///
/// Threads: the session's. Failure: SqlError, ConnectionLost; the portal cannot go on then.
class Portal {
 public:
  /// `source` outlives the portal and stays as it is. `fresh`: what the statement is bound to, when its plan has not
  /// been used, else null.
  Portal(SessionContext& session, const PortalSource& source, std::shared_ptr<sql::BoundStatement> fresh);
  ~Portal();
  Portal(const Portal&) = delete;
  Portal& operator=(const Portal&) = delete;

  [[nodiscard]] const sql::BoundStatement& bound() const { return *statement_.bound; }
  [[nodiscard]] bool returnsRows() const { return statement_.returns_rows; }
  [[nodiscard]] const std::vector<int16_t>& formats() const { return source_.format.column_formats; }
  /// Positions of errors count in this.
  [[nodiscard]] const std::shared_ptr<const std::string>& text() const { return statement_.source.text; }
  /// Writes RowDescription.
  void describe() { statement_.describe(session_.writer, formats()); }

  /// Fixes what a query sees, before it is executed. Failure: as execute().
  void begin();
  /// Puts out up to `row_limit` rows (0: all), then CommandComplete, or PortalSuspended when there may be more.
  /// `describe`: RowDescription comes first (simple query). `failure`: where the error may be left in the place of
  /// being thrown, which costs many times the rest.
  void execute(uint64_t row_limit, bool describe, std::optional<SqlError>* failure = nullptr);

  /// Gives up to `row_limit` rows (0: all) to `rows` and nothing else; how many. Failure: as execute(); 0A000 where the
  /// rows are no query's.
  uint64_t advance(uint64_t row_limit, RowSink& rows);
  /// Executes what is no query, and tells the client nothing of its end.
  UtilityResult perform();
  /// There are no more rows.
  [[nodiscard]] bool isExhausted() const { return is_finished_; }
  /// Given so far.
  [[nodiscard]] uint64_t rowsPutOut() const { return rows_put_out_; }
  /// Ends the run: there are no more rows.
  void release();

 private:
  void executeBody(uint64_t row_limit, bool describe, std::optional<SqlError>* failure);
  /// `rows`: that the tag counts; none: it counts nothing.
  void complete(std::string_view tag, std::optional<uint64_t> rows = {});
  void executeQuery(uint64_t row_limit, bool describe, std::optional<SqlError>* failure);
  /// A DirectCall whose plan is kept, for a client that wants its only row. False: it is none, and nothing was done.
  bool callDirectly(std::optional<SqlError>* failure);
  void executePrepared(uint64_t row_limit, bool describe);
  void executeFetch(uint64_t row_limit, bool describe);
  void fetch(BoundPortal& place, std::span<const int16_t> formats, KeptRows* kept);
  void executeUtility(uint64_t row_limit, bool describe);
  UtilityResult runUtilityOrExplain();
  UtilityResult runBoundUtility();
  /// Runs the statement that is explained.
  UtilityResult explainAnalyze();
  void executeCreateTableAs();
  void finishAltering(const sql::BoundStatement& first);
  /// The statement bound once more, as BindContext::fills says.
  [[nodiscard]] StatementSource fillingOf(sql::TablePtr rewritten) const;
  /// Executes what changes rows and puts none out; how many rows.
  uint64_t runChange(StatementSource source);
  void fill(const sql::BoundStatement& bound, sql::AlterPart part);
  /// The same for rows of storage that is new.
  void rewrite(StatementSource source);
  bool layColumns(const sql::BoundStatement& bound);
  void executeCall(bool describe);
  void executeCopyFrom();
  void executeCopyTo();
  void startRun();
  void checkColumns() const;

  SessionContext& session_;
  const PortalSource& source_;
  DescribedStatement& statement_;
  std::shared_ptr<sql::BoundStatement> fresh_;
  std::optional<QueryRun> run_;
  std::optional<UtilityResult> utility_;
  size_t utility_row_ = 0;
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;  ///< what EXECUTE executes
  struct Fetched;
  std::unique_ptr<Fetched> fetched_;  ///< rows of FETCH that are put out in pieces
  uint64_t rows_put_out_ = 0;
  bool is_finished_ = false;
  bool is_broken_ = false;
  bool is_silent_ = false;       ///< CommandComplete is nobody's business
  uint64_t rows_completed_ = 0;  ///< that it would count
};

}  // namespace gnomon::server
