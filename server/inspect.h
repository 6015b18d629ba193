#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/exit_code.h"
#include "server/inspect_log.h"

namespace gnomon::server {

struct InspectOptions {
  std::string data_directory;
  std::optional<uint32_t> relation;
  std::string page;          ///< "CLASS:NUMBER"; empty: none
  bool shows_bytes = false;  ///< of the page
  bool shows_catalog = false;
  LogSelection log;
};

/// Prints what is in a data directory that no server uses, also a damaged one, and leaves it as it is: the files and
/// relations, the tables of the catalog, the pages of one relation, one page, or the log. A page, and the pages of the
/// registry of relations (0), are read by themselves: nothing else need be sound. Clean: no check failed on the way.
ExitCode inspect(const InspectOptions& options);

}  // namespace gnomon::server
