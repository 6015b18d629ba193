#pragma once

#include "server/session_context.h"
#include "sql/catalog/session_objects.h"

namespace gnomon::server {

/// What a session tells of itself to its own statements. Threads: as said there.
class SessionViews final : public sql::SessionObjects {
 public:
  explicit SessionViews(SessionContext& session) : session_(session) {}

  [[nodiscard]] sql::VirtualRows cursors() const override;
  [[nodiscard]] sql::VirtualRows preparedStatements() const override;
  [[nodiscard]] std::vector<std::string> channels() const override;
  void notify(std::string_view channel, std::string_view payload) override;
  [[nodiscard]] double notificationQueueUsage() const override;
  [[nodiscard]] uint32_t triggerDepth() const override { return session_.services.triggers().depth(); }
  [[nodiscard]] Connection connection() const override;
  [[nodiscard]] int64_t serverBegunUnixUs() const override;
  [[nodiscard]] std::vector<int32_t> blockersOf(int32_t session) const override;

 private:
  SessionContext& session_;
};

/// pg_cursors and pg_prepared_statements, of the session that reads them. PostgreSQL 15's columns; all plans are
/// generic ones.
sql::VirtualRelation cursorsView();
sql::VirtualRelation preparedStatementsView();

}  // namespace gnomon::server
