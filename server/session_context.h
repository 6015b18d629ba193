#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/settings.h"
#include "server/interrupts.h"
#include "server/pgwire/error_message.h"
#include "server/pgwire/message_reader.h"
#include "server/pgwire/message_writer.h"
#include "server/server_context.h"
#include "server/session_locks.h"

namespace gnomon::server {

/// Microseconds of the steady clock, as Execution::firstMorselTimeUs() counts them.
inline int64_t steadyTimeUs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

/// What the parts of one session share. Threads: the session's.
struct SessionContext {
  ServerContext& server;
  Interrupts& interrupts;
  MessageReader& reader;
  MessageWriter& writer;
  Settings settings;
  std::string user;
  SessionLocks locks;
  int64_t text_received_us = 0;  ///< when the text of the statement at hand came
  /// As they were when the implicit transaction at hand began, once it has changed one.
  std::optional<Settings> settings_before;

  /// What the implicit transaction at hand changed of the settings stays, or is undone.
  void keepSettings() { settings_before.reset(); }
  void undoSettings() {
    if (settings_before) settings = *settings_before;
    settings_before.reset();
  }

  /// SQLSTATE 00000 or a warning's; dropped when client_min_messages says so.
  void notice(const SqlError& message) const {
    constexpr std::string_view kSilencing[] = {"warning", "error"};
    for (std::string_view level : kSilencing)
      if (settings.text(SettingId::ClientMinMessages) == level) return;
    writeErrorMessage(writer, Severity::Notice, message, {});
  }
};

}  // namespace gnomon::server
