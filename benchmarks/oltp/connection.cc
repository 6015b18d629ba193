#include "benchmarks/oltp/connection.h"

#include <fmt/format.h>

namespace gnomon::oltp {

namespace {
constexpr size_t kCopyBytes = 64 << 10;
}

Connection::Connection(const std::string& conninfo, const std::vector<std::pair<std::string, std::string>>& settings)
    : connection_(PQconnectdb(conninfo.c_str())) {
  if (PQstatus(get()) != CONNECTION_OK) throw ConnectionLost(PQerrorMessage(get()));
  for (const auto& [name, value] : settings) execute(fmt::format("set {} = {}", name, value));
}

void Connection::fail(std::string_view what, const PGresult* result) const {
  const std::string message = result != nullptr ? PQresultErrorMessage(result) : PQerrorMessage(get());
  if (PQstatus(get()) == CONNECTION_BAD) throw ConnectionLost(message);
  throw std::runtime_error(fmt::format("{}: {}", what, message));
}

Result Connection::execute(const std::string& sql) {
  Result result(PQexec(get(), sql.c_str()));
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN) fail(sql, result.get());
  return result;
}

void Connection::prepare(const Statement& statement) {
  const Result result(PQprepare(get(), statement.name.c_str(), statement.sql.c_str(),
                                static_cast<int>(statement.types.size()), statement.types.data()));
  if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) fail(statement.sql, result.get());
}

CopyWriter::CopyWriter(Connection& connection, std::string_view target) : connection_(&connection) {
  connection.execute(fmt::format("copy {} from stdin", target));
  buffer_.reserve(kCopyBytes + 4096);
}

void CopyWriter::separate() {
  if (within_row_) buffer_.push_back('\t');
  within_row_ = true;
}

CopyWriter& CopyWriter::integer(int64_t value) {
  separate();
  fmt::format_to(std::back_inserter(buffer_), "{}", value);
  return *this;
}

CopyWriter& CopyWriter::text(std::string_view value) {
  separate();
  buffer_.append(value);
  return *this;
}

CopyWriter& CopyWriter::decimal(int64_t units, int scale) {
  separate();
  int64_t unit = 1;
  for (int digit = 0; digit < scale; ++digit) unit *= 10;
  if (units < 0) buffer_.push_back('-');
  const int64_t magnitude = units < 0 ? -units : units;
  fmt::format_to(std::back_inserter(buffer_), "{}.{:0{}}", magnitude / unit, magnitude % unit, scale);
  return *this;
}

CopyWriter& CopyWriter::null() {
  separate();
  buffer_.append("\\N");
  return *this;
}

void CopyWriter::endRow() {
  buffer_.push_back('\n');
  within_row_ = false;
  if (buffer_.size() >= kCopyBytes) send();
}

void CopyWriter::send() {
  if (PQputCopyData(connection_->get(), buffer_.data(), static_cast<int>(buffer_.size())) != 1)
    connection_->fail("COPY");
  buffer_.clear();
}

void CopyWriter::finish() {
  send();
  if (PQputCopyEnd(connection_->get(), nullptr) != 1) connection_->fail("COPY");
  while (const Result result{PQgetResult(connection_->get())})
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) connection_->fail("COPY", result.get());
}

}  // namespace gnomon::oltp
