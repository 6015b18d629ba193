#pragma once

#include <string>

#include "server/exit_code.h"

namespace gnomon::server {

/// Checks every page, tree and free-space map of a data directory that no server uses, and prints what is wrong, a line
/// each, to standard output. Nothing is changed. Clean: all is well; DirectoryDamaged: something is wrong; otherwise
/// the directory cannot be checked, and the log says why.
ExitCode verify(const std::string& data_directory);

}  // namespace gnomon::server
