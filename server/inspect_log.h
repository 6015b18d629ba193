#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace gnomon::server {

/// Which records of the log are printed.
struct LogSelection {
  std::string log;     ///< a number, or "all"; empty: none
  uint64_t from = 0;   ///< those with this GSN or a larger one
  uint64_t limit = 0;  ///< so many at most; 0: all
};

/// Prints the log of a data directory that no server uses, clean or not, and leaves it as it is: of each log where it
/// begins and ends, what lies torn or uncounted behind its end, transactions that have not ended, and the records in
/// the order of their GSNs, a line each. Returns the number of problems, each printed. A torn end is none: a crash
/// leaves it. Failure: std::invalid_argument for a log that there is not.
uint64_t printLog(const std::filesystem::path& data_directory, const LogSelection& selection);

}  // namespace gnomon::server
