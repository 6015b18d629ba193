#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/settings.h"
#include "server/interrupts.h"
#include "server/parked_executions.h"
#include "server/pgwire/error_message.h"
#include "server/pgwire/message_reader.h"
#include "server/pgwire/message_writer.h"
#include "server/server_context.h"
#include "server/session_services.h"
#include "server/session_transaction.h"
#include "server/table_uses.h"

namespace gnomon::server {

/// Microseconds of the steady clock, as Execution::firstMorselTimeUs() counts them.
inline int64_t steadyTimeUs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

class Portals;
class PreparedStatements;
class SessionNotifications;

/// What the parts of one session share. Threads: the session's.
struct SessionContext {
  ServerContext& server;
  Interrupts& interrupts;
  MessageReader& reader;
  MessageWriter& writer;
  Settings settings;
  SessionStatus& status;
  SessionTransaction transaction;
  TableUses uses;
  SessionServices services;
  PreparedStatements& statements;
  Portals& portals;
  SessionNotifications& notifications;
  int64_t text_received_us = 0;  ///< when the text of the statement at hand came
  ParkedExecutions parked = {};
  uint32_t login = 0;          ///< the role that logged in
  bool is_superusers = false;  ///< it was a superuser then

  /// Whether client_min_messages lets such notices through.
  [[nodiscard]] bool isShown(Severity severity) const {
    const std::string& least = settings.text(SettingId::ClientMinMessages);
    switch (severity) {
      case Severity::Debug:
        return least.starts_with("debug");
      case Severity::Log:
        return least == "log" || least.starts_with("debug");
      case Severity::Notice:
        return least != "warning" && least != "error";
      case Severity::Warning:
        return least != "error";
      default:
        return true;
    }
  }
  /// SQLSTATE 00000 or another that is no error's; dropped when client_min_messages says so, but for what was asked for
  /// (Info).
  void notice(const SqlError& message, Severity severity = Severity::Notice) const {
    if (!isShown(severity)) return;
    if (!message.context().empty()) return writeErrorMessage(writer, severity, message, {});
    SqlError said = message;
    writeErrorMessage(writer, severity, said.context(services.routines().contextLines()), {});
  }
};

}  // namespace gnomon::server
