#pragma once

#include <cstdint>
#include <string_view>

#include "base/sql_error.h"
#include "server/pgwire/message_writer.h"

namespace gnomon::server {

enum class Severity : uint8_t { Debug, Log, Info, Notice, Warning, Error, Fatal };

/// "ERROR".
std::string_view nameOf(Severity severity);

/// The protocol's error position: characters, counted from 1, of a byte offset in a valid UTF-8 text. 0 for none.
uint32_t characterPosition(std::string_view text, int32_t byte_offset);

/// Writes an ErrorResponse (Error, Fatal) or else a NoticeResponse. `statement` is the text that positions refer to.
void writeErrorMessage(MessageWriter& writer, Severity severity, const SqlError& error, std::string_view statement);

}  // namespace gnomon::server
