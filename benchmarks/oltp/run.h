#pragma once

#include <string>

#include "benchmarks/oltp/client.h"

namespace CLI {
class App;
}

namespace gnomon::oltp {

struct RunOptions {
  ClientOptions client;
  uint32_t clients = 1;
  double warmup = 0;   // seconds
  double seconds = 5;  // that are measured; none when client.transactions says how many to run
  std::string isolation = "repeatable read";
  std::string synchronous_commit = "on";
};

/// --conninfo, which all commands of the drivers have.
void addConnectionOption(CLI::App& command, std::string& conninfo);
/// The options of a run, the same for all workloads.
void addRunOptions(CLI::App& command, RunOptions& options);

/// Runs all clients, each in a thread, and writes to standard output one line of JSON: `seconds`, `driver_seconds`
/// (processor time of this process in the measured time), `lost` (the server went away, and might), and by transaction
/// the counts of KindCounts and KindLedger with latencies in microseconds. Throws the first error of a client.
void run(const Workload& workload, RunOptions options);

}  // namespace gnomon::oltp
