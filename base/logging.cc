#include "base/logging.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>

namespace gnomon {
namespace {

std::string_view nameOf(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "DEBUG";
    case LogLevel::Log:
      return "LOG";
    case LogLevel::Warning:
      return "WARNING";
    case LogLevel::Error:
      return "ERROR";
    case LogLevel::Fatal:
      return "FATAL";
  }
  return "LOG";
}

spdlog::level::level_enum spdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Log:
      return spdlog::level::info;
    case LogLevel::Warning:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
    case LogLevel::Fatal:
      return spdlog::level::critical;
  }
  return spdlog::level::info;
}

spdlog::logger*& theLogger() {
  static spdlog::logger* logger = nullptr;
  return logger;
}

}  // namespace

void startLogging() {
  // Never destroyed: sessions may log until the process ends.
  static auto* logger = new spdlog::logger("gnomon", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%Y-%m-%d %H:%M:%S.%e UTC [%P] %v", spdlog::pattern_time_type::utc);
  logger->flush_on(spdlog::level::debug);
  theLogger() = logger;
}

void writeLog(LogLevel level, std::string_view message) noexcept {
  spdlog::logger* logger = theLogger();
  if (!logger) return;
  try {
    logger->log(spdlogLevel(level), "{}:  {}", nameOf(level), message);
  } catch (const std::exception&) {
    // A log that cannot be written must not end a session.
  }
}

}  // namespace gnomon
