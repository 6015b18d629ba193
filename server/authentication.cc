#include "server/authentication.h"

#include <fmt/format.h>

#include "server/pgwire/message_body.h"
#include "server/scram.h"
#include "sql/types/calendar.h"

namespace gnomon::server {
namespace {

constexpr std::string_view kMechanism = "SCRAM-SHA-256";
constexpr SqlState kInvalidPassword("28P01");
/// Kinds of authentication messages.
constexpr int32_t kOk = 0, kSasl = 10, kSaslContinue = 11, kSaslFinal = 12;

void send(MessageWriter& writer, int32_t kind, std::string_view body = {}) {
  writer.begin('R');
  writer.putNumber(kind);
  writer.putBytes(body);
  writer.end();
  if (kind != kOk) writer.flush();
}

/// What the client answers.
std::string_view receive(MessageReader& reader) {
  const Message message = reader.next();
  if (message.type != 'p')
    throw FatalProtocolError(
        fmt::format("expected SASL response, got message type {}", static_cast<int>(message.type)));
  return message.body;
}

/// Passwords end with their time.
bool isExpired(const sql::RoleEntry& role) {
  constexpr int64_t kEpochUs = sql::kUnixToPostgresDays * sql::kMicrosecondsPerDay;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return role.valid_until &&
         *role.valid_until < std::chrono::duration_cast<std::chrono::microseconds>(now).count() - kEpochUs;
}

void exchange(SessionContext& session, const sql::RoleEntry& role) {
  const std::optional<ScramVerifier> verifier = ScramVerifier::read(role.password);
  if (!verifier)
    throw SqlError(kInvalidPassword, fmt::format("password authentication failed for user \"{}\"", role.name));
  ScramExchange scram(*verifier, role.name);
  send(session.writer, kSasl, fmt::format("{}{}{}", kMechanism, '\0', '\0'));
  MessageBody first(receive(session.reader));
  if (first.takeString() != kMechanism)
    throw FatalProtocolError("client selected an invalid SASL authentication mechanism");
  const auto size = first.takeNumber<int32_t>();
  // -1: the client says nothing before it is asked.
  std::string answer;
  if (size < 0) {
    send(session.writer, kSaslContinue);
    answer = scram.answerFirst(receive(session.reader));
  } else {
    answer = scram.answerFirst(first.takeBytes(static_cast<size_t>(size)));
  }
  send(session.writer, kSaslContinue, answer);
  const std::string final_answer = scram.answerFinal(receive(session.reader));
  if (isExpired(role))
    throw SqlError(kInvalidPassword, fmt::format("password authentication failed for user \"{}\"", role.name));
  send(session.writer, kSaslFinal, final_answer);
}

/// Those of superusers are not counted.
void requireRoom(const SessionContext& session, const sql::RoleEntry& role) {
  if (role.connection_limit < 0 || role.is_superuser) return;
  int32_t count = 0;
  session.server.sessions.forEach([&](int32_t, const SessionStatus& status) {
    if (status.snapshot().user == role.name) ++count;
  });
  if (count > role.connection_limit)
    throw SqlError(sqlstate::kTooManyConnections, fmt::format("too many connections for role \"{}\"", role.name));
}

}  // namespace

sql::RolePtr authenticate(SessionContext& session, const std::string& name) {
  const sql::RolePtr role = session.server.catalog.findRole(name);
  if (role && !role->password.empty()) exchange(session, *role);
  send(session.writer, kOk);
  if (!role)
    throw SqlError(sqlstate::kInvalidAuthorizationSpecification, fmt::format("role \"{}\" does not exist", name));
  if (!role->may_log_in)
    throw SqlError(sqlstate::kInvalidAuthorizationSpecification,
                   fmt::format("role \"{}\" is not permitted to log in", name));
  requireRoom(session, *role);
  return role;
}

}  // namespace gnomon::server
