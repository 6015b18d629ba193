#include "sql/functions/extension_functions.h"

#include "sql/functions/cryptographic_functions.h"
#include "sql/functions/uuid_functions.h"

namespace gnomon::sql {
namespace {

std::vector<ExtensionFunction> makeFunctions() {
  using enum TypeKind;
  constexpr std::string_view kUuid = "uuid-ossp", kCrypto = "pgcrypto";
  std::vector<ExtensionFunction> functions{
      {kUuid, "uuid_nil", {}, Uuid, nilUuid, "$uuid_nil"},
      {kUuid, "uuid_ns_dns", {}, Uuid, dnsNamespace, "$uuid_ns_dns"},
      {kUuid, "uuid_ns_url", {}, Uuid, urlNamespace, "$uuid_ns_url"},
      {kUuid, "uuid_ns_oid", {}, Uuid, oidNamespace, "$uuid_ns_oid"},
      {kUuid, "uuid_ns_x500", {}, Uuid, x500Namespace, "$uuid_ns_x500"},
      {kUuid, "uuid_generate_v1", {}, Uuid, timeUuid},
      {kUuid, "uuid_generate_v1mc", {}, Uuid, multicastTimeUuid},
      {kUuid, "uuid_generate_v3", {Uuid, Text}, Uuid, md5Uuid, "$uuid_generate_v3"},
      {kUuid, "uuid_generate_v4", {}, Uuid, randomUuidValue},
      {kUuid, "uuid_generate_v5", {Uuid, Text}, Uuid, sha1Uuid, "$uuid_generate_v5"},
      {kCrypto, "digest", {Text, Text}, Bytea, digest, "$digest_text"},
      {kCrypto, "digest", {Bytea, Text}, Bytea, digest, "$digest_bytea"},
      {kCrypto, "hmac", {Text, Text, Text}, Bytea, keyedDigest, "$hmac_text"},
      {kCrypto, "hmac", {Bytea, Bytea, Text}, Bytea, keyedDigest, "$hmac_bytea"},
      {kCrypto, "gen_random_bytes", {Integer}, Bytea, randomByteString},
      // Without a schema it is the system's own.
      {kCrypto, "gen_random_uuid", {}, Uuid, randomUuidValue},
  };
  for (const std::string_view name :
       {"crypt", "gen_salt", "encrypt", "decrypt", "encrypt_iv", "decrypt_iv", "pgp_sym_encrypt",
        "pgp_sym_encrypt_bytea", "pgp_sym_decrypt", "pgp_sym_decrypt_bytea", "pgp_pub_encrypt", "pgp_pub_encrypt_bytea",
        "pgp_pub_decrypt", "pgp_pub_decrypt_bytea", "pgp_key_id", "armor", "dearmor", "pgp_armor_headers"})
    functions.push_back({.extension = kCrypto, .name = name});
  return functions;
}

}  // namespace

std::span<const ExtensionFunction> extensionFunctions() {
  static const std::vector<ExtensionFunction> functions = makeFunctions();
  return functions;
}

void addExtensionFunctions(std::vector<ValueFunction>& functions) {
  for (const ExtensionFunction& each : extensionFunctions())
    if (!each.registered.empty()) functions.push_back({each.registered, each.arguments, each.result, each.answer});
}

}  // namespace gnomon::sql
