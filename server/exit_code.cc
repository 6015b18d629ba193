#include "server/exit_code.h"

#include <stdexcept>

#include "base/logging.h"
#include "base/sql_error.h"
#include "storage/control_file.h"

namespace gnomon::server {

namespace {

ExitCode exitCodeOf(storage::DirectoryError::Reason reason) {
  using Reason = storage::DirectoryError::Reason;
  switch (reason) {
    case Reason::NotOurs:
      return ExitCode::DirectoryNotOurs;
    case Reason::Locked:
      return ExitCode::DirectoryLocked;
    case Reason::FormatVersion:
      return ExitCode::DirectoryFormat;
    case Reason::Unclean:
      return ExitCode::DirectoryUnclean;
    case Reason::Damaged:
      return ExitCode::DirectoryDamaged;
    case Reason::NotPermitted:
    case Reason::Io:
      break;
  }
  return ExitCode::Failure;
}

}  // namespace

ExitCode runCommand(const std::function<ExitCode()>& command) {
  try {
    return command();
  } catch (const storage::DirectoryError& error) {
    logLine(LogLevel::Fatal, "{}", error.what());
    return exitCodeOf(error.reason());
  } catch (const std::invalid_argument& error) {
    logLine(LogLevel::Fatal, "{}", error.what());
    return ExitCode::Usage;
  } catch (const SqlError& error) {
    logLine(LogLevel::Fatal, "{}", error.message());
    // Of a log that recovery refuses, or a page.
    if (error.state() == sqlstate::kDataCorrupted) return ExitCode::DirectoryDamaged;
  } catch (const std::exception& error) {
    logLine(LogLevel::Fatal, "{}", error.what());
  }
  return ExitCode::Failure;
}

}  // namespace gnomon::server
