#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/described_statement.h"

namespace gnomon::server {

struct SessionContext;
class MessageBody;

/// The function call message: any function by its oid, as libpq's PQfn() and its functions on large objects send it. It
/// is executed as the SELECT of a call with the arguments as parameters.
///
/// Threads: the session's. Failure: SqlError: 08P01, 22P03, 25P02, 42501, 42883; 0A000 for what cannot be called so;
/// the function's.
class FunctionCalls {
 public:
  explicit FunctionCalls(SessionContext& session) : session_(session) {}

  /// Calls it and sends the response. An implicit transaction is committed.
  void call(std::string_view body);

 private:
  /// A function as it is called.
  struct Called {
    std::string text;  ///< of the SELECT
    std::string name;
    std::vector<sql::Type> parameters;
    bool is_system = false;
  };
  [[nodiscard]] Called find(uint32_t oid) const;
  [[nodiscard]] Called findOfUsers(uint32_t oid) const;
  static std::vector<sql::Value> takeArguments(MessageBody& body, const Called& called);
  DescribedStatement& prepare(uint32_t oid, int16_t format, const Called& called);
  void run(uint32_t oid, int16_t format, const Called& called, const std::vector<sql::Value>& arguments);

  SessionContext& session_;
  /// By oid and format of the result.
  std::map<std::pair<uint32_t, int16_t>, std::unique_ptr<DescribedStatement>> prepared_;
};

}  // namespace gnomon::server
