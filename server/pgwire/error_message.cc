#include "server/pgwire/error_message.h"

#include <algorithm>
#include <string>

namespace gnomon::server {
namespace {

void putField(MessageWriter& writer, char field, std::string_view text) {
  if (text.empty()) return;
  writer.putBare(field);
  writer.putString(text);
}

}  // namespace

std::string_view nameOf(Severity severity) {
  switch (severity) {
    case Severity::Debug:
      return "DEBUG";
    case Severity::Log:
      return "LOG";
    case Severity::Info:
      return "INFO";
    case Severity::Notice:
      return "NOTICE";
    case Severity::Warning:
      return "WARNING";
    case Severity::Error:
      return "ERROR";
    case Severity::Fatal:
      return "FATAL";
  }
  return "ERROR";
}

uint32_t characterPosition(std::string_view text, int32_t byte_offset) {
  if (byte_offset < 0) return 0;
  const auto bytes = std::min(static_cast<size_t>(byte_offset), text.size());
  // Continuation bytes are 10xxxxxx: every other byte begins a character.
  const auto characters = std::ranges::count_if(text.substr(0, bytes), [](char c) { return (c & 0xc0) != 0x80; });
  return static_cast<uint32_t>(characters) + 1;
}

void writeErrorMessage(MessageWriter& writer, Severity severity, const SqlError& error, std::string_view statement) {
  const bool is_error = severity >= Severity::Error;
  writer.begin(is_error ? 'E' : 'N');
  putField(writer, 'S', nameOf(severity));
  putField(writer, 'V', nameOf(severity));
  putField(writer, 'C', error.state().text());
  writer.putBare('M');
  writer.putString(error.message());
  putField(writer, 'D', error.detail());
  putField(writer, 'H', error.hint());
  if (const uint32_t position = characterPosition(statement, error.position()))
    putField(writer, 'P', std::to_string(position));
  putField(writer, 'W', error.context());
  putField(writer, 's', error.schema());
  putField(writer, 't', error.table());
  putField(writer, 'n', error.constraint());
  putField(writer, 'c', error.column());
  writer.putBare('\0');
  writer.end();
}

}  // namespace gnomon::server
