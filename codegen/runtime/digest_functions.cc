#include "codegen/runtime/digest_functions.h"

#include <openssl/evp.h>

#include "base/sql_error.h"
#include "sql/types/binary_encoding.h"

namespace gnomon::codegen::rt {
namespace {

/// A digest on the stack.
struct Digest {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  [[nodiscard]] std::string_view view() const { return {reinterpret_cast<const char*>(bytes), size}; }
};

Digest digestOf(uint64_t lo, uint64_t hi, const EVP_MD* algorithm) {
  const StringValue value(lo, hi);
  const std::string_view bytes = value.view();
  Digest digest;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.bytes, &digest.size, algorithm, nullptr) != 1)
    throw SqlError(sqlstate::kInternalError, "the cryptographic library does not compute this digest");
  return digest;
}

}  // namespace

StringValue md5Text(uint64_t lo, uint64_t hi, Arena* arena) {
  const Digest digest = digestOf(lo, hi, EVP_md5());
  char text[2 * EVP_MAX_MD_SIZE];
  const char* const end = sql::encodeBinary(sql::BinaryEncoding::Hex, digest.view(), text);
  return copied({text, static_cast<size_t>(end - text)}, arena);
}

StringValue sha224Bytes(uint64_t lo, uint64_t hi, Arena* arena) {
  return copied(digestOf(lo, hi, EVP_sha224()).view(), arena);
}

StringValue sha256Bytes(uint64_t lo, uint64_t hi, Arena* arena) {
  return copied(digestOf(lo, hi, EVP_sha256()).view(), arena);
}

StringValue sha384Bytes(uint64_t lo, uint64_t hi, Arena* arena) {
  return copied(digestOf(lo, hi, EVP_sha384()).view(), arena);
}

StringValue sha512Bytes(uint64_t lo, uint64_t hi, Arena* arena) {
  return copied(digestOf(lo, hi, EVP_sha512()).view(), arena);
}

}  // namespace gnomon::codegen::rt
