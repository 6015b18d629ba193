#include "server/scram.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <unicode/usprep.h>
#include <unicode/ustring.h>

#include <array>
#include <charconv>
#include <vector>

#include "base/random_bytes.h"
#include "base/sql_error.h"

namespace gnomon::server {
namespace {

constexpr SqlState kInvalidPassword("28P01");
constexpr std::string_view kScheme = "SCRAM-SHA-256";
constexpr size_t kKeyBytes = 32;
constexpr size_t kSaltBytes = 16;
constexpr size_t kNonceBytes = 18;
constexpr int kIterations = 4096;

[[noreturn]] void raiseMalformed(std::string detail) {
  throw SqlError(sqlstate::kProtocolViolation, "malformed SCRAM message").detail(std::move(detail));
}

const unsigned char* bytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytesOf(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

/// With what the library says of its failure.
void require(bool is_done, std::string_view task) {
  if (is_done) return;
  std::array<char, 256> reason{};
  ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
  throw SqlError(sqlstate::kInternalError, fmt::format("could not {}: {}", task, reason.data()));
}

std::string randomBytes(size_t count) {
  std::string bytes(count, '\0');
  fillRandom(bytes.data(), count);
  return bytes;
}

std::string encode(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  text.resize(static_cast<size_t>(EVP_EncodeBlock(bytesOf(text), bytesOf(bytes), static_cast<int>(bytes.size()))));
  return text;
}

/// Nothing: it is not base64.
std::optional<std::string> decode(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(bytesOf(bytes), bytesOf(text), static_cast<int>(text.size())) < 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string keyedHash(std::string_view key, std::string_view text) {
  std::string hash(kKeyBytes, '\0');
  unsigned int size = 0;
  require(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytesOf(text), text.size(), bytesOf(hash),
               &size) != nullptr,
          "compute a keyed hash");
  return hash;
}

std::string hashOf(std::string_view text) {
  std::string hash(kKeyBytes, '\0');
  unsigned int size = 0;
  require(EVP_Digest(text.data(), text.size(), bytesOf(hash), &size, EVP_sha256(), nullptr) == 1, "compute a hash");
  return hash;
}

/// SASLprep (RFC 4013). A password that it does not allow is taken as it is, as PostgreSQL does.
std::string prepared(std::string_view password) {
  UErrorCode status = U_ZERO_ERROR;
  UStringPrepProfile* const profile = usprep_openByType(USPREP_RFC4013_SASLPREP, &status);
  if (U_FAILURE(status)) return std::string(password);
  const auto capacity = static_cast<int32_t>(password.size() * 4 + 16);
  std::vector<UChar> wide(static_cast<size_t>(capacity)), mapped(static_cast<size_t>(capacity));
  int32_t wide_size = 0, mapped_size = 0, size = 0;
  std::string result(static_cast<size_t>(capacity) * 3, '\0');
  u_strFromUTF8(wide.data(), capacity, &wide_size, password.data(), static_cast<int32_t>(password.size()), &status);
  if (U_SUCCESS(status))
    mapped_size =
        usprep_prepare(profile, wide.data(), wide_size, mapped.data(), capacity, USPREP_DEFAULT, nullptr, &status);
  if (U_SUCCESS(status))
    u_strToUTF8(result.data(), static_cast<int32_t>(result.size()), &size, mapped.data(), mapped_size, &status);
  usprep_close(profile);
  if (U_FAILURE(status) || size == 0) return std::string(password);
  result.resize(static_cast<size_t>(size));
  return result;
}

/// The value of the attribute that the rest of a message begins with, which is taken with the comma behind it.
std::string_view takeAttribute(std::string_view& rest, char name) {
  if (rest.size() < 2 || rest[0] != name || rest[1] != '=')
    raiseMalformed(fmt::format("Expected attribute \"{}\" but found \"{}\".", name,
                               rest.empty() ? std::string_view() : rest.substr(0, 1)));
  const size_t end = std::min(rest.find(','), rest.size());
  const std::string_view value = rest.substr(2, end - 2);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return value;
}

}  // namespace

std::optional<ScramVerifier> ScramVerifier::read(std::string_view text) {
  const auto take = [&text](char end) {
    const size_t found = text.find(end);
    const std::string_view part = text.substr(0, found);
    text.remove_prefix(found == std::string_view::npos ? text.size() : found + 1);
    return part;
  };
  if (take('$') != kScheme) return std::nullopt;
  ScramVerifier result;
  const std::string_view iterations = take(':');
  const auto [end, error] =
      std::from_chars(iterations.data(), iterations.data() + iterations.size(), result.iterations);
  const auto salt = decode(take('$')), stored_key = decode(take(':')), server_key = decode(text);
  const bool is_whole = error == std::errc() && end == iterations.data() + iterations.size() && result.iterations > 0 &&
                        salt && stored_key && stored_key->size() == kKeyBytes && server_key &&
                        server_key->size() == kKeyBytes;
  if (!is_whole) return std::nullopt;
  result.salt = *salt;
  result.stored_key = *stored_key;
  result.server_key = *server_key;
  return result;
}

ScramVerifier ScramVerifier::make(std::string_view password) {
  ScramVerifier result{.iterations = kIterations, .salt = randomBytes(kSaltBytes), .stored_key = {}, .server_key = {}};
  const std::string text = prepared(password);
  std::string salted(kKeyBytes, '\0');
  require(PKCS5_PBKDF2_HMAC(text.data(), static_cast<int>(text.size()), bytesOf(std::string_view(result.salt)),
                            static_cast<int>(result.salt.size()), result.iterations, EVP_sha256(), kKeyBytes,
                            bytesOf(salted)) == 1,
          "derive a key");
  result.stored_key = hashOf(keyedHash(salted, "Client Key"));
  result.server_key = keyedHash(salted, "Server Key");
  return result;
}

std::string ScramVerifier::text() const {
  return fmt::format("{}${}:{}${}:{}", kScheme, iterations, encode(salt), encode(stored_key), encode(server_key));
}

std::string ScramExchange::answerFirst(std::string_view message) {
  // n: the client knows no channel binding; y: it does, and believes that the server does not.
  if (message.starts_with("p="))
    raiseMalformed(
        "The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message includes channel "
        "binding data.");
  if (!message.starts_with("n,") && !message.starts_with("y,")) raiseMalformed("Unexpected channel-binding flag.");
  if (message.size() < 3 || message[2] != ',')
    throw SqlError(sqlstate::kFeatureNotSupported, "client uses authorization identity, but it is not supported");
  header_ = message.substr(0, 3);
  std::string_view rest = message.substr(3);
  client_first_ = rest;
  if (rest.starts_with("m="))
    throw SqlError(sqlstate::kFeatureNotSupported, "client requires an unsupported SCRAM extension");
  // The name is that of the startup packet.
  takeAttribute(rest, 'n');
  const std::string_view client_nonce = takeAttribute(rest, 'r');
  nonce_ = std::string(client_nonce) + encode(randomBytes(kNonceBytes));
  server_first_ = fmt::format("r={},s={},i={}", nonce_, encode(verifier_.salt), verifier_.iterations);
  return server_first_;
}

std::string ScramExchange::answerFinal(std::string_view message) {
  const size_t proof_at = message.rfind(",p=");
  if (proof_at == std::string_view::npos) raiseMalformed("Expected attribute \"p\" but found none.");
  const std::string_view without_proof = message.substr(0, proof_at);
  std::string_view rest = without_proof;
  if (takeAttribute(rest, 'c') != encode(header_))
    throw SqlError(sqlstate::kProtocolViolation, "unexpected SCRAM channel-binding attribute in client-final-message");
  if (takeAttribute(rest, 'r') != nonce_)
    throw SqlError(sqlstate::kProtocolViolation, "invalid SCRAM response").detail("Nonce does not match.");
  const auto proof = decode(message.substr(proof_at + 3));
  if (!proof || proof->size() != kKeyBytes) raiseMalformed("Malformed proof in client-final-message.");
  const std::string whole = fmt::format("{},{},{}", client_first_, server_first_, without_proof);
  std::string client_key = keyedHash(verifier_.stored_key, whole);
  for (size_t i = 0; i < kKeyBytes; ++i) client_key[i] = static_cast<char>(client_key[i] ^ (*proof)[i]);
  if (CRYPTO_memcmp(hashOf(client_key).data(), verifier_.stored_key.data(), kKeyBytes) != 0)
    throw SqlError(kInvalidPassword, fmt::format("password authentication failed for user \"{}\"", user_));
  return "v=" + encode(keyedHash(verifier_.server_key, whole));
}

}  // namespace gnomon::server
