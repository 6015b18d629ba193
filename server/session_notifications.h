#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/notification_hub.h"
#include "server/pgwire/message_writer.h"

namespace gnomon::server {

/// LISTEN, UNLISTEN and NOTIFY of a session: what its transaction has said and its commit does, and what comes for its
/// client.
///
/// Threads: the session's; notify() also those that work for it.
class SessionNotifications {
 public:
  SessionNotifications(NotificationHub& hub, Interrupts& interrupts) : hub_(hub), listener_(hub, interrupts) {}

  /// Before anything is said.
  void enter(uint32_t database) { listener_.enter(database); }
  void listen(std::string channel) { add({Kind::Listen, std::move(channel), {}}); }
  void unlisten(std::string channel) { add({Kind::Unlisten, std::move(channel), {}}); }
  void unlistenAll() { add({Kind::UnlistenAll, {}, {}}); }
  /// Once for equal ones. Failure: 22023.
  void notify(std::string_view channel, std::string_view payload);

  /// What was said since a mark is taken back.
  [[nodiscard]] size_t mark() const { return said_.size(); }
  void undoTo(size_t mark) noexcept;
  /// Takes the hub's commitMutex() where there is something to notify. Failure: 54000.
  void beforeCommit();
  /// `process`: as clients know the session.
  void committed(int32_t process);
  void rolledBack() noexcept;

  [[nodiscard]] bool isListening() const { return listener_.isListening(); }
  [[nodiscard]] std::vector<std::string> channels() const { return listener_.channels(); }
  [[nodiscard]] double queueUsage() const { return hub_.usage(); }
  [[nodiscard]] bool hasPending() const { return listener_.hasPending(); }
  /// Writes what has come.
  void deliver(MessageWriter& writer);

 private:
  enum class Kind : uint8_t { Listen, Unlisten, UnlistenAll, Notify };
  struct Said {
    Kind kind;
    std::string channel, payload;
    bool operator==(const Said&) const = default;
  };
  void add(Said said);

  NotificationHub& hub_;
  NotificationHub::Listener listener_;
  std::mutex mutex_;  ///< of said_, while a statement runs
  std::vector<Said> said_;
  std::unique_lock<std::mutex> committing_;
};

}  // namespace gnomon::server
