#pragma once

#include <cstddef>
#include <string_view>

#include "base/int128.h"

namespace gnomon::sql {

/// A uuid is held as an int128: its 16 bytes as a big-endian number with the top bit flipped, so that numbers are in
/// the order of the bytes.

inline constexpr size_t kUuidBytes = 16;
inline constexpr size_t kUuidTextBytes = 36;

/// 32 hexadecimal digits, a hyphen allowed behind each four of them, braces around all. Failure: 22P02.
int128 parseUuid(std::string_view text);
/// Writes the text at `out` (room for kUuidTextBytes bytes) and returns the end.
char* printUuid(int128 uuid, char* out);

/// The 16 bytes.
int128 uuidFromBytes(const char* bytes);
void uuidToBytes(int128 uuid, char* out);

/// A random one, of version 4. Source: RFC 4122. Threads: any.
int128 randomUuid();

}  // namespace gnomon::sql
