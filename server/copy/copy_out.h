#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/copy/copy_file.h"
#include "server/row_sink.h"
#include "server/session_context.h"
#include "sql/statement.h"

namespace gnomon::server {

/// One COPY TO: what comes before its rows and behind them, and where they go. Threads: the session's. Failure:
/// SqlError, ConnectionLost.
class CopyOut {
 public:
  /// Begins it. `root`: of the statement's plan. The statement outlives this object.
  CopyOut(SessionContext& session, const sql::CopyToStatement& statement, const sql::Output& root);

  /// Takes the rows, as messages CopyData.
  [[nodiscard]] RowSink& rows() { return file_rows_ ? static_cast<RowSink&>(*file_rows_) : client_rows_; }
  void finish();

 private:
  /// Payloads of messages into a file.
  class FileRows final : public RowSink {
   public:
    explicit FileRows(const std::string& name) : file_(name) {}
    void begin() override { has_written_ = false; }
    void write(std::span<const char> messages) override;
    bool takeBack() override { return !has_written_; }
    void close() { file_.close(); }

   private:
    OutputFile file_;
    bool has_written_ = false;
  };
  /// Messages to the client. What stands before the rows of binary data is a part of the first message, as some clients
  /// take each message for a row.
  class ClientData final : public RowSink {
   public:
    explicit ClientData(MessageWriter& writer) : rows_(writer) {}
    void precede(std::string_view header) { header_ = header; }
    void begin() override {
      rows_.begin();
      header_at_begin_ = header_;
    }
    void write(std::span<const char> messages) override;
    bool takeBack() override;

   private:
    ClientRows rows_;
    std::string_view header_, header_at_begin_;  ///< empty once it is written
  };
  void announce(size_t columns);
  [[nodiscard]] std::string headerLine(const sql::Output& root) const;
  /// One message CopyData.
  void put(std::string_view bytes);

  SessionContext& session_;
  const sql::CopyOptions& options_;
  ClientData client_rows_;
  std::optional<FileRows> file_rows_;  ///< none: to the client
};

}  // namespace gnomon::server
