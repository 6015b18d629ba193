#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "server/extended_query.h"
#include "server/function_call.h"
#include "server/literal_lifting.h"
#include "server/session_context.h"
#include "server/session_domains.h"
#include "server/session_notifications.h"
#include "server/session_startup.h"
#include "server/session_views.h"
#include "server/statement_timers.h"

namespace gnomon::server {

/// One client from its first packet to its last: reads messages, has them carried out, answers.
///
/// Rules:  S1  what is wrong with a statement is an error to the client and the session goes on; what is wrong with the
///             message stream, or an interrupt that ends the session, is FATAL and ends it
///         S2  after an error in an extended batch everything up to Sync is skipped
///         S3  output is sent when the client would otherwise wait
/// Threads: its own.
class Session final : private TransactionParticipant {
 public:
  /// Owns the connected socket `descriptor`; `interrupts` outlives this object.
  Session(ServerContext& server, Interrupts& interrupts, int descriptor);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Returns when the session is over, however it ended. Throws nothing.
  void run() noexcept;
  /// Tells the client why there is no session for it, without waiting. Throws nothing.
  void refuse(const SqlError& reason) noexcept;

 private:
  enum class Next : uint8_t { Continue, Ready, End };

  // TransactionParticipant
  void beforeCommit() override;
  [[nodiscard]] bool hasToAnnounce() const override { return notifications_.mark() != 0; }
  [[nodiscard]] bool mayAcknowledgeLater() const override { return reader_.hasNextBehindSync(); }
  void requireStable(const wal::CommitTicket& ticket) override { writer_.require(ticket); }
  void committed() override;
  void rolledBack() noexcept override;
  [[nodiscard]] Mark mark() const override;
  void undoTo(const Mark& mark) noexcept override;

  void deliverNotifications();

  /// False: there is no session (a cancel request).
  bool start();
  void applyStartup(const StartupRequest& request);
  void serve();
  Message nextMessage();
  Message nextMessageWithin(std::chrono::milliseconds patience);
  Next handle(const Message& message);
  Next dispatch(const Message& message);
  void startTimer();
  /// Passes the exception at hand to the client. False: the session is over.
  bool reportException(bool is_fatal);
  /// The same of an error.
  bool reportFailure(const SqlError& error, bool is_fatal);
  void reportError(const SqlError& error);
  void sendFatal(const SqlError& error) noexcept;
  void sendFatal(const SqlError& error, std::chrono::milliseconds send_patience,
                 std::chrono::milliseconds close_patience) noexcept;

  void simpleQuery(std::string_view body);
  void runStatements(const std::shared_ptr<const std::string>& text);
  bool runCached(const std::shared_ptr<const std::string>& text);
  void sync();
  void sendReady();
  void reportSettings();

  Interrupts& interrupts_;
  ClientSocket socket_;
  MessageReader reader_;
  MessageWriter writer_;
  SessionStatus status_;
  SessionContext context_;
  PreparedStatements statements_;
  Portals portals_;
  SessionNotifications notifications_;
  SessionViews views_;
  SessionDomains domains_;
  ExtendedQuery extended_;
  FunctionCalls function_calls_;
  LiteralLifting lifting_;
  SessionKey key_;
  std::shared_ptr<const std::string> text_;  ///< of the simple query at hand
  std::map<SettingId, std::string> reported_;
  uint64_t reported_version_ = 0;                  ///< of the settings
  std::optional<SqlError> failure_;                ///< of the message at hand, where it was not thrown
  bool is_skipping_ = false;                       ///< S2
  bool is_waiting_ = false;                        ///< for a message
  std::optional<StatementTimers::Running> timer_;  ///< of the statement at hand
};

}  // namespace gnomon::server
