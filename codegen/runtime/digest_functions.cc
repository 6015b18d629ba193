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

/// Looked up once, before there are threads: the library is set up by its first use, and looks up what is not given to
/// it so with each call.
class Algorithm {
 public:
  explicit Algorithm(const char* name) noexcept : fetched_(EVP_MD_fetch(nullptr, name, nullptr)) {}
  [[nodiscard]] const EVP_MD* get() const { return fetched_; }

 private:
  const EVP_MD* const fetched_;  ///< null: the library does not have it
};
const Algorithm kMd5("MD5");
const Algorithm kSha224("SHA2-224");
const Algorithm kSha256("SHA2-256");
const Algorithm kSha384("SHA2-384");
const Algorithm kSha512("SHA2-512");

Digest digestOf(uint64_t lo, uint64_t hi, const Algorithm& algorithm) {
  const StringValue value(lo, hi);
  const std::string_view bytes = value.view();
  Digest digest;
  if (!algorithm.get() ||
      EVP_Digest(bytes.data(), bytes.size(), digest.bytes, &digest.size, algorithm.get(), nullptr) != 1)
    throw SqlError(sqlstate::kInternalError, "the cryptographic library does not compute this digest");
  return digest;
}

}  // namespace

StringValue md5Text(uint64_t lo, uint64_t hi, Arena* arena) {
  const Digest digest = digestOf(lo, hi, kMd5);
  char text[2 * EVP_MAX_MD_SIZE];
  const char* const end = sql::encodeBinary(sql::BinaryEncoding::Hex, digest.view(), text);
  return copied({text, static_cast<size_t>(end - text)}, arena);
}

StringValue sha224Bytes(uint64_t lo, uint64_t hi, Arena* arena) {
  return copied(digestOf(lo, hi, kSha224).view(), arena);
}

StringValue sha256Bytes(uint64_t lo, uint64_t hi, Arena* arena) {
  return copied(digestOf(lo, hi, kSha256).view(), arena);
}

StringValue sha384Bytes(uint64_t lo, uint64_t hi, Arena* arena) {
  return copied(digestOf(lo, hi, kSha384).view(), arena);
}

StringValue sha512Bytes(uint64_t lo, uint64_t hi, Arena* arena) {
  return copied(digestOf(lo, hi, kSha512).view(), arena);
}

}  // namespace gnomon::codegen::rt
