#include "sql/types/bytea.h"

#include <fmt/format.h>

#include "base/sql_error.h"
#include "sql/types/binary_encoding.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kHexPrefix = "\\x";

constexpr bool isPrintable(char c) {
  return c >= ' ' && c <= '~';
}

size_t escapedBytes(std::string_view bytes) {
  constexpr size_t kOctalBytes = 4;
  size_t count = 0;
  for (const char c : bytes) count += c == '\\' ? 2 : (isPrintable(c) ? 1 : kOctalBytes);
  return count;
}

}  // namespace

size_t byteaBytesMax(std::string_view text) {
  return text.starts_with(kHexPrefix) ? decodedBytesMax(BinaryEncoding::Hex, text.size() - kHexPrefix.size())
                                      : text.size();
}

char* parseBytea(std::string_view text, char* out) {
  if (text.starts_with(kHexPrefix)) return decodeBinary(BinaryEncoding::Hex, text.substr(kHexPrefix.size()), out);
  return decodeBinary(BinaryEncoding::Escape, text, out);
}

size_t byteaTextBytes(std::string_view bytes, ByteaOutput output) {
  const size_t count = output == ByteaOutput::Hex ? kHexPrefix.size() + 2 * bytes.size() : escapedBytes(bytes);
  if (count > kStringBytesMax)
    throw SqlError(sqlstate::kProgramLimitExceeded,
                   fmt::format("text of {} bytes for a bytea of {} bytes is too large", count, bytes.size()));
  return count;
}

char* printBytea(std::string_view bytes, ByteaOutput output, char* out) {
  if (output == ByteaOutput::Hex) {
    for (const char c : kHexPrefix) *out++ = c;
    return encodeBinary(BinaryEncoding::Hex, bytes, out);
  }
  for (const char c : bytes) {
    if (c == '\\') {
      *out++ = '\\';
      *out++ = '\\';
    } else if (isPrintable(c)) {
      *out++ = c;
    } else {
      out = writeOctalEscape(c, out);
    }
  }
  return out;
}

}  // namespace gnomon::sql
