#pragma once

#include <functional>

namespace gnomon::server {

/// The ends a server can come to, as the process' exit code.
enum class ExitCode : int {
  Clean = 0,
  Failure = 1,  ///< any other reason; nothing was started, or the data directory is left unclean
  Usage = 2,
  DirectoryNotOurs = 3,
  DirectoryLocked = 4,
  DirectoryFormat = 5,
  DirectoryUnclean = 6,
  DirectoryDamaged = 7,
};

/// Runs a command; what it throws is logged and becomes the exit code that tells why.
ExitCode runCommand(const std::function<ExitCode()>& command);

}  // namespace gnomon::server
