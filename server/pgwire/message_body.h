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
    if (bytes > rest_.size()) throw SqlError(sqlstate::kProtocolViolation, "insufficient data left in message");
    const std::string_view result = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return result;
  }
  /// A string that ends with a NUL, which is taken too.
  std::string_view takeString() {
    const size_t length = rest_.find('\0');
    if (length == std::string_view::npos) throw SqlError(sqlstate::kProtocolViolation, "invalid string in message");
    const std::string_view result = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return result;
  }
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  /// Nothing may be left.
  void finish() const {
    if (!rest_.empty()) throw SqlError(sqlstate::kProtocolViolation, "invalid message format");
  }

 private:
  std::string_view rest_;
};

}  // namespace gnomon::server
