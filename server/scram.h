#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gnomon::server {

/// What is stored of a password, and proofs of knowing it: SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding.
///
/// Stored as PostgreSQL does: `SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey`, the last three in base64.
struct ScramVerifier {
  int iterations = 0;
  std::string salt;
  std::string stored_key, server_key;

  /// Of the text that is stored; nothing: it is none.
  static std::optional<ScramVerifier> read(std::string_view text);
  /// Of a password, with a salt of its own.
  static ScramVerifier make(std::string_view password);
  [[nodiscard]] std::string text() const;
};

/// The server's side of one authentication: the client's messages in, the server's out.
/// Failure: 08P01 for messages that are none; 28P01 of the final one for a wrong proof.
class ScramExchange {
 public:
  ScramExchange(const ScramVerifier& verifier, std::string user) : verifier_(verifier), user_(std::move(user)) {}

  std::string answerFirst(std::string_view message);
  std::string answerFinal(std::string_view message);

 private:
  const ScramVerifier& verifier_;
  const std::string user_;
  std::string header_;        ///< what the client says of channel binding
  std::string client_first_;  ///< without it
  std::string server_first_;
  std::string nonce_;
};

}  // namespace gnomon::server
