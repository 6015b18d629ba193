#include "server/session_startup.h"

#include <fmt/format.h>

#include "base/settings.h"
#include "server/pgwire/message_body.h"

namespace gnomon::server {
namespace {

constexpr uint32_t kCancelRequestCode = 80877102;
constexpr uint32_t kSslRequestCode = 80877103;
constexpr uint32_t kGssRequestCode = 80877104;
constexpr uint16_t kProtocolMajor = 3;

/// Words separated by blanks; a backslash takes the next character as it is.
std::vector<std::string> splitWords(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    words.back() += text[i];
  }
  return words;
}

/// The protocol's way of saying that we speak 3.0 and know none of its optional extensions.
void negotiateDown(MessageWriter& writer, const std::vector<std::string>& unknown_options) {
  writer.begin('v');
  writer.putNumber(uint32_t{kProtocolMajor} << 16);
  writer.putNumber(static_cast<uint32_t>(unknown_options.size()));
  for (const std::string& option : unknown_options) writer.putString(option);
  writer.end();
}

StartupRequest parseStartup(MessageBody body, MessageWriter& writer, bool is_newer_minor) {
  StartupRequest request;
  std::vector<std::string> unknown_options;
  while (true) {
    const std::string name(body.takeString());
    if (name.empty()) break;
    const std::string value(body.takeString());
    if (name == "user") {
      request.user = value;
    } else if (name == "database") {
      request.database = value;
    } else if (name == "options") {
      for (auto& setting : parseOptions(value)) request.settings.push_back(std::move(setting));
    } else if (name == "replication") {
      bool is_wanted = false;
      if (!parseBoolean(value, is_wanted) || is_wanted) throwNotSupported("replication");
    } else if (name.starts_with("_pq_.")) {
      unknown_options.push_back(name);
    } else {
      request.settings.emplace_back(name, value);
    }
  }
  body.finish();
  if (is_newer_minor || !unknown_options.empty()) negotiateDown(writer, unknown_options);
  if (request.user.empty())
    throw SqlError(sqlstate::kInvalidAuthorizationSpecification, "no PostgreSQL user name specified in startup packet");
  if (request.database.empty()) request.database = request.user;
  return request;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parseOptions(std::string_view options) {
  std::vector<std::pair<std::string, std::string>> settings;
  const std::vector<std::string> words = splitWords(options);
  for (size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "-c" && i + 1 < words.size()) {
      word = words[++i];
    } else if (word.starts_with("--") || word.starts_with("-c")) {
      word.remove_prefix(2);
    } else {
      throw SqlError(sqlstate::kSyntaxError, fmt::format("invalid command-line argument for server process: {}", word));
    }
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos)
      throw SqlError(sqlstate::kSyntaxError, fmt::format("-c {} requires a value", word));
    std::string name(word.substr(0, equals));
    for (char& c : name)
      if (c == '-') c = '_';
    settings.emplace_back(std::move(name), std::string(word.substr(equals + 1)));
  }
  return settings;
}

std::optional<StartupRequest> receiveStartup(MessageReader& reader, MessageWriter& writer, SessionRegistry& sessions) {
  while (true) {
    MessageBody body(reader.nextStartupPacket());
    const auto code = body.takeNumber<uint32_t>();
    if (code == kCancelRequestCode) {
      SessionKey key;
      key.id = body.takeNumber<int32_t>();
      key.secret = body.takeNumber<int32_t>();
      sessions.cancel(key);
      return std::nullopt;
    }
    if (code == kSslRequestCode || code == kGssRequestCode) {
      writer.putBare('N');
      writer.flush();
      continue;
    }
    const uint32_t major = code >> 16;
    const uint32_t minor = code & 0xffff;
    if (major != kProtocolMajor)
      throw SqlError(sqlstate::kFeatureNotSupported,
                     fmt::format("unsupported frontend protocol {}.{}: server supports 3.0 to 3.0", major, minor));
    return parseStartup(body, writer, minor > 0);
  }
}

}  // namespace gnomon::server
