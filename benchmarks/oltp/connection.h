#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon::oltp {

/// The server has gone, or was never there.
struct ConnectionLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ResultDeleter {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ResultDeleter>;

/// A statement that each client prepares once. `types`: those of its parameters.
struct Statement {
  std::string name;
  std::string sql;
  std::vector<Oid> types;
};

/// A session by way of libpq. Whatever fails throws: ConnectionLost, or std::runtime_error with the server's message.
/// Threads: one.
class Connection {
 public:
  /// `settings`: SET name = value, in this order, with values as SQL wants them.
  explicit Connection(const std::string& conninfo,
                      const std::vector<std::pair<std::string, std::string>>& settings = {});
  Result execute(const std::string& sql);
  void prepare(const Statement& statement);
  PGconn* get() const { return connection_.get(); }
  [[noreturn]] void fail(std::string_view what, const PGresult* result = nullptr) const;

 private:
  struct Closer {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Closer> connection_;
};

/// COPY ... FROM STDIN in text format: fields of a row in order, then endRow(); finish() at the end. Texts have neither
/// tabs, newlines nor backslashes. Left without finish(), nothing is copied.
class CopyWriter {
 public:
  CopyWriter(Connection& connection, std::string_view target);
  CopyWriter& integer(int64_t value);
  CopyWriter& text(std::string_view value);
  /// `units` of 10^-`scale`: decimal(1234, 2) is 12.34. Neither is negative beyond `units`.
  CopyWriter& decimal(int64_t units, int scale);
  CopyWriter& null();
  void endRow();
  void finish();

 private:
  void separate();
  void send();

  Connection* connection_;
  std::string buffer_;
  bool within_row_ = false;
};

}  // namespace gnomon::oltp
