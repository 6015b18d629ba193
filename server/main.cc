#include <CLI/CLI.hpp>
#include <bit>
#include <cstdio>

#include "base/logging.h"
#include "server/inspect.h"
#include "server/server.h"
#include "server/verify.h"
#include "server/version.h"

/// The `gnomon` binary: reads the command line and does what it says.
int main(int argument_count, char** arguments) {
  using gnomon::server::ExitCode;
  gnomon::server::ServeOptions options;

  CLI::App app("Gnomon, a SQL database server that speaks PostgreSQL's protocol", "gnomon");
  app.set_version_flag("--version", std::string("gnomon ") + gnomon::server::kVersion);
  app.require_subcommand(1);
  CLI::App* serve = app.add_subcommand("serve", "Serve a data directory until SIGTERM or SIGINT");
  serve->add_option("--data", options.data_directory, "The data directory; created when missing or empty")->required();
  serve->add_option("--listen", options.listen, "ADDR:PORT, a loopback address; port 0: the system chooses")
      ->capture_default_str();
  serve->add_option("-k,--socket-directory", options.socket_directory,
                    "Where the Unix socket .s.PGSQL.PORT is; '': nowhere; default: /tmp, unless it cannot be there");
  serve->add_option("--buffer-pool", options.buffer_pool,
                    "Memory for pages, as in 8GB; default: half of what the process may use");
  serve->add_option("--version-memory-limit", options.version_memory_limit,
                    "Memory for row versions, as in 1GB; default: a quarter of what the process may use");
  serve->add_option("--io-method", options.io_method, "How pages are read and written: auto, io_uring or pread")
      ->check(CLI::IsMember({"auto", "io_uring", "pread"}))
      ->capture_default_str();
  serve->add_flag("--double-write,!--no-double-write", options.double_write,
                  "Write pages twice, so that a crash leaves no torn page (default)");
  serve->add_option("--max-wal-size", options.max_wal_size, "The log that recovery may have to read, as in 1GB")
      ->capture_default_str();
  serve
      ->add_option(
          "--wal-segment-size", options.wal_segment_bytes,
          "Files of the log are so large, as in 16MB; of a new data directory, from 1MB to 1GB, a power of two")
      ->transform(CLI::AsSizeValue(false))
      ->check([](const std::string& text) {
        const uint64_t bytes = std::stoull(text);
        const bool is_allowed = std::has_single_bit(bytes) && bytes >= uint64_t{1} << 20 && bytes <= uint64_t{1} << 30;
        return is_allowed ? "" : "a segment has 1MB to 1GB, a power of two";
      })
      ->default_str("16MB");
  serve->add_option("--wal-sync-method", options.wal_sync_method, "How the log is brought to the disk")
      ->check(CLI::IsMember({"fdatasync", "fsync", "open_datasync", "open_sync"}))
      ->capture_default_str();
  serve
      ->add_option("--wal-logs", options.wal_logs,
                   "Logs that transactions write to; default: one for each core, and one for each two cores where "
                   "commits are waited for")
      ->check(CLI::Range(1, 32));
  serve->add_option("--metrics-listen", options.metrics_listen,
                    "ADDR:PORT, a loopback address, where http://ADDR:PORT/metrics is served; default: nowhere");
  serve->add_option("--workers", options.workers, "Threads for parallel steps; default: one per core")
      ->check(CLI::Range(1, 1024));
  serve->add_option("--max-connections", options.connections_max, "Sessions at a time")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  serve->footer(
      "Exit codes: 0 shut down cleanly, 1 any other failure, 2 wrong arguments; the data directory: 3 is not Gnomon's, "
      "4 is in use,\n5 has another format version, 6 was not shut down cleanly, 7 is damaged.");

  std::string verified_directory;
  CLI::App* verify = app.add_subcommand("verify", "Check every page and tree of a data directory that no server uses");
  verify->add_option("directory", verified_directory, "The data directory")->required();
  verify->footer("Exit codes: 0 all is well, 7 something is wrong, each on a line of its own; others as serve.");

  gnomon::server::InspectOptions inspected;
  CLI::App* inspect = app.add_subcommand("inspect", "Print what is in a data directory that no server uses");
  inspect->add_option("directory", inspected.data_directory, "The data directory")->required();
  auto* relation = inspect->add_option("--relation", inspected.relation, "A line for each page of the relation's tree");
  auto* page = inspect->add_option("--page", inspected.page, "One page, CLASS:NUMBER")->excludes(relation);
  inspect->add_flag("--bytes", inspected.shows_bytes, "The page's bytes too")->needs(page);
  inspect->add_flag("--catalog", inspected.shows_catalog, "The tables with their columns and indexes")
      ->excludes(relation)
      ->excludes(page);
  auto* log = inspect->add_option("--log", inspected.log.log, "The records of one log, or of all")
                  ->type_name("NUMBER|all")
                  ->excludes(relation)
                  ->excludes(page);
  inspect->add_option("--from", inspected.log.from, "Records with this number (GSN) or a larger one")->needs(log);
  inspect->add_option("--limit", inspected.log.limit, "So many records at most")->needs(log);
  inspect->footer("Exit codes: 0 all that was looked at is well, 7 something is wrong; others as serve.");

  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::Usage);
  }
  gnomon::startLogging();
  if (inspect->parsed()) return static_cast<int>(gnomon::server::inspect(inspected));
  return static_cast<int>(verify->parsed() ? gnomon::server::verify(verified_directory)
                                           : gnomon::server::serve(options));
}
