#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/portal.h"
#include "sql/bound_statement.h"
#include "sql/session_statement.h"

namespace gnomon::server {

struct PreparedStatement {
  std::shared_ptr<const std::string> text;               ///< that errors' positions refer to
  std::shared_ptr<DescribedStatement> statement;         ///< null: the empty statement
  std::shared_ptr<sql::BoundStatement> fresh = nullptr;  ///< its binding, while the plan of that has not been used
  uint64_t catalog_version = 0;  ///< with which the tables that it is bound to were the catalog's; 0: not known
  std::shared_ptr<const std::string> shown_text = nullptr;  ///< in pg_prepared_statements
  int64_t prepared_us = 0;                                  ///< since 1970
  uint64_t execution_count = 0;
  bool is_from_sql = false;
};

/// The prepared statements of a session, those of Parse messages and those of PREPARE. Not part of its transactions.
/// Threads: the session's.
class PreparedStatements {
 public:
  explicit PreparedStatements(SessionContext& session) : session_(session) {}

  /// Failure: 26000.
  PreparedStatement& find(std::string_view name);
  /// Null: there is none.
  [[nodiscard]] const PreparedStatement* peek(std::string_view name) const;
  /// Failure: 42P05, but for the unnamed one, which is replaced.
  void requireFree(std::string_view name);
  void add(const std::string& name, PreparedStatement statement);
  /// Executes PREPARE, which `source` is. Failure: 42P05; what binding its statement says; 42P18.
  void prepare(const sql::PrepareStatement& prepare, const StatementSource& source);
  /// Nothing when there is none.
  void drop(std::string_view name);
  void clear();
  /// Forgets all plans that are kept.
  void forgetPlans();
  /// Binds the statement again when a table of it is another by now. Failure: 42P01; 0A000 when its columns differ.
  void revalidate(PreparedStatement& statement) const;
  /// What an EXECUTE, which `source` is, executes, with its arguments' values. `format`: as for Portal. Failure: 26000,
  /// 42601, 42804; what binding and evaluating the arguments says.
  PortalSource sourceOf(const sql::ExecuteStatement& execute, const StatementSource& source,
                        const codegen::OutputFormat& format, std::shared_ptr<sql::BoundStatement>& fresh);
  void forEach(const std::function<void(const std::string& name, const PreparedStatement&)>& visit) const;

 private:
  using Statements = std::map<std::string, PreparedStatement, std::less<>>;
  void drop(Statements::iterator statement);
  [[nodiscard]] std::shared_ptr<DescribedStatement> inPlaceOfExecute(const sql::ExecuteStatement& execute,
                                                                     const StatementSource& source,
                                                                     const DescribedStatement& prepared,
                                                                     std::shared_ptr<sql::BoundStatement>& fresh) const;

  SessionContext& session_;
  Statements statements_;
  Statements::iterator last_found_ = statements_.end();  ///< end(): none
};

/// The statement behind PREPARE ... AS or DECLARE ... FOR, where it stands in its text; what was before it is blank.
/// `types`: of parameters.
StatementSource innerStatement(const StatementSource& source, std::vector<sql::Type> types);

}  // namespace gnomon::server
