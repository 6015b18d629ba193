// TATP's driver: loads the tables of schema.sql, and runs the mix of transactions by way of routines.sql.
//   tatp_benchmark load --conninfo ... --subscribers 1000000
//   tatp_benchmark run --conninfo ... --subscribers 1000000 --clients 4 --pipeline 16 --seconds 30
// benchmarks/tatp/run starts servers, calls this and compares. Paper 1, section 4.2 has the experiment.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <exception>
#include <future>

#include "benchmarks/oltp/run.h"
#include "benchmarks/tatp/loader.h"
#include "benchmarks/tatp/workload.h"

namespace {

using namespace gnomon;

constexpr int32_t kSubscribersOfPart = 100'000;

void load(const std::string& conninfo, int32_t subscribers, uint32_t threads, uint64_t seed) {
  std::atomic<int32_t> next = 0;
  const int32_t parts = (subscribers + kSubscribersOfPart - 1) / kSubscribersOfPart;
  const auto work = [&] {
    oltp::Connection connection(conninfo);
    for (int32_t part = next++; part < parts; part = next++) {
      const int32_t last = part + 1 == parts ? subscribers : (part + 1) * kSubscribersOfPart;
      tatp::loadSubscribers(connection, seed, part * kSubscribersOfPart + 1, last);
    }
  };
  std::vector<std::future<void>> running;
  for (uint32_t thread = 0; thread < threads; ++thread) running.push_back(std::async(std::launch::async, work));
  for (auto& each : running) each.get();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("TATP");
  app.require_subcommand(1);
  std::string conninfo;
  int32_t subscribers = 1'000'000;
  uint32_t threads = 2;
  uint64_t seed = 1;
  bool uniform = false;
  bool as_statements = false;
  oltp::RunOptions options;
  CLI::App* loading = app.add_subcommand("load", "fill empty tables");
  CLI::App* running = app.add_subcommand("run", "run transactions; prints JSON");
  oltp::addConnectionOption(*loading, conninfo);
  oltp::addRunOptions(*running, options);
  for (CLI::App* command : {loading, running}) {
    command->add_option("--subscribers", subscribers, "(1000000)")->check(CLI::PositiveNumber);
    command->add_option("--seed", seed, "of random numbers (1)");
  }
  loading->add_option("--threads", threads, "connections that load (2)")->check(CLI::PositiveNumber);
  running->add_flag("--uniform", uniform, "all subscribers alike, as in paper 1");
  running->add_flag("--as-statements", as_statements, "prepared statements instead of calls");
  CLI11_PARSE(app, argc, argv);
  try {
    if (loading->parsed()) {
      load(conninfo, subscribers, threads, seed);
    } else {
      oltp::run(tatp::TatpWorkload(subscribers, uniform, as_statements, seed), options);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
