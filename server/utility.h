#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/planner.h"
#include "server/session_context.h"
#include "sql/bound_statement.h"
#include "sql/explain/explain.h"

namespace gnomon::server {

/// What a statement that is executed without a program answers: rows of texts and its command tag.
struct UtilityResult {
  std::vector<std::vector<std::string>> rows;
  std::string tag;
  uint64_t row_count = 0;  ///< of what filled a table
};

/// Executes what defines tables and indexes, TRUNCATE, VACUUM, ANALYZE, CHECKPOINT, SET, RESET, SHOW, and EXPLAIN
/// without ANALYZE. The statement must not have been executed before (EXPLAIN rewrites its plan). Notices go to the
/// client at once. Failure: SqlError; nothing has changed then.
UtilityResult runUtility(SessionContext& session, const std::shared_ptr<sql::BoundStatement>& bound);

/// ATTACH PARTITION of a table whose columns lie elsewhere: they come to lie as they have to, and its rows go. Failure:
/// as CatalogTransaction::layPartition.
void layPartition(SessionContext& session, const sql::PartitionStatement& statement);

/// CREATE TABLE. False: the name is taken, which IF NOT EXISTS allows, and the client was told. Failure: as
/// CatalogTransaction::createTable.
bool createTable(SessionContext& session, const sql::CreateTableStatement& statement);

/// SET and RESET, with a warning where SET LOCAL has no transaction to last for. Failure: as Settings; 25001.
void applySetting(SessionContext& session, const sql::SetStatement& statement);

/// Executes BEGIN, COMMIT and their kin, any number of times.
UtilityResult controlTransaction(SessionContext& session, const sql::TransactionStatement& statement,
                                 const std::string& command);

/// What EXPLAIN (SETTINGS) says: settings with a say in plans and executions that are not as the server makes them.
sql::ExplainedSettings explainedSettings(const Settings& settings);
/// The lines of a text as rows, or all of it as one.
UtilityResult explainResult(std::string_view text, bool is_one_value);

}  // namespace gnomon::server
