#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/pgwire/message_reader.h"
#include "server/pgwire/message_writer.h"
#include "server/session_registry.h"

namespace gnomon::server {

/// What a client says of itself before its session begins.
struct StartupRequest {
  std::string user;
  std::string database;
  std::vector<std::pair<std::string, std::string>> settings;  ///< in order, those of `options` where that stood
};

/// Takes the packets that come before a session: requests for encryption are declined, a cancel request is carried out
/// (and ends the connection: no value), a newer protocol or option is negotiated down.
/// Failure: as MessageReader; SqlError that ends the connection.
std::optional<StartupRequest> receiveStartup(MessageReader& reader, MessageWriter& writer, SessionRegistry& sessions);

/// The settings in the startup parameter `options`: "-c name=value --name=value", blanks escaped by backslashes.
/// Failure: 42601.
std::vector<std::pair<std::string, std::string>> parseOptions(std::string_view options);

}  // namespace gnomon::server
