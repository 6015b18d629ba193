#include "server/copy/copy_out.h"

#include <string>
#include <string_view>
#include <utility>

#include "server/pgwire/wire_number.h"

namespace gnomon::server {
namespace {

using Format = sql::CopyOptions::Format;

/// The signature, no flags, no more header.
constexpr std::string_view kBinaryHeader("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
constexpr std::string_view kBinaryEnd("\377\377", 2);
constexpr size_t kMessageHeaderBytes = 1 + sizeof(uint32_t);

std::string copyData(std::string_view before, std::string_view bytes) {
  std::string message(1, 'd');
  message.resize(kMessageHeaderBytes);
  writeBigEndian(message.data() + 1, static_cast<uint32_t>(sizeof(uint32_t) + before.size() + bytes.size()));
  message += before;
  message += bytes;
  return message;
}

}  // namespace

CopyOut::CopyOut(SessionContext& session, const sql::CopyToStatement& statement, const sql::Output& root)
    : session_(session), options_(statement.options), client_rows_(session.writer) {
  if (statement.file.empty())
    announce(root.columns.size());
  else
    file_rows_.emplace(statement.file);
  if (options_.format == Format::Binary) {
    if (file_rows_)
      put(kBinaryHeader);
    else
      client_rows_.precede(kBinaryHeader);
  }
  if (options_.header) put(headerLine(root));
}

void CopyOut::announce(size_t columns) {
  MessageWriter& writer = session_.writer;
  const bool is_binary = options_.format == Format::Binary;
  writer.begin('H');
  writer.putNumber(static_cast<int8_t>(is_binary ? 1 : 0));
  writer.putNumber(static_cast<int16_t>(columns));
  for (size_t i = 0; i < columns; ++i) writer.putNumber(static_cast<int16_t>(is_binary ? 1 : 0));
  writer.end();
}

void CopyOut::put(std::string_view bytes) {
  rows().write(copyData({}, bytes));
}

void CopyOut::ClientData::write(std::span<const char> messages) {
  if (!header_.empty() && !messages.empty()) {
    const size_t bytes = 1 + readBigEndian<uint32_t>(messages.data() + 1);
    const std::string_view first(messages.data(), bytes);
    rows_.write(copyData(std::exchange(header_, {}), first.substr(kMessageHeaderBytes)));
    messages = messages.subspan(bytes);
  }
  rows_.write(messages);
}

bool CopyOut::ClientData::takeBack() {
  if (!rows_.takeBack()) return false;
  header_ = header_at_begin_;
  return true;
}

void CopyOut::finish() {
  if (options_.format == Format::Binary) put(kBinaryEnd);
  if (file_rows_)
    file_rows_->close();
  else
    session_.writer.putEmpty('c');
}

void CopyOut::FileRows::write(std::span<const char> messages) {
  has_written_ = true;
  while (!messages.empty()) {
    const size_t bytes = 1 + readBigEndian<uint32_t>(messages.data() + 1);
    file_.write(messages.subspan(kMessageHeaderBytes, bytes - kMessageHeaderBytes));
    messages = messages.subspan(bytes);
  }
}

std::string CopyOut::headerLine(const sql::Output& root) const {
  std::string line;
  for (const sql::Output::Column& column : root.columns) {
    if (!line.empty()) line += options_.delimiter;
    if (options_.format == Format::Text) {
      for (char c : column.name) {
        if (c == '\\' || c == options_.delimiter) line += '\\';
        line += c;
      }
      continue;
    }
    const std::string special{options_.delimiter, options_.quote, '\n', '\r'};
    const bool is_quoted = column.name.find_first_of(special) != std::string::npos || column.name == options_.null_text;
    if (is_quoted) line += options_.quote;
    for (char c : column.name) {
      if (is_quoted && (c == options_.quote || c == options_.escape)) line += options_.escape;
      line += c;
    }
    if (is_quoted) line += options_.quote;
  }
  line += '\n';
  return line;
}

}  // namespace gnomon::server
