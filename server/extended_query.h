#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/deallocate.h"
#include "server/portals.h"
#include "server/session_context.h"

namespace gnomon::server {

class MessageBody;

/// A prepared statement.
struct PreparedStatement {
  std::shared_ptr<const std::string> text;
  std::shared_ptr<DescribedStatement> statement;  ///< null: the empty statement, or `deallocate`
  std::shared_ptr<sql::BoundStatement> fresh;     ///< what it is bound to, while the plan of that has not been used
  uint64_t catalog_version = 0;  ///< with which the tables that it is bound to were the catalog's; 0: not known
  std::optional<Deallocate> deallocate;
};

/// The messages of the extended query protocol, but for Sync: prepared statements and portals of one session.
///
/// Rules:  E1  portals end with their transaction, or with the savepoint before them; statements when they are closed
/// Threads: the session's. Failure: SqlError (the session skips to Sync), ConnectionLost.
class ExtendedQuery {
 public:
  explicit ExtendedQuery(SessionContext& session) : session_(session) {}

  void parse(std::string_view body);
  void bind(std::string_view body);
  void describe(std::string_view body);
  void execute(std::string_view body);
  void close(std::string_view body);
  /// Portals whose transaction has ended go.
  void endPortals() {
    const SessionTransaction& transaction = session_.transaction;
    if (transaction.endCount() != transactions_ended_ || transaction.lastPortalKept() != UINT64_MAX) endSomePortals();
  }
  /// The unnamed statement ends with the next simple query.
  void closeUnnamed();
  /// Executes DEALLOCATE and writes CommandComplete. Failure: 26000.
  void deallocate(const Deallocate& statement);

  /// The text that the last error's position refers to.
  [[nodiscard]] std::string_view text() const { return text_ ? std::string_view(*text_) : std::string_view(); }

 private:
  class Formats;
  PreparedStatement& findStatement(std::string_view name);
  using Statements = std::map<std::string, PreparedStatement, std::less<>>;
  void drop(Statements::iterator statement);
  void bindPlace(BoundPortal& place, PreparedStatement& statement, MessageBody& body, const Formats& parameter_formats,
                 size_t parameter_count);
  void endSomePortals();
  /// Binds the statement again when a table of it is another by now. Failure: 42P01; 0A000 when its columns differ.
  void revalidate(PreparedStatement& statement) const;
  void describeStatement(const PreparedStatement& statement);
  /// Failure: 25P02 in a block that failed, unless the statement ends it.
  void requireUsable(const DescribedStatement* statement) const;

  SessionContext& session_;
  Statements statements_;
  Statements::iterator last_found_ = statements_.end();  ///< end(): none
  Portals portals_;
  std::shared_ptr<const std::string> text_;
  uint64_t transactions_ended_ = 0;
};

}  // namespace gnomon::server
