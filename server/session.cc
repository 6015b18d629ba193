#include "server/session.h"

#include <fmt/format.h>

#include <new>

#include "base/cancel_scope.h"
#include "base/logging.h"
#include "base/metrics.h"
#include "codegen/ir/trap.h"
#include "server/authentication.h"
#include "server/database_commands.h"
#include "server/deferred_constraints.h"
#include "server/pgwire/message_body.h"
#include "server/role_commands.h"
#include "sql/catalog/catalog_session.h"
#include "sql/types/text.h"

namespace gnomon::server {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kStartupPatience{60};
constexpr milliseconds kFarewellPatience{1000};
constexpr milliseconds kClosePatience{200};

bool isExtended(char type) {
  return type == 'P' || type == 'B' || type == 'D' || type == 'E' || type == 'C' || type == 'H';
}

}  // namespace

Session::Session(ServerContext& server, Interrupts& interrupts, int descriptor)
    : interrupts_(interrupts),
      socket_(descriptor, interrupts),
      reader_(socket_),
      writer_(socket_, server.courier),
      context_{.server = server,
               .interrupts = interrupts,
               .reader = reader_,
               .writer = writer_,
               .settings = server.settings.forSession(),
               .status = status_,
               .transaction = SessionTransaction(server, context_.settings, interrupts, status_),
               .uses = {},
               .services = SessionServices(context_),
               .statements = statements_,
               .portals = portals_,
               .notifications = notifications_,
               .text_received_us = 0},
      statements_(context_),
      notifications_(server.notifications, interrupts),
      views_(context_),
      domains_(context_),
      extended_(context_),
      function_calls_(context_),
      lifting_(context_) {
  context_.transaction.setParticipant(*this);
  socket_.setAttention(
      [this] {
        if (is_waiting_) deliverNotifications();
      },
      [this] { return notifications_.isListening(); });
}

Session::~Session() {
  context_.transaction.leave();
  extended_.endPortals();
  context_.transaction.dropTemporary();
  if (key_.id != 0) context_.server.sessions.remove(key_);
  setWaitSlot(nullptr);
}

void Session::run() noexcept {
  setWaitSlot(&status_.waitSlot());
  const sql::CatalogSession catalog_session{context_.transaction.catalog(), context_.settings, &views_, &domains_};
  const sql::CatalogSessionScope catalog_scope(&catalog_session);
  const CancelScope cancel_scope(interrupts_.cancelToken());
  try {
    if (start()) serve();
  } catch (const ConnectionLost&) {
    // Also a client that went without a word: what it had begun is undone by leaving.
  } catch (...) {
    try {
      reportException(true);
    } catch (...) {
      // Not even the memory for a message is left: the socket closes.
    }
  }
}

void Session::refuse(const SqlError& reason) noexcept {
  sendFatal(reason);
}

bool Session::start() {
  socket_.setDeadline(std::chrono::steady_clock::now() + kStartupPatience);
  const std::optional<StartupRequest> request = receiveStartup(reader_, writer_, context_.server.sessions);
  if (!request) return false;
  applyStartup(*request);
  socket_.setDeadline(std::nullopt);
  return true;
}

void Session::applyStartup(const StartupRequest& request) {
  status_.setClient(request.user, socket_.peer());
  key_ = context_.server.sessions.add(interrupts_, status_);
  context_.transaction.owner().setProcessId(key_.id);
  const sql::RolePtr role = authenticate(context_, request.user);
  enterDatabase(context_, request.database, *role);
  context_.transaction.identify(key_.id, context_.uses);
  context_.uses.setDeferred(context_.transaction.deferred(), context_.transaction.deferredTriggers());
  beginAs(context_, *role);
  for (const auto& [name, value] : request.settings) {
    // asyncpg quotes the encoding's name.
    std::string_view text = value;
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') text = text.substr(1, text.size() - 2);
    if (!setActor(context_, {.name = name, .value = std::string(text)}))
      context_.settings.set(name, text, SettingSource::StartupPacket);
  }
  reportSettings();
  writer_.begin('K');
  writer_.putNumber(key_.id);
  writer_.putNumber(key_.secret);
  writer_.end();
}

void Session::serve() {
  sendReady();
  while (true) {
    if (!reader_.hasNext()) writer_.flushHeld();
    const uint64_t received = reader_.receiveCount();
    const Message message = nextMessage();
    if (reader_.receiveCount() != received) status_.wakeUp();
    switch (handle(message)) {
      case Next::Continue:
        writer_.flushAhead();
        break;
      case Next::Ready:
        sendReady();
        break;
      case Next::End:
        return;
    }
  }
}

void Session::beforeCommit() {
  requireDeferred(context_, [](const auto&) { return true; });
  portals_.hold();
  notifications_.beforeCommit();
}

void Session::committed() {
  context_.services.largeObjects().closeAll();
  notifications_.committed(context_.transaction.processId());
}

void Session::rolledBack() noexcept {
  context_.services.largeObjects().closeAll();
  notifications_.rolledBack();
}

TransactionParticipant::Mark Session::mark() const {
  return {notifications_.mark(), context_.services.largeObjects().openedCount()};
}

void Session::undoTo(const Mark& mark) noexcept {
  context_.services.largeObjects().closeAfter(mark.descriptors);
  notifications_.undoTo(mark.notifications);
}

/// To a client outside of a transaction.
void Session::deliverNotifications() {
  if (!notifications_.hasPending() || context_.transaction.state() != SessionTransaction::State::Idle) return;
  notifications_.deliver(writer_);
  writer_.flush();
}

Message Session::nextMessage() {
  // Whoever was woken while he was sending has not looked yet.
  deliverNotifications();
  is_waiting_ = true;
  const int64_t patience_ms = context_.settings.integer(
      context_.transaction.isInBlock() ? SettingId::IdleInTransactionSessionTimeout : SettingId::IdleSessionTimeout);
  const Message message = patience_ms == 0 ? reader_.next() : nextMessageWithin(milliseconds(patience_ms));
  is_waiting_ = false;
  return message;
}

/// Failure: 25P03, 57P05 where the client says nothing for too long, in a block or not.
Message Session::nextMessageWithin(milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  socket_.setDeadline(deadline);
  try {
    const Message message = reader_.next();
    socket_.setDeadline(std::nullopt);
    return message;
  } catch (const ConnectionLost&) {
    socket_.setDeadline(std::nullopt);
    if (std::chrono::steady_clock::now() < deadline) throw;
    if (!context_.transaction.isInBlock())
      throw SqlError(sqlstate::kIdleSessionTimeout, "terminating connection due to idle-session timeout");
    throw SqlError(sqlstate::kIdleInTransactionTimeout, "terminating connection due to idle-in-transaction timeout");
  }
}

Session::Next Session::handle(const Message& message) {
  const char type = message.type;
  interrupts_.beginStatement();
  Next next = Next::Continue;
  const auto fail = [&] {
    context_.transaction.fail();
    if (isExtended(type)) is_skipping_ = true;
    if (type == 'Q' || type == 'F' || type == 'S') next = Next::Ready;
  };
  try {
    struct Timed {
      explicit Timed(Session& of) : session(of) { session.startTimer(); }
      ~Timed() { session.timer_.reset(); }
      Session& session;
    } const timed(*this);
    next = dispatch(message);
  } catch (const ConnectionLost&) {
    throw;
  } catch (...) {
    if (!reportException(false)) return Next::End;
    fail();
  }
  if (failure_) {
    if (!reportFailure(*std::exchange(failure_, std::nullopt), false)) return Next::End;
    fail();
  }
  interrupts_.endStatement();
  extended_.endPortals();
  // The client may wait for it without having sent Sync.
  if (is_skipping_) writer_.flush();
  return next;
}

/// From now on statement_timeout, as it is, runs.
void Session::startTimer() {
  timer_.emplace(context_.server.timers, interrupts_, context_.settings.integer(SettingId::StatementTimeout));
}

Session::Next Session::dispatch(const Message& message) {
  if (is_skipping_ && message.type != 'S' && message.type != 'X') return Next::Continue;
  switch (message.type) {
    case 'Q':
      simpleQuery(message.body);
      return Next::Ready;
    case 'P':
      context_.text_received_us = status_.steadyUs();
      extended_.parse(message.body);
      return Next::Continue;
    case 'B':
      if (context_.text_received_us == 0) context_.text_received_us = status_.steadyUs();
      extended_.bind(message.body);
      return Next::Continue;
    case 'D':
      extended_.describe(message.body);
      return Next::Continue;
    case 'E':
      failure_ = extended_.execute(message.body);
      if (failure_) return Next::Continue;
      context_.text_received_us = 0;
      return Next::Continue;
    case 'C':
      extended_.close(message.body);
      return Next::Continue;
    case 'H':
      writer_.flush();
      return Next::Continue;
    case 'S':
      sync();
      return Next::Ready;
    case 'F':
      context_.text_received_us = status_.steadyUs();
      function_calls_.call(message.body);
      context_.text_received_us = 0;
      return Next::Ready;
    case 'X':
      return Next::End;
    // What is left of a COPY that failed.
    case 'd':
    case 'c':
    case 'f':
      return Next::Continue;
    default:
      throw FatalProtocolError(fmt::format("unexpected message type {}", static_cast<int>(message.type)));
  }
}

bool Session::reportException(bool is_fatal) {
  try {
    throw;
  } catch (const ConnectionLost&) {
    return false;
  } catch (const LostSynchronization& error) {
    reportError(error);
    sendFatal(FatalProtocolError("terminating connection because protocol synchronization was lost"));
    return false;
  } catch (const FatalProtocolError& error) {
    sendFatal(error);
    return false;
  } catch (const SqlError& error) {
    return reportFailure(error, is_fatal);
  } catch (const codegen::DecimalOverflow&) {
    reportError(SqlError(sqlstate::kNumericValueOutOfRange, "value overflows numeric format"));
  } catch (const std::bad_alloc&) {
    reportError(SqlError(sqlstate::kOutOfMemory, "out of memory"));
  } catch (const std::exception& error) {
    logLine(LogLevel::Error, "unexpected failure: {}", error.what());
    reportError(SqlError(sqlstate::kInternalError, error.what()));
  }
  return !is_fatal;
}

bool Session::reportFailure(const SqlError& error, bool is_fatal) {
  if (is_fatal || interrupts_.isTerminating()) {
    sendFatal(interrupts_.isTerminating()
                  ? SqlError(sqlstate::kAdminShutdown, "terminating connection due to administrator command")
                  : error);
    return false;
  }
  if (error.state() == sqlstate::kDeadlockDetected)
    context_.transaction.database()->activity().add(sql::DatabaseActivity::Count::Deadlocks);
  if (error.state() == sqlstate::kQueryCanceled && interrupts_.isTimedOut())
    reportError(
        SqlError(sqlstate::kQueryCanceled, "canceling statement due to statement timeout").context(error.context()));
  else
    reportError(error);
  return true;
}

void Session::reportError(const SqlError& error) {
  Metrics::instance().add(CounterId::ErrorsSent);
  writeErrorMessage(writer_, Severity::Error, error, text_ ? std::string_view(*text_) : extended_.text());
}

void Session::sendFatal(const SqlError& error) noexcept {
  // At shutdown idle clients would only be waited for.
  sendFatal(error, kFarewellPatience, interrupts_.isTerminating() ? milliseconds{0} : kClosePatience);
}

void Session::sendFatal(const SqlError& error, milliseconds send_patience, milliseconds close_patience) noexcept {
  try {
    Metrics::instance().add(CounterId::ErrorsSent);
    writeErrorMessage(writer_, Severity::Fatal, error, {});
    writer_.flushLast(send_patience);
    socket_.finish(close_patience);
    logLine(LogLevel::Fatal, "{}", error.message());
  } catch (const std::exception&) {
    // Nothing is left to tell the client; the socket closes.
  }
}

void Session::simpleQuery(std::string_view body) {
  context_.text_received_us = status_.steadyUs();
  MessageBody fields(body);
  text_ = std::make_shared<const std::string>(fields.takeString());
  status_.beginQuery(text_);
  fields.finish();
  sql::checkUtf8(*text_);
  extended_.closeUnnamed();
  if (!lifting_.run(text_) && !runCached(text_)) runStatements(text_);
  context_.transaction.endImplicit();
  context_.text_received_us = 0;
  text_ = nullptr;
}

bool Session::runCached(const std::shared_ptr<const std::string>& text) {
  if (text->size() > PlanCache::kKeyBytesMax || context_.transaction.state() == SessionTransaction::State::Failed)
    return false;
  StatementSource source{.text = text, .parsed = {}, .parameter_types = {}, .is_whole_text = true};
  const auto found = Planner(context_).findCompiled(source, {}, {});
  if (!found) return false;
  context_.transaction.beginStatement();
  context_.transaction.setPlace(true, false);
  const PortalSource portal{std::make_shared<DescribedStatement>(std::move(source), found->bound), {}, {}};
  Portal(context_, portal, nullptr).execute(0, true);
  return true;
}

void Session::runStatements(const std::shared_ptr<const std::string>& text) {
  const std::vector<sql::ParsedStatement> statements = sql::parse(*text);
  if (statements.empty()) return writer_.putEmpty('I');
  for (size_t i = 0; i < statements.size(); ++i) {
    StatementSource source{
        .text = text, .parsed = statements[i], .parameter_types = {}, .is_whole_text = statements.size() == 1};
    // Each has the time for itself.
    if (i > 0) startTimer();
    if (!endsFailedBlock(statements[i])) context_.transaction.requireUsable();
    context_.transaction.beginStatement();
    context_.transaction.setPlace(i + 1 == statements.size(), statements.size() > 1);
    std::shared_ptr<sql::BoundStatement> bound = Planner(context_).bind(source);
    if (!bound->parameters.empty()) throw SqlError(sqlstate::kUndefinedParameter, "there is no parameter $1");
    ResultShape shape = resultShape(context_, *bound);
    const PortalSource portal{std::make_shared<DescribedStatement>(std::move(source), bound, std::move(shape)), {}, {}};
    Portal(context_, portal, std::move(bound)).execute(0, true);
    extended_.endPortals();
    interrupts_.poll();
  }
}

void Session::sync() {
  is_skipping_ = false;
  context_.transaction.endImplicit();
}

void Session::sendReady() {
  using State = SessionStatus::State;
  text_ = nullptr;
  reportSettings();
  const char status = context_.transaction.status();
  status_.readClock();
  if (status == 'I' && notifications_.hasPending()) notifications_.deliver(writer_);
  status_.becomeIdle(status == 'I' ? State::Idle : status == 'T' ? State::InBlock : State::InFailedBlock);
  writer_.begin('Z');
  writer_.putBare(status);
  writer_.end();
  reader_.hasNext() ? writer_.flushSoon() : writer_.flush();
}

void Session::reportSettings() {
  if (context_.settings.version() == reported_version_) return;
  reported_version_ = context_.settings.version();
  for (const SettingDescription& setting : settingDescriptions()) {
    if (!setting.is_reported) continue;
    const std::string& value = context_.settings.text(setting.id);
    std::string& reported = reported_.try_emplace(setting.id, "\n").first->second;
    if (reported == value) continue;
    reported = value;
    if (setting.id == SettingId::ApplicationName) status_.setApplication(value);
    writer_.begin('S');
    writer_.putString(setting.name);
    writer_.putString(value);
    writer_.end();
  }
}

}  // namespace gnomon::server
