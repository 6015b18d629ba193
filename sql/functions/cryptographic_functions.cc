#include "sql/functions/cryptographic_functions.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <string>

#include "base/random_bytes.h"
#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

using Arguments = std::span<const Value>;
using Digest = std::array<unsigned char, EVP_MAX_MD_SIZE>;

constexpr SqlState kExternalRoutine("39000");

/// Failure: 22023, 39000.
const EVP_MD* algorithm(const std::string& given) {
  std::string name = given;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view kNames[] = {"md5", "sha1", "sha224", "sha256", "sha384", "sha512"};
  const EVP_MD* const found =
      std::ranges::find(kNames, name) == std::end(kNames) ? nullptr : EVP_get_digestbyname(name.c_str());
  if (found != nullptr) return found;
  if (EVP_get_digestbyname(name.c_str()) != nullptr)
    throwNotSupported(fmt::format("algorithm \"{}\" of extension pgcrypto", name));
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("Cannot use \"{}\": No such hash algorithm", name));
}

Value bytesOf(Type result, const Digest& digest, unsigned size) {
  return Value::fromString(result, std::string(digest.begin(), digest.begin() + size));
}

}  // namespace

Value digest(Arguments arguments, Type result) {
  const EVP_MD* const hash = algorithm(arguments[1].bytes);
  const std::string& data = arguments[0].bytes;
  Digest bytes{};
  unsigned size = 0;
  if (EVP_Digest(data.data(), data.size(), bytes.data(), &size, hash, nullptr) != 1)
    throw SqlError(kExternalRoutine, "could not compute a hash");
  return bytesOf(result, bytes, size);
}

Value keyedDigest(Arguments arguments, Type result) {
  const EVP_MD* const hash = algorithm(arguments[2].bytes);
  const std::string &data = arguments[0].bytes, &key = arguments[1].bytes;
  if (key.size() > INT_MAX) throw SqlError(sqlstate::kProgramLimitExceeded, "the key is too long");
  Digest bytes{};
  unsigned size = 0;
  if (HMAC(hash, key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(data.data()),
           data.size(), bytes.data(), &size) == nullptr)
    throw SqlError(kExternalRoutine, "could not compute a hash");
  return bytesOf(result, bytes, size);
}

Value randomByteString(Arguments arguments, Type result) {
  constexpr int64_t kBytesMax = 1024;
  const int64_t count = arguments[0].asInt();
  if (count < 1 || count > kBytesMax) throw SqlError(kExternalRoutine, "Length not in range");
  std::string bytes(static_cast<size_t>(count), '\0');
  constexpr size_t kAtOnce = 256;
  for (size_t at = 0; at < bytes.size(); at += kAtOnce)
    fillRandom(bytes.data() + at, std::min(kAtOnce, bytes.size() - at));
  return Value::fromString(result, bytes);
}

}  // namespace gnomon::sql
