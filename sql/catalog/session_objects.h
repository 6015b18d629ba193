#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/virtual_relation.h"

namespace gnomon::sql {

/// What only a session has and knows, for the views and functions that show it. Threads: those that work for the
/// session while it waits for them.
class SessionObjects {
 public:
  virtual ~SessionObjects() = default;
  /// The rows of pg_cursors and pg_prepared_statements.
  [[nodiscard]] virtual VirtualRows cursors() const = 0;
  [[nodiscard]] virtual VirtualRows preparedStatements() const = 0;
  /// It listens to these.
  [[nodiscard]] virtual std::vector<std::string> channels() const = 0;
  /// NOTIFY. Failure: 22023.
  virtual void notify(std::string_view channel, std::string_view payload) = 0;
  /// Addresses are empty, and ports 0, where the connection has none.
  struct Connection {
    std::string client_address, server_address;
    uint16_t client_port = 0, server_port = 0;
  };
  [[nodiscard]] virtual Connection connection() const = 0;
  [[nodiscard]] virtual int64_t serverBegunUnixUs() const = 0;
  /// The sessions for which this one waits, each once; of whatever session.
  [[nodiscard]] virtual std::vector<int32_t> blockersOf(int32_t session) const = 0;
  /// How many triggers are being called, one within the other.
  [[nodiscard]] virtual uint32_t triggerDepth() const = 0;
  /// What of the room for notifications is taken, of 1.
  [[nodiscard]] virtual double notificationQueueUsage() const = 0;
};

}  // namespace gnomon::sql
