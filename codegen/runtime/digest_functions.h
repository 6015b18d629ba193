#pragma once

#include <cstdint>

#include "codegen/runtime/register_value.h"

/// Digests of text and bytea, computed by OpenSSL. Failure: XX000 when it refuses the algorithm (MD5 in FIPS mode).
namespace gnomon::codegen::rt {

/// 32 hexadecimal digits.
StringValue md5Text(uint64_t lo, uint64_t hi, Arena* arena);
StringValue sha224Bytes(uint64_t lo, uint64_t hi, Arena* arena);
StringValue sha256Bytes(uint64_t lo, uint64_t hi, Arena* arena);
StringValue sha384Bytes(uint64_t lo, uint64_t hi, Arena* arena);
StringValue sha512Bytes(uint64_t lo, uint64_t hi, Arena* arena);

}  // namespace gnomon::codegen::rt
