#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/settings.h"
#include "server/exit_code.h"

namespace gnomon::server {

/// What the command line asks for.
struct ServeOptions {
  std::string data_directory;
  std::string listen = "127.0.0.1:5432";
  std::optional<std::string> socket_directory;  ///< of the Unix socket; empty: there is none; none: /tmp, if it can be
  std::string buffer_pool;                      ///< "8GB"; empty: half of the memory the process may use
  std::string version_memory_limit;             ///< "1GB"; empty: a quarter of it
  std::string io_method = "auto";
  bool double_write = true;
  std::string max_wal_size = "1GB";
  uint64_t wal_segment_bytes = uint64_t{16} << 20;  ///< of a new directory; a power of two
  std::string wal_sync_method = "fdatasync";
  unsigned wal_logs = 0;       ///< that transactions write to at a time; 0: one for each core, half of them
                               ///< for commits that are waited for
  std::string metrics_listen;  ///< address and port of /metrics; empty: there is none
  unsigned workers = 0;        ///< 0: one per core
  unsigned connections_max = 300;
};

/// Serves until SIGTERM or SIGINT, then writes everything. Logs what stands in its way.
///
/// Rules:  V1  the sockets are taken before the data directory is opened, so a taken port leaves no unclean directory
///         V2  the directory becomes clean only after every session has ended and every page is on disk; a second
///         signal
///             changes nothing about that
/// Threads: the main thread, before any other was started (it blocks the signals for all of them).
ExitCode serve(const ServeOptions& options);

}  // namespace gnomon::server
