#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/portals.h"
#include "server/prepared_statements.h"
#include "server/session_context.h"

namespace gnomon::server {

class MessageBody;

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
  /// The error that it has failed with, where that was not thrown.
  [[nodiscard]] std::optional<SqlError> execute(std::string_view body);
  void close(std::string_view body);
  /// Portals whose transaction has ended go.
  void endPortals() {
    const SessionTransaction& transaction = session_.transaction;
    if (transaction.endCount() != transactions_ended_ || transaction.lastPortalKept() != UINT64_MAX) endSomePortals();
  }
  /// The unnamed statement ends with the next simple query.
  void closeUnnamed();

  /// The text that the last error's position refers to.
  [[nodiscard]] std::string_view text() const { return text_ ? std::string_view(*text_) : std::string_view(); }

 private:
  class Formats;
  PreparedStatement& findStatement(std::string_view name);
  void bindPlace(BoundPortal& place, PreparedStatement& statement, MessageBody& body, const Formats& parameter_formats,
                 size_t parameter_count);
  void endSomePortals();
  void executeCursor(BoundPortal& place, uint64_t row_limit);
  void describeStatement(const PreparedStatement& statement);
  /// Failure: 25P02 in a block that failed, unless the statement ends it.
  void requireUsable(const DescribedStatement* statement) const;

  SessionContext& session_;
  std::shared_ptr<const std::string> text_;
  uint64_t transactions_ended_ = 0;
};

}  // namespace gnomon::server
