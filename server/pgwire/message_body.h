#pragma once

#include <cstdint>
#include <string_view>

#include "base/sql_error.h"
#include "server/pgwire/wire_number.h"

namespace gnomon::server {

/// Takes the fields of a message's body from its front. Failure: 08P01, as PostgreSQL words it.
class MessageBody {
 public:
  explicit MessageBody(std::string_view body) : rest_(body) {}

  template <std::integral T>
  T takeNumber() {
    return readBigEndian<T>(takeBytes(sizeof(T)).data());
  }
  std::string_view takeBytes(size_t bytes) {
    if (bytes > rest_.size()) [[unlikely]]
      raise("insufficient data left in message");
    const std::string_view result = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return result;
  }
  /// A string that ends with a NUL, which is taken too.
  std::string_view takeString() {
    // Names are left out more often than not.
    const size_t length = !rest_.empty() && rest_.front() == '\0' ? 0 : rest_.find('\0');
    if (length == std::string_view::npos) [[unlikely]]
      raise("invalid string in message");
    const std::string_view result = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return result;
  }
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  /// Nothing may be left.
  void finish() const {
    if (!rest_.empty()) [[unlikely]]
      raise("invalid message format");
  }

 private:
  [[noreturn, gnu::cold, gnu::noinline]] static void raise(const char* what) {
    throw SqlError(sqlstate::kProtocolViolation, what);
  }

  std::string_view rest_;
};

}  // namespace gnomon::server
