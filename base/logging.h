#pragma once

#include <fmt/format.h>

#include <string_view>

namespace gnomon {

/// The levels of PostgreSQL's server log.
enum class LogLevel : unsigned char { Debug, Log, Warning, Error, Fatal };

/// Sends the log to standard error, each line as PostgreSQL's default prefix has it:
///   2026-11-21 03:45:23.561 UTC [6497] LOG:  ...
/// Called once, before any other thread starts; without it the log goes nowhere.
void startLogging();

/// Writes one line. Threads: any. Never throws.
void writeLog(LogLevel level, std::string_view message) noexcept;

template <typename... Arguments>
void logLine(LogLevel level, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  writeLog(level, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace gnomon
